# SPDX-License-Identifier: ISC
# The tprof device, and dt tprof.

NAME	wrong requests are refused as documented, in order, by both interfaces
CORE
NEEDS	root nonroot perf_event
RUN	tproferrs
OUT	^an unknown command: EINVAL$
OUT	^CONFIGURE counter 32: EINVAL$
OUT	^which stops it$
OUT	^START_V4 it runs: EBUSY$
OUT	^START on all CPUs again: 0$
OUT	^GETCOUNTS no such CPU: ESRCH$
OUT	^STOP_V4: 0$
OUT	^minor 1 without the right, while it is open: EXDEV$
OUT	^without the right, while it is open: EPERM$
OUT	^a second open: EBUSY$
OUT	^START without room for rings: ENOMEM$
OUT	^the daemon was killed$

NAME	each fault is a sample, and all samples are accounted for
NEEDS	root perf_event
RUN	tprofs exact
OUT	^all samples are accounted for$
OUT	^each fault is a sample$

NAME	read returns as many bytes as requested, and 0 at the end
NEEDS	root perf_event
RUN	tprofs cut
OUT	^samples that were cut are whole$
OUT	^0 at the end$

NAME	a reader that stops drops buffers, and each of their samples is counted
NEEDS	root perf_event
TIMEOUT	120
RUN	tprofs stops
OUT	^all samples are accounted for$
OUT	^buffers were dropped$
OUT	^who reads again has samples again$

NAME	tprof has one session at a time, and requires the right PROFILE
NEEDS	root nonroot perf_event
RUN	tprofs open
OUT	^a second open: EBUSY$
OUT	^without the right: EPERM, before EBUSY$

NAME	the interface with one counter works by descriptors
NEEDS	root perf_event
RUN	tprofs v4
OUT	^all has been read$

NAME	tprof survives arbitrary commands and clients that exit at any time
NEEDS	root perf_event
RUN	tprofs hostile
OUT	^some of each$
OUT	^each fault is a sample$

NAME	when a service ends its tprof reader gets the rest and the reason
NEEDS	root perf_event
RUN	tprofends service
OUT	^dtd is exiting$
OUT	^all samples are accounted for$
OUT	^counts are final$

NAME	dt tprof keeps its samples when the service ends, status 1
NEEDS	root perf_event
RUN	mkfifo p; w='sh -c "touch go; cat p"';
	for c in "monitor -e cpu-clock -o f $w" "count -e cpu-clock $w" 'top -i 0.1'; do
	manager -l run/dt -l run/tprof dtd 2>log >m & m=$!;
	until grep -q READY m; do sleep 0.02; done; eval "dt tprof $c" >o 2>e & c=$!;
	until [ -e go ] || [ -s o ]; do sleep 0.02; done; kill $m; wait $m;
	[ ! -e go ] || : >p; wait $c; echo "status $?"; cat e; rm -f m o go;
	done; dt tprof analyze -sCLP f | wc -l
OUT	^status 1$
NOOUT	^status [^1]
OUT	^dt: dtd stopped: dtd is exiting
OUT	^	dropbuf_sample 0$
OUT	^all +[0-9]
OUT	^[0-9]+$

NAME	samples that cost more than the limit are stopped
NEEDS	root perf_event
RUN	tprofends brake
OUT	^told why$
OUT	^in the log once$
OUT	^it can be started again$

NAME	clocks that alone would exceed the limit are refused
NEEDS	root perf_event
RUN	for e in '-e cpu-clock,=1' '-e cpu-clock,=30000 -e task-clock:u,=30000'; do
	dt tprof monitor $e -e page-faults,=9 touch ran; echo "status $?"; done; ls
	dt tprof monitor -e cpu-clock,=1000000 -e page-faults,=1 true 2>/dev/null
OUT	^status 1$
NOOUT	status [^1]|^ran$
ERR	^dt: start: 100000 samples a second of each CPU would take about 50\.0 % of it, the limit is 20 %
ERR	^dt: start: 66666 samples a second

NAME	samples of CPUs that go offline and online are complete, new ones too
CORE
NEEDS	root perf_event hotplug
TIMEOUT	120
RUN	tprofs hotplug
OUT	^all samples are accounted for$
OUT	^[1-9] CPUs that come later have samples, too$

NAME	in a pid namespace samples have its processes, by its numbers
NEEDS	root perf_event unshare sym_burn
RUN	unshare -p -f --mount-proc sh -c 'dt tprof monitor -e cpu-clock -o f \
	    "$B/sym/sym_burn" 200 2>/dev/null; dt tprof analyze -sCL f >s;
	awk "\$2 < 1 || \$2 > 100" s | wc -l; grep -c burn_leaf s'
OUT	^0$
OUT	^1$

NAME	tprof lists events, and the command's status is its own
NEEDS	root perf_event
RUN	dt tprof list; dt tprof count -e page-faults -e migrations:k sh -c 'exit 7'
STATUS	7
OUT	^32 events can be counted at the same time$
OUT	^the default of -e is [a-z-]+$
OUT	^software:$
OUT	^	cpu-clock$
OUT	^	context-switches$
ERR	^ +page-faults +migrations$
ERR	^CPU0 +[0-9]+ +[0-9]+$
ERR	^all +[1-9][0-9]* +[0-9]+$

NAME	count covers the whole machine, or with -c the command and its children
NEEDS	root perf_event perf
RUN	f=page-faults; c=context-switches;
	dt tprof count -e $f true 2>all; sed -n 1p all;
	while :; do /bin/true; done & busy=$!;
	dt tprof count -c -e $f -e $c tprofcounts family 2>own; dt=$?;
	perf stat -x ' ' -o perf -e $f,$c tprofcounts family; echo "$dt $?";
	kill $busy; sed -n 1p own; awk '$1 == "all" { f = $2; c = $3 }
	/^[0-9].* page-faults/ { pf = $1 } /^[0-9].* context-sw/ { pc = $1 }
	END { if (f < 12000 || f - pf > 120 || pf - f > 120 || !c || !pc)
	    print "tprof", f, c, "perf", pf, pc }' own perf
OUT	^counts of the whole machine while COMMAND ran \(--command counts COMMAND alone\)$
OUT	^counts of COMMAND and its children$
OUT	^0 0$
NOOUT	^tprof
RUN	dt tprof count --command -e page-faults sh -c 'exit 7'
STATUS	7
ERR	^all +[1-9][0-9]*$
NOERR	^CPU

NAME	the examples of NetBSD's manual work
NEEDS	root perf_event
RUN	e=cpu-clock; ! dt tprof list | grep -q llc-misses || e=llc-misses;
	dt tprof monitor -e $e:k -o myfile.out dd if=/dev/zero of=/dev/null bs=1M \
	    count=3000; dt tprof analyze myfile.out;
	dt tprof monitor true; [ -e tprof.out ] && echo tprof.out;
	dt tprof monitor -e page-faults:k,1000 -e $e,=2000000 true && echo scaled
OUT	^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ 1 ffff
NOOUT	^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ 0 
OUT	^tprof\.out$
OUT	^scaled$
ERR	^	overflow 0$

NAME	a scale or a number sets the events per sample
NEEDS	root perf_event
RUN	tprofcounts scale
OUT	^each CPU has a sample at each so many$

NAME	samples that the kernel skips are counted as lost
NEEDS	root perf_event guest full
RUN	d=$(mktemp -d) && mount -t debugfs none $d &&
	was=$(sed 's/.*(\(.*\)).*/\1/' $d/sched/preempt) &&
	echo full >$d/sched/preempt && tprofcounts skipped;
	echo $was >$d/sched/preempt && umount $d && rmdir $d
OUT	^the kernel skipped some$

NAME	counts of a sysfs unit are exact, and it takes no samples
NEEDS	root perf_event msr x86_64
RUN	tprofcounts tsc; dt tprof count -e msr/tsc/ -e msr/event=0/ true;
	dt tprof monitor -e msr/tsc/ true
STATUS	1
OUT	^counts are what the instruction says$
ERR	^ +msr/tsc/ msr/event=0/$
ERR	^dt: msr/tsc/: unit [0-9]+, event 0:

NAME	monitor writes samples, with symbols after the processes exited
NEEDS	root perf_event sym_burn
RUN	dt tprof monitor -e cpu-clock -e page-faults:u,=100 -o f \
	"$B/sym/sym_burn" 300 2>e; cat e >&2;
	n=$(awk '$1 == "sample" { print $2 }' e);
	[ $((24 * n)) -eq $(stat -c %s f) ] && echo as many;
	dt tprof analyze -sCLP f >s; dt tprof analyze f >a;
	awk '{ n += $1 } END { print n }' s a | uniq;
	cat s; dt tprof analyze -k f | awk '$5 != 1' | wc -l;
	dt report --profile f.dt | grep -c burn_leaf
OUT	^as many$
OUT	^ *[0-9]+ +0 +0 +0 0 [0-9a-f]{16} .*\(sym_burn\)$
OUT	^0$
OUT	^[1-9][0-9]*$
ERR	^tprof statistics:$
ERR	^	dropbuf_sample 0$
ERR	^ +cpu-clock +page-faults$
ERR	^all +[1-9][0-9]* +[1-9][0-9]*$

NAME	a monitor file is read without symbols, or with those of another file
NEEDS	root perf_event
RUN	dt tprof monitor -e page-faults -o f true 2>/dev/null;
	dt tprof analyze -k f | head -n 1; head -c 24 f >g; cp f.dt g.dt;
	dt tprof analyze g; echo $?; rm g.dt; dt tprof analyze g | wc -l
OUT	^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ 1 ffff
OUT	^1$
ERR	^dt: g and g\.dt have different samples

NAME	invalid and truncated monitor files are reported with the position
NEEDS	root perf_event
RUN	dt tprof monitor -e page-faults -o f true 2>/dev/null;
	an() { dt tprof analyze $1 2>&1 >o; echo "$1 $? $(wc -l <o)"; };
	an f.dt; head -c 100 f >cut; an cut; cp $S/Makefile text; an text;
	: >none; an none; mkdir folder; an folder; an nosuch;
	dt tprof analyze f >/dev/full; echo "full $?";
	dt tprof top -n 3 -i 0.1 >/dev/full; echo "full $?";
	dt tprof count -e page-faults true 2>/dev/full; echo "full $?"
OUT	^dt: f\.dt: at byte 0: is a recording; pass the file of monitor
OUT	^f\.dt 1 0$
OUT	^dt: cut: at byte 96: is cut off in a sample$
OUT	^cut 1 [1-4]$
OUT	^dt: text: at byte 0: is not a file of dt tprof monitor$
OUT	^text 1 0$
OUT	^dt: none: has no samples$
OUT	^none 0 0$
OUT	^dt: folder: Is a directory$
OUT	^folder 1 0$
OUT	^dt: nosuch: No such file or directory$
ERR	^dt: output: No space left on device$
NOOUT	^full [^1]

NAME	monitor creates new files of mode 0600, refuses links, keeps old files
NEEDS	root perf_event
RUN	umask 0; echo precious >t; chmod 644 t; ln -s t tprof.out;
	dt tprof monitor -e page-faults true; echo $?; cat t
EXPECT	1 precious
ERR	^dt: tprof\.out: exists and is not a regular file$
RUN	rm tprof.out; ln -s nosuch tprof.out; dt tprof monitor -e page-faults true;
	echo $?; ls nosuch; rm tprof.out; ln -s t f.dt;
	dt tprof monitor -e page-faults -o f true; echo $?; cat t
EXPECT	1 1 precious
ERR	nosuch.*: No such file or directory$
ERR	^dt: f\.dt: exists and is not a regular file$
RUN	mkfifo p; dt tprof monitor -e page-faults -o p true; echo $?;
	ln t g; dt tprof monitor -e page-faults -o g true 2>/dev/null; cat t g.old;
	stat -c '%a %h %n' g g.dt g.old
EXPECT	1 precious precious 600 1 g 600 1 g.dt 644 2 g.old
ERR	^dt: p: exists and is not a regular file$

NAME	on a full disk monitor names the file
NEEDS	root perf_event mounts
RUN	mkdir m; mount -t tmpfs -o size=64k nodev m; head -c 60k /dev/zero >m/z;
	dt tprof monitor -e page-faults -o m/f true; echo $?; rm m/*;
	ln -s /dev/full f.dt; dt tprof monitor -e page-faults -o f true; echo $?;
	umount m
OUT	^1$
NOOUT	^[^1]
ERR	^dt: m/f: No space left on device$
ERR	^dt: f\.dt: exists and is not a regular file$

NAME	a recording with mappings in any order is read at once
RUN	n=40000; $B/tests/forge maps $n >f.dt; head -c $((24 * n)) /dev/zero >f;
	ulimit -t 10; dt tprof analyze f >a; grep -c '(a)$' a; wc -l <a;
	dt report --no-lookup f.dt | grep -c openat
EXPECT	4096 40000 40000

NAME	tprof top prints two intervals
NEEDS	root perf_event
RUN	dt tprof top -acu -e task-clock -i 0.2 -n 2
OUT	^[0-9]+ samples, [0-9]+ of them in the kernel, from the start$
OUT	^task-clock:
OUT	^ *[0-9]+ +[0-9.]+% +(kernel|[0-9]+) 

NAME	wrong usage of tprof is status 2
RUN	for a in 'x' 'list x' 'count true' 'count -e cpu-clock' 'analyze' \
	    'count -e nosuch true' 'count -e cpu-clock:x true' \
	    'monitor -e cpu-clock,0 true' 'monitor -e cpu-clock,= true' \
	    'top x' 'top -n 0' 'count -i 0 -e cpu-clock true'; do
	dt tprof $a; [ $? -eq 2 ] || echo "tprof $a"; done 2>&1
OUT	^usage: dt tprof list \[-j\]$
OUT	^dt tprof count: -e nosuch: there is no such event
OUT	^dt tprof top: -n 0: should be a number, 1 or more
OUT	^dt tprof count: -i 0: should be a time of 1ms or more
OUT	^dt tprof monitor: -e cpu-clock,0: SCALE should be cycles per event
NOOUT	^tprof 

NAME	the service's counters are opened by its monitor process
NEEDS	root perf_event mounts
SERVICE	monitor = yes
RUN	dt tprof monitor -e cpu-clock -e context-switches -o f sleep 0.3 &&
	dt tprof analyze -sCLP f | grep -c .;
	dt tprof count -c -e page-faults -e page-faults:k true
OUT	^[1-9]
ERR	^	sample [1-9]
ERR	^all +[1-9][0-9]* +[1-9][0-9]*$

NAME	a command that hangs in execve(2) blocks neither service nor monitor
NEEDS	root perf_event mounts fuse
RUN	exechang && exechang 'monitor = yes'
OUT	^GETAUXBASE of it: 0$
OUT	^START is answered$
OUT	^in time$

NAME	at perf_event_paranoid 3 a user without CAP_SYS_ADMIN gets advice
NEEDS	root paranoid setpriv
RUN	setpriv --bounding-set=-sys_admin dt tprof count -e page-faults true
STATUS	1
ERR	^dt: sysctl kernel.perf_event_paranoid=2

NAME	tprof and perf agree on the shares of functions and on counts
NEEDS	root perf_event perf sym_burn full
TIMEOUT	120
RUN	"$S/tests/run/tprof_compare" 2000
OUT	^the same shares$
OUT	^the same counts$

NAME	hardware counter: user and kernel cycles add up to all cycles
NEEDS	root pmu
RUN	dt tprof list >l; grep -q 'the default of -e is cycles' l && echo hardware;
	dt tprof count -e cycles -e instructions -e unhalted-core-cycles:u -e cycles:k \
	    tprofcounts spin 2>&1 | tee c;
	awk '$1 == "all" { c = $2; i = $3; if ($4 + $5 > .9 * c && $4 + $5 < 1.1 * c)
	    print "user and kernel are all" }
	/instructions per cycle/ { if ($1 > i / c - .01 && $1 < i / c + .01) print "their ratio" }' c
OUT	^hardware$
OUT	^[0-9.]+ instructions per cycle$
OUT	^their ratio$
OUT	^user and kernel are all$

NAME	hardware counter: an event is accepted by sysfs name and by number
NEEDS	root pmu
RUN	set -- $(dt tprof list | grep 'cpu.cycles/$'); n=${1#*/}; n=${n%/};
	r=r11; case $1 in cpu/*) r=$1; esac;
	dt tprof count -e cycles -e $1 -e $n -e $r tprofcounts spin 2>&1 |
	awk '1; $1 == "all" { for (i = 3; i <= 5; i++)
	    if ($i > .9 * $2 && $i < 1.1 * $2) print "the same" }' | tee c |
	grep -v same; grep -c same c
OUT	^3$

NAME	hardware counter: there is a sample every N events
NEEDS	root pmu
RUN	dt tprof monitor -e cycles:u,=1000000 -o f tprofcounts spin 2>e; cat e;
	awk '$1 == "sample" { n = 1000000 * $2 } $1 == "all" { c = $2 }
	END { if (n > .9 * c && n < 1.1 * c) print "as many" }' e;
	dt tprof analyze -sCLP f; dt tprof monitor -e cycles:u,10 -o f tprofcounts spin 2>&1
OUT	^as many$
OUT	^ *[0-9]+ +0 +0 +0 0 

NAME	analyze and top select processes and rows, analyze and count print JSON
NEEDS	root perf_event jq
RUN	dt tprof monitor -e cpu-clock -o f sh -c 'tprofcounts spin; share 300' 2>e;
	dt tprof analyze f >a; wc -l <a >n; set -- $(awk '{ print $2 }' a | sort | uniq -c | sort -rn | awk '{ print $2 }');
	for p in $1 $1,$2; do dt tprof analyze -p $p f | awk '{ n += $1 } END { print n }'; done >got;
	awk -v p=$1 -v q=$2 '$2 == p { n += $1 } $2 == p || $2 == q { m += $1 } END { print n; print m }' a |
	diff - got && echo selected; dt tprof analyze --pid $1 --pid $2 f | awk '{ n += $1 } END { print n }' |
	diff - got | grep -c '^<'; dt tprof analyze --top 2 -s f | wc -l; dt tprof analyze -j f >j;
	awk '{ print $1, $2, $3, $4, $5 }' a >b; jq -r '"\(.count) \(.pid) \(.tid) \(.cpu) \(if .kernel then 1 else 0 end)"' j |
	diff b - && jq -s 'any(.[]; .function == "two" and .module == "share")' j; dt tprof analyze -sCLPj --top 1 f |
	jq -c '[.pid, .tid, .cpu, .offset]'
OUT	^selected$
OUT	^2$
OUT	^true$
OUT	^\[null,null,null,(0|null)\]$
RUN	dt tprof count -j -e context-switches -e page-faults sleep 0.1 >j; jq -s -c 'group_by(.event)[] |
	[.[0].event, (map(select(.cpu == null).count) | add) == (map(select(.cpu != null).count) | add)]' j;
	dt tprof count -c -j -i 50ms -o k -e page-faults sh -c 'echo out; sleep 0.2'; jq -s 'length >= 3 and
	all(.[]; .cpu == null)' k; dt tprof count -o t -e page-faults true && grep -c '^all' t;
	dt tprof top -e cpu-clock -u -i 200ms -d 500ms --top 1 >t && grep -q samples, t && echo tables;
	awk '/function$/ { n = 0 } /%/ { if (++n > 1) print "more than 1" }' t;
	dt tprof top -e cpu-clock -d 100ms -p 4294967295 | head -n 1; dt tprof analyze -p sh f
STATUS	2
OUT	^\["context-switches",true\]$
OUT	^\["page-faults",true\]$
OUT	^out$
OUT	^1$
OUT	^tables$
NOOUT	more than 1
OUT	^0 samples, 0 of them in the kernel$
ERR	-p sh: should be numbers of processes: 123, or 1,2

NAME	top takes names of processes, as other commands do, and list prints JSON
NEEDS	root perf_event jq
RUN	for i in dttopa dttopb; do cp /bin/sh $i; ./$i -c 'while :; do :; done' & done; trap 'kill $p $q' EXIT;
	until p=$(pidof dttopa) && q=$(pidof dttopb); do sleep 0.02; done; pids() { dt tprof top -u -e cpu-clock -i 500ms \
	-n 4 -p "$@" | awk '/%/ && $3 != "kernel" { print $3 }' | sort -un | sed "s/^$p\$/a/; s/^$q\$/b/" | paste -sd ' '; };
	pids dttopa; pids dttopb; pids dttopa,$q; pids $p -p dttopb; for o in nosuchname 1,, ''; do
	dt tprof top -p "$o" 2>&1 | head -1; done
OUT	^a$
OUT	^b$
OUT	^a b$|^b a$
NOOUT	^[0-9]
OUT	^dt tprof top: -p nosuchname: 'nosuchname' is neither the number nor the name of a running process$
OUT	^dt tprof top: -p 1,,: should be processes with a comma between: 1,2 or sshd$
RUN	dt tprof list >t; dt tprof list -j >j; jq -r 'select(.event) | "\(.group) \(.event)"' j >a;
	awk '/^[^\t]/ { sub(/:$/, ""); g = $0 } /^\t/ { print g, $1 }' t | diff - a && [ $(wc -l <a) -ge 7 ] && echo same;
	jq -r 'select(.counters).counters' j; jq -r 'select(.default) | "the default of -e is \(.event)"' j | grep -qxf - t && echo default;
	dt tprof list -j >/dev/full
STATUS	1
OUT	^default$
OUT	^same$
OUT	^32$
ERR	^dt: output: No space left on device$
RUN	dt tprof monitor -e cpu-clock -o - true
STATUS	2
ERR	^dt tprof monitor: -o -: should be the name of a file$

NAME	count and monitor end after a time, or with a command, not both
NEEDS	root perf_event
RUN	b=$(date +%s%N); dt tprof count -d 300ms -e cpu-clock 2>o; e=$(date +%s%N);
	echo $((e - b >= 300000000)); grep -c cpu-clock o;
	dt tprof monitor --duration 200ms -e cpu-clock --output f 2>o && test -s f.dt &&
	echo file; for o in 'count -e cpu-clock' 'count -e cpu-clock -d 1 true' \
	'count -c -e cpu-clock -d 1' 'monitor'; do
	dt tprof $o 2>&1 >/dev/null | head -1; done
OUT	^1$
OUT	^[1-9][0-9]*$
OUT	^file$
OUT	^dt tprof count: needs a command, or a time \(-d\)$
OUT	^dt tprof count: -d excludes a command$
OUT	^dt tprof count: -c needs a command$
OUT	^dt tprof monitor: needs a command, or a time \(-d\)$
