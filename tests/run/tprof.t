# SPDX-License-Identifier: ISC
# The tprof device, and dt tprof.

NAME	each command of tprof is refused as its manual says
CORE
NEEDS	root perf_event
RUN	tprofs errors
OUT	^unknown: EINVAL$
OUT	^CONFIGURE too many: EINVAL$
OUT	^CONFIGURE it runs: EBUSY$
OUT	^START_V4 it runs: EBUSY$
OUT	^GETCOUNTS no such CPU: ESRCH$
OUT	^STOP_V4: 0$

NAME	a sample of each fault, and all samples are accounted for
NEEDS	root perf_event
RUN	tprofs exact
OUT	^all samples are accounted for$
OUT	^each fault is a sample$

NAME	read gives as many bytes as were asked for, and 0 at the end
NEEDS	root perf_event
RUN	tprofs cut
OUT	^samples that were cut are whole$
OUT	^0 at the end$

NAME	a reader that stops loses buffers, and each sample of them is counted
NEEDS	root perf_event
TIMEOUT	120
RUN	tprofs stops
OUT	^all samples are accounted for$
OUT	^buffers were dropped$
OUT	^who reads again has samples again$

NAME	one open of tprof at a time, for who has the right PROFILE
NEEDS	root nonroot perf_event
RUN	tprofs open
OUT	^a second open: EBUSY$
OUT	^without the right: EPERM, before EBUSY$

NAME	the interface with one counter, by descriptors
NEEDS	root perf_event
RUN	tprofs v4
OUT	^all has been read$

NAME	commands of any content, and clients that go at any time: it goes on
NEEDS	root perf_event
RUN	tprofs hostile
OUT	^some of each$
OUT	^STOP_V4: 0$

NAME	samples of a CPU that goes and comes, and of one that comes later
CORE
NEEDS	root perf_event hotplug
TIMEOUT	120
RUN	tprofs hotplug
OUT	^all samples are accounted for$
OUT	^a CPU that comes later has samples, too$

NAME	in a pid namespace of its own: its processes, by its numbers
NEEDS	root perf_event unshare sym_burn
RUN	unshare -p -f --mount-proc sh -c 'dt tprof monitor -e cpu-clock -o f \
	    "$B/sym/sym_burn" 200 2>/dev/null; dt tprof analyze -sCL f >s;
	awk "\$2 < 1 || \$2 > 100" s | wc -l; grep -c burn_leaf s'
OUT	^0$
OUT	^1$

NAME	tprof lists, and its command's status is its own
NEEDS	root perf_event
RUN	dt tprof list; dt tprof count -e page-faults -e migrations:k sh -c 'exit 7'
STATUS	7
OUT	^cpu-clock$
OUT	^context-switches$
ERR	^event +.* all$
ERR	^page-faults +.* [1-9][0-9]*$
ERR	^migrations +

NAME	what monitor writes, and names when the processes have gone
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
ERR	^cpu-clock +.* [1-9][0-9]*$

NAME	FILE of monitor without names, and one that is not of its names
NEEDS	root perf_event
RUN	dt tprof monitor -e page-faults -o f true 2>/dev/null;
	dt tprof analyze -k f | head -n 1; head -c 24 f >g; cp f.dt g.dt;
	dt tprof analyze g; echo $?; rm g.dt; dt tprof analyze g | wc -l
OUT	^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ 1 ffff
OUT	^1$
ERR	^dt: g has other samples than g\.dt

NAME	tprof top, twice
NEEDS	root perf_event
RUN	dt tprof top -acu -e task-clock -i 0.2 -n 2
OUT	^[0-9]+ samples, [0-9]+ of them in the kernel, from the start$
OUT	^task-clock:
OUT	^ *[0-9]+ +[0-9.]+% +(kernel|[0-9]+) 

NAME	what tprof is asked wrongly is status 2
RUN	for a in 'x' 'list x' 'count true' 'count -e cpu-clock' 'analyze' \
	    'count -e nosuch true' 'count -e cpu-clock:x true' \
	    'monitor -e cpu-clock,0 true' 'monitor -e cpu-clock,= true' \
	    'top x'; do
	dt tprof $a; [ $? -eq 2 ] || echo "tprof $a"; done 2>&1
OUT	^usage: dt tprof list$
OUT	^dt: -e nosuch: there is no such event
OUT	^dt: -e cpu-clock,0: SCALE should be a ratio
NOOUT	^tprof 

NAME	the service's counters are opened by its monitor process
NEEDS	root perf_event mounts
SERVICE	monitor = yes
RUN	dt tprof monitor -e cpu-clock -e context-switches -o f sleep 0.3 &&
	dt tprof analyze -sCLP f | grep -c .
OUT	^[1-9]
ERR	^	sample [1-9]

NAME	where perf_event_paranoid is 3, who lacks CAP_SYS_ADMIN is told
NEEDS	root paranoid setpriv
RUN	setpriv --bounding-set=-sys_admin dt tprof count -e page-faults true
STATUS	1
ERR	CAP_SYS_ADMIN

NAME	tprof and perf have the same shares of functions, and the same counts
NEEDS	root perf_event perf sym_burn full
TIMEOUT	120
RUN	"$S/tests/run/tprof_compare" 2000
OUT	^the same shares$
OUT	^the same counts$

NAME	hardware counter: cycles and instructions, and what they come to
NEEDS	root pmu
RUN	dt tprof count -e cycles -e instructions true
ERR	^instructions +[0-9.]+ instructions a cycle$
