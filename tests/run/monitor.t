# SPDX-License-Identifier: ISC
# The monitor: a service opens perf events through a process that can do nothing
# else.  The service itself has no CAP_SYS_ADMIN, which is bit 21: 200000.

NAME	a service drops CAP_SYS_ADMIN, and its monitor keeps only that
CORE
NEEDS	root tp_btf perf_event setpriv quick
RUN	echo "directory = $T/run" >c; echo 'monitor = yes' >>c;
	c=-all,+bpf,+perfmon,+sys_admin,+sys_nice,+sys_ptrace,+setpcap;
	c=$c,+syslog;
	setpriv --inh-caps=$c --bounding-set=$c --ambient-caps=$c dtd -v -c c \
	2>log & d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	m=$(pgrep -P $d -x dtd-monitor);
	grep '^Cap' /proc/$d/status | tr -d '\t';
	grep -e '^Cap' -e '^NoNew' -e '^Seccomp:' /proc/$m/status | sed \
	's/^/monitor /' | tr -d '\t'; cat /proc/$m/comm;
	tr '\0' '\n' </proc/$m/cmdline | head -n 1; ls /proc/$m/fd | wc -l;
	dt profile --no-limit -F 500 -- ask burn 300; kill $d; wait $d; cat log
OUT	^CapInh:0000000000000100$
OUT	^CapPrm:000000c400880100$
OUT	^CapEff:000000c400880100$
OUT	^CapBnd:000000c400880100$
OUT	^CapAmb:0000000000000100$
OUT	^monitor CapInh:0000000000000000$
OUT	^monitor CapPrm:0000000000200000$
OUT	^monitor CapEff:0000000000200000$
OUT	^monitor CapBnd:0000000000200000$
OUT	^monitor CapAmb:0000000000000000$
OUT	^monitor NoNewPrivs:1$
OUT	^monitor Seccomp:2$
OUT	^dtd-monitor$
OUT	^dtd: monitor$
OUT	^1$
OUT	^[1-9][0-9]* samples
NOOUT	cost-limit is not enforced

NAME	the monitor opens a session's clocks
NEEDS	root tp_btf perf_event
SERVICE	monitor = yes
ASK	spawn W; open; filter pid=W; enable profile:hz:97 nsecs=5000000;
	enable syscall:getpid:entry; record on; in W call getpid 30;
	in W burn 400; record off; readall;
	count probe=syscall:getpid:entry; count probe=profile:hz:97
EXPECT	0 0 0 0 0 0 0 0 0 >=31 30 >=1

NAME	the monitor opens a session's tracepoints
CORE
NEEDS	root perf_event tp_btf
SERVICE	monitor = yes
ASK	spawn W; open; filter pid=W; enable tracepoint:task:task_rename; record on;
	in W call prctl args=15,@text:abc; record off; readall
EXPECT	0 0 0 0 0 0 0 1

NAME	the monitor opens a session's functions where each has a perf event
NEEDS	root tp_btf perf_event kprobe
SERVICE	monitor = yes
	kprobe-attach = perf
ASK	spawn W; open; filter pid=W; enable kprobe:do_sys_openat2:entry;
	enable kprobe:do_sys_openat2:return; record on; in W call openat 5;
	record off; readall
EXPECT	0 0 0 0 0 0 ENOENT 0 10

NAME	after the monitor is killed calls work, and the rest reports the reason
CORE
NEEDS	root tp_btf perf_event mounts quick
RUN	echo "directory = $T/run" >c; echo 'monitor = yes' >>c;
	dtd -v -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	m=$(pgrep -P $d -x dtd-monitor); kill -9 $m;
	until grep -q 'process has exited' log; do sleep 0.02; done;
	dt profile -- true; echo "status $?";
	dt record -n 1 tracepoint:sched:sched_switch; echo "status $?";
	dt record -n 1 syscall:getpid:entry -- ask call getpid 1;
	dt doctor; kill $d; wait $d; echo "end $?"; cat log
OUT	^status 1$
OUT	getpid
OUT	^  - +profile +0 probes: dtd's monitor process has exited; restart dtd$
OUT	^  - +tracepoint +0 probes: dtd's monitor process has exited
OUT	^  ok +syscall +100 of 100
OUT	^dt does not work here
OUT	^end 0$
OUT	^dtd: the monitor process has exited \(signal 9\): no clocks, tracepoints and perf events for functions until dtd is restarted$
ERR	^dt: recording: cannot attach profile:hz:97: dtd's monitor process has exited; restart dtd$
ERR	^dt: recording: cannot attach tracepoint:sched:sched_switch: dtd's monitor process has exited

NAME	a monitor ends with its dtd, and only then
NEEDS	root tp_btf perf_event
RUN	echo "directory = $T/run" >c; echo 'monitor = yes' >>c;
	dtd -v -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	m=$(pgrep -P $d -x dtd-monitor); kill -TERM $m; kill -INT $m;
	kill -HUP $m; kill -0 $m; echo $?; kill -9 $d; wait $d;
	until ! grep -v '^State:.Z' /proc/$m/status 2>/dev/null | grep -q ^State;
	do sleep 0.02; done; cat log
OUT	^0$
NOOUT	has exited

NAME	no monitor: if not configured, if private, or if CAP_SYS_ADMIN stays
NEEDS	root tp_btf perf_event setpriv
RUN	echo "directory = $T/run" >c; echo 'monitor = no' >>c;
	dtd -v -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	pgrep -c -P $d -x dtd-monitor; kill $d; wait $d; rm log;
	echo 'monitor = yes' >>c;
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin dtd -v -c c \
	2>log & d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	pgrep -c -P $d -x dtd-monitor; kill $d; wait $d; rm log;
	setpriv --bounding-set=-bpf --inh-caps=-bpf dtd -v -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	cat log >&2; pgrep -c -P $d -x dtd-monitor; kill $d; wait $d
EXPECT	0 0 0
ERR	^dtd: no monitor process: without CAP_BPF and CAP_PERFMON dtd has to keep CAP_SYS_ADMIN$
