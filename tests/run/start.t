# SPDX-License-Identifier: ISC
# Work that a start avoids, so that it is fast.

NAME	the kernel's types are read once, and few of them are copied
NEEDS	root tp_btf
RUN	mkdir -p a; echo "directory = $T/a" >c; dtd -vv -c c 2>log & pid=$!;
	until grep -q 'types of the kernel' log; do sleep 0.02; done;
	kill -TERM $pid; wait $pid; cat log
OUT	 [1-9][0-9]{1,3} of [1-9][0-9]{4,} types of the kernel are set apart$
NOOUT	left to libbpf

NAME	of two programs only the enabled one is loaded
NEEDS	root tp_btf
RUN	for p in syscall:getpid:entry syscall:getpid:return syscall:getpid; do
	dt record --self $p >o & d=$!; until [ -s o ]; do ask call getpid 1; done;
	read -r c </proc/$d/task/$d/children;
	grep -l prog_type /proc/$c/fdinfo/* | wc -l; kill $d; wait $d; : >o; done
EXPECT	1 1 2
