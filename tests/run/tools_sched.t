# SPDX-License-Identifier: ISC
# The scripts of share/dt/tools about CPUs, each on a load whose results the
# load or the kernel knows.

# times prints the seconds that the shell has used, date those that have passed,
# which are more if other programs run.
NAME	cpu-samples has 99 samples for each second that a program uses
NEEDS	root perf_event jq
RUN	cp /bin/sh dtburn; dt run cpu-samples -j -o o -- ./dtburn -c 'date +%s.%N; i=0;
	while [ $i -lt 400000 ]; do i=$((i + 1)); done; times; date +%s.%N' >t 2>e;
	n=$(jq '.data["@samples"].dtburn' o); sed -n 's/0m//g; s/s//g; 1p; 2p; $p' t |
	awk -v n=$n 'NR == 1 { start = $1 } NR == 2 { s = 99 * ($1 + $2) }
	END { most = 99 * ($1 - start); print (s >= 20), (n >= s * .7 - 3),
	(n <= most * 1.1 + 3); print s, n, most }'
OUT	^1 1 1$

# perf takes samples of the same run at the same rate.
NAME	kernel-stacks prints the functions of a program in the kernel, most last
NEEDS	root perf_event perf
RUN	dt run kernel-stacks -- perf record -q -F 49 -g -e cpu-clock -o p timeout 1.5 dd \
	if=/dev/zero of=/dev/null bs=1M 2>e >o; grep -c '^@\[$' o; cat o;
	dt=$(awk '/^@\[/ { read = 0 } /read_(iter_)?zero/ { read = 1 } /^\]: / && read { n += $2 }
	END { print n }' o); peer=$(perf script -i p -F ip,sym 2>>e |
	awk -v RS= '/read_(iter_)?zero/ { n++ } END { print n }'); echo dt $dt, perf $peer;
	[ $peer -ge 10 ] && [ $((dt * 10)) -ge $((peer * 7 - 40)) ] &&
	[ $((dt * 7)) -le $((peer * 10 + 40)) ] && echo as many
OUT	^([1-9]|10)$
OUT	^    .*read_(iter_)?zero\+
OUT	^    ksys_read\+
OUT	^as many$

# The kernel counts how often it has moved the thread.
NAME	migrations has the moves of a thread that changes its CPU 20 times
NEEDS	root tp_btf tracefs python3 jq
RUN	[ $(getconf _NPROCESSORS_ONLN) -gt 1 ] || { echo 'one CPU'; exit 0; };
	dt run migrations -j -o o -- python3 -c '
	import os, re
	open("/proc/self/comm", "w").write("dtmoves")
	def n(): return int((re.findall("nr_migrations +: +(\d+)", open("/proc/self/sched").read()) + [-1])[0])
	a, b = sorted(os.sched_getaffinity(0))[:2]; os.sched_setaffinity(0, {a}); i = n()
	for c in range(10): os.sched_setaffinity(0, {b}); os.sched_setaffinity(0, {a})
	print(a, b, 20 if n() == -1 else n() - i)' >t; read -r a b n <t;
	jq --arg a $a --arg b $b --argjson n $n '.data["@moves"] |
	.["dtmoves,\($a),\($b)"] >= 10, .["dtmoves,\($b),\($a)"] >= 10,
	($n == 20)' o; cat t o >&2
OUT	^true$|^one CPU$
NOOUT	^false$

# Each time that a thread leaves the CPU counts in nvcsw or nivcsw.
NAME	offcpu-time has five sleeps of 0.1 s, and a value for each switch
NEEDS	root tp_btf tracefs python3 jq
RUN	dt run offcpu-time -j -o o -- python3 -c '
	import resource, time
	def n(): r = resource.getrusage(resource.RUSAGE_SELF); return r.ru_nvcsw + r.ru_nivcsw
	def name(s): open("/proc/self/comm", "w").write(s)
	name("dtoff"); i = n()
	for c in range(5): time.sleep(.1)
	i = n() - i; name("dtend"); print(i)' >t; jq --argjson n $(cat t) '.data["@us"] |
	([.dtoff[] | select(.min >= 65536) | .count] | add) == 5,
	(([.dtoff[].count] | add) - $n | fabs) <= 3, ([keys[] |
	select(startswith("swapper"))] == [])' o; cat t o >&2
EXPECT	true true true

NAME	runq-latency has the waits that the kernel counts for a thread
NEEDS	root tp_btf tracefs jq
RUN	a=$(sed -n 's/^ctxt //p' /proc/stat); dt run runq-latency -j -o o -- \
	runwait >t; b=$(sed -n 's/^ctxt //p' /proc/stat); cat t o >&2;
	read -r pid n nsecs rest <t; jq --argjson n $n --argjson us $((nsecs / 1000)) \
	--argjson switches $((b - a)) '.data["@us"] | ([.[].count] | add) as $c |
	$c >= $n, $c <= $switches, ([.[] | (.max + 1) * .count] | add) >= $us' o
EXPECT	true true true

# The kernel counts for each CPU how often and how long threads waited: fields 9
# and 8 after the name in /proc/schedstat.
NAME	runq-latency has as many waits, and as long ones, as the kernel counts
NEEDS	root tp_btf tracefs jq schedstat full
RUN	load='awk "/^cpu/ { n += \$10; s += \$9 } END { print n, int(s / 1000) }" /proc/schedstat;
	for i in 1 2; do taskset -c 0 sh -c "i=0; while [ \$i -lt 150000 ]; do
	i=\$((i + 1)); done" & done; sleep 0.5; wait;
	awk "/^cpu/ { n += \$10; s += \$9 } END { print n, int(s / 1000) }" /proc/schedstat';
	dt run runq-latency -j -o o -- sh -c "$load" >t; cat t o >&2;
	echo $(cat t) | { read -r n us n2 us2; jq --argjson n $((n2 - n)) \
	--argjson us $((us2 - us)) '.data["@us"] | ([.[].count] | add) as $c |
	([.[] | (.min // 0) * .count] | add) as $low |
	([.[] | (.max + 1) * .count] | add) as $high | ($us > 100000),
	($c >= $n * .9 and $c <= $n * 1.1 + 50), ($low * .9 <= $us),
	($high * 1.1 >= $us)' o; }
EXPECT	true true true true

# Three loops on one CPU: one runs, two wait.  Each has the same share.
NAME	runq-length has two waiting threads of three that share a CPU
NEEDS	root perf_event tp_btf jq
RUN	dt run runq-length -j -o o -- sh -c 'for i in 1 2 3; do taskset -c 0 timeout 3 sh -c \
	"while :; do :; done" & done; wait'; cat o >&2; jq '.data["@waiting"] |
	([.[] | select((.min // 0) >= 2) | .count] | add) > 150' o
EXPECT	true

# The kernel's counts before and after dt, and within the command.
NAME	softirqs, interrupts and timers count what the kernel and perf count
NEEDS	root tp_btf tracefs perf python3
RUN	cat >sums <<\EOS
	# prints the sums of the lines of a file of /proc, by name
	awk -v n=$(getconf _NPROCESSORS_ONLN) 'NR > 1 {
	name = FILENAME ~ /soft/ ? substr($1, 1, length($1) - 1) : $NF
	if (name ~ /[a-z]/ || FILENAME ~ /soft/) for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++)
	s[name] += $i } END { for (i in s) print i, s[i] }' /proc/$1 | sort
	EOS
	cat >between <<\EOS
	# whether each count of dt is between those of the two pairs of files
	awk -v slack=$1 'FNR == 1 { f++ } f < 5 { v[f, $1] = $2; next } {
	inner = v[3, $1] - v[2, $1]; outer = v[4, $1] - v[1, $1]
	if (inner > 0) seen++; if ($2 < inner - slack || $2 > outer) print "WRONG", $1, inner, $2, outer
	} END { print (seen > 0) ? "seen" : "idle" }' a b c d counts
	EOS
	for w in softirqs interrupts; do sh sums $w >a; dt run $w -o o -- sh -c "
	sh sums $w >b; dd if=/bin/bash of=/dev/null bs=64k iflag=direct 2>e; sleep 0.3;
	sh sums $w >c"; sh sums $w >d; if [ $w = interrupts ]; then
	sed -nE 's/^@interrupts\[(.*), [0-9]+\]: ([0-9]+)$/\1 \2/p' o; else
	awk '/^@us/ { gsub(/.*\[|\].*/, ""); k = $1; next } NF > 2 && match($0, / [0-9]+ \|/) {
	print k, substr($0, RSTART, RLENGTH - 2) }' o; fi |
	awk '{ n[$1] += $2 } END { for (i in n) print i, n[i] }' >counts;
	sh between 8; cat o >&2; done
OUT	^seen$
NOOUT	WRONG
RUN	perf stat -a -x, -o d -e timer:hrtimer_expire_entry,timer:timer_expire_entry \
	dt run timers -o o -- perf stat -a -x, -o c -e \
	timer:hrtimer_expire_entry,timer:timer_expire_entry ask call nanosleep 50 \
	args=@nsecs:70000; s() { awk -F, '/expire/ { n += $1 } END { print n }' $1; };
	n=$(awk '/^@/ { n += $NF } END { print n }' o); cat o >&2;
	echo $(($(s c) <= n)) $((n <= $(s d))) \
	$(($(sed -n 's/^@timers\[hrtimer_wakeup\]: //p' o) >= 50))
EXPECT	1 1 1
