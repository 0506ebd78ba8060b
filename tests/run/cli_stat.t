# SPDX-License-Identifier: ISC
# dt stat

NAME	a call is counted once: at its entry, or at its return if keys need that
NEEDS	root tp_btf
RUN	dt stat --by probe syscall:getuid -- ask call getuid 7
OUT	^ +7 .*syscall:getuid$
NOOUT	return
RUN	dt stat --by probe,errno 'syscall:close' -- ask call close 7
OUT	^ +7 .*syscall:close +EBADF$
NOOUT	entry
RUN	dt stat --by probe --if 'errno == EBADF' syscall:close -- ask call close 7
OUT	^ +7 .*syscall:close$
NOOUT	entry
RUN	dt record -o f.dt syscall:getuid -- ask call getuid 7; dt report --stat \
	--by probe f.dt
OUT	^ +7 .*syscall:getuid$
NOOUT	return

NAME	times have units in a table, and are nanoseconds in JSON
NEEDS	root tp_btf jq
RUN	dt stat --sum duration --avg --by probe syscall:nanosleep -- ask call nanosleep 3 args=@nsecs:10000000;
	dt stat --sum retval --by comm syscall:getpid -- ask call getpid 3
OUT	^ +COUNT +SUM +AVG +PROBE$
OUT	^ +3 +[0-9.]+ms +[0-9.]+ms  syscall:nanosleep$
OUT	^ +COUNT +SUM +SUM/s +COMM$
RUN	dt stat -j --sum duration --by probe syscall:nanosleep -- ask call nanosleep 3 args=@nsecs:10000000 |
	jq -s '.[0].sum > 1000000'
EXPECT	true

NAME	sums of bytes have units, if they are of bytes only
NEEDS	root tp_btf jq
RUN	dd="dd if=/dev/zero of=/dev/null bs=1M count=4";
	for p in syscall:read 'syscall:read syscall:write' 'syscall:read syscall:lseek'; do
	dt stat --by fd --sum retval $p -- $dd; done 2>/dev/null
OUT	^   COUNT       SUM     SUM/s  FD$
OUT	^ +4 +4\.00MB +[0-9.]+[kMG]B  0.*$
OUT	^ +COUNT +SUM +SUM/s  FD$
OUT	^ +[0-9]+ +4194304 +[0-9.]+  0.*$
RUN	dd="dd if=/dev/zero of=/dev/null bs=1M count=4";
	dt stat --hist --max --by fd --sum count syscall:read:entry -- $dd;
	dt record -o f.dt syscall:read -- $dd; dt report --stat --by fd --sum retval f.dt
OUT	^  count: [0-9]+ values, mean 1.00MB, sum [0-9.]+MB$
OUT	^ +[0-9]+ +4\.00MB +[0-9.]+[kMG]B  0.*$

NAME	calls of a command are counted exactly
CORE
NEEDS	root tp_btf
RUN	dt stat syscall:getuid:entry syscall:getuid:return syscall:close:entry \
	-- ask call getuid 321
OUT	^ +COUNT +RATE/s +PID +COMM +PROBE$
OUT	^ +321 +[0-9.]+ +[0-9]+  ask              syscall:getuid:entry$
OUT	^ +321 +[0-9.]+ +[0-9]+  ask              syscall:getuid:return$
ERR	^dt: [0-9]+ events, none lost$

NAME	only the command is counted, and its status is dt's
NEEDS	root tp_btf
RUN	dt stat syscall:getuid -- true
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$
NOOUT	getuid
RUN	dt stat syscall:getuid -- false
STATUS	1
RUN	dt stat syscall:getuid -- sh -c 'exit 77'
STATUS	77
RUN	dt stat syscall:getuid -- sh -c 'kill -9 $$'
STATUS	137
RUN	dt stat syscall:getuid -- sh -c 'kill -TERM $$'
STATUS	143

NAME	a command that is not found is 127, one that cannot be run is 126
NEEDS	root tp_btf
RUN	dt stat syscall:getuid -- nosuchcommand
STATUS	127
ERR	'nosuchcommand': No such file or directory
RUN	dt stat syscall:getuid -- ./nosuch
STATUS	127
RUN	echo x >plain; dt stat syscall:getuid -- ./plain
STATUS	126
ERR	'\./plain': Permission denied
RUN	dt stat syscall:getuid -- /
STATUS	126
RUN	printf 'ask call getuid 4\n' >s; chmod +x s;
	dt stat syscall:getuid:entry -- ./s

NAME	a command gets its arguments, stdin and stdout unchanged
NEEDS	root tp_btf
RUN	echo in | dt stat syscall:getuid -- sh -c 'cat; echo "$#:$1:$2";
	echo err >&2' sh -p '--x y'
OUT	^in$
OUT	^2:-p:--x y$
ERR	^err$

NAME	-j prints valid JSON, the ledger last
NEEDS	root tp_btf jq
RUN	dt stat -j syscall:getuid syscall:getppid:entry -- ask call getuid 50 >j;
	jq -es '.[-1].ledger as $l | (.[:-1] | map(.count) | add) == $l.read
	and $l.fired == $l.read + $l.dropped + $l.recursed and
	(.[:-1] | map(select(.probe == "syscall:getuid:entry" and
	.comm == "ask" and .pid > 1) | .count)) == [50]' j
EXPECT	true

NAME	JSON without events is the ledger alone
NEEDS	root tp_btf jq
RUN	dt stat -j syscall:getuid -- true | jq -es 'length == 1 and
	.[0].ledger.fired == 0 and .[0].ledger.read == 0'
EXPECT	true

NAME	-d ends after N seconds
NEEDS	root tp_btf
RUN	date +%s%N >a; dt stat -d 0.5 --comm dt-nobody syscall:getuid;
	date +%s%N >b; [ $(( ($(cat b) - $(cat a)) / 1000000 )) -ge 500 ]
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$

NAME	-i prints counts of each interval with times, also as JSON
NEEDS	root tp_btf jq
RUN	ask until done call getuid 1 & a=$!;
	dt stat -i 0.2 -d 0.9 -p $a syscall:getuid:entry;
	dt stat -j -i 0.2 -d 0.9 -p $a syscall:getuid:entry >j; touch done;
	wait $a; jq -es '.[-1].ledger.read == (.[:-1] | map(.count) | add) and
	(.[:-1] | length >= 3 and all(.[]; .interval > 1000000 and .time > 1e18
	and .count > 0) and (map(.time) | . == sort and unique == .))' j
OUT	^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{6}  [0-9.]+ s, [0-9]+ events$
OUT	^true$

NAME	filters by process, thread, user and name select only those hits
NEEDS	root tp_btf
RUN	q=q$$; cp "$B/tests/ask" $q;
	./$q until done call getuid 1 & a=$!; ./$q until done call getuid 1 & b=$!;
	dt stat -j -d 0.4 -p $a syscall:getuid:entry >p;
	dt stat -j -d 0.4 -t $b syscall:getuid:entry >t;
	dt stat -j -d 0.4 --comm $q syscall:getuid:entry >c;
	dt stat -j -d 0.4 -u 54321 syscall:getuid:entry >u;
	touch done; wait $a $b;
	grep -c "\"pid\":$a," p; grep -c '"pid":' p; grep -c "\"pid\":$b," t;
	grep -c '"pid":' t; grep -c "\"comm\":\"$q\"" c; grep -c '"pid"' u
STATUS	1
EXPECT	1 1 1 1 2 0

NAME	a user is accepted by name, too
NEEDS	root tp_btf
RUN	q=q$$; cp "$B/tests/ask" $q; ./$q until done call getuid 1 & a=$!;
	dt stat -j -d 0.4 -u root --comm $q syscall:getuid:entry >n;
	dt stat -j -d 0.4 -u nobody --comm $q syscall:getuid:entry >m;
	touch done; wait $a; grep -c "\"comm\":\"$q\"" n; grep -c '"comm"' m
STATUS	1
EXPECT	1 0

NAME	Ctrl-C is a normal end, with the ledger
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	env --default-signal=INT dt stat -i 0.05 -p $a syscall:getuid:entry \
	>o 2>e & d=$!; until grep -q getuid o; do sleep 0.02; done;
	kill -INT $d; wait $d; echo "status $?"; touch done; wait $a; cat e
OUT	^status 0$
OUT	^dt: [0-9]+ events?( in .*)?, none lost$

NAME	SIGTERM is a normal end, too
NEEDS	root tp_btf
RUN	dt stat -i 0.05 -d 100 syscall:getuid:entry >o 2>e & d=$!;
	until [ -s o ]; do sleep 0.02; done; kill -TERM $d; wait $d;
	echo "status $?"; cat e
OUT	^status 0$
OUT	^dt: [0-9]+ events?( in .*)?, none lost$

NAME	an ignored signal stays ignored, as nohup(1) requires
NEEDS	root tp_btf
RUN	sh -c 'trap "" INT; exec dt stat -i 0.05 -d 1 syscall:getuid:entry' >o \
	2>e & d=$!; until [ -s o ]; do sleep 0.02; done; kill -INT $d; wait $d;
	echo "status $?"; wc -l <o
OUT	^status 0$

NAME	Ctrl-C with a command is handled by the command
NEEDS	root tp_btf
RUN	echo 'trap "echo >trapped; exit 5" INT; echo >up;
	while :; do sleep 0.05; done' >s;
	env --default-signal=INT dt stat syscall:getuid -- sh s & d=$!;
	until [ -e up ]; do sleep 0.02; done; kill -INT $d; wait $d;
	echo "status $?"; ls trapped
OUT	^status 5$
OUT	^trapped$

NAME	dt ends with its command, although a background child is running
NEEDS	root tp_btf
RUN	dt stat syscall:getuid -- sh -c 'sleep 30 & echo $! >pid'; kill $(cat pid)
ERR	^dt: 1 event, none lost$

NAME	-F sets the rate of a clock probe that is named by its provider alone
CORE
NEEDS	root perf_event
RUN	dt stat -j -F 1000 profile -- ask burn 500 >j;
	sed -n 's/.*"profile:hz:97".*"comm":"ask","count":\([0-9]*\).*/\1/p' j |
	sed 1q
EXPECT	100..800

NAME	a command that is killed at once does not block dt
NEEDS	root tp_btf
RUN	dt stat syscall:getuid -- sh -c 'kill -9 $$; sleep 30'
STATUS	137

NAME	losses are reported while the recording continues
CORE
NEEDS	root tp_btf
TIMEOUT	120
RUN	dt stat --count-in client --buffer 64k --buffer-max 64k syscall:getppid >o 2>e & d=$!;
	until grep -q losing e; do kill -STOP $d; ask call getppid 200000;
	kill -CONT $d; sleep 0.1; done >/dev/null; kill -0 $d && echo goes on;
	kill -TERM $d; wait $d; cat e
OUT	^goes on$
OUT	^dt: losing events: [1-9][0-9]* so far \([0-9.]+ %\); a larger buffer \(--buffer, --buffer-max\), fewer probes or a filter helps$

NAME	a burst while the reader sleeps fits into rings that grow
NEEDS	root tp_btf
TIMEOUT	120
# 40 parts with pauses: the rings grow before they are full, even where dtd gets
# little CPU time.  The whole burst is several times their initial size.
RUN	dt stat --count-in client -j syscall:getppid:entry -- sh -c 'kill -STOP $PPID; i=0;
	while [ $((i += 1)) -le 40 ]; do ask call getppid 10000; sleep 0.05; done;
	kill -CONT $PPID' >j; tail -n 1 j
OUT	^\{"ledger":\{"fired":4000[0-9]+,"read":4000[0-9]+,"dropped":0,

NAME	-p selects several processes, by number, name, or repeated
NEEDS	root tp_btf
RUN	for i in 1 2 3; do ask until stop call getppid 1 & eval p$i=$!; done; n=0;
	cp $(command -v ask) askother; PATH=$PWD:$PATH askother until stop call getppid 1 &
	sel() { dt stat -d 0.5 --by pid syscall:getppid "$@" 2>e >o; cat e >&2;
	for i in $p1 $p2 $p3; do grep -q " $i\$" o && echo "$i"; done | wc -l; };
	sel -p $p1,$p2; sel -p $p1 -p $p3; sel -p $p1,$p2,$p3; sel -p $p2; sel -p ask;
	sel -p askother; : >stop; wait
EXPECT	2 2 3 1 3 0

NAME	a terminal shows the progress, a pipe does not, nor do printed events
NEEDS	root tp_btf script
RUN	ask until stop call getppid 1 & p=$!; export p;
	script -qec 'dt stat -d 4.5 -p $p syscall:getppid' /dev/null </dev/null >a;
	script -qec 'dt record -d 2.5 -p $p syscall:getppid >e' /dev/null </dev/null >b;
	script -qec 'dt record -d 1.5 -p $p syscall:getppid' /dev/null </dev/null >c;
	script -qec 'stty cols 20; dt stat -d 2.5 -p $p syscall:getppid' /dev/null \
	    </dev/null >d; : >stop; wait;
	line='s, [1-9][0-9]* events, none lost, tracing takes [0-9.]* % of [0-9]* CPUs';
	tr '\r' '\n' <a | grep -c "^[1-4] $line"; tr '\r' '\n' <b | grep -c "^[12] $line";
	grep -c takes c e; tr '\r' '\n' <d | grep -c '^[12] s, [1-9].............\?[^t]*$'
EXPECT	>=2 >=1 c:0 e:0 >=1

NAME	Ctrl-C before the recording begins is reported
NEEDS	root tracefs
RUN	env --default-signal=INT dt stat 'tracepoint:*' >o 2>e & p=$!;
	until [ "$(cat /proc/$p/comm)" = dt ] &&
	grep -q '^SigCgt:.*[2367abef]$' /proc/$p/status; do sleep 0.01; done; kill -INT $p; wait $p; echo "status $?"; cat o e
OUT	^status 130$
OUT	^dt: ended before the recording began$
NOOUT	event

NAME	a key in capital letters names the right one
NEEDS	root tp_btf
RUN	dt stat --by COMM -d 0.1 syscall:getppid
STATUS	1
ERR	^dt: --by COMM: .*; did you mean comm\?
