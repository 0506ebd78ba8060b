# SPDX-License-Identifier: ISC
# Missing kernel features, and processes that are killed.  Each fault, and the
# file with its case:
#
#	out of memory, by call and by limit	faults.t
#	out of descriptors			faults.t
#	a program is refused			here: no BTF; dt_errno.t: rights
#	lockdown				tests/vm/lockdown (check-full)
#	no BTF					here
#	tracefs missing, hidden			here, tracepoint.t
#	perf_event_paranoid			tracepoint.t, monitor.t, tprof.t
#	the symbolizer killed			here; hanging: symbols.t
#	the monitor killed			monitor.t
#	dtd killed				here, load_leftover.t, server.t
#	a full disk				recording.t, cli_flight.t
#	SIGSTOP of dtd, of clients		suspend.t, load_clocks.t
#	a CPU goes offline or online		load_clocks.t
#	more than the limits allow		limits.t, hostile.t

NAME	without kernel types (BTF) each provider reports the reason
NEEDS	root mounts
RUN	mount -t tmpfs none /sys/kernel/btf; for p in syscall:getpid:entry \
	profile:hz:97; do dt record -n 1 $p -- true; echo "status $?"; done;
	dt tprof monitor -e cpu-clock -o f true; echo "tprof $?";
	dt list 'rawtracepoint:*'; umount /sys/kernel/btf
OUT	^status 1$
OUT	^tprof 1$
ERR	there are no probes of rawtracepoint here: the kernel's types cannot be read
ERR	^dt: syscall:getpid:entry: this kernel refuses the programs: it does not report its types: there is no /sys/kernel/btf/vmlinux
ERR	^dt: profile:hz:97: this kernel refuses the program: it does not report
ERR	^dt: .*this kernel refuses the program of tprof: it does not report its types

NAME	without kernel types and tracefs the exporter reports it, tprof counts
NEEDS	root perf_event mounts curl
RUN	for m in btf tracing debug; do mount -t tmpfs none /sys/kernel/$m ||
	exit; done; echo "directory = $T/run" >c;
	dtd -v -c c 2>log & d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	dt tprof count -e page-faults true;
	"$S"/tests/run/with_exporter -w "$S"/tests/run/metrics ^dt_up;
	kill $d; wait $d; echo "end $?";
	umount /sys/kernel/debug /sys/kernel/tracing /sys/kernel/btf
OUT	^1$
OUT	^end 0$
ERR	^all +[1-9][0-9]*$

NAME	a killed symbolizer is restarted, and symbols are resolved
NEEDS	root perf_event mounts sym_burn full
RUN	echo "directory = $T/run" >c; dtd -vv -c c 2>log &
	d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	dt profile --folded -- ask burn 100 >a; echo "status $?";
	s=$(sed -n 's/.*symbolizer \([0-9]*\) started.*/\1/p' log | tail -n 1);
	kill -9 $s; dt profile --folded -- "$B/sym/sym_burn" 300 >b; echo "status $?";
	grep -q '^sym_burn;.*burn_leaf' b && echo named;
	grep -c 'symbolizer .* started' log; kill $d; wait $d; echo "end $?"
NOOUT	^status [1-9]
OUT	^named$
OUT	^2$
OUT	^end 0$

NAME	when a service is killed its recorders report it, and nothing is left
NEEDS	root tp_btf mounts
RUN	echo "directory = $T/run" >c; dtd -v -c c 2>log &
	d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	dt record syscall:getppid:entry >o 2>e & t=$!;
	until grep -q getppid o; do ask call getppid 10; done;
	kill -9 $d; wait $d; timeout 20 tail --pid=$t -f /dev/null;
	wait $t; echo "status $?"; cat e >&2
OUT	^status 1$
ERR	^dt: the recording failed: the daemon closed the connection$
