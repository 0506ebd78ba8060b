# SPDX-License-Identifier: ISC
# dt offcpu, compared with what the program measures itself: waits prints
# PID WALL CPU VOLUNTARY INVOLUNTARY WAITED STOLEN for one of its functions,
# during which the thread has the name of the function.

# On a busy machine a thread may wait for its CPU before or after the time that it
# measures, so a run may be repeated twice.
NAME	on-CPU and off-CPU time are the wall time, and getrusage counts the waits
CORE
NEEDS	root tp_btf offcpu jq quick
TIMEOUT	120
RUN	for m in turns hog lock; do for i in 1 2 3; do dt offcpu --no-limit -j -- \
	waits $m 40 >j; "$S"/tests/run/waits_check waits_$m j >same;
	grep -q false same || break; done; cat same; done
EXPECT	true true true true true true true true true true true true

NAME	kinds of waits have the times that the program made
CORE
NEEDS	root tp_btf offcpu jq quick
RUN	s() { grep '^{' j | jq -s --arg f $1 --arg w $2 'map(select(.comm == $f
	and .wait == $w) | .weight) | add // 0'; };
	dt offcpu --no-limit -j -- waits turns 40 >j; s waits_turns voluntary;
	dt offcpu --no-limit -j -- waits lock 40 >j; s waits_lock voluntary;
	dt offcpu --no-limit -j -- waits hog 40 >j; s waits_hog voluntary;
	s waits_hog involuntary
EXPECT	>=400000000 >=150000000 0 >=300000000

NAME	a ping-pong by pipes waits in the pipe, and every wait is counted
CORE
NEEDS	root tp_btf offcpu jq quick
RUN	dt offcpu --no-limit -j -- taskset -c 0 waits pipe 200 >j;
	"$S"/tests/run/waits_check waits_pipe j | cut -d ' ' -f 2,3;
	grep '^{' j | jq -s 'map(select(.comm == "waits_pipe" and .wait ==
	"voluntary")) | (map(select(.kstack | any(.[]; test("pipe_read"))) |
	.count) | add) == (map(.count) | add)'
EXPECT	true true true

# On a busy machine perf skips events without counting them.  So the case takes
# a run in which it did not, of eight at most; in the others, perf has seen no
# more than dt.  getrusage(2) above counts all waits.
NAME	the tracepoints that perf records are the same waits
NEEDS	root tp_btf offcpu jq perf tracefs
TIMEOUT	120
RUN	for i in 1 2 3 4 5 6 7 8; do dt offcpu --no-limit -j -- perf record -a -q \
	-m 2048 -e sched:sched_switch -o p "$(command -v waits)" turns 40 >j 2>e;
	perf script -i p --ns -F time,trace 2>/dev/null |
	awk '/prev_comm=waits_turns / { out = $1 + 0 }
	/next_comm=waits_turns / && out { t += $1 - out; n++; out = 0 }
	END { print "[" t * 1e9 "," n "]" }' >peer; grep '^{' j |
	jq -sc 'map(select(.comm == "waits_turns")) |
	[(map(.weight) | add), (map(.count) | add)]' >own; cat e peer own >&2;
	jq --argjson slow "${SLOW:-1}" --slurpfile peer peer '. as [$t, $n] |
	$peer[0] as [$pt, $pn] | (0.02 * $t + 10000 * $n * $slow) as $bound |
	if $n > $pn or $n < $pn - 1 then $n > $pn and $pt <= $t + $bound, "more"
	else ($t - $pt | fabs) <= $bound end' own >>same;
	tail -n 1 same | grep -q more || break; done; sort -u same | grep -v more
EXPECT	true

# perf sched timehist has a line each time that a thread leaves its CPU: the time
# since it left before, until it ran again (wait), and of that the time since it
# was woken (delay), in us.  The name is that of the end of the line, so the wait
# belongs to the name of the line before.  Each time may differ by half of a us, by
# the part of the scheduler and of the other's handlers between the two hooks, for
# which 10 us (times SLOW) are enough, and all by 0.5 %, what a hypervisor takes in
# between.  As above, perf may skip events, in particular switches from the idle
# thread, so loops keep the CPUs from being idle, and in a run in which perf has
# skipped some, it has seen no more than dt.
NAME	perf sched timehist has the same waits, and the same delays as dt run runq
NEEDS	root tp_btf offcpu jq perf tracefs
TIMEOUT	120
RUN	for i in $(seq $(getconf _NPROCESSORS_ONLN)); do nice -n 19 sh -c 'while [ ! -e done ]; do :; done' & done; trap ': >done; wait' EXIT;
	for i in 1 2 3 4 5 6 7 8; do dt offcpu --no-limit -j -o j.json -- dt run runq -j -o q.json -- perf record -a -q -R \
	-m 2048 -e sched:sched_switch -e sched:sched_wakeup -e sched:sched_wakeup_new -o p "$(command -v waits)" turns 40 >own 2>e;
	perf sched timehist -i p 2>/dev/null | sed -n 's/^ *[0-9.]* *\[[0-9]*\] *//p' | awk '{ tid = $1; sub(/.*\[/, "", tid);
	name = $1; sub(/\[.*/, "", name) } before[tid] == "waits_turns" { n++; t += $2; if ($3 > 0) { m++; d += $3 } }
	{ before[tid] = name } END { print "[" n + 0 "," t * 1e6 "," m + 0 "," d * 1e6 "]" }' >peer;
	jq -sc 'map(select(.comm == "waits_turns")) | [(map(.count) | add), (map(.weight) | add)]' j.json >a;
	jq -sc 'map(select(.args.comm == "waits_turns")) | [(map(.count) | add), (map(.sum) | add)]' q.json >b; cat peer a b e >&2;
	jq -n --argjson slow "${SLOW:-1}" --slurpfile p peer --slurpfile a a --slurpfile b b '$p[0] as [$n, $t, $m, $d] | $a[0] as [$an, $at] |
	$b[0] as [$bn, $bt] | ($at * 0.005 + $an * 10500 * $slow) as $ab | ($bt * 0.005 + $bn * 10500 * $slow) as $bb |
	if $n < $an or $m < $bn then "skipped", $n <= $an, $m <= $bn, $t <= $at + $ab, $d <= $bt + $bb
	else $n == $an, $m == $bn, ($t - $at | fabs) <= $ab, ($d - $bt | fabs) <= $bb end, ($an >= 40 and $bn >= 30)' >same;
	grep -q skipped same || break; done; grep -v skipped same
EXPECT	true true true true true

NAME	bpftrace's offcputime has the same waits of the same run
CORE
NEEDS	root tp_btf kprobe bpftrace tracefs jq offcpu full
TIMEOUT	120
RUN	dt offcpu --no-limit -j -- bpftrace -e 'tracepoint:sched:sched_switch
	{ @start[args->prev_pid] = nsecs; } kprobe:finish_task_switch*
	/comm == "waits_turns" && @start[tid]/ { @t = sum(nsecs - @start[tid]);
	@n = count(); delete(@start[tid]); } END { clear(@start); }' \
	-c "$(command -v waits) turns 40" >j 2>e; awk '/^@t:/ { t = $2 }
	/^@n:/ { n = $2 } END { print "[" t "," n "]" }' j >peer; cat peer e >&2;
	grep '^{' j | jq -s --slurpfile peer peer --argjson slow "${SLOW:-1}" '
	map(select(.comm == "waits_turns")) | (map(.weight) | add) as $t |
	(map(.count) | add) as $n | $peer[0] as [$pt, $pn] |
	($n - $pn | fabs) <= 2 and
	($t - $pt | fabs) <= 0.02 * $t + 20000 * $n * $slow'
OUT	^true$

NAME	the text has time and number of waits by stack, and totals by kind
NEEDS	root tp_btf offcpu
RUN	dt offcpu --stacks --no-limit -- waits turns 30
OUT	^   SELF     TIME   TOTAL     TIME  FUNCTION +MODULE$
OUT	^ *[0-9.]+% +[0-9.]+ms +[0-9.]+% +[0-9.]+ms  (do_nanosleep|hrtimer_nanosleep) +\[kernel\]$
OUT	^ *[0-9.]+% +[0-9.]+m?s  waits_turns \([0-9]+\), [1-3][0-9]? voluntary waits, mean 1[0-9]\.[0-9]+ms$
OUT	^        waits_turns \(waits\)$
OUT	^voluntary [0-9.]+m?s in [1-9][0-9]* waits?, involuntary [0-9.]+[num]?s in [0-9,]+ waits?$
OUT	^[0-9]+ % of [0-9,]+ user stacks complete
NOOUT	^        (__schedule|schedule|finish_task_switch.*)$
ERR	^dt: [0-9]+ events?, none lost$
NOERR	cannot use unwind tables

NAME	-p selects a running process, whose unfinished waits are stated
ALONE
NEEDS	root tp_btf offcpu jq
# The program makes waits before "go", too, which show that the recording runs.
RUN	waits idle 40 >own & p=$!; env --default-signal=INT dt offcpu --no-limit \
	-p $p -o w.dt 2>e & d=$!; until grep -q '^SigCgt:.*[2367abef]$' \
	/proc/$d/status; do sleep 0.02; done; until kill -USR1 $d &&
	dt report w.dt 2>/dev/null | grep -q sched_switch; do sleep 0.1; done;
	touch go; wait $p; kill -INT $d; wait $d; { cat own;
	dt report --offcpu -j w.dt; } >j; "$S"/tests/run/waits_check waits_idle j;
	grep '^{' j | jq -s --argjson p $p 'map(.pid // $p) | unique == [$p]'
EXPECT	true true true true true
RUN	dt offcpu -j -d 0.5 -- sh -c 'sleep 3; :' >j; jq 'select(.ledger) |
	.ledger.pending' j
OUT	^[12]$
ERR	^dt: (1 wait|2 waits) had not ended, and (is|are) not in the profile$

NAME	folded, flame graph, page and recording have the same waits in ns
NEEDS	root tp_btf offcpu jq xmllint
RUN	cp "$(command -v waits)" .; dt offcpu --no-limit -o w.dt -- ./waits turns 20 >own;
	dt report --offcpu -j w.dt >j; dt report --offcpu -f w.dt >f;
	for i in svg html folded; do dt report --offcpu -o w.$i w.dt; done;
	n=$(jq -s 'map(.weight // 0) | add' j); for i in f w.folded; do
	awk -v n=$n '{ sum += $NF } /^waits_turns;\[voluntary\];.*;waits_turns;.* [0-9]+$/ { v += $NF }
	END { print (sum == n), (v >= 200e6) }' $i; done;
	xmllint --noout w.svg && xmllint --xpath \
	'string((//*[local-name()="g"]/@data-s)[1])' w.svg |
	awk -v n=$n '{ print ($2 == n) }'; grep -c '<title>\[voluntary\]$' w.svg;
	grep -c '<th class="n">offcpu</th>' w.html;
	jq -s 'map(select(.weight) | .type == "offcpu" and
	.unit == "nanoseconds" and (.wait | test("^(in)?voluntary$"))) | all' j
EXPECT	1 1 1 1 1 >=1 1 true

NAME	pprof reads the waits
NEEDS	root tp_btf offcpu go full
TIMEOUT	120
RUN	export HOME=$PWD; dt offcpu --no-limit -o x.pb.gz -- waits turns 20 >own;
	go tool pprof -raw x.pb.gz | grep -cE '^waits/count offcpu/nanoseconds|wait:\[voluntary\]';
	go tool pprof -top x.pb.gz 2>/dev/null | awk '$NF == "waits_turns" { print ($4 + 0 >= 200) }'
EXPECT	>=2 1

NAME	--if selects waits by their duration and state
NEEDS	root tp_btf offcpu jq
RUN	dt offcpu --no-limit -j --if 'duration >= 5ms' -- waits turns 10 |
	grep '^{' | jq -s 'map(select(.comm == "waits_turns" and .wait ==
	"voluntary") | .count) | add';
	dt offcpu --no-limit -j --if 'from.prev_state == 1 && duration < 10s' -- \
	waits turns 10 | grep '^{' | jq -s 'map(select(.wait) | .wait ==
	"voluntary") | all'
EXPECT	10 true
RUN	dt offcpu --if 'nosuch == 1' -- true
STATUS	1
ERR	has no nosuch

NAME	idle CPUs are no waits, and the whole machine has waits of several programs
NEEDS	root tp_btf offcpu jq
RUN	waits turns 2000 >own & p=$!; dt offcpu --no-limit -j -d 0.3 >j; kill $p; jq -s 'map(select(.weight)) |
	any(.[]; .comm == "waits_turns"), all(.[]; .pid != 0 and (.comm |
	test("^swapper") | not))' j
EXPECT	true true

NAME	wrong options are refused
RUN	dt offcpu -F 99
STATUS	2
ERR	there is no option -F
RUN	dt offcpu --on syscall:read
STATUS	2
ERR	there is no option --on
RUN	dt offcpu syscall:read
STATUS	2
ERR	unexpected argument 'syscall:read'; a command follows --
RUN	dt offcpu -f -o x.svg
STATUS	2
ERR	-f prints to stdout
RUN	dt offcpu -o x.png
STATUS	2
ERR	-o x.png: should end in .dt
RUN	dt report --offcpu --sum duration x.dt
STATUS	2
ERR	--sum needs --stat or --profile
RUN	dt report --offcpu --on syscall x.dt
STATUS	2
ERR	--idle and --on need --profile

NAME	the exit status is the command's, and a recording without waits says so
NEEDS	root tp_btf offcpu
RUN	dt offcpu -- sh -c 'exit 6'
STATUS	6
RUN	dt record -g -o r.dt syscall:getppid:entry -- keys threads 1;
	dt report --offcpu r.dt
ERR	the recording has no waits; dt offcpu -o FILE.dt records them
RUN	dt offcpu -p 1073741823
STATUS	1
ERR	^dt: there is no process 1073741823$
