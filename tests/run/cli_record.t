# SPDX-License-Identifier: ISC
# dt record

NAME	calls and results of a command are printed in order, one per line
CORE
NEEDS	root tp_btf quick
RUN	dt record --no-join syscall:openat syscall:getuid -- ask call openat 2
OUT	^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{6} [0-9]{3} ask +[0-9]+/[0-9]+ +openat\(dfd=AT_FDCWD, filename="/nonexistent/ask", flags=O_RDONLY\|O_CLOEXEC\)$
OUT	^[0-9:.]+ [0-9]{3} ask +[0-9]+/[0-9]+ +openat = -1 ENOENT \(No such file or directory\)$
OUT	^[0-9:.]+ [0-9]{3} ask +[0-9]+/[0-9]+ +openat = [0-9]+<.*>$
ERR	^dt: [0-9]+ events, none lost$
NOOUT	getuid

NAME	-j prints valid JSON: the head first, one event per line, the ledger last
NEEDS	root tp_btf jq
RUN	dt record -j syscall:openat syscall:getuid -- ask call openat 5 >j;
	jq -es '.[-1].ledger.read == (length - 2) and .[0].head.host != "" and
	all(.[1:-1][]; .time > 1e18 and (.cpu | type) == "number" and
	.pid == .tid and .comm != "") and
	(map(.time | select(. != null)) | . == sort) and
	(map(select(.probe == "syscall:openat:return" and .errno == 2 and
	.retval == -1)) | length >= 5) and (map(select(.probe ==
	"syscall:openat:entry" and .args.dfd == -100 and .args.flags != null and
	(.args.filename | startswith("0x")))) | length >= 5)' j
EXPECT	true

NAME	-n ends after N events and reports how many there were
NEEDS	root tp_btf
RUN	ask until done call getuid 50 & a=$!;
	dt record -n 7 -p $a syscall:getuid:entry; touch done; wait $a
ERR	^dt: [0-9]+ events( \(7 shown\))?, none lost$
RUN	ask until done2 call getuid 50 & a=$!;
	dt record -n 7 -p $a syscall:getuid:entry | grep -c getuid; touch done2;
	wait $a
EXPECT	7

NAME	-d ends after N seconds, also without an event
NEEDS	root tp_btf
RUN	dt record -d 0.3 --comm dt-nobody syscall:getuid
NOOUT	.
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$

NAME	-g adds the stacks of kernel and program, with symbols
NEEDS	root tp_btf
RUN	dt record -g -n 1 syscall:getuid:entry -- ask call getuid 1
OUT	^        do_syscall_64\+0x[0-9a-f]+$|^        (el0_svc|invoke_syscall).*$
OUT	^        syscall\+0x[0-9a-f]+ \(libc.so.6\)$
OUT	^        main\+0x[0-9a-f]+ \(ask\)$
OUT	^        _start\+0x[0-9a-f]+ \(ask\)$
NOOUT	incomplete
RUN	dt record -g --call-graph fp -n 1 syscall:getuid:entry -- ask call getuid 1
OUT	^        \[incomplete: no frame pointer( in libc)?\]$
RUN	dt record -g -n 1 syscall:clock_gettime:entry -- share 1
OUT	^        share_ms\+0x[0-9a-f]+ \(share\)$|^        share_start\+0x[0-9a-f]+ \(share\)$
OUT	^        _start\+0x[0-9a-f]+ \(share\)$
NOOUT	incomplete

NAME	-g in JSON has arrays of symbols and addresses
NEEDS	root tp_btf jq
RUN	dt record -gj -n 1 syscall:getuid:entry -- ask call getuid 1 |
	jq -es '.[1] | (.kstack | length > 0 and all(.[]; type == "string") and
	any(.[]; . == "do_syscall_64" or . == "invoke_syscall")) and
	(.ustack | .[0] == "syscall") and (.uframes[0] | .func == "syscall" and
	.offset > 0 and (.module | endswith("libc.so.6")) and
	(.pc | startswith("0x"))) and .complete == true and
	(has("incomplete") | not)'
EXPECT	true
RUN	dt record -gj --call-graph fp -n 1 syscall:getuid:entry -- ask call getuid 1 |
	jq -es '.[1] | .complete == false and (.incomplete | length) > 0'
EXPECT	true

# Some kernels leave a frame of the tracepoint itself, which dt skips by its name.
NAME	kernel stacks have no frame of our BPF programs or their callers
NEEDS	root tp_btf
RUN	dt record -g syscall:getuid -- ask call getuid 2; dt record -jg \
	syscall:getuid -- ask call getuid 2; dt stat --by kstack rawtracepoint:sys_enter \
	-- true; dt record -g -o f.dt syscall:getuid -- ask call getuid 2; dt report f.dt
OUT	^        do_syscall_64
NOOUT	bpf_prog|bpf_trace|bpf_loop|dt_syscall|__traceiter

NAME	results are printed by type: numbers, addresses, errnos
NEEDS	root tp_btf
RUN	dt record syscall:mmap:return syscall:close:return -- ask call close 1
OUT	mmap = 0x[0-9a-f]{6,}$
OUT	close = -1 EBADF \(Bad file descriptor\)$

NAME	a kernel-internal restart errno is printed by name
NEEDS	root tp_btf
RUN	dt record syscall:nanosleep:return -- ask eintr nanosleep
OUT	nanosleep = -1 ERESTART_RESTARTBLOCK

NAME	the exit status is the command's
NEEDS	root tp_btf
RUN	dt record syscall:getuid -- sh -c 'exit 3'
STATUS	3
RUN	dt record syscall:getuid -- nosuchcommand
STATUS	127
RUN	dt record syscall:getuid -- sh -c 'kill -9 $$'
STATUS	137

NAME	Ctrl-C is a normal end, with the ledger
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	env --default-signal=INT dt record -p $a syscall:getuid:entry \
	>o 2>e & d=$!; until [ -s o ]; do sleep 0.02; done;
	kill -INT $d; wait $d; echo "status $?"; touch done; wait $a; cat e
OUT	^status 0$
OUT	^dt: [0-9]+ events, none lost$

NAME	a reader that closes its pipe ends the recording without a message
NEEDS	root tp_btf
RUN	ask until done call getuid 50 & a=$!;
	{ dt record -p $a syscall:getuid:entry; echo $? >st; } | head -n 3;
	touch done; wait $a; cat st
OUT	getuid\(\)
OUT	^141$
NOERR	[Bb]roken

NAME	a reader that closes its pipe also ends a recording without events
NEEDS	root tp_btf
RUN	{ dt record --comm dt-nobody syscall:getuid:entry; echo $? >st; } |
	true; cat st
EXPECT	141

NAME	with a command, its status wins over a closed pipe
NEEDS	root tp_btf
RUN	{ dt record syscall:getuid -- sh -c 'ask call getuid 5; exit 4';
	echo $? >st; } | true; cat st
EXPECT	4

NAME	a full disk is an error
NEEDS	root tp_btf
RUN	dt record syscall:getuid -- ask call getuid 5000 >/dev/full
STATUS	1
ERR	No space left on device

NAME	--strict is status 3 when events were lost, with advice
NEEDS	root tp_btf
TIMEOUT	120
RUN	q=q$$; cp "$B/tests/ask" $q;
	{ dt record --strict --buffer 1 --buffer-max 1 --comm $q syscall:getuid -- \
	sh -c "./$q call getuid 40000; : >go"; echo $? >st; } |
	{ until [ -e go ]; do sleep 0.02; done; cat >/dev/null; }; cat st
EXPECT	3
ERR	^dt: [0-9]+ events, [0-9]+ lost \([0-9.]+ %\)$
ERR	^dt: [0-9]+ dropped: the ring buffer was full.*--buffer

NAME	--strict without a loss is status 0, and the command's status wins
NEEDS	root tp_btf
RUN	dt record --strict syscall:getuid -- ask call getuid 5
RUN	dt record --strict syscall:getuid -- sh -c 'exit 9'
STATUS	9

NAME	losses without --strict are reported, status 0
NEEDS	root tp_btf
RUN	q=q$$; cp "$B/tests/ask" $q;
	{ dt record --buffer 1 --buffer-max 1 --comm $q syscall:getuid -- \
	sh -c "./$q call getuid 40000; : >go"; echo $? >st; } |
	{ until [ -e go ]; do sleep 0.02; done; cat >/dev/null; }; cat st
EXPECT	0
ERR	^dt: [0-9]+ events, [0-9]+ lost \([0-9.]+ %\)$

NAME	--self records dt's own processes, which are excluded without it
NEEDS	root tp_btf
RUN	q=q$$; cp "$B/dt" $q;
	./$q record --self -d 5 -n 3 --comm $q syscall:ppoll:entry
OUT	^[0-9:.]+ [0-9]{3} q[0-9]+ +[0-9]+/[0-9]+ +ppoll\(
RUN	q=q$$; cp "$B/dt" $q;
	./$q stat -i 0.05 -d 0.5 --comm $q syscall:ppoll:entry
NOOUT	ppoll
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$
ERR	^dt: [0-9]+ events? of dt itself (was|were) excluded \(--self records

NAME	names of processes are escaped on the terminal
NEEDS	root tp_btf jq
RUN	x=$(printf 'a\033[31mb'); cp "$B/tests/ask" "$x";
	"./$x" until done call getuid 1 & a=$!;
	dt record -n 1 -p $a syscall:getuid:entry;
	dt record -j -n 1 -p $a syscall:getuid:entry | sed -n 2p |
	jq -e '.comm == "a\u001b[31mb"'; touch done; wait $a
OUT	a\\x1b\[31mb
OUT	^true$
NOOUT	a.\[31mb

NAME	-o writes a file of mode 0600 and keeps an older one as .old
NEEDS	root tp_btf
RUN	umask 0; dt record -o f.dt syscall:getuid -- ask call getuid 3;
	dt record -o f.dt syscall:getuid -- ask call getuid 4;
	stat -c '%a %n' f.dt f.dt.old; dt report f.dt | grep -c getuid;
	dt report f.dt.old | grep -c getuid
EXPECT	600 f.dt 600 f.dt.old 4 3
ERR	none lost

NAME	-o refuses links and files that are not regular
NEEDS	root tp_btf
RUN	mkdir d; dt record -o d syscall:getuid -- true
STATUS	1
ERR	d: exists and is not a regular file
RUN	echo precious >t; ln -s t l; dt record -o l syscall:getuid -- true
STATUS	1
ERR	l: exists and is not a regular file
RUN	cat t; ls t.old l.old 2>/dev/null
STATUS	2
EXPECT	precious
RUN	dt record -o nosuch/f syscall:getuid -- true
STATUS	1
ERR	nosuch/f: No such file

NAME	-o of other commands refuses links, too
NEEDS	root tp_btf
RUN	dt record -o r.dt syscall:getuid -- true; echo precious >t;
	for f in p.svg s.svg n.dt; do ln -s t $f; done;
	dt record --last 1 -o n.dt syscall:getuid -- true; echo $?;
	dt report --profile -o s.svg r.dt; echo $?;
	dt profile -o p.svg -- true; echo $?; cat t
EXPECT	1 1 1 precious
ERR	^dt: n\.dt: exists and is not a regular file$
ERR	^dt: s\.svg: exists and is not a regular file$
ERR	^dt: p\.svg: exists and is not a regular file$

NAME	-o - writes the recording to stdout
NEEDS	root tp_btf
RUN	dt record -o - syscall:getuid:entry -- ask call getuid 6 |
	dt report - | grep -c 'getuid()'
EXPECT	6

NAME	with the service dt record uses it
NEEDS	root tp_btf mounts
SERVICE
RUN	DT_DTD=/nonexistent dt record syscall:getuid:entry -- ask call getuid 4
OUT	getuid\(\)
ERR	^dt: 4 events, none lost$

NAME	-n counts calls in a recording and in JSON, too, and halves on request
NEEDS	root tp_btf jq
RUN	c='ask call getuid 9'; dt record -n 4 -o r.dt syscall:getuid -- $c; dt report r.dt | grep -c '= 0';
	dt record -j -n 4 syscall:getuid -- $c | jq -r 'select(.probe) | .probe' | sort | uniq -c | tr -s ' ';
	dt record --no-join -n 5 syscall:getuid -- $c | grep -c getuid;
	dt record -n 4 syscall:getuid:return syscall:setns -- $c | grep -c getuid
EXPECT	4 4 syscall:getuid:entry 4 syscall:getuid:return 5 4
