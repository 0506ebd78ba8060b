# SPDX-License-Identifier: ISC
# User stacks by unwind tables, checked with a program whose stacks are known
# (prog/sym/sym_frames.c).

NAME	programs without frame pointers have the stacks that they must have
NEEDS	root perf_event tp_btf sym_burn
TIMEOUT	120
# A first run, by another name, hits the pages whose tables the second one has.
RUN	for p in $B/sym/sym_frames*; do
	echo "${p##*/}:"; ln -sf $p warm; dt profile --call-graph table \
	--no-limit -f -F 997 -- sh -c "./warm 50; $p 100" >f 2>e;
	awk -f "$S"/tests/run/frames_check f; done
OUT	^sym_framesstatic:$
NOOUT	wrong
