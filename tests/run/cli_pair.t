# SPDX-License-Identifier: ISC
# Durations: dt record and dt stat with --slower, --from and --to, --hist.

NAME	--slower shows only slow calls, one line each with arguments and result
NEEDS	root tp_btf
RUN	dt record --slower 80ms 'syscall:*' -- sleep 0.1
OUT	 clock_nanosleep\(which_clock=CLOCK_REALTIME, flags=0, rqtp=\{tv_sec=0, tv_nsec=100000000\}, rmtp=0x[0-9a-f]+\) = 0 <0\.[1-9][0-9]+>$
NOOUT	 close\(
ERR	^dt: [0-9]+ events?, none lost$
RUN	dt stat --slower 80ms syscall:nanosleep -- sh -c 'ask call nanosleep 5 args=@nsecs:1000; exec ask call nanosleep 2 args=@nsecs:100000000'
OUT	^ +2 .* ask              syscall:nanosleep$

NAME	durations that are known are printed, as many as fit into a line
NEEDS	root tp_btf script
RUN	dt stat --slower 80ms syscall:nanosleep -- ask call nanosleep 2 \
	args=@nsecs:100000000
OUT	^   COUNT       SUM       AVG       P99       MAX     PID  COMM +PROBE$
OUT	^       2  [ 0-9.]+m?s   1[0-9]{2}\.[0-9]ms .* ask +syscall:nanosleep$
RUN	dt stat --slower 80ms --min syscall:nanosleep -- ask call nanosleep 2 \
	args=@nsecs:100000000
OUT	^   COUNT       SUM       MIN     PID  COMM +PROBE$
RUN	TERM=dumb script -qec 'stty cols 80; dt stat --slower 80ms \
	syscall:nanosleep -- ask call nanosleep 2 args=@nsecs:100000000' \
	/dev/null | tr -d '\r'
OUT	^   COUNT       AVG       MAX     PID  COMM +PROBE$

# The target of a descriptor can be read only while the process exists.  A
# sanitizer reads /proc/self/maps, whose length varies: no preloaded library, no
# such read.
NAME	a call joined by the kernel prints like one that dt has joined
NEEDS	root tp_btf preload
RUN	calls="syscall:openat syscall:newfstatat syscall:pread64 syscall:read
	syscall:close syscall:getrandom syscall:prlimit64 syscall:pipe2
	syscall:uname syscall:nanosleep syscall:lseek syscall:fcntl";
	only() { sed -n '/ask-load/d; s/^.* ask  *[0-9/]*  *//;
	s/0x[0-9a-f]*/P/g; s/fd=\([0-9]*\)<[^>]*>/fd=\1/; s/ <[0-9.]*>$//p'; };
	for i in 1 2; do opt=; [ $i = 1 ] || opt="--slower 0ns"; dt record \
	$opt --no-inherit $calls -- ask call openat 3 \
	args=-100,@text:/nope/x,0,0 | only >$i; done; diff 1 2 && wc -l <1;
	for i in 3 4; do opt=; [ $i = 3 ] || opt="--slower 0ns"; dt record \
	$opt --no-inherit $calls -- ask call nanosleep args=@nsecs:70000 |
	only >$i; done; diff 3 4 && grep -c tv_nsec=70000 4
OUT	^[1-9][0-9]+$
OUT	^1$
NOOUT	^[<>]

NAME	a name with a direction selects the call; a clock is refused
NEEDS	root tp_btf
RUN	dt stat --slower 0ns syscall:getuid:entry -- ask call getuid 7
OUT	^ +7 .* syscall:getuid$
NOOUT	entry
RUN	dt record --slower 1ms profile:hz:97 -- true
STATUS	1
ERR	^dt: profile:hz:97: only calls, which have an entry and a return, have a duration; use --from and --to for other probes$
RUN	dt record --slower 1 syscall:getuid -- true
STATUS	2
ERR	--slower 1: should be a time with its unit, for example 1ms, 200us or 0\.5s
RUN	dt record --slower 1ms syscall:nosuch -- true
STATUS	1
ERR	no probe matches

NAME	--from and --to join any two probes by a key
NEEDS	root tp_btf jq
RUN	dt record --from syscall:pipe2:entry --to syscall:getuid --key tid -- \
	sh -c true >/dev/null; dt record -j --from syscall:lseek:entry \
	--to syscall:getuid:return --key tid -- sh -c 'ask call lseek 2 args=-1,41,1; exec ask call getuid 3' | jq -s 'map(select(.probe)) | length'; dt record --from syscall:prctl --to syscall:getppid:entry \
	--key pid,tid -- sh -c 'exec keys threads 1' >/dev/null;
	dt record --from syscall:lseek:entry --to syscall:lseek:return \
	--key 'offset=retval' -- ask call lseek args=-1,-1,1
OUT	^0$
OUT	 lseek\(fd=-1, offset=-1, whence=SEEK_CUR\) = -1 EBADF \(Bad file descriptor\) <0\.[0-9]+>$

NAME	a pair of two different calls prints as first(arguments) -> second
NEEDS	root tp_btf jq
RUN	dt record --from syscall:openat:entry --to syscall:close:entry --key pid \
	-- cat /dev/null | grep -o 'openat(.*' | tail -1;
	dt record -j --from syscall:openat:entry --to syscall:close:return \
	--key pid -- cat /dev/null | jq -r 'select(.probe) | [.probe, .from,
	(.duration > 0), (.args | keys | join(",")), .errno] | @csv' | tail -1
OUT	^openat\(dfd=AT_FDCWD.*, filename="/dev/null", flags=.*\) -> close <0\.[0-9]+>$
OUT	^"syscall:close:return","syscall:openat:entry",true,"dfd,filename,flags,mode",0$

NAME	a wrong --key is reported with its reason and the nearest name
NEEDS	root tp_btf
RUN	dt record --from syscall:read:entry --to syscall:close:entry --key df=fd \
	-- true
STATUS	1
ERR	^dt: --key df: syscall:read:entry has no such value; did you mean fd\?$
RUN	dt record --from syscall:read:entry --to syscall:close:entry --key \
	tid,fd=fdd -- true
STATUS	1
ERR	^dt: --key fdd: syscall:close:entry has no such value; did you mean fd\?$
RUN	dt record --from syscall:read:entry --to syscall:close:entry --key comm \
	-- true
STATUS	1
ERR	^dt: --key comm: is a string; a key must be a number$
RUN	dt record --from syscall:read:entry --to syscall:close:entry -- true
STATUS	2
ERR	--from and --to need --key, values common to both hits, for example tid
RUN	dt record --from syscall:read:entry --key tid -- true
STATUS	2
ERR	--from and --to belong together
RUN	dt record --key tid syscall:read -- true
STATUS	2
ERR	--key needs --from and --to
RUN	dt record --from 'syscall:re*' --to syscall:close:entry --key tid -- true
STATUS	1
ERR	^dt: --from needs one probe; this matches [0-9]+$
RUN	dt record --from syscall:read:entry --to syscall:read:entry --key tid \
	-- true
STATUS	1
ERR	^dt: --from and --to are the same probe$
RUN	dt record --from syscall:read:entry --to syscall:close --key duration \
	-- true
STATUS	1
ERR	^dt: --key duration: the duration is the result of a pair$
RUN	dt record --from syscall:read:entry --to syscall:close --key a,b,c -- true
STATUS	2
ERR	--key a,b,c: should be values common to both hits

NAME	a recording has pairs and reads like the live run
NEEDS	root tp_btf jq
RUN	echo 'ask call lseek 5 args=-1,7,2; exec ask call nanosleep 3 \
	args=@nsecs:2000000' >s;
	dt record -o f.dt --slower 0ns syscall:lseek syscall:nanosleep -- sh s;
	dt report f.dt | grep -c 'lseek(fd=-1, offset=7, whence=SEEK_END) = -1 .*<';
	dt report f.dt |
	grep -c 'nanosleep(rqtp={tv_sec=0, tv_nsec=2000000}.* = 0 <';
	dt report -j f.dt | jq -s 'map(select(.from ==
	"syscall:nanosleep:entry" and .duration >= 2000000)) | length';
	dt report -j --stat --sum duration --hist --by probe f.dt | jq -rs \
	'map(select(.probe == "syscall:nanosleep:return") | [.count,
	.sum >= 6000000, (.hist | map(.count) | add)]) | .[0] | @csv'
OUT	^5$
OUT	^3$
OUT	^3,true,3$

NAME	stat adds up and distributes durations, by keys of either hit
NEEDS	root tp_btf jq
RUN	echo 'ask call lseek 4 args=-1,7; exec ask call lseek 2 args=-1,8' >s;
	dt stat -j --sum duration --by offset,errno syscall:lseek -- sh s |
	jq -cs 'map(select(.count and .args.offset > 6) | [.args.offset, .errno,
	.count, .sum > 0]) | sort';
	dt stat --hist --by comm syscall:nanosleep -- ask call nanosleep 6 \
	args=@nsecs:40000000
OUT	^\[\[7,9,4,true\],\[8,9,2,true\]\]$
OUT	^COMM ask$
OUT	^  duration: 6 values, mean [4-9][0-9.]+ms, sum [0-9.]+ms; ranges in ns$
OUT	^\[32M, 64M\) +[1-6] \|@+ *\|$

NAME	--hist distributes what --sum names, and works with --slower and -i
NEEDS	root tp_btf jq
RUN	dt stat -j --hist --sum retval --by comm syscall:socket -- ask call \
	socket 5 | jq -s 'map(select(.hist) | .hist | map(.count) | add)' -c;
	dt stat -j --hist --slower 20ms -i 0.05 syscall:nanosleep -- ask call \
	nanosleep 3 args=@nsecs:50000000 | jq -s 'map(select(.hist) |
	.count) | add'
OUT	^\[5\]$
OUT	^3$

NAME	conditions combine with durations
NEEDS	root tp_btf
RUN	dt stat --slower 0ns --if 'errno == EBADF && offset == 7' syscall:lseek \
	-- sh -c 'ask call lseek 4 args=-1,7; exec ask call lseek 2 args=-1,8'
OUT	^ +4 .* syscall:lseek$
RUN	dt stat --slower 0ns --if 'duration >= 20ms' syscall:nanosleep -- sh -c 'ask call nanosleep 3 args=@nsecs:20000000; exec ask call nanosleep 9 args=@nsecs:1000'
OUT	^ +3 .* syscall:nanosleep$
RUN	dt stat --if 'duration > 1ms' syscall:nanosleep -- true
STATUS	1
ERR	a hit has no duration

# The two threads wait for each other: every second wake-up is dtwaker waking
# dtwoken.  sched_waking fires in the thread that wakes, whatever CPU the other
# is on.
# The waker waits until the woken thread sleeps: on a busy machine, that one may
# find each byte before it has to.
NAME	keys name a hit of the pair: the waker, the woken, the previous thread
NEEDS	root tp_btf perf_event jq
RUN	cp /bin/sh dtwaker; cp /bin/sh dtwoken; mkfifo f g; cat >s <<'X'
	./dtwoken -c 'while read x <&3; do echo y >&4; done' 3<f 4>g &
	export W=$!; exec ./dtwaker -c 'i=0; while [ $i -lt 40 ]; do s=; until [ "$s" = S ]; do
	while read k v r; do case $k in State:) s=$v;; esac; done </proc/$W/status; done;
	echo x >&3; read y <&4; i=$((i + 1)); done' 3>f 4<g
	X
	w="--from tracepoint:sched:sched_waking --to syscall:read:return
	--key args.pid=tid"; by="--by from.comm,to.comm,args.comm";
	dt stat -j $by $w -- sh s >live; dt record -o f.dt $w -- sh s;
	dt report -j --stat $by f.dt >report; for f in live report; do
	jq -cs 'map(select(.args.comm == "dtwoken")) | (map(select(."from.comm" ==
	"dtwaker" and ."to.comm" == "dtwoken") | .count) | add >= 1),
	any(.[]; ."from.comm" == "dtwoken"), any(.[]; ."to.comm" != "dtwoken")' \
	$f; done; dt report f.dt | grep -c ' dtwaker  *\([0-9]*\)/\1 .*sched:sched_waking(comm="dtwoken", pid=\([0-9]*\), .* -> read \[[0-9]* dtwoken \2/\2\]';
	dt report -j f.dt | jq -s 'map(select(."from.comm" == "dtwaker" and
	.strings.comm == "dtwoken" and .comm == "dtwoken" and .tid == .args.pid
	and ."from.pid" != .pid)) | length >= 1'
EXPECT	true false false true false false >=1 true

# The tracepoint has the thread that had the CPU as prev_comm.
NAME	a condition of a pair names its hit as from. or to.
NEEDS	root tp_btf perf_event jq
RUN	cp /bin/sh dtwaker; cp /bin/sh dtwoken; mkfifo f g; cat >s <<'X'
	./dtwoken -c 'while read x <&3; do echo y >&4; done' 3<f 4>g &
	export W=$!; exec ./dtwaker -c 'i=0; while [ $i -lt 40 ]; do s=; until [ "$s" = S ]; do
	while read k v r; do case $k in State:) s=$v;; esac; done </proc/$W/status; done;
	echo x >&3; read y <&4; i=$((i + 1)); done' 3>f 4<g
	X
	w="--from tracepoint:sched:sched_waking --to
	tracepoint:sched:sched_switch --key args.pid=next_pid";
	dt stat -j --by from.comm,to.comm,to.pid,args.comm --if 'from.comm ==
	"dtwaker" && args.comm == "dtwoken" && to.next_comm == "dtwoken" &&
	to.prev_comm == "dtwaker"' $w -- taskset -c 0 sh s | jq -cs 'map(
	select(.count)) | (map(.count) | add >= 1), (map([."from.comm",
	."to.comm", .args.comm]) | unique)'
OUT	^true$
OUT	^\[\["dtwaker","dtwaker","dtwoken"\]\]$

NAME	a name that both threads of a pair have is refused with advice
NEEDS	root tp_btf perf_event
RUN	w="--from tracepoint:sched:sched_wakeup --to tracepoint:sched:sched_switch
	--key args.pid=next_pid"; for k in comm probe,tid pid uid ppid cgroup cpu;
	do dt stat --by $k $w -- true 2>&1 | head -1; done;
	dt record --if 'prio > 1 && comm == "x"' $w -- true 2>&1 | head -3;
	dt record --if 'from.pid == 1 || to.pid == 1' $w -- true 2>&1 | head -1;
	dt stat --by from.prio $w -- true 2>&1; dt stat --by to.pid $w -- true \
	2>&1 | grep -c 'comm:'; dt stat --by pid,comm,uid,from.cpu --from \
	syscall:lseek:entry --to syscall:getuid:entry --key tid -- true 2>&1
OUT	^dt stat: --by comm: a pair has two threads; use from\.comm \(of the first hit\), to\.comm \(of the second\) or args\.comm \(the argument of that name\)$
OUT	^dt stat: --by tid: a pair
OUT	^dt stat: --by pid: a pair
OUT	^dt stat: --by uid: a pair
OUT	^dt stat: --by ppid: a pair
OUT	^dt stat: --by cgroup: a pair
OUT	^dt stat: --by cpu: a pair
OUT	^dt: --if: a pair has two threads; use from\.comm
OUT	^    prio > 1 && comm == "x"$
OUT	^dt: --if: this uses both hits of the pair
OUT	^dt: --by from\.prio: from\. and to\. precede probe,
OUT	^0$
OUT	^dt: [0-9]+ events?( in [0-9.]+ m?s)?, none lost$
RUN	dt stat --by comm --from tracepoint:sched:sched_wakeup --to \
	tracepoint:sched:sched_switch --key args.pid=next_pid -- true
STATUS	2
RUN	dt record -o f.dt --from tracepoint:sched:sched_waking --to \
	syscall:read:return --key args.pid=tid -- sh -c 'true | cat;
	(sleep 0.1; echo) | cat'; dt report --stat --by comm f.dt
STATUS	2
ERR	^dt: --by comm: a pair has two threads; use from\.comm
NOOUT	COMM

NAME	without --by a pair of two threads is counted by the second
NEEDS	root tp_btf jq
RUN	dt stat -j --from syscall:write:entry --to syscall:read:return --key \
	count=retval -- sh -c 'echo abcdefg | cat >/dev/null' | jq \
	-rs 'map(select(.count) | keys | join(" ")) | unique[]'
OUT	^avg count max p99 probe sum to\.comm to\.pid$
