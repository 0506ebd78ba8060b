# SPDX-License-Identifier: ISC
# The cost limit: dtd measures what tracing costs and stops a session that costs
# too much.  A storm is getppid(2) on every CPU until the file done exists.

NAME	a probe on every system call is stopped during a storm of calls
CORE
NEEDS	root tp_btf mounts jq quick
SERVICE	cost-limit = 3
RUN	for i in $(seq $(nproc)); do ask until done call getppid 20000 & done;
	dt stat -j -d 50 'syscall:*' >j; s=$?; touch done; wait;
	jq -es '.[-1] | (.ledger | .fired == .read + .dropped + .recursed and
	.read > 0) and .cost > 30000 and .cost <= 1000000 and
	(.stopped | test("^syscall:getppid:(entry|return) "))' j; exit $s
STATUS	1
OUT	^true$
ERR	^dt: dtd stopped the recording: syscall:getppid:(entry|return) \(of [0-9]+ probes\): tracing took [0-9.]+ % of [0-9]+ CPUs?, the limit is 3 %; .*--no-limit
ERR	^dt: tracing took [0-9.]+ % of [0-9]+ CPUs?$

NAME	the default limit also stops stacks, and earlier events are kept
NEEDS	root tp_btf
TIMEOUT	240
# Next to other load the storm would get too little CPU time to cost 20 %.  It
# has its own session (setsid), because the kernel divides CPU time between
# sessions first.
RUN	for i in $(seq $(nproc)); do
	setsid sh -c '{ echo -5 >/proc/self/autogroup; } 2>/dev/null;
	exec nice -n -5 ask until done call getppid 20000' & done;
	dt record -g -d 50 -o r.dt syscall:getppid; s=$?; touch done; wait;
	dt report r.dt | tail -n +1 | grep -c getppid >n; [ "$(cat n)" -gt 0 ] ||
	exit 9; exit $s
STATUS	1
ERR	^dt: dtd stopped the recording: syscall:getppid:(entry|return) \(of 2 probes\): tracing took [0-9.]+ % of [0-9]+ CPUs?, the limit is 20 %;
ERR	^dt: dtd stopped the recording: tracing cost too much$

NAME	the command's status wins, and the command continues
NEEDS	root tp_btf mounts
SERVICE	cost-limit = 0.2
RUN	dt stat 'syscall:*' -- sh -c 'while [ ! -e stopped ]; do :; done;
	exit 7' >o 2>e & d=$!; until grep -q 'dtd stopped' e; do sleep 0.05;
	done; touch stopped; wait $d; echo "status $?"; cat e
OUT	^status 7$
OUT	^dt: dtd stopped the recording: syscall:[a-z0-9_]+:(entry|return) \(of

NAME	another session with a filter continues and loses nothing
NEEDS	root tp_btf
SERVICE
ASK	spawn W; open; fullstat costlimit;
	enable syscall:getppid:entry flags=kstack,ustack; record on;
	B: open; B: filter pid=W; B: enable syscall:getppid:entry;
	B: record on; in W call getppid 700
EXPECT	0 0 200000 0 0 0 0 0 0 0
AFTER	for i in $(seq $(nproc)); do ask until done call getppid 20000 \
	>/dev/null 2>&1 & done
ASK	await recording 0
EXPECT	0
AFTER	touch done
ASK	in W call getppid 800; readall; note; B: fullstat recording;
	B: record off; B: readall; B: note; B: ledger dropped; B: ledger flags
EXPECT	0 * * 1 0 1500 NONE 0 2

NAME	a session without a limit continues, and no other session pays for it
NEEDS	root tp_btf mounts full
SERVICE	cost-limit = 0.3
ASK	spawn W; open; filter pid=W; enable syscall:getppid:entry; record on;
	B: open; B: enable syscall:clock_nanosleep:entry; B: record on;
	C: open; C: ioctl NOLIMIT int=1; C: enable syscall:getppid:entry;
	C: record on
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0
RUN	for i in $(seq $(nproc)); do ask until done call getppid 20000 & done;
	dt stat --no-limit -d 4 'syscall:*' >o; s=$?; touch done; wait; exit $s
ERR	^dt: tracing took [0-9.]+ % of [0-9]+ CPUs?$
NOERR	stopped
ASK	in W call getppid 900; fullstat recording; record off; readall;
	B: fullstat recording; C: fullstat recording
EXPECT	0 1 0 900 1 1

NAME	a session whose filter rejects every hit is charged, too
NEEDS	root tp_btf mounts full
SERVICE	cost-limit = 0.1
RUN	for i in $(seq $(nproc)); do ask until done call getppid 20000 & done;
	dt stat -d 50 --comm dt-nobody syscall:getppid; s=$?; touch done; wait;
	exit $s
STATUS	1
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$
ERR	^dt: dtd stopped the recording: syscall:getppid:entry: tracing took

NAME	a stopped session can stop, start again, and lift the limit
NEEDS	root tp_btf mounts full
SERVICE	cost-limit = 0.2
ASK	open; ioctl NOLIMIT int=1; ioctl NOLIMIT int=0; budget 65536;
	enable syscall:getppid:entry flags=kstack,ustack; note; record on;
	ioctl NOLIMIT int=1
EXPECT	0 0 0 0 0 NONE 0 EBUSY
AFTER	for i in $(seq $(nproc)); do ask until done call getppid 20000 \
	>/dev/null 2>&1 & done
ASK	await recording 0; fullstat flags; readall; note; ledger flags;
	record off; record off; ioctl NOLIMIT int=1; fullstat costlimit;
	record on; note; ledger flags; fullstat flags
EXPECT	0 4 * * 6 0 0 0 0 0 NONE EAGAIN 0
AFTER	sleep 3; touch done
ASK	fullstat recording; record off; readall; note; ledger flags
EXPECT	1 0 * NONE 2

NAME	a light load is not stopped
NEEDS	root tp_btf full
RUN	dt stat -j -d 3.5 'syscall:*:entry' >j; tail -n 1 j
OUT	^\{"ledger":\{.*\},"cost":[0-9]+\}$
NOERR	stopped

NAME	a run of a second reports its cost, a shorter one does not
NEEDS	root tp_btf
RUN	dt stat -d 1 syscall:acct:entry
ERR	^dt: tracing took (less than 0\.1|[0-9]+\.[0-9]) % of [0-9]+ CPUs?$
RUN	dt stat syscall:acct:entry -- true
NOERR	tracing took

NAME	the reported cost is the slowdown of a loop of calls
NEEDS	root tp_btf full
TIMEOUT	120
RUN	brake cost
OUT	^brake cost: as it is$

NAME	while no session records there is no timer, and nothing is counted
CORE
NEEDS	root tp_btf
TIMEOUT	120
RUN	cat /proc/sys/kernel/bpf_stats_enabled >a; brake rest;
	cat /proc/sys/kernel/bpf_stats_enabled >b; cmp a b
OUT	^brake rest: at rest$

NAME	a single burst within a measurement stops no session
NEEDS	root tp_btf full
TIMEOUT	120
RUN	brake burst
OUT	^brake burst: goes on$

NAME	a request that races with the stop of its session loses nothing
NEEDS	root tp_btf full
TIMEOUT	240
RUN	n=4; [ -z "${DT_LARGE:-}" ] || n=10; brake race -n $n
OUT	^brake race: all adds up, [0-9]+ of [0-9]+ were in time$

NAME	lifting the limit requires the right ADMIN
NEEDS	root nonroot setpriv mounts
SERVICE
ASK	as 65534; open; ioctl NOLIMIT int=1; error; ioctl NOLIMIT null
EXPECT	0 0 EPERM user_65534_lacks_the_right_ADMIN EPERM
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt stat --no-limit \
	syscall:getpid -- true
STATUS	1
ERR	--no-limit: .*ADMIN

NAME	if costs cannot be measured, the cost is unknown and nothing is stopped
NEEDS	root tp_btf setpriv full
RUN	for i in $(seq $(nproc)); do ask until done call getppid 20000 & done;
	setpriv --bounding-set -sys_admin --inh-caps -sys_admin \
	dt stat -d 2.5 syscall:getppid; s=$?; touch done; wait; exit $s
NOERR	stopped
NOERR	tracing took

NAME	the limit is a percentage
NEEDS	root
RUN	for v in 0 0.5 100 20; do echo "cost-limit = $v" >c; dtd -c c -n || exit 8;
	done; for v in -1 101 x 0x10 nan ''; do echo "cost-limit = $v" >c;
	dtd -c c -n && exit 9; done 2>e; cat e; exit 3
STATUS	3
OUT	^dtd: c:1:14: cost-limit requires percent of the machine, 0 to 100, not '101'$

NAME	a session above cost-limit-open is stopped, without any other limit
NEEDS	root tp_btf mounts
SERVICE	cost-limit = 0
	cost-limit-open = 1
RUN	for i in $(seq $(nproc)); do ask until done call getppid 20000 & done;
	dt stat -d 50 'syscall:*'; s=$?; touch done; wait; exit $s
STATUS	1
ERR	^dt: dtd stopped the recording: .*: this recording took [0-9.]+ % of [0-9]+ CPUs?, the limit is 1 %;

NAME	a program loaded after a hundred others is measured, too
NEEDS	root tp_btf mounts full
TIMEOUT	300
SERVICE	cost-limit = 0.5
RUN	dt stat -d 1 'rawtracepoint:[f-s][a-q]*' >/dev/null; n=$?;
	for i in $(seq $(nproc)); do ask until done call getppid 20000 & done;
	dt stat -d 50 rawtracepoint:sys_enter:hit; s=$?; touch done; wait; exit $s
STATUS	1
ERR	^dt: dtd stopped the recording: rawtracepoint:sys_enter:hit

NAME	the cost to a named command counts against its own limit
CORE
NEEDS	root tp_btf mounts jq quick
TIMEOUT	120
SERVICE	cost-limit = 1
	cost-limit-named = 100
RUN	dt stat -j 'syscall:*' -- sh -c 'for i in $(seq $(nproc)); do
	ask until done call getppid 20000 & done; sleep 4; touch done; wait' >j;
	jq -es '.[-1] | .cost > 10000 and .stopped == null' j
OUT	^true$
NOERR	stopped

NAME	a session that names or owns its processes has cost-limit-named
NEEDS	root nonroot
SERVICE	allow = trace-own to user 65534
ASK	spawn W; open; fullstat costlimit; filter pid=W; fullstat costlimit;
	filter pid=1; fullstat costlimit; filter pid=W; ioctl NOLIMIT int=1;
	fullstat costlimit; as 65534; B: open; B: fullstat costlimit
EXPECT	0 0 200000 0 500000 0 200000 0 0 0 0 0 500000

# The test first measures what one recording costs here.  The limit is four
# times that, so 24 recordings exceed it and one does not.  Not in guests: the
# cost of a hit in an emulated machine varies too much.
NAME	many small recordings of a user do not stop a recording of root
NEEDS	root nonroot tp_btf mounts jq perl full
TIMEOUT	180
RUN	p='directory = %s/run\nallow = trace-own to user 65534\n'; printf "$p" $T >c;
	dtd -c c 2>log & d=$!; until [ -S run/dt ]; do sleep 0.02; done;
	setpriv --reuid 65534 --regid 65534 --clear-groups perl -e 'while (!-e "done")
	{ getppid for 1..300; select undef, undef, undef, .001 }' &
	c=$(dt stat -j -d 4 syscall:getppid:entry | jq -s '.[-1].cost / 2500');
	printf "$p"'cost-limit = %s\ncost-limit-named = %s\n' $T $c $c >c;
	kill -HUP $d; until grep -q 'settings reloaded' log; do sleep 0.02; done;
	mkfifo f; export ASK_DIR=$T/run; { echo 'as 65534';
	for i in A B C D E F G H I J K L M N O P Q R S T U V W X; do
	echo "$i: open; $i: budget 131072; $i: enable syscall:getppid:entry;" \
	"$i: record on"; done; cat f; } | ask >o & exec 3>f;
	until [ $(wc -l <o) -gt 24 ]; do sleep 0.02; done; sort o | uniq -c;
	dt stat -d 9 syscall:getppid:entry; s=$?; touch done; exec 3>&-; kill $d;
	wait $d; cat log; exit $s
OUT	^ +24 0 0 0 0 *$
OUT	user 65534 is stopped: .*: tracing took .*; setting cost-limit-named; user 65534 has [0-9.]+ % in [0-9]+ recordings$
ERR	^dt: tracing took
NOERR	stopped

NAME	CPU time for a user's commands counts as cost of the user's recordings
NEEDS	root nonroot tp_btf mounts setpriv
TIMEOUT	60
RUN	printf 'directory = %s/run\nallow = trace-own to user 65534\ncost-limit = %s\n' \
	$T $(awk "BEGIN { print 0.6 / $(nproc) }") >c; dtd -c c 2>log & d=$!;
	until [ -S run/dt ]; do sleep 0.02; done;
	user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; };
	user dt stat -d 50 syscall:acct:entry 2>e & u=$!;
	for i in $(seq $(nproc)); do while kill -0 $u 2>/dev/null; do
	user dt list 'tracepoint:*:*' >/dev/null; done & done; wait $u;
	cat e; kill $d; wait
OUT	^dt: dtd stopped the recording: syscall:acct:entry: tracing took [0-9.]+ % of [0-9]+ CPUs?, the limit is [0-9.]+ %; setting cost-limit; user 65534 has [0-9.]+ % in 1 recording, [0-9.]+ % of it for commands;
