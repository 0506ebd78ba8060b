# SPDX-License-Identifier: ISC
# Converts a script for bpftrace: the kernel's BTF replaces headers, which may not
# compile.
/^#include/d
s/TASK_RUNNING/0/
s/AF_INET6/10/g
s/AF_INET/2/g
