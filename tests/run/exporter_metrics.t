# SPDX-License-Identifier: ISC
# Metrics that files define: dt-exporter counts them in the kernel, and serves
# them next to those of dtd.

NAME	the shipped metrics count a load exactly, and cost no event
NEEDS	root tp_btf tracefs curl cgroup2
TIMEOUT	180
SERVICE	cost-limit = 0
RUN	[ -e /dev/loop-control ] || modprobe -d "$DT_VM_MODULES" loop || exit 8; cat >load <<'END'
	"$S"/tests/run/metric_up block_io_latency failed_opens run_queue_latency \
	syscall_latency tcp_connects tcp_retransmits || exit
	g=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/dtm$$.service
	mkdir $g; truncate -s 4M image; loop=$(losetup -f --show image)
	trap 'losetup -d $loop; rmdir $g' EXIT
	"$S"/tests/run/metrics >/dev/null; cp metrics.out before
	unshare -n sh -c "echo \$\$ >$g/cgroup.procs; ip link set lo up
	i=0; while [ \$i -lt 50 ]; do true <image/x; i=\$((i + 1)); done 2>/dev/null
	for i in 1 2 3 4 5 6 7; do curl -s http://127.0.0.1:1; done
	dd if=/dev/zero of=/dev/null bs=1 count=3000 status=none; sleep 0.6
	echo \$\$ >${g%/*}/cgroup.procs"
	u='unit="'${g##*/}'"'; export u
	unshare -n sh -c 'ip link set lo up; ip addr add 10.9.0.1/32 dev lo
	ip route add 10.9.0.2/32 dev lo; echo $$ >'$g'/cgroup.procs
	curl -s --max-time 90 http://10.9.0.2:1 & c=$!; echo $$ >'${g%/*}'/cgroup.procs
	timeout 80 sh -c "until [ \$(\"\$S\"/tests/run/metrics retransmits_total.*\$u) -gt 0 ]
	do sleep 0.2; done" 2>/dev/null; kill $c; wait $c'
	dd if=/dev/zero of=$loop bs=4k count=64 oflag=direct status=none
	v() { "$S"/tests/run/metrics "$1"; }
	v 'failed_opens_total.*'$u'.*"ENOTDIR"'
	v 'tcp_connects_total.*'$u
	[ $(v 'tcp_retransmits_total.*'$u) -ge 1 ] && echo retransmits
	[ $(v 'syscall_latency_seconds_count.*'$u) -ge 6000 ] && echo calls
	[ $(v 'syscall_latency_seconds_bucket.*'$u',le="0.536870911"') -lt \
	$(v 'syscall_latency_seconds_bucket.*'$u',le="1.073741823"') ] && echo sleep
	d='device="'${loop#/dev/}'"'
	[ $(v 'block_io_latency_seconds_count.*'$d) -ge 64 ] && echo requests
	[ $(v run_queue_latency_seconds_count) -gt \
	$(awk '/^dt_run_queue_latency_seconds_count/ { print $2 }' before) ] && echo wakeups
	v '(read|dropped)_total'; [ $(v counted_total) -gt 6000 ] && echo counted
	END
	"$S"/tests/run/with_exporter -w -o "-m $S/exporter/metrics.d --dt $(command -v dt)" sh load
	! grep -v connected exp
EXPECT	50 8 retransmits calls sleep requests wakeups 0 counted

NAME	a file with a mistake is refused with file, line and reason, and the others go on
NEEDS	root tp_btf curl
SERVICE
RUN	mkdir d; cd d; good='type = counter
	help = Seeks.'
	printf '%s\nprobe = syscall:lseek:entry\n' "$good" >good.conf
	printf 'typ = counter\nprobe = a\nhelp\ntype = gauge\nprobe = b\n' >many.conf
	printf '%s\n\nprobe = syscall:lseek:entry\ncondition = whenc == 77\n' "$good" >cond.conf
	printf '%s\nlabels = unit, foo\nprobe = syscall:lseek:entry\n' "$good" >label.conf
	printf '%s\nprobe = syscall:nosuch:entry\n' "$good" >probe.conf
	printf '%s\nlabels = a,b,c,d\nseries = 0\nprobe = -o x\n' "$good" >values.conf
	printf '%s\nfrom = syscall:lseek\n' "$good" >pair.conf
	printf '%s\n' "$good" >none.conf
	printf '%s\nprobe = syscall:lseek:entry\n' "$good" | tee Bad.conf x_total.conf >'q"q.conf'
	printf '%s\nprobe = syscall:clock_nanosleep:entry\nlabels = rqtp\n' "$good" >kernel.conf
	sed s/counter/histogram/ good.conf >daemon_start_time.conf; cp good.conf ignored.txt; cd ..
	cat >load <<'END'
	"$S"/tests/run/metric_up good || exit
	timeout 60 sh -c 'until [ $(grep -c . exp) -ge 20 ]; do sleep 0.1; done'
	ask call lseek 5 args=-1,5,77 >/dev/null
	[ $("$S"/tests/run/metrics dt_good_total) -ge 5 ] && echo counts
	"$S"/tests/run/metrics metric_up; grep metric_up metrics.out | grep -v '^#' | wc -l
	"$S"/tests/run/metrics 'metric_up.*"q.q"'
	END
	"$S"/tests/run/with_exporter -w -o "-m d --dt $(command -v dt)" sh load; sort exp >&2
EXPECT	counts 1 13 0
ERR	^dt-exporter: d/many.conf:1:1: unknown setting 'typ'; there are help, type, probe, from, to, key, condition, labels, value and series$
ERR	^dt-exporter: d/many.conf:3:1: expected 'key = value'$
ERR	^dt-exporter: d/many.conf:4:8: type requires counter or histogram, not 'gauge'$
ERR	^dt-exporter: d/many.conf:5:1: probe is set in line 2 already$
ERR	^dt-exporter: d/cond.conf:5: --if: .*whenc
ERR	^dt-exporter: d/label.conf:3: --by foo: is neither a key nor an argument
ERR	^dt-exporter: d/probe.conf:3: .*syscall:nosuch:entry
ERR	^dt-exporter: d/values.conf:3:10: labels requires up to 3 keys of dt stat, separated by commas, not 'a,b,c,d'$
ERR	^dt-exporter: d/values.conf:4:10: series requires a number from 1 to 1000, not '0'$
ERR	^dt-exporter: d/values.conf:5:9: probe requires patterns of probes, not '-o x'$
ERR	^dt-exporter: d/pair.conf:3: from, to and key belong together$
ERR	^dt-exporter: d/none.conf:2: requires either probe, or from, to and key$
ERR	^dt-exporter: d/Bad.conf:3: the name of the file should be a letter
ERR	^dt-exporter: d/x_total.conf:3: the name of the file has a suffix that Prometheus reserves$
ERR	^dt-exporter: d/kernel.conf:4: .*rqtp may be a struct$
ERR	^dt-exporter: d/daemon_start_time.conf:3: the exporter has a metric of this name$

NAME	label values beyond series are one series, and no hit is missing
NEEDS	root tp_btf curl
SERVICE
RUN	mkdir d; printf '%s\n' 'help = Seeks by offset.' 'type = counter' \
	'probe = syscall:lseek:entry' 'condition = whence == 77' 'labels = offset' \
	'series = 3' >d/seeks.conf
	cat >load <<'END'
	"$S"/tests/run/metric_up seeks || exit
	for v in 1 2 3 4 5 6 7 8 9; do ask call lseek $v args=-1,$v,77 >/dev/null
	[ $v != 3 ] || "$S"/tests/run/metrics >/dev/null; done
	"$S"/tests/run/metrics | grep ^dt_seeks; "$S"/tests/run/metrics dt_seeks
	grep HELP.dt_seeks metrics.out
	END
	"$S"/tests/run/with_exporter -w -o "-m d --dt $(command -v dt)" sh load
EXPECT	dt_seeks_total{offset="1"} 1 dt_seeks_total{offset="2"} 2 dt_seeks_total{offset="3"} 3
	dt_seeks_total{offset="other"} 39 45 # HELP dt_seeks_total Seeks by offset.

NAME	SIGHUP reads the folder again, and unchanged metrics keep their totals
NEEDS	root tp_btf curl
SERVICE
RUN	mkdir d; m() { printf '%s\n' "help = $2" 'type = counter' \
	"probe = syscall:$3:entry" 'condition = whence == 77' >d/$1.conf; }
	m same Same lseek; m changed Changed lseek; m gone Gone lseek; m bad Bad lseek
	cat >load <<'END'
	m() { printf '%s\n' "help = $2" 'type = counter' "probe = syscall:$3:entry" \
	"condition = whence == $4" >d/$1.conf; }
	"$S"/tests/run/metric_up same changed gone bad || exit
	ask call lseek 5 args=-1,5,77 >/dev/null
	"$S"/tests/run/metrics dt_same dt_changed dt_gone dt_bad
	m same 'Other help' lseek 77; m changed Changed lseek 78; rm d/gone.conf
	m new New lseek 77; echo oops >>d/bad.conf; kill -HUP $EXPORTER
	"$S"/tests/run/metric_up new changed || exit
	ask call lseek 3 args=-1,5,77 >/dev/null; ask call lseek 2 args=-1,5,78 >/dev/null
	"$S"/tests/run/metrics dt_same dt_changed dt_gone dt_bad dt_new
	grep HELP.dt_same metrics.out; grep -c bad.conf:5:1: exp
	"$S"/tests/run/metrics metric_up 'metric_up.*gone'
	END
	"$S"/tests/run/with_exporter -w -o "-m d --dt $(command -v dt)" sh load
EXPECT	5 5 5 5 8 2 none 8 3 # HELP dt_same_total Other help 1 4 none

# A program serves all probes of system calls, so the other metric has none.
NAME	a metric that costs too much is down with the reason, and the others go on
NEEDS	root tp_btf tracefs curl
TIMEOUT	120
SERVICE	cost-limit = 1
RUN	mkdir d; printf '%s\n' 'help = Calls.' 'type = histogram' 'probe = syscall:*' \
	'labels = comm' >d/costly.conf; printf '%s\n' 'help = Connects.' 'type = counter' \
	'probe = tracepoint:sock:inet_sock_set_state' 'condition = newstate == 2 && dport == 1' \
	>d/cheap.conf
	cat >load <<'END'
	"$S"/tests/run/metric_up cheap costly || exit
	dd if=/dev/zero of=/dev/null bs=1 status=none & b=$!
	"$S"/tests/run/metric_up 0 costly; kill $b
	timeout 60 sh -c 'until grep -q "dtd stopped" exp; do sleep 0.1; done'
	for i in 1 2 3 4 5; do curl -s http://127.0.0.1:1; done
	"$S"/tests/run/metrics dt_cheap 'metric_up.*"cheap"' 'costly_seconds_count'
	"$S"/tests/run/metric_up costly && echo again
	END
	"$S"/tests/run/with_exporter -w -o "-m d --dt $(command -v dt)" sh load 2>&1; cat exp >&2
EXPECT	5 1 none again
ERR	d/costly.conf: dtd stopped the recording: .*the limit is 1 %

NAME	metrics count again after dtd restarts
NEEDS	root tp_btf curl full
RUN	mkdir d run2; echo "directory = $PWD/run2" >conf; printf '%s\n' 'help = Seeks.' \
	'type = counter' 'probe = syscall:lseek:entry' 'condition = whence == 77' >d/seeks.conf
	cat >away <<'END'
	daemon() { dtd -c conf 2>log & d=$!
	timeout 60 sh -c 'until [ -S run2/dt ]; do sleep 0.02; done'; }
	"$S"/tests/run/metrics metric_up dt_seeks; daemon; "$S"/tests/run/metric_up seeks || exit
	ask call lseek 5 args=-1,5,77 >/dev/null; "$S"/tests/run/metrics dt_seeks
	kill $d; wait $d; "$S"/tests/run/metric_up 0 seeks; rm -f run2/dt
	daemon; "$S"/tests/run/metric_up seeks || exit
	ask call lseek 3 args=-1,5,77 >/dev/null; "$S"/tests/run/metrics dt_seeks; kill $d; wait $d
	END
	"$S"/tests/run/with_exporter -o "-m d -s $PWD/run2/dt --dt $(command -v dt)" sh away
EXPECT	0 none 5 3

NAME	an exporter that is killed leaves nothing in dtd
NEEDS	root tp_btf curl
SERVICE
RUN	mkdir d; for n in a b c; do printf '%s\n' 'help = Seeks.' 'type = counter' \
	'probe = syscall:lseek:entry' >d/$n.conf; done
	dt-exporter -l none -u m2 -m d --dt "$(command -v dt)" 2>exp2 & e=$!
	cat >load <<'END'
	opens() { "$S"/tests/run/metrics dt_opens_recording.*dt; }
	timeout 60 sh -c 'until [ $("$S"/tests/run/metrics dt_opens_recording.*dt) = 3 ]; do sleep 0.1; done'
	"$S"/tests/run/metrics dt_opens_recording 'opens.*uid'; kill -9 $1
	timeout 60 sh -c 'until [ $("$S"/tests/run/metrics "opens.*uid") = 1 ]; do sleep 0.1; done'
	"$S"/tests/run/metrics dt_opens_recording 'opens.*uid' 
	END
	"$S"/tests/run/with_exporter -w -o "-m none" sh load $e; cat exp2
EXPECT	3 4 0 1

NAME	promtool and Prometheus accept defined metrics
NEEDS	root tp_btf tracefs curl python3 prometheus cgroup2 full
TIMEOUT	180
SERVICE	cost-limit = 0
RUN	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0));
	print(s.getsockname()[1])'); mkdir d; cp "$S"/exporter/metrics.d/* d
	printf '%s\n' 'help = Seeks with \ and "quotes".' 'type = counter' \
	'probe = syscall:lseek:entry' 'condition = whence == 77' 'labels = comm' >d/seeks.conf
	printf '%s\n' 'help = Offsets.' 'type = histogram' 'value = offset' \
	'probe = syscall:lseek:entry' 'condition = whence == 77' >d/offsets.conf; echo a >d/bad.conf
	cp "$(command -v ask)" 'a"b\c'
	cat >load <<'END'
	"$S"/tests/run/metric_up seeks offsets block_io_latency failed_opens \
	run_queue_latency syscall_latency || exit
	PATH=$PWD:$PATH 'a"b\c' call lseek 6 args=-1,5,77 >/dev/null
	"$S"/tests/run/metrics >/dev/null
	"$("$S"/tests/prometheus/fetch -n)"/promtool check metrics <metrics.out 2>&1 &&
	echo accepted; "$S"/tests/prometheus/check_defined 127.0.0.1:$1
	END
	"$S"/tests/run/with_exporter -w -o "-l 127.0.0.1:$port -m d --dt $(command -v dt)" sh load $port
EXPECT	accepted
	seeks 6 a"b\c
	offsets 6 30 6
	up 8 of 9
	median of calls True

NAME	the example of the manual page counts, and a counter may be of durations
NEEDS	root tp_btf curl
SERVICE
RUN	mkdir d; sed -n '/^help = Bytes/,/^labels/p' "$S"/man/dt-metrics.5 >d/bytes.conf
	sed -i 's/^condition.*/& \&\& comm == "head"/; s/unit/comm/' d/bytes.conf
	printf '%s\n' 'help = Time.' 'type = counter' 'probe = syscall:clock_nanosleep' \
	'value = duration' 'condition = comm == "sleep"' 'labels = comm' >d/time.conf
	cat >load <<'END'
	"$S"/tests/run/metric_up bytes time || exit
	truncate -s 1M f; head -c 1M f >/dev/null; sleep 0.7
	"$S"/tests/run/metrics 'dt_bytes_total.*"head"' dt_time_seconds_total
	END
	"$S"/tests/run/with_exporter -w -o "-m d --dt $(command -v dt)" sh load |
	awk 'NR == 1 { print $1 } NR == 2 { print ($1 >= 0.7 && $1 < 30) }'
EXPECT	1048576 1
