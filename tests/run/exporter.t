# SPDX-License-Identifier: ISC
# dt-exporter: its metrics equal the ledgers of clients, for any HTTP client and
# whatever dtd is doing.

NAME	hits of clients are counted by provider and stay after they exit
NEEDS	root tp_btf curl jq
SERVICE
RUN	cat >load <<'END'
	"$S"/tests/run/metrics 'fired_total.*"syscall"' 'opens.* '
	dt stat --count-in client -j syscall:write:entry -- dd if=/dev/zero of=/dev/null bs=1 count=300 status=none >a
	dt record -j syscall:write:entry tracepoint:sched:sched_process_exit -- dd if=/dev/zero of=/dev/null bs=1 count=300 status=none >b
	timeout 300 sh -c 'until [ "$("$S"/tests/run/metrics "opens.*uid")" = 1 ]; do
	sleep 0.02; done'
	for k in fired read dropped recursed; do
	echo $(jq -r "select(.ledger).ledger.$k" a b) $(grep -c '"tracepoint:' b) \
	$("$S"/tests/run/metrics $k'_total.*"syscall"' $k'_total.*"tracepoint"'); done |
	awk '{ p = NR < 3 ? $3 : 0; print ($4 == $1 + $2 - p && $5 == p) }
	NR == 1 { print ($1 >= 300 && $2 - p >= 300 && p >= 1) }'
	"$S"/tests/run/metrics opens_recording ring_size_bytes 'opens.*uid="0"'
	END
	"$S"/tests/run/with_exporter -w sh load
EXPECT	0 1 1 1 1 1 1 0 0 1

NAME	hits of sessions with both kinds of calls are counted for both
CORE
NEEDS	root tp_btf curl jq int80 quick
SERVICE
RUN	cat >load <<'END'
	dt stat --count-in client -j syscall:write:entry syscall32:write:entry -- dd if=/dev/zero of=/dev/null bs=1 count=300 status=none >c
	timeout 300 sh -c 'until [ "$("$S"/tests/run/metrics "opens.*uid")" = 1 ]; do
	sleep 0.02; done'
	for k in fired read dropped recursed; do
	echo $(jq -r "select(.ledger).ledger.$k" c) \
	$("$S"/tests/run/metrics $k'_total.*"syscall.syscall32"' \
	$k'_total.*"syscall32"' $k'_total.*"syscall"'); done |
	awk '{ print ($1 == $2 && $3 == 0 && $4 == 0) } NR == 1 { print ($1 >= 300) }'
	END
	"$S"/tests/run/with_exporter -w sh load
EXPECT	1 1 1 1 1

NAME	counts never fall while clients start, lose events and are killed
NEEDS	root tp_btf curl full
SERVICE
RUN	cat >load <<'END'
	echo 'function flush() {} !/^#/ && /_total/ { v = $NF; $NF = ""
	if (v < was[$0]) print "fell:", $0, was[$0], v; was[$0] = v }' >fall
	dd if=/dev/zero of=/dev/null bs=1 status=none & busy=$!
	for i in 1 2 3 4 5 6; do
	(dt record -j syscall:read:entry tracepoint:sched:sched_switch >/dev/null & c=$!
	timeout 60 sh -c 'until [ "$("$S"/tests/run/metrics fired_total)" -gt '$((i * 300))' ]; do
	sleep 0.02; done'; kill -9 $c) 2>/dev/null
	"$S"/tests/run/metrics; dt stat -d 0.05 syscall:write:entry >/dev/null 2>&1
	"$S"/tests/run/metrics; done >all
	kill $busy; awk -f fall all
	timeout 60 sh -c 'until [ "$("$S"/tests/run/metrics "opens.*uid")" = 1 ]; do
	sleep 0.02; done'
	"$S"/tests/run/metrics fired_total '(read|dropped|recursed|counted|mapfull)_total' |
	awk '{ v[NR] = $1 } END { print (v[1] == v[2]), (v[1] > 1000), NR }'
	for p in syscall tracepoint; do "$S"/tests/run/metrics 'fired_total.*"'$p'"' \
	'(read|dropped|recursed|counted|mapfull)_total.*"'$p'"'; done |
	awk '{ v[NR] = $1 } END { print (v[1] == v[2]), (v[3] == v[4]), (v[1] > 100), (v[3] > 1) }'
	END
	"$S"/tests/run/with_exporter -w sh load
EXPECT	1 1 2 1 1 1 1

NAME	hits in functions of programs are counted for uprobe, and of counters for counter
NEEDS	root uprobe curl
SERVICE
RUN	cat >load <<'END'
	dt stat --count-in client -j uprobe:libc:malloc:entry counter:page-faults:1 -- \
	ls / >c
	timeout 300 sh -c 'until [ "$("$S"/tests/run/metrics "opens.*uid")" = 1 ]; do
	sleep 0.02; done'
	echo $("$S"/tests/run/metrics 'fired_total.*"uprobe"' 'fired_total.*"usdt"' \
	'fired_total.*"counter"' 'fired_total.*"profile"')
	END
	"$S"/tests/run/with_exporter -w sh load
OUT	^[1-9][0-9]* 0 [1-9][0-9]* 0$

NAME	hits that are counted in the kernel have their own sums
NEEDS	root tp_btf curl
SERVICE
RUN	cat >load <<'END'
	echo 'spawn W; open; filter pid=W; enable syscall:lseek:entry;
	agg syscall:lseek:entry k=arg1 rows=1; record on;
	in W call lseek 300 args=-1,5; in W call lseek 20 args=-1,6;
	record off; readall; close' | tr '\n' ' ' | ask | cut -d " " -f 1-5
	timeout 300 sh -c 'until [ "$("$S"/tests/run/metrics "opens.*uid")" = 1 ]; do
	sleep 0.02; done'
	echo $("$S"/tests/run/metrics 'counted_total.*"syscall"' \
	'mapfull_total.*"syscall"' 'fired_total.*"syscall"') |
	awk '{ print ($1 > 0), ($2 >= 20), ($1 + $2 == 320), $3 }'
	END
	"$S"/tests/run/with_exporter -w sh load
EXPECT	0 0 0 0 0 1 1 1 320

NAME	samples of tprof are counted once, also while the client exits
NEEDS	root perf_event curl
SERVICE
RUN	cat >load <<'END'
	(while [ ! -e done ]; do curl -s --unix-socket m http://x/metrics; done >/dev/null) & c=$!
	for i in 1 2 3 4 5 6 7 8; do
	dt tprof monitor -e cpu-clock -o f true 2>>e; done; touch done; wait $c
	for k in fired '(read|dropped)'; do
	"$S"/tests/run/metrics $k'_total{device="tprof"'; done |
	cat - e | awk '/^\t(sample|overflow|dropbuf_sample) / { n += $2 }
	NF == 1 && /^[0-9]/ { v[++k] = $1 } END { print (n > 0), (v[1] == n),
	(v[2] == n), k }'
	END
	"$S"/tests/run/with_exporter -w sh load
EXPECT	1 1 1 2

NAME	stacks by unwind tables are counted by the reason for their end
NEEDS	root perf_event tp_btf sym_burn curl jq
SERVICE
RUN	cat >load <<'END'
	dt record -gj profile:hz:997 -- sh -c '"$B"/sym/sym_corrupt 300; "$B"/sym/sym_frames 5' >a 2>e
	jq -r 'select(.uframes) | .ustack_end // "complete"' a | sort | uniq -c >want
	"$S"/tests/run/metrics | sed -n 's/^dt_unwind_stacks_total{reason="\(.*\)"} /\1 /p' >got
	cat want got >&2
	awk 'NR == FNR { n = $1; sub(/^ *[0-9]+ /, ""); want[$0] = n; next }
	{ n = $NF; sub(/ [0-9]+$/, ""); if (n != want[$0] + 0) print "differs: " $0
	kinds += n > 0; all++ } END { print (kinds > 2), all }' want got
	END
	"$S"/tests/run/with_exporter -w sh load
EXPECT	1 8

NAME	other paths are 404, other methods 405, oversized requests 4xx
NEEDS	curl
RUN	cat >bad <<'END'
	ask() { curl -s -o body -w '%{http_code}\n' --max-time 30 --unix-socket m "$@"; }
	ask http://x/metrics; ask -I http://x/metrics; ask http://x/; ask http://x/metrics/;
	ask http://x/debug/pprof/profile; ask -X POST -d a=b http://x/metrics;
	ask -X PUT -T /dev/null http://x/metrics; ask -X BREW http://x/metrics
	ask -H "X-Long: $(head -c 20000 /dev/zero | tr '\0' x)" http://x/metrics
	ask "http://x/$(head -c 20000 /dev/zero | tr '\0' x)"; ask 'http://x/metrics?a=b'
	END
	"$S"/tests/run/with_exporter -o "-s $PWD/none" sh bad
EXPECT	200 200 404 404 404 405 405 405 431 414 200

NAME	input that is not HTTP is refused, and other clients are served
NEEDS	python3 curl
RUN	"$S"/tests/run/with_exporter -o "-s $PWD/none" "$S"/tests/run/http_bad.py nonsense
EXPECT	refused refused refused refused 200

NAME	idle connections are closed, and meanwhile the other socket is served
NEEDS	python3 curl full
RUN	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0));
	print(s.getsockname()[1])'); "$S"/tests/run/with_exporter \
	-o "-s $PWD/none -l 127.0.0.1:$port" "$S"/tests/run/http_bad.py many $port
EXPECT	200 40 200

NAME	slow connections that reconnect do not exclude other clients
NEEDS	python3 curl
RUN	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0));
	print(s.getsockname()[1])'); "$S"/tests/run/with_exporter \
	-o "-s $PWD/none -l 127.0.0.1:$port" "$S"/tests/run/http_bad.py crowd $port
EXPECT	200 200 200 200 200 200 200 200

NAME	a connection that sends a few bytes at a time is closed, too
NEEDS	python3 full
RUN	"$S"/tests/run/with_exporter -o "-s $PWD/none" "$S"/tests/run/http_bad.py slow
EXPECT	closed

NAME	only the local machine is served unless configured otherwise
RUN	for l in 0.0.0.0:0 '[::]:0' 192.0.2.1:80; do dt-exporter -l $l && echo served;
	done; :
NOOUT	.
ERR	^dt-exporter: 0.0.0.0:0: reachable from other machines, without a password or encryption; use a reverse proxy, or --expose-to-network to allow it$
ERR	^dt-exporter: \[::\]:0: reachable from other machines
RUN	dt-exporter -l nowhere
STATUS	2
ERR	nowhere: must be ADDRESS:PORT
RUN	dt-exporter -l none
STATUS	2
RUN	dt-exporter --pprof -l 127.0.0.1:0
STATUS	2
ERR	--pprof needs -u PATH
RUN	dt-exporter --pprof -u x -g no-such-group
STATUS	2
RUN	dt-exporter --pprof -u x --call-graph dwarf
STATUS	2
ERR	--call-graph should be fp or table
RUN	dt-exporter --call-graph table
STATUS	2

NAME	without dtd dt_up is 0, and 1 after dtd restarts
NEEDS	root tp_btf curl
RUN	mkdir run2; echo "directory = $PWD/run2" >conf; cat >away <<'END'
	up() { "$S"/tests/run/metrics ^dt_up fired_total ^process_cpu; }
	daemon() { dtd -c conf 2>log & d=$!
	timeout 60 sh -c 'until [ -S run2/dt ]; do sleep 0.02; done'; }
	up | head -n 2; daemon; timeout 60 sh -c 'until [ "$("$S"/tests/run/metrics ^dt_up)" = 1 ];
	do sleep 0.05; done'; up | head -n 2; kill $d; wait $d; rm -f run2/dt; up | head -n 2
	daemon; timeout 60 sh -c 'until [ "$("$S"/tests/run/metrics ^dt_up)" = 1 ];
	do sleep 0.05; done'; up | head -n 2; kill $d; wait $d; cat exp
	END
	"$S"/tests/run/with_exporter -o "-s $PWD/run2/dt" sh away >o; sed -n 1,8p o; grep -c 'connected to dtd' o
EXPECT	0 none 1 0 0 none 1 0 2

NAME	a scrape does not wait for the control thread
NEEDS	root tp_btf curl
SERVICE
RUN	cat >held <<'END'
	"$S"/tests/run/metrics ^dt_up; echo '
	"$S"/tests/run/metrics ^dt_up scrapes_total; timeout 0.5 dt list profile:hz:97 >/dev/null 2>&1
	echo $?; "$S"/tests/run/metrics ^dt_up' >with; holdthread $DTD_PID sh with
	dt list profile:hz:97 | wc -l
	END
	"$S"/tests/run/with_exporter -w sh held
EXPECT	1 1 >=2 124 1 1

NAME	a scrape costs dtd less than a millisecond
NEEDS	root tp_btf curl
SERVICE
RUN	cat >cost <<'END'
	dt record -j syscall:read:entry -- dd if=/dev/zero of=/dev/null bs=1 count=300 status=none >/dev/null 2>&1
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	"$S"/tests/run/metrics >/dev/null; done
	"$S"/tests/run/metrics scrapes_total scrape_cpu | tee cost.out |
	awk '{ v[NR] = $1 } END { print v[1], (v[2] / v[1] < 0.001) }'
	END
	"$S"/tests/run/with_exporter -w sh cost
EXPECT	>=21 1

NAME	sums over all sessions require the right STATS
NEEDS	root nonroot curl setpriv
SERVICE
ASK	open; ioctl GSUMS; ioctl GSUMS; close; as 65534; open; ioctl GSUMS;
	wire connect; wire send fds=ns pad=8; wire recv; wire send cmd=0x2000445a; wire recv
EXPECT	0 0 0 0 0 0 EPERM 0 0 0 0 EPERM
RUN	chmod 777 .; cat >user <<'END'
	"$S"/tests/run/metrics ^dt_up; grep -c 'lacks the right STATS.*dt-stats' exp
	END
	setpriv --reuid 65534 --clear-groups "$S"/tests/run/with_exporter sh user
EXPECT	0 1

NAME	a session has one socket for sums
NEEDS	root
SERVICE
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0x2000445a; wire recv; wire send cmd=0x2000445a; wire recv
EXPECT	0 0 0 0 0 0 EBUSY

NAME	a profile requires root or a configured group
NEEDS	root perf_event curl setpriv python3
SERVICE
RUN	cat >ask <<'END'
	ask() { curl -s -o "$1" -w '%{http_code}\n' --max-time 60 --unix-socket m \
	"http://x/debug/pprof/profile?seconds=$2"; }
	share 2000 >/dev/null 2>&1 & ask p 1; wait; python3 -c 'import gzip; print(len(gzip.open("p").read()) > 100)'
	for s in 0 301 x 1x ''; do ask b "$s"; done; chmod 777 . m
	cat >u <<'EOT'
	curl -s --max-time 60 -w '%{http_code}\n' -o b.$1 --unix-socket m \
	'http://x/debug/pprof/profile?seconds=1'
	EOT
	setpriv --reuid 65534 --clear-groups sh u 1; cat b.1
	setpriv --reuid 65534 --groups 65534 sh u 2
	curl -s -X POST -w '%{http_code}\n' -o b --unix-socket m http://x/debug/pprof/profile
	curl -s -w '%{http_code}\n' -o b --unix-socket m http://x/metrics; ls | grep dt-pprof; :
	END
	export TMPDIR=$PWD; "$S"/tests/run/with_exporter -o "--pprof -g nogroup --dt $(command -v dt)" sh ask
EXPECT	200 True 400 400 400 400 400 403 this user may not make profiles 200 405 404

NAME	dt-exporter passes --call-graph to dt, and nothing by default
NEEDS	root curl
RUN	printf '#!/bin/sh\necho "$*" | sed "s/ -o [^ ]*//" >>args; exit 1\n' >fake;
	chmod +x fake; cat >ask <<'END'
	curl -s -o p --max-time 60 --unix-socket m 'http://x/debug/pprof/profile?seconds=2'
	END
	export TMPDIR=$PWD; for o in "" "--call-graph table"; do
	"$S"/tests/run/with_exporter -o "--pprof --dt $PWD/fake $o" sh ask; done; cat args
EXPECT	profile -d 2 profile -d 2 --call-graph table

NAME	a profile ends when its client disconnects
NEEDS	root perf_event curl
SERVICE
RUN	cat >hang <<'END'
	curl -s --max-time 0.7 --unix-socket m 'http://x/debug/pprof/profile?seconds=200'
	timeout 60 sh -c 'while grep -qs "^PPid:.$EXPORTER$" /proc/[0-9]*/status
	do sleep 0.02; done; echo ended'
	timeout 60 sh -c 'while ls -d dt-pprof* >/dev/null 2>&1; do sleep 0.02; done; echo clean'
	END
	export TMPDIR=$PWD; "$S"/tests/run/with_exporter -o "--pprof --dt $(command -v dt)" sh hang
EXPECT	ended clean

NAME	go tool pprof reads a profile fetched with curl
NEEDS	root perf_event curl go full
TIMEOUT	120
SERVICE
RUN	cat >ask <<'END'
	share 3000 & s=$!; curl -s -o p --max-time 60 --unix-socket m 'http://x/debug/pprof/profile?seconds=2'
	export HOME=$PWD; go tool pprof -sample_index=samples -top p 2>/dev/null |
	awk '$6 == "two" || $6 == "one" { n++ } END { print n }'
	kill $s; wait $s; :
	END
	"$S"/tests/run/with_exporter -o "--pprof --dt $(command -v dt)" sh ask
EXPECT	2

NAME	promtool accepts metrics and rules, and each rule fires when it should
NEEDS	root tp_btf curl prometheus full
SERVICE
RUN	cat >ask <<'END'
	p=$("$S"/tests/prometheus/fetch -n)/promtool; dt stat -j syscall:write:entry -- dd if=/dev/zero of=/dev/null bs=1 count=300 status=none >/dev/null 2>&1
	"$S"/tests/run/metrics >/dev/null; $p check metrics <metrics.out && echo metrics
	cd "$S"/exporter; $p check rules alerts.yml >/dev/null && echo rules
	$p test rules alerts_test.yml >/dev/null && echo tests
	END
	"$S"/tests/run/with_exporter -w sh ask 2>&1
EXPECT	metrics rules tests

NAME	Prometheus agrees with the ledgers, and every dashboard query has data
NEEDS	root perf_event tp_btf tracefs prometheus python3 full
TIMEOUT	180
SERVICE
RUN	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0));
	print(s.getsockname()[1])'); "$S"/tests/run/with_exporter -o "-l 127.0.0.1:$port" \
	"$S"/tests/prometheus/check 127.0.0.1:$port
EXPECT	sums equal increase() near counts >=20 fell none queries 33 rules 5 ok
