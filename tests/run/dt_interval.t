# SPDX-License-Identifier: ISC
# The interval provider: a clock on one CPU, also while that CPU is idle.

NAME	interval ticks once per period on one CPU, idle or busy
CORE
NEEDS	root quick
ASK	spawn W; open; enable interval:hz:1 nsecs=20000000; record on;
	read 20; in W burn 400; record off; readall; count cpu=0;
	count nargs>0; count commlen>0; count kstack>0; ledger idle
EXPECT	0 0 0 0 20 0 0 >=21 >=21 0 0 0 0

NAME	the number of interval is 2, and system calls follow
CORE
ASK	open; pbn profile:hz:97; pbn interval:hz:1; pbn syscall:read:entry
EXPECT	0 1 2 >=3

NAME	in a pid namespace an outside thread has pid 0, no name and no stacks
CORE
NEEDS	root mounts unshare quick
SERVICE
RUN	unshare -p -f --mount-proc sh -c 'echo "open;
	enable interval:hz:1 nsecs=5000000 flags=comm,ustack,kstack,who;
	record on; read 50; record off; readall; count tid>30;
	count tid=0 commlen=0 ustack=0 kstack=0 cgroup=0 pid=0;
	count commlen>0 tid=0; count kstack>0 tid=0" | ask'
EXPECT	0 0 0 50 0 >=50 0 >=1 0 0

NAME	the session's filters do not apply to interval
CORE
NEEDS	root
ASK	spawn W; open; filter pid=W; enable interval:hz:1 nsecs=10000000;
	record on; read 20; record off; readall; ledger excluded
EXPECT	0 0 0 0 0 20 0 >=20 0

NAME	periods out of bounds are EINVAL, the bounds are accepted
CORE
NEEDS	root
ASK	open; enable interval:hz:1; enable interval:hz:1 nsecs=199999;
	enable interval:hz:1 nsecs=4294967295000000001;
	enable interval:hz:1 nsecs=4294967295000000000; record on; record off;
	readall; disable interval:hz:1; enable interval:hz:1 nsecs=200000;
	enable interval:hz:1 nsecs=200000
EXPECT	0 EINVAL EINVAL EINVAL 0 0 0 0 0 0 EEXIST

NAME	interval and profile each have their own period
CORE
NEEDS	root perf_event
ASK	spawn W; open; enable interval:hz:1 nsecs=50000000;
	enable profile:hz:97 nsecs=5000000; record on; in W burn 1000;
	record off; readall; count probe=interval:hz:1;
	count probe=profile:hz:97
EXPECT	0 0 0 0 0 0 0 >=60 >=15 >=60

NAME	DISABLE while recording ends the ticks, and none is skipped
NEEDS	root
ASK	spawn W; open; enable interval:hz:1 nsecs=1000000;
	enable syscall:getpid:entry; record on; disable interval:hz:1;
	clear; in W burn 500; record off; readall; ledger skiptick
EXPECT	0 0 0 0 0 0 0 0 0 * 0..50

NAME	a second run ticks again, and close ends the clock
NEEDS	root
SERVICE
ASK	open; enable interval:hz:1 nsecs=5000000; record on; read 5;
	record off; readall; record on; read 5; close; open;
	await nopen 1
EXPECT	0 0 0 5 0 >=5 0 5 0 0 0

NAME	dt stat and dt record take the rate from the name or from -F
NEEDS	root full
RUN	dt stat -d 1 interval:hz:20 && dt record -n 3 interval:ms:10 &&
	dt stat -d 1 -F 20 interval:hz:1
OUT	interval:hz:1$
ERR	^dt: ([5-9]|[12][0-9]) events

NAME	a rate that the clock cannot have is reported
RUN	dt stat -d 1 interval:us:100
STATUS	1
ERR	200 microseconds

NAME	fast clocks without ADMIN tick at ordinary priority and are stopped
NEEDS	root nonroot setpriv mounts
SERVICE	allow = profile to user 65534
	cost-limit = 2
RUN	for i in 1 2 3 4 5 6 7 8; do
	setpriv --reuid 65534 --regid 65534 --clear-groups \
	dt stat -d 60 -F 5000 interval:hz:1 >/dev/null 2>e$i & done;
	t=; until [ -n "$t" ]; do
	t=$(grep -slx dtd-interval /proc/[0-9]*/task/*/comm); done;
	t=${t%/comm}; chrt -p ${t##*/};
	until grep -qs "dtd stopped" e?; do sleep 0.1; done;
	pkill -INT -P $$ -x dt; wait; cat e? >&2
OUT	policy: SCHED_OTHER$
NOOUT	SCHED_FIFO
ERR	^dt: dtd stopped the recording: interval:hz:1: tracing took [0-9.]+ % of [0-9]+ CPUs?, the limit is 2 %
