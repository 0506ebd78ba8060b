# SPDX-License-Identifier: ISC
# The commands in the pages and documents of dtd and dt-exporter run as printed, in
# namespaces of their own (with_etc).

# A command that starts a daemon runs until a client has used it.
NAME	the examples of dtd(8) run, and each daemon of them serves a client
NEEDS	root nonroot tp_btf mounts unshare ip setpriv dt.1
TIMEOUT	300
RUN	cat >all <<'END'
	serve() { setsid sh -c "$line" 2>log & d=$!; until DT_DTD=/none dt list syscall:getppid >list 2>&1; do
	kill -0 $d || { echo "WRONG: $line"; cat log; return; }; sleep 0.05; done
	DT_DTD=/none dt stat --by comm syscall:getppid:entry -- ask call getppid 7 | awk '/ ask$/ { print $1, "calls" }'
	DT_DTD=/none sh -c "$doctor" >doctor; grep -E '^ *ok +(service|open) ' doctor; grep '^Uid:' /proc/$(pidof_dtd)/status
	kill -- -$d; wait $d; rm -f /run/dt/*; }
	pidof_dtd() { for p in $(cat /proc/$d/task/*/children) $d; do grep -qx dtd /proc/$p/comm && echo $p; done | head -1; }
	doctor=$(grep '^dt doctor$' commands)
	export c; while read -r line; do case $line in *dtd|*'dtd -v'|*dtd.log) echo "$line"; serve ;; dt\ doctor) ;; journalctl*) ;;
	*) eval "$line" && echo "$line" ;; esac; done <commands; cat /etc/dt/dtd.conf; wc -c <dtd.log
	END
	$S/tests/run/page_commands $S/man/dtd.8 >commands; cat commands >&2; wc -l <commands; $S/tests/run/with_etc sh all
OUT	^[78]$
OUT	^dtd -n && dtd$
OUT	^setpriv --reuid nobody .* dtd -v$
OUT	^dtd -vv 2>dtd.log$
OUT	^ring-bytes-user = 256M$
OUT	^7 calls$
OUT	^Uid:	65534	
OUT	^ *ok +service 
OUT	^[1-9][0-9]{3,}$
NOOUT	WRONG

NAME	the settings and commands of dtd.conf(5) change a service that runs
NEEDS	root tp_btf mounts unshare ip dt.1
RUN	cat >all <<'END'
	touch /etc/dt/dtd.conf; dtd 2>log & d=$!; until DT_DTD=/none dt list syscall:getppid >list 2>&1; do sleep 0.05; done
	sed -n '/^ring-bytes-user = /,/^\.Ed/p' $S/man/dtd.conf.5 | grep -v '^\.Ed' | tee /etc/dt/dtd.conf | wc -l
	mkdir bin; printf '#!/bin/sh\n[ "$*" = "reload dtd" ] && kill -HUP %s\n' $d >bin/systemctl; chmod +x bin/systemctl
	$S/tests/run/page_commands $S/man/dtd.conf.5 EXAMPLES >c; cat c; PATH=$PWD/bin:$PATH sh c && echo run
	until grep reloaded log; do sleep 0.05; done; kill $d; wait $d
	END
	$S/tests/run/with_etc sh all
OUT	^2$
OUT	^dtd -n && systemctl reload dtd$
OUT	^run$
OUT	settings reloaded$

NAME	dt-exporter serves its default port as the pages use it, and a UNIX socket
NEEDS	root tp_btf mounts unshare ip curl dt.1
SERVICE
RUN	cat >all <<'END'
	dt=$(command -v dt); up() { until eval "$1" | grep -q '^dt_up 1$'; do kill -0 $e || exit 1; sleep 0.05; done; }
	mkdir /run/dt-exporter; grep '^dt-exporter' commands | while read -r c; do echo "$c"; setsid sh -c "exec $c" 2>log & e=$!
	case $c in *' -u '*) up 'curl -s --unix-socket /run/dt-exporter/metrics http://x/metrics'
	curl -s http://127.0.0.1:9464/metrics || echo 'no port' ;; *) up 'curl -s http://127.0.0.1:9464/metrics'
	grep '^curl.*9464' pages | while read -r p; do echo "$p"; sh -c "$p"; done ;; esac; kill $e; wait $e; done
	END
	{ $S/tests/run/page_commands $S/docs/prometheus.md; } | sed 's/  *#.*//' >commands;
	$S/tests/run/page_commands $S/man/dt-exporter.8 EXAMPLES >pages; $S/tests/run/with_etc sh all
OUT	^dt-exporter$
OUT	^dt-exporter -u /run/dt-exporter/metrics -l none$
OUT	^curl -s http://127\.0\.0\.1:9464/metrics \| grep dropped$
OUT	^dt_events_dropped_total\{
OUT	^no port$

# The unit's command runs as another user of the group, as the unit does.
NAME	the profiles of docs/profiles.md are served to members of the group only
NEEDS	root nonroot perf_event mounts unshare ip curl go setpriv dt.1 full
TIMEOUT	300
RUN	cat >all <<'END'
	echo dt-profile:x:4242: >>/etc/group; grep '^    allow = ' $S/docs/profiles.md | tee /etc/dt/dtd.conf; dtd -n || exit 1
	dtd 2>log & d=$!; until DT_DTD=/none dt list syscall:getppid >list 2>&1; do sleep 0.05; done
	install -d -o 1 /run/dt-pprof; install -d -m 1777 tmp; export TMPDIR=$PWD/tmp HOME=$PWD
	sed -n 's/.*The unit runs `\([^`]*\)`.*/\1/p' $S/docs/profiles.md | tee unit; grep -c "$(sed 's/^dt-exporter//' unit)$" \
	$S/systemd/dt-exporter-pprof.service; setpriv --reuid 1 --regid 1 --groups 4242 $(cat unit) --dt "$(command -v dt)" 2>exp & e=$!
	until [ -S /run/dt-pprof/pprof ]; do kill -0 $e || { cat exp; exit 1; }; sleep 0.05; done; share 60000 & s=$!
	sed 's/seconds=10/seconds=2/; s/-http=:/-top/' commands | while read -r c; do echo "$c"; chmod 777 .; rm -f p
	case $c in curl*) rm -f p; setpriv --reuid 65534 --regid 65534 --groups 65534 sh -c "$c -w '%{http_code}\n'"; rm -f p
	setpriv --reuid 65534 --regid 65534 --groups 4242 sh -c "$c -w '%{http_code}\n'"; mv p kept ;; go*) mv kept p
	sh -c "$c" 2>err >top && grep -cE ' (one|two)$' top; mv p kept ;; esac; done; kill $s $e $d; wait
	END
	for f in docs/profiles.md man/dt-exporter.8; do $S/tests/run/page_commands $S/$f; done | grep '^curl.*pprof\|^go' >commands;
	$S/tests/run/with_etc sh all
OUT	^    allow = profile to group dt-profile$
OUT	^dt-exporter --pprof -u /run/dt-pprof/pprof -g dt-profile$
OUT	^1$
OUT	^curl -s -o p --unix-socket /run/dt-pprof/pprof 'http://localhost/debug/pprof/profile\?seconds=2'$
OUT	^go tool pprof -top p$
OUT	^403$
OUT	^200$
OUT	^2$
NOOUT	^0$

NAME	Prometheus accepts the configuration of docs/prometheus.md, and its queries have data
NEEDS	root tp_btf tracefs mounts unshare ip curl python3 prometheus cgroup2 loop full
TIMEOUT	300
SERVICE	cost-limit = 0
RUN	cat >all <<'END'
	$S/tests/run/page_commands $S/docs/prometheus.md 'Metrics of your own' | grep '^ln' | tee ln | sed "s,/usr/local/share/dt,$S/exporter," |
	sh; cat ln; ln -s $S/exporter/metrics.d/block_io_latency.conf /etc/dt/metrics.d; ls /etc/dt/metrics.d
	dt-exporter --dt $(command -v dt) -u m 2>exp & e=$!; until [ -S m ]; do sleep 0.05; done
	$S/tests/run/metric_up failed_opens block_io_latency || exit; truncate -s 16M disk; l=$(losetup -f --show disk)
	while [ ! -e done ]; do cat /nonexistent 2>/dev/null; dd if=$l of=/dev/null bs=64k count=4 iflag=direct 2>/dev/null; sleep 0.2; done & b=$!
	$S/tests/prometheus/check_page 127.0.0.1:9464 $S/docs/prometheus.md; : >done; wait $b; losetup -d $l; kill $e; wait
	END
	$S/tests/run/with_etc sh all
OUT	^ln -s /usr/local/share/dt/metrics\.d/failed_opens\.conf /etc/dt/metrics\.d$
OUT	^failed_opens\.conf$
OUT	^[1-9][0-9]* sum by \(unit\) \(rate\(dt_failed_opens_total\[5m\]\)\)$
OUT	^[1-9][0-9]* histogram_quantile\(
OUT	^[1-9][0-9]* sum by \(provider\)
OUT	^[1-9][0-9]* dt_events_read_total - dt_events_read_total offset 1h$
NOOUT	^0|error
