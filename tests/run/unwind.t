# SPDX-License-Identifier: ISC
# User stacks by unwind tables, checked with a program whose stacks are known
# (prog/sym/sym_frames.c).

NAME	programs without frame pointers have the stacks that they must have
NEEDS	root perf_event tp_btf sym_burn
CORE
TIMEOUT	120
RUN	for p in $B/sym/sym_frames*; do echo "${p##*/}:"; $p 1; dt profile \
	--call-graph table --no-limit -f -F 997 -- $p 200 >f 2>e;
	awk -f "$S"/tests/run/frames_check f; done
OUT	^sym_framesstatic:$
NOOUT	wrong
