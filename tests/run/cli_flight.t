# SPDX-License-Identifier: ISC
# dt record --last: the flight recorder; --until; SIGUSR1.
#
# The sender of SIGUSR1 waits until dt catches it: bit 9 of SigCgt.

NAME	--last keeps every event inside the window and discards older ones
NEEDS	root tp_btf jq full
RUN	dt record --last 3s -o f.dt syscall:process_vm_readv:entry -- sh -c '
	ask call process_vm_readv 2000 args=1; sleep 5;
	ask call process_vm_readv 300 args=2;
	ask call process_vm_readv 40 args=3';
	dt report -j f.dt | jq -s '[.[1:-1][].args.pid] | (map(select(. == 1)) |
	length), (map(select(. == 2)) | length), (map(select(. == 3)) |
	length)'
EXPECT	0 300 40
ERR	^dt: 2340 events \(340 kept\), none lost$
ERR	^dt: f.dt has the last 3.0 s: 340 events; 2000 older ones discarded$
ERR	^dt: 2340 events \(340 shown\), none lost$
ERR	^dt: only the newest events were kept \(--last\); 2000 are not in the file$

NAME	the window has the requested length
NEEDS	root tp_btf jq full
RUN	ask until done call getuid 1 & a=$!;
	dt record --last 500ms -d 2 -p $a -o f.dt syscall:getuid:entry;
	touch done; wait $a; dt report -j f.dt | jq -es '.[-1].ledger as $l |
	length - 2 == $l.kept and $l.kept < $l.read and
	([.[1:-1][].time] | . == sort and .[-1] - .[0] > 200000000 and
	.[-1] - .[0] < 800000000)'
OUT	^true$
ERR	^dt: f.dt has the last 500 ms: 

NAME	kept and discarded events add up to those that were read
NEEDS	root tp_btf
RUN	dt record --no-limit --buffer 8M --last 50ms -o f.dt syscall:getuid -- sh -c 'i=0;
	while [ $((i += 1)) -le 10 ]; do ask call getuid 20000; sleep 0.05;
	done' 2>e; dt report f.dt 2>/dev/null | awk 'END { print NR }' >n; cat e;
	awk 'NR == FNR { lines = $1; next } / kept\), / { read = $2;
	kept = substr($4, 2) } / has the last / { infile = $8; letgo = $10 }
	END { print (kept + letgo == read && lines == kept &&
	infile == kept && read >= 400000 && letgo > 0) }' n e
OUT	^1$
OUT	none lost

NAME	when memory is full the oldest events are discarded, which is reported
NEEDS	root tp_btf jq
RUN	dt record --last 1h --memory 1M -o f.dt syscall:process_vm_readv:entry \
	-- sh -c 'ask call process_vm_readv 100000 args=1;
	ask call process_vm_readv 1000 args=2';
	dt report -j f.dt | jq -es '.[-1].ledger as $l | ([.[1:-1][].args.pid] |
	. == sort and (map(select(. == 2)) | length == 1000)) and
	$l.read == 101000 and $l.kept > 1000 and $l.kept == length - 2'
OUT	^true$
ERR	^dt: 101000 events \([0-9]+ kept\), none lost$
ERR	^dt: f.dt has the last [0-9.]+ m?s: [0-9]+ events; [0-9]+ older ones discarded; 1 MB did not suffice for 3600.0 s \(--memory\)$

NAME	memory is bounded, however many events arrive
NEEDS	root tp_btf memory
TIMEOUT	240
RUN	dt record --no-limit --last 1h --memory 8M -o f.dt syscall:getuid -- \
	sh -c 'ask call getuid 2000000; grep VmHWM /proc/$PPID/status >hwm';
	awk '{ print $2 }' hwm; stat -c %s f.dt
EXPECT	8192..131072 1000000..10000000

NAME	SIGUSR1 writes a file, the recording continues, and the files overlap
NEEDS	root tp_btf jq
RUN	ask until done call getuid 1 & a=$!;
	dt record --last 1h --memory 512M -p $a -o f.dt syscall:getuid:entry 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; kill -USR1 $d; until [ -e f.dt ]; do sleep 0.02; done;
	cp f.dt one; sleep 0.2; kill -USR1 $d;
	until [ -e f.dt.old ] && [ -e f.dt ]; do sleep 0.02; done; cp f.dt two;
	cmp one f.dt.old || echo differ; sleep 0.2; kill -TERM $d; wait $d;
	echo "status $?"; touch done; wait $a; cmp two f.dt.old || echo differ;
	for f in one two f.dt; do dt report -j $f 2>$f.err >$f.j || echo bad;
	done; first() { sed -n 2p $1.j | jq .time; };
	[ $(first one) = $(first two) ] && [ $(first two) = $(first f.dt) ] &&
	echo same; [ $(wc -l <one.j) -lt $(wc -l <two.j) ] &&
	[ $(wc -l <two.j) -lt $(wc -l <f.dt.j) ] && echo more; ls f.dt*;
	grep -c 'continued after' one.err two.err f.dt.err; cat err
OUT	^status 0$
OUT	^same$
OUT	^more$
OUT	^one.err:1$
OUT	^two.err:1$
OUT	^f.dt.err:0$
OUT	^dt: [0-9]+ events \([0-9]+ kept\), none lost$
NOOUT	differ|bad|tmp

NAME	the file that SIGUSR1 writes has the events before the signal
NEEDS	root tp_btf
RUN	n=0; dt record --last 1h --comm q$$ -o f.dt syscall:getuid:entry 2>err &
	d=$!; cp "$B/tests/ask" q$$;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; ./q$$ until f.dt call getuid 1 & a=$!;
	while [ $n -eq 0 ]; do rm -f f.dt; kill -USR1 $d; until [ -e f.dt ]; do
	sleep 0.02; done; n=$(dt report f.dt 2>/dev/null | grep -c getuid);
	done; wait $a; rm -f f.dt*; ./q$$ call getuid 500; kill -USR1 $d;
	until [ -e f.dt ]; do sleep 0.02; done; cp f.dt one; kill -INT $d;
	kill -TERM $d; wait $d; a=$(dt report one 2>/dev/null | wc -l);
	b=$(dt report f.dt 2>/dev/null | wc -l); echo $((b - a))
EXPECT	0

NAME	the file that SIGUSR1 writes has stacks with symbols
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	dt record -g --last 1h -p $a -o f.dt syscall:getuid:entry 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; sleep 0.2; kill -USR1 $d; until [ -e f.dt ]; do sleep 0.02; done;
	cp f.dt one; kill -TERM $d; wait $d; touch done; wait $a; dt report one
OUT	^        do_syscall_64\+0x[0-9a-f]+$|^        (el0_svc|invoke_syscall).*$

NAME	a probe of --until is the trigger, and its event is the last one
NEEDS	root tp_btf jq
RUN	dt record --last 1h --until syscall:prctl:entry -o f.dt \
	syscall:process_vm_readv:entry -- sh -c 'ask call process_vm_readv 100 args=7;
	ask call prctl; ask call process_vm_readv 50 args=8; exit 6'; echo $?;
	dt report -j f.dt | jq -es '(.[1:-1] | length == 101 and
	.[-1].probe == "syscall:prctl:entry" and
	all(.[:-1][]; .args.pid == 7))'
EXPECT	6 true
ERR	^dt: ended by syscall:prctl:entry of ask \([0-9]+\)$
ERR	^dt: f.dt has the last .*: 101 events$

NAME	--until ends any recording, also without a command
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!; ask until done call getppid 1 & b=$!;
	q=q$$; cp "$B/tests/ask" $q; { ./$q until done2 call prctl; } & c=$!;
	dt record --comm $q --until syscall:prctl syscall:getuid | wc -l;
	dt record -p $b --until syscall:get*pid:entry syscall:getuid | wc -l;
	dt stat -p $b --until syscall:getppid:return syscall:getppid:entry |
	grep -q getppid && echo counted; dt profile -F 1 -p $b --until syscall:getppid | tail -n 1;
	touch done done2; wait $a $b $c
OUT	^1$
OUT	^counted$
OUT	^0 samples$
ERR	^dt: ended by syscall:prctl:
ERR	^dt: ended by syscall:getppid:return of ask
NOOUT	^[3-9]

# dt is stopped until all calls were made, so the events of all CPUs arrive
# together, and in order of time only if the session is ordered.
NAME	--until counts all earlier events, on all CPUs
NEEDS	root tp_btf
RUN	for c in 0 1; do dt stat --buffer 8M --until syscall:prctl:entry \
	syscall:process_vm_readv:entry -- sh -c "kill -STOP \$PPID;
	taskset -c $c ask call process_vm_readv 45000;
	taskset -c $((1 - c)) ask call prctl;
	taskset -c $c ask call process_vm_readv 5000; kill -CONT \$PPID" |
	awk '/process_vm_readv/ { n += $1 } /prctl/ { m += $1 }
	END { print n, m }'; done
EXPECT	45000 1 45000 1

NAME	-n with --last keeps the newest N events
NEEDS	root tp_btf
RUN	dt record --last 1h -n 30 -o f.dt syscall:process_vm_readv:entry -- \
	ask call process_vm_readv 100; dt report f.dt | wc -l
EXPECT	30
ERR	^dt: f.dt has the last .*: 30 events$

NAME	a window without events writes a file without events
NEEDS	root tp_btf
RUN	dt record --last 1s -d 0.3 --comm dt-nobody -o f.dt syscall:getuid;
	dt report f.dt
NOOUT	.
ERR	^dt: f.dt has the last [0-9]+ ms: 0 events$
RUN	dt record --last 10ms -o f.dt syscall:process_vm_readv:entry -- sh -c '
	ask call process_vm_readv 9; sleep 0.5'; dt report f.dt
NOOUT	.
ERR	^dt: 9 events \(0 kept\), none lost$
ERR	^dt: f.dt has the last 10 ms: 0 events; 9 older ones discarded$

NAME	kill -9 leaves a complete file or none
NEEDS	root tp_btf full
TIMEOUT	240
RUN	for i in 0 1 2 3 4 5 6 7 8 9; do rm -f f.dt* done go;
	dt record --no-limit --last 1h -o f.dt syscall:getuid -- sh -c \
	'ask call getuid 200000; : >go; exec ask until done call getuid 1' \
	2>err & d=$!; until [ -e go ]; do sleep 0.02; done; kill -USR1 $d;
	sleep 0.0$i; kill -9 $d; wait $d; touch done; if [ -e f.dt ]; then
	dt report f.dt >/dev/null 2>&1 && echo whole || echo half; else
	echo none; fi; done | sort | uniq -c
NOOUT	half

NAME	a file that cannot be created is reported at once
NEEDS	root tp_btf
RUN	dt record --last 1s -o nosuch/f syscall:getuid -- true
STATUS	1
ERR	nosuch/f: No such file
RUN	mkdir d; dt record --last 1s -o d syscall:getuid -- true
STATUS	1
ERR	d: exists and is not a regular file
RUN	dt record --last 1s syscall:getuid -- true
STATUS	2
ERR	--last needs the name of a file: -o FILE.dt

NAME	a file that can no longer be created does not end the recording
NEEDS	root tp_btf
RUN	mkdir d; ask until done call getuid 1 & a=$!;
	dt record --last 1h -p $a -o d/f.dt syscall:getuid:entry 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; mv d e; kill -USR1 $d; until grep -q 'continues' err; do sleep 0.02;
	done; mv e d; kill -TERM $d; wait $d; echo "status $?"; touch done;
	wait $a; cat err; ls d; dt report d/f.dt | grep -c getuid
OUT	^dt: d/f.dt: No such file or directory; the recording continues$
OUT	^status 0$
OUT	^f.dt$
OUT	^[1-9][0-9]*$

NAME	a full disk at the end is an error and leaves no partial file
NEEDS	root tp_btf mounts
RUN	mkdir d; mount -t tmpfs -o size=256k none d;
	dt record --last 1h -o d/f.dt syscall:getuid -- ask call getuid 20000;
	echo $?; ls d; umount d
EXPECT	1
ERR	No space left on device
NOERR	tmp

NAME	a full disk does not end the recording
NEEDS	root tp_btf mounts
RUN	mkdir d; mount -t tmpfs -o size=64k none d; ask until done call getuid 1 & a=$!;
	dt record --last 1h -p $a -o d/f.dt syscall:getuid:entry 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; cat /dev/zero >d/full 2>/dev/null; kill -USR1 $d;
	until grep -q 'continues' err; do sleep 0.02; done;
	rm d/full; mount -o remount,size=64m d; kill -TERM $d; wait $d; echo "status $?"; touch done;
	wait $a; cat err; ls d; dt report d/f.dt | grep -c getuid; umount d
OUT	^dt: d/f.dt: No space left on device; the recording continues$
OUT	^status 0$
OUT	^f.dt$
OUT	^[1-9][0-9]*$

NAME	when the daemon dies, the events kept so far are written
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	dt record --last 1h -p $a -o f.dt syscall:getuid:entry 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; sleep 0.2; kill -9 $(pgrep -P $d -x dtd); wait $d; echo "status $?";
	touch done; wait $a; cat err; dt report f.dt | grep -c getuid
OUT	^status 1$
OUT	the recording failed
OUT	^[1-9][0-9]*$

NAME	with -o alone, SIGUSR1 has no effect
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	dt record -p $a -o f.dt syscall:getuid:entry 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; kill -USR1 $d;
	until [ "$(dt report f.dt 2>/dev/null | grep -c getuid)" -gt 0 ]; do
	sleep 0.05; done; kill -USR1 $d; kill -TERM $d; wait $d;
	echo "status $?"; touch done; wait $a; cat err
OUT	^status 0$
OUT	^dt: [0-9]+ events, none lost$

NAME	--last works the same with the service
NEEDS	root tp_btf mounts
SERVICE
RUN	DT_DTD=/nonexistent dt record --last 1h -o f.dt \
	syscall:process_vm_readv:entry -- ask call process_vm_readv 4; dt report f.dt | grep -c process_vm_readv
EXPECT	4
ERR	^dt: f.dt has the last .*: 4 events$

# Descriptor 7 is passwd when the recording begins, according to /proc; the
# calls that make it hostname are discarded.
NAME	descriptors have the meaning that discarded calls gave them
NEEDS	root tp_btf full
RUN	sh -c 'exec 7</etc/passwd; until [ -e go ]; do sleep 0.05; done;
	exec 7</etc/hostname; sleep 4; exec 8<&7; exec true' & a=$!;
	dt record --last 2s -p $a -o f.dt 'syscall:*' 2>err & d=$!;
	until grep -q '^SigCgt:.*[2367abef]..$' /proc/$d/status; do sleep 0.02;
	done; while [ ! -e f.dt ]; do kill -USR1 $d; sleep 0.1; done; touch go;
	wait $a; kill -TERM $d; wait $d; dt report f.dt
OUT	dup2\(.*7</etc/hostname>
NOOUT	7</etc/passwd>|openat\(.*hostname
RUN	dt record --last 2s --memory 1M -o g.dt 'syscall:*' -- sh -c '
	exec 7</etc/hostname; ask call getuid 50000; sleep 4; exec 8<&7';
	dt report g.dt
OUT	dup2\(.*7</etc/hostname>
NOOUT	openat\(.*hostname
