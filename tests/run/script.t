# SPDX-License-Identifier: ISC
# dt run with scripts: the language next to bpftrace(8), and results that are
# known.

NAME	statements and functions print what the table states, which needs no dtd
CORE
NEEDS	quick
TIMEOUT	300
RUN	DT_DTD=/nonexistent; export DT_DTD;
	sh "$S"/tests/run/script/check_language "$S"/tests/run/script/language
OUT	^all done$
NOOUT	DIFFERS

NAME	bpftrace prints the same
NEEDS	root bpftrace full
TIMEOUT	900
RUN	sh "$S"/tests/run/script/check_language "$S"/tests/run/script/language bpftrace
OUT	^all done$
NOOUT	DIFFERS

NAME	a mistake is refused with its place, a caret and the reason
CORE
NEEDS	quick
TIMEOUT	300
RUN	DT_DTD=/nonexistent; export DT_DTD;
	sh "$S"/tests/run/script/check_errors "$S"/tests/run/script/errors
OUT	^all done$
NOOUT	DIFFERS

NAME	with --unsafe commands run and signals are sent; a file is printed
NEEDS	root tp_btf
RUN	echo "in a file" >f; dt run --unsafe -e 'syscall:getppid:entry { system("echo %s %d", comm, 5); cat("%s", "f");
	signal(15); exit(); }' -- ask call getppid 1 30000000; echo "status $?"
OUT	^ask 5$
OUT	^in a file$

NAME	a signal has a number or a name, with or without SIG
NEEDS	root tp_btf
RUN	for s in '"KILL"' '"SIGKILL"' SIGKILL 9 '"kill"' '"USR1"' '$1'; do dt run --unsafe -e \
	"syscall:getppid:entry /comm == \"ask\"/ { signal($s); }" INT -- sh -c \
	'ask until nothing call getppid; kill -l $?' 2>/dev/null; done
EXPECT	KILL KILL KILL KILL KILL USR1 INT
RUN	for s in '"KIL"' '"SIGTREM"' '"SIG"' 0 65 '$2'; do
	dt run --unsafe -e "BEGIN { signal($s); exit(); }" 2>&1 | head -n 1; done >m;
	cat m; grep -c 'signals have' m
OUT	^dt: -e:1:16: there is no signal KIL; did you mean KILL$
OUT	^dt: -e:1:16: there is no signal SIGTREM; did you mean SIGTERM$
OUT	^dt: -e:1:16: there is no signal SIG
OUT	^dt: -e:1:16: signals have the numbers 1 to 64, or names: "KILL"$
OUT	^3$

NAME	a script that has not seen all hits says so
NEEDS	root tp_btf
RUN	dt run --no-lower -d 3 -e 'syscall:write:entry { printf("%d %s %s\n", args.count, comm, ustack(3)); }' \
	--buffer 64k -- dd if=/dev/zero of=/dev/null bs=1 count=3000000 status=none >o 2>e & pid=$!;
	until [ -s o ]; do sleep 0.05; done; kill -STOP $pid; sleep 1.5; kill -CONT $pid; wait; cat e
OUT	^dt: -e has not seen all hits: its results lack the lost events$
OUT	lost

NAME	arguments at a return, and a result elsewhere, are refused
NEEDS	root tp_btf uprobe
RUN	for p in 'syscall:read:entry { print(retval) }' 'syscall:read:return { print(arg0) }' \
	'profile:hz:9 { print(arg1) }' 'tracepoint:sched:sched_switch { print(retval) }' \
	'uretprobe:libc:getenv { print(arg0) }'; do dt run --dry-run -e "$p" 2>&1 | head -n 1; done
OUT	^dt: -e:1:[0-9]+: retval of syscall:read:entry cannot be read: only returns have a result$
OUT	^dt: -e:1:[0-9]+: arg0 of syscall:read:return cannot be read: arguments are known at entries only$
OUT	^dt: -e:1:[0-9]+: arg1 of profile:hz:97 cannot be read: clocks and counters have no arguments$
OUT	^dt: -e:1:[0-9]+: retval of tracepoint:sched:sched_switch cannot be read: only returns have
OUT	^dt: -e:1:[0-9]+: arg0 of uprobe:libc.*:getenv:return cannot be read: arguments are known

NAME	results are the same with and without the help of the kernel
NEEDS	root tp_btf
TIMEOUT	900
RUN	sh "$S"/tests/run/script/check_lowered "$S"/tests/run/script/lowered
OUT	^all done$
NOOUT	DIFFERS
NOOUT	: dt:

NAME	hits after print() are not lost to clear() or zero()
NEEDS	root tp_btf
RUN	for f in clear zero; do for l in -v --no-lower; do dt run $l -e "syscall:getppid:entry
	/comm == \"ask\"/ { @ = count(); } interval:ms:5 { print(@); $f(@); }" -- \
	ask call getppid 500000 | awk '/^@: / { n += $2 } END { print n }'; done; done
EXPECT	500000 500000 500000 500000

NAME	user stacks without their outer frames are counted, with the reason
NEEDS	root tp_btf
RUN	echo 'f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else for i in 1 2 3; do : <deep; done; fi
	}; : <deep; f $1' >f; : >deep; for n in 60 0; do
	dt run -e 'syscall:openat:entry /str(args.filename) == "deep"/ { @[ustack(1)] = count(); }
	END { clear(@); }' -- bash f $n; done
ERR	^dt: user stacks without their outer frames: 3 \(limit\)$

# Reading the kernel's counts takes milliseconds.
NAME	a map that the kernel does not count is read and deleted without waiting for it
NEEDS	root tp_btf
TIMEOUT	60
RUN	dt run -e 'syscall:getuid:entry { @c[comm] = count(); }
	syscall:getppid:entry /comm == "ask"/ { @x[tid] = @x[tid] + 1; @y[tid] = 1;
	@n += has_key(@y, tid) + len(@y); delete(@y[tid]); }' -- ask call getppid 200000 |
	sed 's/^@x\[[0-9]*\]/@x/' | grep '^@[nx]'
EXPECT	@n: 400000 @x: 200000

NAME	len(), has_key() and delete() know what the kernel has counted
NEEDS	root tp_btf
RUN	for l in -v --no-lower; do dt run $l -e 'syscall:close:entry /args.fd >= 1000/
	{ @[args.fd] = count(); } syscall:getuid:entry /comm == "ask"/
	{ printf("%d %d\n", len(@), has_key(@, 1000)); delete(@[1000]); }' -- sh -c 'echo "do
	call close 5 args=1000; do call close 2 args=1001; do call getuid 1" | tr "\n" " " |
	ask >answers'; done
EXPECT	2 1 @[1001]: 2 2 1 @[1001]: 2

# A run without lowering is around one with lowering, so both see the same load.
NAME	each script of dt's tools prints the same with and without the kernel's help
NEEDS	root tp_btf tracefs mounts full
TIMEOUT	600
SERVICE
RUN	[ -e /dev/loop-control ] || modprobe -d "${DT_VM_MODULES-}" loop 2>/dev/null;
	has=; [ -e /dev/loop-control ] && has="$has loop";
	for f in kprobe uprobe; do [ -e /sys/bus/event_source/devices/$f/type ] &&
	has="$has $f"; done; perf stat -e cpu-clock true 2>/dev/null && has="$has perf_event";
	[ $(nproc) -gt 1 ] && has="$has smp"; for p in bash setpriv strace; do
	command -v $p >/dev/null && has="$has $p"; done;
	sh "$S"/tests/run/script/check_tools "$S"/tests/run/script/tools "$has"
OUT	^syscall-counts: equal$
OUT	^renames: equal$
OUT	^all done$
NOOUT	DIFFERS
NOOUT	MISSING

NAME	cache-hits prints the same, too
NEEDS	root tp_btf tracefs mounts kprobe
TIMEOUT	120
SERVICE
RUN	[ -e /dev/loop-control ] || modprobe -d "${DT_VM_MODULES-}" loop || exit 8;
	sh "$S"/tests/run/script/check_tools "$S"/tests/run/script/tools 'loop kprobe' cache-hits
OUT	^cache-hits: equal$

NAME	--if selects the hits of a script, with and without a predicate
NEEDS	root tp_btf
RUN	for l in '' --no-lower; do for p in '' '/args.fd > 1/'; do
	dt run $l --if 'comm == "cat"' -e "syscall:close:entry $p
	{ @[comm] = count(); }" -- sh -c 'cat /etc/hostname; ls /' | grep @; done; done
OUT	^@\[cat\]: [0-9]+$
NOOUT	@\[(ls|sh)
RUN	dt run --if 'nosuch == 1' -e 'syscall:close:entry { @ = count(); }' -- true
STATUS	1
ERR	--if: syscall:close:entry has no nosuch

NAME	scripts that grow without a bound end with the reason, or a note
TIMEOUT	120
RUN	s() { for i in $(seq $1); do printf "$2"; done; }; e() { timeout 60 dt run -e "$1" 2>&1 | tail -n 3; };
	e "BEGIN { print($(s 900 1+)1); exit() }"; e "BEGIN { print($(s 30000 1+)1); exit() }" | cut -c 1-90;
	e 'BEGIN { @x = (1, 1); unroll(40) { @x = (@x, @x); } clear(@x); exit() }'
OUT	^901$
OUT	^dt: -e:1:[0-9]+: more than 1000 operators
OUT	^dt: [0-9]+ tuples had more than 256 values, and were 0$

NAME	several processes select the hits of a script
NEEDS	root tp_btf
RUN	p=; for i in 1 2 3; do sh -c 'while :; do cd /; done' & p="$p $!"; done;
	set -- $p; dt run -d 2 -p $1,$2 -e 'syscall:chdir:entry { @[pid] = count(); }' |
	sed "s/\[$1\]/[one]/;s/\[$2\]/[two]/;s/\[$3\]/[three]/"; kill $p
OUT	^@\[one\]: [0-9]+$
OUT	^@\[two\]: [0-9]+$
NOOUT	three

NAME	the ledger names the process of --until, which the script does not use
NEEDS	root tp_btf
RUN	for p in getppid close; do dt run --until syscall:getppid:entry \
	-e "syscall:$p:entry { @ = count(); }" -- ask call getppid 1 2>&1; done |
	grep -c 'entry of ask ([0-9]*)$'
EXPECT	2

NAME	random programs have the same result with and without the kernel's help
NEEDS	root tp_btf python3
TIMEOUT	300
RUN	python3 "$S"/tests/run/script/generate 1 16
OUT	^16 equal$
OUT	^[1-9][0-9]* joined$

NAME	many more random programs have the same result
NEEDS	root tp_btf python3 full
TIMEOUT	3600
RUN	python3 "$S"/tests/run/script/generate $(date +%s) 400
OUT	^400 equal$
OUT	^[1-9][0-9]* joined$

NAME	--explain prints which entries and returns the kernel joins
NEEDS	root tp_btf
RUN	e='syscall:close:entry { @x[tid] = nsecs; } END { clear(@x); }
	syscall:close:return /@x[tid]/'; dt run --explain -e "$e { @ = hist(nsecs - @x[tid]);
	delete(@x[tid]); }"; dt run --explain -e "$e { print(comm); delete(@x[tid]); }"
OUT	^  the kernel keeps the hit for the return, without an event$
OUT	^  the kernel joins the hit with the thread's entry, and drops hits without one$
OUT	^  the kernel counts the hits, without events$
OUT	^  dt executes both clauses for each event with comm$
OUT	^    line 1: @x\[tid\] = nsecs$
OUT	^    line 2: @ = hist\(nsecs - @x\[tid\]\)
OUT	^  kernel: [1-9][0-9]* ns per call, for both hits$
OUT	^  event: 80 bytes$
OUT	^  dt: [1-9][0-9]* ns to read an event, and for each statement about [1-9][0-9]* ns: 3 of them$

NAME	the kernel divides what it counts, dt multiplies it and adds names of probes
NEEDS	root tp_btf
RUN	e='syscall:close:entry { @x[tid] = nsecs; @f[tid] = func; } END { clear(@x); clear(@f); }
	syscall:close:return /@x[tid]/'; d='delete(@x[tid]); delete(@f[tid]); }';
	for v in '/ 1000' '/ 1000000' '>> 10' '/ 1000 / 1000' '>> 31' '* 2' '<< 3' '/ 10 * 4' \
	'* 500 / 1000' '* 1000 / 500'; do
	dt run --explain --dry-run -e "$e { @[@f[tid], comm] = hist((nsecs - @x[tid]) $v); $d"; done |
	grep -c 'counts the hits';
	for v in '/ 0' '/ pid' '* 3' '* 0' '* 2048' '* pid' '* 2 / 3' '* 4294967296' \
	'/ 4294967296' '>> 32' '- 1' '>> 16 >> 16'; do
	dt run --explain --dry-run -e "$e { @[@f[tid], comm] = hist((nsecs - @x[tid]) $v); $d"; done |
	grep -c 'executes both clauses';
	for v in '$a = nsecs - @x[tid]; $b = $a / 1000;' '$b = @n++;' '$b = 1; $b = 2;'; do
	dt run --explain --dry-run -e "$e { $v @ = hist(\$b); $d"; done |
	grep -oE 'counts the hits|executes both clauses';
	dt run --explain --dry-run -e 'syscall:close:*, syscall:getppid:entry
	{ @[func, probe, "a", 7] = count(); }' | grep -c 'counts the hits';
	for p in '/args.ret > 0/' '/args.ret == 0 && pid/' '/args.ret >= -1/' ''; do
	dt run --explain --dry-run -e "syscall:read:return $p { @[args.ret] = hist(retval); }"; done |
	grep -c 'counts the hits'
EXPECT	10 12 counts the hits executes both clauses executes both clauses 1 2

NAME	durations that the kernel divides are those of the calls
NEEDS	root tp_btf
RUN	dt run -v -e 'syscall:nanosleep:entry { @s[tid] = nsecs; }
	syscall:nanosleep:return /@s[tid]/ { @ms[func] = min((nsecs - @s[tid]) / 1000000);
	delete(@s[tid]); } END { clear(@s); }' -- ask call nanosleep 3 args=@nsecs:20000000 |
	sed -nE 's/^@ms\[nanosleep\]: ([0-9]+)$/\1/p' |
	awk '$1 >= 20 && $1 < 20000 { print "ms" }'
EXPECT	ms

# Only the innermost call has a value, since it replaces those of the outer ones.
NAME	joined calls of functions are those that the script sees
NEEDS	root uprobe
RUN	e='uprobe:called:called_deep { @x[tid] = nsecs; } END { clear(@x); }
	uretprobe:called:called_deep /@x[tid]/ { @n[comm] = count(); delete(@x[tid]); }
	uprobe:called:called_add { @a[tid] = nsecs; @v[tid] = arg0; } END { clear(@a); clear(@v); }
	uretprobe:called:called_add /@a[tid]/ { @v2[(int32)@v[tid]] = count();
	delete(@a[tid]); delete(@v[tid]); }'; dt run --explain --dry-run -e "$e" | grep -c joins;
	for l in -v --no-lower; do for c in 'deep 40' 'calls 3'; do
	dt run $l -e "$e" -- called $c; done | grep @ >o$l; done; cat o-v; diff o-v o--no-lower
OUT	^2$
OUT	^@n\[called\]: 1$
OUT	^@v2\[0\]: 1$
OUT	^@v2\[-2\]: 1$
NOOUT	^[<>]

NAME	usym() names functions of a process that has ended
NEEDS	root uprobe perf_event
RUN	dt run -e 'uprobe:libc:pthread_create { printf("%s\n", usym(arg2));
	@[usym(arg2)] = count(); }' -- called threads 1
EXPECT	thread_run thread_run thread_run thread_run @[thread_run]: 4

NAME	func is the name of a user function, without its file
NEEDS	root uprobe
RUN	for l in -v --no-lower; do dt run $l -e 'uprobe:called:called_add
	{ @[func, probe] = count(); } uretprobe:called:called_add { printf("%s;\n", func); }' \
	-- called calls 2; done
EXPECT	called_add; called_add; @[called_add, uprobe:called:called_add:entry]: 2
	called_add; called_add; @[called_add, uprobe:called:called_add:entry]: 2

# Each differs from a pair in one part.
NAME	other clauses of an entry and a return are not joined
NEEDS	root tp_btf
RUN	while read -r e; do dt run --explain --dry-run -e "$e" >o || echo "bad: $e";
	grep -q joins o && echo "joined: $e"; done <<\EOS
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { @ = count(); delete(@x[tid]); }
	syscall:close:entry { @x[pid] = nsecs; } syscall:close:return /@x[pid]/ { @ = count(); delete(@x[pid]); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { @ = count(); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return { @ = count(); delete(@x[tid]); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid] && pid/ { @ = count(); delete(@x[tid]); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:dup:return /@x[tid]/ { @ = count(); delete(@x[tid]); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; @n = count(); } syscall:close:return /@x[tid]/ { @ = count(); delete(@x[tid]); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { @ = count(); delete(@x[tid]); } END { print(@x); clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { @ = count(); delete(@x[tid]); } END { clear(@x); } syscall:close:entry { @n = count(); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { @ = count(); delete(@x[tid]); } END { clear(@x); } syscall:dup:entry { @n = len(@x); }
	syscall:close:entry /strncmp(comm, "a", 1)/ { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { @ = count(); delete(@x[tid]); } END { clear(@x); }
	syscall:close:entry { @x[tid] = nsecs; } syscall:close:return /@x[tid]/ { if (pid) { return; } delete(@x[tid]); } END { clear(@x); }
	syscall:openat:entry { @x[tid] = nsecs; @f[tid] = args.filename; } syscall:openat:return /@x[tid]/ { print(str(@f[tid])); delete(@x[tid]); } END { clear(@x); clear(@f); }
	EOS
	echo done
EXPECT	done

NAME	--explain prints what runs where, and what it costs
NEEDS	root tp_btf
RUN	dt run --explain -e 'syscall:close:entry /args.fd > 2 && comm == "ask"/
	{ @ = count(); } syscall:openat:entry { $a = 1; if (pid) { printf("%s;",
	str(args.filename)); } } END { clear(@); }'
OUT	^syscall:close:entry:$
OUT	^  the kernel drops hits unless \(args\.fd > 2 && comm == "ask"\)$
OUT	^  the kernel counts the hits, without events$
OUT	^    line 2: @ = count\(\)$
OUT	^  memory: a table of the kernel, 16384 rows, 3392 kB$
OUT	^  kernel: [1-9][0-9]* ns per hit; [0-9]+ ns if it drops the hit$
OUT	^syscall:openat:entry:$
OUT	^  dt executes the clause for each event with arguments, texts$
OUT	^    line 2: \$a = 1$
OUT	^    line 2: if \(pid\) \.\.\.$
OUT	^  event: 72 bytes, and what is read: 8 and its length each$
OUT	^  kernel: [1-9][0-9]* ns per hit$
OUT	^  dt: [1-9][0-9]* ns to read an event, and for each statement about [1-9][0-9]* ns: 3 of them$
OUT	^END:$
OUT	^  dt executes the clause, without a hit$
OUT	^    line 3: clear\(@\)$
OUT	^Times were measured here and now

NAME	--explain needs no probe, joins equal probes, and follows --no-lower
NEEDS	root tp_btf
RUN	dt run --explain -e 'BEGIN { exit(); }'; dt run --explain -e 'syscall:get*id:entry
	{ @[func] = count(); }'; dt run --explain --no-lower -e 'syscall:close:entry
	/args.fd > 2/ { @ = count(); }'; dt run --explain --dry-run -e 'syscall:dup:entry
	{ @ = count(); }' | grep -c ' ns '; true
OUT	^BEGIN:$
OUT	^    line 1: exit\(\)$
OUT	^syscall:get.*:entry and [0-9]+ more:$
OUT	^  dt executes the clause for each event with arguments$
OUT	^0$
NOOUT	drops

NAME	names of bpftrace and btrace are the same probes, also in one clause
NEEDS	root tp_btf
RUN	dt run -e 'tracepoint:syscalls:sys_enter_getppid,
	t:syscalls:sys_exit_getppid, syscall:getuid:entry,
	{ @[probe, func] = count(); }' -- ask call getppid 3
OUT	^@\[tracepoint:syscalls:sys_enter_getppid, getppid\]: 3$
OUT	^@\[tracepoint:syscalls:sys_exit_getppid, getppid\]: 3$

NAME	func is the name of a function, without its file
NEEDS	root uprobe
RUN	dt run -e 'uprobe:libc:getaddrinfo, uretprobe:libc:getaddrinfo
	/func == "getaddrinfo"/ { @[func] = count(); @p[probe] = count(); }' -- \
	getent ahosts localhost >o; sed 's/libc.*:get/FILE:get/' o
OUT	^@\[getaddrinfo\]: 2$
OUT	^@p\[uprobe:FILE:getaddrinfo:entry\]: 1$

NAME	a pair of clauses by thread sees each call once, in the order of time
NEEDS	root tp_btf
RUN	dt run -e 'BEGIN { printf("begin\n"); }
	tracepoint:syscalls:sys_enter_getppid { @start[tid] = nsecs; }
	tracepoint:syscalls:sys_exit_getppid /@start[tid]/ { @calls = count();
	if (nsecs < @start[tid]) { printf("wrong order\n"); }
	delete(@start[tid]); } END { printf("end\n"); }' -- ask call getppid 100
OUT	^begin$
OUT	^@calls: 100$
OUT	^end$
NOOUT	wrong
NOOUT	@start
ERR	none lost

NAME	texts of arguments, results and arguments of a command are printed
NEEDS	root tp_btf
RUN	echo x >here; dt run -e 'syscall:openat:entry /comm == "cat"/
	{ @name[tid] = args.filename; } tracepoint:syscalls:sys_exit_openat
	/comm == "cat"/ { printf("%s=%d\n", str(@name[tid]), args.ret < 0 ? args.ret : 0); }
	END { clear(@name); }' -- cat here nothere 2>/dev/null || :;
	dt run -e 'syscall:execve:entry { join(args.argv); }' -- sh -c '/bin/true one two'
OUT	^here=0$
OUT	^nothere=-2$
OUT	^/bin/true one two$

NAME	a text whose address a map keeps is that of the hit that kept it
NEEDS	root uprobe
RUN	dt run -e 'uprobe:libc:getaddrinfo { @host[tid] = arg0; @same[tid] = arg0; }
	uretprobe:libc:getaddrinfo /@host[tid]/ { $h = @same[tid];
	printf("%s %s %d %d\n", str(@host[tid]), str($h, 5), @host[tid] == $h,
	@host[tid] > 4096); } END { clear(@host); clear(@same); }' \
	-- getent ahosts localhost
OUT	^localhost loca 1 1$

NAME	gid and numaid are those of the thread
NEEDS	root tp_btf setpriv
RUN	dt run -e 'syscall:getppid:entry { @[uid, gid, username] = count(); @n = max(numaid); }' \
	-- setpriv --regid 7 --clear-groups ask call getppid 3;
	dt run -e 'BEGIN { print(gid); }'
STATUS	1
OUT	^@\[0, 7, root\]: 3$
OUT	^@n: [0-9]+$
ERR	memory is read at hits of the kernel

NAME	parameters, -o, -j and a shebang line work as with bpftrace
NEEDS	root jq
RUN	printf '#!%s/dt run\nBEGIN { printf("%%s %%d %%d\\n", str($1), $2, $#); @a[1, "x"] = 5;
	@h = hist(5); exit(); }' "$B" >s.bt; chmod +x s.bt;
	dt run ./s.bt hello 42; dt run -j -o f s.bt hello 42; jq -c . f;
	dt run -l s.bt; dt run --dry-run s.bt && echo checked
OUT	^hello 42 2$
OUT	^@a\[1, x\]: 5$
OUT	^\{"type":"printf","data":"hello 42 2\\n"\}$
OUT	^\{"type":"map","data":\{"@a":\{"1,x":5\}\}\}$
OUT	^\{"type":"hist","data":\{"@h":\[\{"min":4,"max":7,"count":1\}\]\}\}$
OUT	^checked$

NAME	exit() sets the status, and a run without events has its real duration
NEEDS	root tp_btf
RUN	for e in 'BEGIN { exit(3); }' 'BEGIN { exit(); } END { exit(4); }' \
	'interval:ms:300 { exit(5); } syscall:chroot:entry { print(1); }' \
	'syscall:chroot:entry { print(1); } BEGIN { exit(0); }'; do dt run -e "$e";
	echo "status $?"; done 2>&1 | sed 's/ in [0-9.]* m\?s,/,/'
OUT	^status 3$
OUT	^status 4$
OUT	^dt: 0 events, none lost$
OUT	^status 5$
OUT	^status 0$

NAME	-c splits a command at blanks outside of quotes
RUN	dt run -e 'END { }' -c 'printf "%s|" a "b  c"  '\''d "e'\'' f""g ""'; echo;
	dt run -c 'sh -c "exit 3"' -e 'END { }'; echo $?; dt run -e 'END { }' -c 'a "b'
STATUS	2
OUT	^a\|b  c\|d "e\|fg\|\|$
OUT	^3$
ERR	^dt: -c: a " does not end$

NAME	a pattern of probes in place of a tool is answered with dt list
RUN	dt run -l 'tracepoint:sched:*'
STATUS	2
ERR	^dt: there is no tool 'tracepoint:sched:\*'; 'dt list' lists probes, and 'dt run -e PROGRAM' runs a program$

NAME	a timer fires until exit(), and an interrupt prints the maps
RUN	dt run -e 'interval:ms:1 { @n++; if (@n == 20) { exit(); } }';
	timeout -s INT 5 dt run -e 'BEGIN { @x = 7; }'; echo "status $?"
OUT	^@n: 20$
OUT	^@x: 7$
OUT	^status 124$

NAME	hits and timers are executed in the order of time
NEEDS	root tp_btf
RUN	dt run -e 'interval:ms:20 { @ticks++; if (nsecs < @last) { printf("late\n"); }
	@last = nsecs; } syscall:getppid:entry { if (nsecs + 1000000 < @last)
	{ printf("late\n"); } @last = nsecs; @hits++; } END { printf("%d hits, %d\n",
	@hits, @ticks > 0); }' -- sh -c 'for i in 1 2 3 4 5; do ask call getppid 10;
	sleep 0.05; done'
OUT	^5[01] hits, 1$
NOOUT	late

NAME	no timer is executed before an older hit, however late that arrives
NEEDS	root tp_btf
SERVICE
RUN	dt run -e 'interval:ms:10 { @ticks++; if (nsecs < @last) { printf("late\n"); }
	@last = nsecs; } syscall:getppid:entry { if (nsecs < @last) { printf("late\n"); }
	@last = nsecs; @hits++; } END { printf("%d hits, %d\n", @hits, @ticks > 0); }' \
	-- sh -c 'ask call getppid 10; sleep 0.1; kill -STOP $DTD_PID;
	for i in 1 2 3 4; do ask call getppid 10; sleep 0.05; done;
	kill -CONT $DTD_PID; sleep 0.1; ask call getppid 10'
OUT	^6[01] hits, 1$
NOOUT	late
ERR	none lost

NAME	timers fire without hits, up to exit()
NEEDS	root tp_btf
RUN	dt run -e 'interval:ms:20 { @n++; if (@n == 5) { exit(); } }
	syscall:getppid:entry /pid == 0/ { @hits++; }'
EXPECT	@n: 5
ERR	^dt: 0 events in [0-9]{1,4}(\.[0-9]+)? m?s, none lost$

NAME	timers do not hold back a script whose daemon has gone
NEEDS	root tp_btf
RUN	dt run -e 'interval:ms:10 { printf("tick\n"); }
	syscall:getppid:entry /pid == 0/ { @hits++; }' >o 2>e & p=$!;
	until [ -s o ]; do sleep 0.02; done; kill -KILL $(pgrep -P $p -x dtd);
	wait $p; echo "status $?"; cat e
OUT	^status 1$
OUT	^dt: the recording failed: the daemon closed the connection$

NAME	limits end what a script can grow, and say so
RUN	dt run --max-map-keys 3 --max-loops 10 --max-string 4 -e 'BEGIN { $i = 0;
	while (1) { @k[$i] = 1; $i++; } print($i); print(str("abcdefgh")); print(5 / 0); exit(); }'
OUT	^10$
OUT	^abcd$
ERR	^dt: @k was full with 3 keys: it misses 7 values \(--max-map-keys\)$
ERR	^dt: 1 loops ended after 10 turns \(--max-loops\)$
ERR	^dt: 1 texts were cut after 4 bytes \(--max-string\)$
ERR	^dt: 1 divisions by zero had the result 0$

NAME	an unknown argument or probe is refused with what there is
NEEDS	root tp_btf
RUN	dt run -e 'syscall:openat:entry { print(args.filenam); }'
STATUS	1
ERR	^dt: -e:1:30: syscall:openat:entry has no argument filenam; it has dfd, filename, flags, mode$
RUN	dt run -e 'syscall:openatt:entry { }'
STATUS	1
ERR	^dt: -e:1:1: no probe matches syscall:openatt:entry$
ERR	did you mean syscall:openat:entry\?$

NAME	a probe that is missing is left out if the clause has another one
NEEDS	root tp_btf
RUN	dt run -e 'syscall:getppidx:entry, syscall:getppid:entry { @ = count(); }' \
	-- ask call getppid 5
OUT	^@: 5$
ERR	^dt: no probe matches syscall:getppidx:entry; the clause's other probes do$

NAME	stacks are keys, with their functions
NEEDS	root tp_btf
RUN	for s in 1 'perf, 1' 'bpftrace, 1'; do
	dt run -e "syscall:getppid:entry { @[ustack($s), comm] = count(); }" -- \
	ask call getppid 5; done | sed -E 's/^    .*syscall.*/  syscall/'
EXPECT	@[ syscall , ask]: 5 @[ syscall , ask]: 5 @[ syscall , ask]: 5

NAME	a script of dt's own is found by name, checked, and has help
NEEDS	root tp_btf
TIMEOUT	600
RUN	dt run syscall-errors --help; dt run syscall-errors -- ask call close 5;
	[ -e /sys/bus/event_source/devices/kprobe ] || no=cache-hits;
	for t in "$DT_TOOLS"/*.bt; do [ $t = "$DT_TOOLS/${no-}.bt" ] ||
	dt run --dry-run $t >o 2>&1 || cat o; done
OUT	^syscall-errors: Failed system calls
OUT	^@failed\[ask, close, 9\]: 5$
NOOUT	^dt:

# The names of a file, and of a program.
NAME	a terminal gets names with escapes, a pipe gets their bytes
NEEDS	root tp_btf script jq
RUN	n=$(printf 'a\033[31m\nb'); cp "$B/tests/ask" "$n"; echo 'syscall:getppid:entry
	{ printf("%%-3s %%s\n", comm, str("x")); @[comm] = count(); }
	syscall:execve:entry { join(args.argv); }' | sed 's/%%/%/g' >s.bt;
	script -qec 'dt run s.bt -- ./a*b call getppid' /dev/null >t;
	dt run s.bt -- ./a*b call getppid >p; dt run -j s.bt -- ./a*b call getppid | jq -r \
	'.data | if type == "string" then . else .["@"] | keys[0] end' >j;
	tr -d '\r' <t; ! grep "$(printf '\033')" t; grep -c "$(printf 'a\033')" p j
OUT	^a\\x1b\[31m\\x0ab x$
OUT	^\./a\\x1b\[31m\\x0ab call getppid$
OUT	^@\[a\\x1b\[31m\\x0ab\]: 1$
OUT	^p:3$
OUT	^j:3$
