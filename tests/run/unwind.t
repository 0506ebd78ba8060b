# SPDX-License-Identifier: ISC
# User stacks by unwind tables: first samples, perf's, and those of each provider
# (prog/sym/sym_hooks.c).  unwind_truth.t has programs with known stacks.

# The daemon has no table of a program when it starts, and none of the short
# processes lives until its tables are ready.  About 300 samples in each run.  Not
# in guests: an emulated machine may need more than a second for a table, after
# which dtd gives up.
NAME	first samples have complete stacks, live and in a report
NEEDS	root perf_event tp_btf perl
RUN	cat >work <<'X'
	my %h; for (1 .. 200000) { $h{$_ % 999} .= "x" if /7/ }
	X
	cat >each <<'X'
	for i in 1 2 3 4 5 6 7 8; do cp /usr/bin/perl fresh$1$i; ./fresh$1$i work;
	./fresh$1$i -e 1; done
	X
	dt profile --no-limit --call-graph table -F 997 -f -- sh ./each a 2>e >f;
	dt profile --no-limit --call-graph table -F 997 -o f.dt -- sh ./each b 2>/dev/null;
	dt report --profile f.dt >r 2>&1; grep ' user stacks complete' e r >&2;
	dt report --profile -f f.dt 2>/dev/null | cat - f | grep '\[incomplete' |
	grep -v 'no user memory' >&2;
	sed -n 's/^[dt: ]*\([0-9]*\) % of .* by unwind tables.*/\1/p' e r
EXPECT	>=97 >=97

# Both sample one load, which has the same addresses in both runs.
NAME	functions and call edges are those that perf finds by DWARF
NEEDS	root perf_event tp_btf perf python3 perl full
TIMEOUT	120
RUN	cat >load <<'X'
	import json, re
	def once(i): s = json.dumps({str(k): [k] * 5 for k in range(200)}, indent=1); \
	    json.loads(s); re.sub(r'(\d+),', lambda m: m.group(1), s); sorted(s.split())
	for i in range(2000): once(i)
	X
	setarch -R perf record -q -e cpu-clock -F 499 --call-graph dwarf,32768 \
	-o p /usr/bin/python3 load >&2;
	perf script --no-inline -F ip,sym,symoff,dso -i p >perf;
	dt profile --no-limit --call-graph table -j -F 499 -- setarch -R \
	/usr/bin/python3 load >dt;
	"$S"/tests/run/perf_check perf dt
OUT	^samples: perf [0-9]{3,}, dt [0-9]{3,}$
OUT	^functions that agree: 20$
OUT	^frequent edges: [0-9]{2,}, of these unseen: 0; unseen share: 0\.0[0-4]

NAME	stacks at system calls are by tables, at entry and return
CORE
NEEDS	root tp_btf sym_burn
TIMEOUT	120
RUN	for p in entry return; do rm -f done; dt record -g --call-graph table \
	syscall:nanosleep:$p -- $B/sym/sym_hooks 2>e |
	awk -f "$S"/tests/run/hooks_check; done
EXPECT	ok ok

# libc's frame information ends before these calls.
NAME	stacks at the start of threads and processes are complete
NEEDS	root tp_btf sym_burn jq
RUN	dt record -gj syscall:clone:entry syscall:clone3:entry -- \
	$B/sym/sym_frames 5 2>e | jq -r 'select(.uframes) |
	"\(.complete) \(.ustack | join(";"))"'
OUT	^true .*;thread_scene;main;
OUT	^true .*;clone_scene;main;
NOOUT	^false

NAME	stacks at tracepoints are by tables
CORE
NEEDS	root perf_event tp_btf sym_burn
TIMEOUT	120
RUN	for p in tracepoint:raw_syscalls:sys_enter rawtracepoint:sys_exit; do
	rm -f done; dt record -g --call-graph table $p -- $B/sym/sym_hooks 2>e |
	awk -f "$S"/tests/run/hooks_check; done
EXPECT	ok ok

NAME	stacks at kernel functions are by tables, however they are attached
CORE
NEEDS	root kprobe tp_btf sym_burn full
TIMEOUT	120
# Few functions, and more than fentry is for.
RUN	for p in 'hrtimer_nanosleep:entry' 'hrtimer_nanosleep:return' \
	'hrtimer_nanosleep' 'hrtimer_*'; do
	rm -f done; dt record -g --call-graph table "kprobe:$p" -- $B/sym/sym_hooks 2>e |
	awk -f "$S"/tests/run/hooks_check; done
EXPECT	ok ok ok ok

NAME	stacks at ticks of interval are by tables
NEEDS	root perf_event tp_btf sym_burn
TIMEOUT	120
RUN	taskset -c 0 dt record -g --call-graph table interval:hz:200 \
	-- $B/sym/sym_frames 200 2>e >o; grep -c 'main+' o
OUT	^[1-9][0-9]
# An idle CPU is in the kernel, a busy one is not: only the tick itself is cut.
RUN	taskset -c 0 dt record -g --call-graph table interval:hz:200 \
	-- $B/sym/sym_frames 20 2>e >o; grep 'kernel: error' o; grep -A 1 interval:hz o |
	grep sysvec_ || echo cut
EXPECT	cut

NAME	a hook in use loses no hit while sessions with tables come and go
NEEDS	root perf_event tp_btf
TIMEOUT	120
RUN	hookshare syscall:getppid:entry; hookshare syscall:getppid:return;
	hookshare tracepoint:raw_syscalls:sys_enter 1;
	hookshare rawtracepoint:sys_enter 2
NOOUT	[0-9]
RUN	hookshare syscall:getppid:entry
EXPECT	all calls, and stacks by tables

NAME	without unwind tables stacks are by frame pointers, and dt says so
NEEDS	root tp_btf preload sym_burn
# perf_event_open(2) fails from the first call on (prog/fault.h).
RUN	printf '\3\0\0\0\15\0\0\0\1\0\0\0\0\0\0\0\377\377\377\377\377\377\377\177' >f;
	printf '\0\0\0\0\0\0\0\0' >>f; LD_PRELOAD=$B/tests/fault.so DT_FAULT=$PWD/f \
	dt record -g --call-graph table syscall:nanosleep:entry -- sleep 0.1
ERR	^dt: dtd cannot use unwind tables here, so user stacks are by frame 
RUN	LD_PRELOAD=$B/tests/fault.so DT_FAULT=$PWD/f dt record -j -g \
	--call-graph table syscall:nanosleep:entry -- sleep 0.1
OUT	,"no_tables":true
RUN	dt record -g --call-graph table syscall:nanosleep:entry -- sleep 0.1
NOERR	unwind tables
