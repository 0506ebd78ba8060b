# SPDX-License-Identifier: ISC
# dt run: the tools of share/dt/tools, each on a load with known results or next
# to another tool, and those of an administrator.

NAME	all tools are listed with a line each, and name what they run
RUN	dt run >list; sed '/^$/,$d' list | while read -r name what; do
	[ -n "$what" ] && dt run $name --help >help && grep -q '^  dt [a-z]* ' \
	help && grep -q "^$name: $what\$" help && echo good; done >good;
	n=$(wc -l <good); [ $n -ge 20 ] && ls "$DT_TOOLS" | wc -l | grep -x $n &&
	echo all; awk 'length > 79' list; tail -n 1 list
OUT	^all$
OUT	^dt run NAME -d 10, dt run NAME -- COMMAND\.$
NOOUT	^[a-z-]+ +[A-Z]

NAME	each tool has an example in dt-tools(7) and a case
NEEDS	dt-tools.7
RUN	dt run | sed '/^$/,$d; s/ .*//' | while read -r name; do
	grep -q "^\.Dl \$ dt run $name " "$S"/man/dt-tools.7 || echo "no example: $name";
	grep -qE "dt run $name |for w in .*$name" "$S"/tests/run/tools_*.t \
	"$S"/tests/run/cli_run.t || echo "no case: $name"; done; echo all
OUT	^all$
NOOUT	^no

NAME	a tool of the administrator hides dt's own, which are beside dt's folder
NEEDS	root tp_btf
RUN	mkdir -p usr/bin usr/share/dt/tools etc; cp $B/dt usr/bin;
	echo '# of dt' >usr/share/dt/tools/one; cp usr/share/dt/tools/one \
	usr/share/dt/tools/two; for t in one two; do
	echo 'stat -j --by comm syscall:tgkill:entry' >>usr/share/dt/tools/$t;
	done; printf '# mine\n# a comment\nstat -j --by "comm"\n\tsyscall:'\''chdir'\'':entry # end\n' \
	>etc/two; touch etc/.hidden etc/old~; export DT_TOOLS=$PWD/etc;
	usr/bin/dt run | head -n 3; usr/bin/dt run two -- ask call chdir 3;
	usr/bin/dt run one -- ask call tgkill 4
OUT	^one +of dt$
OUT	^two +mine$
OUT	^\{"comm":"ask","count":3\}$
OUT	^\{"comm":"ask","count":4\}$

NAME	a name that is none is answered with the nearest
RUN	dt run opnes
STATUS	2
ERR	^dt: there is no tool 'opnes'; did you mean dt run opens\?$

NAME	the help of a tool has its notes
RUN	printf '# what\n# one\n\n#   two\nstat syscall:getpid # no note\n' >t;
	dt run ./t --help
OUT	^\./t: what$
OUT	^one$
OUT	^  two$
OUT	^  dt stat syscall:getpid$
NOOUT	no note

NAME	a wrong file is refused with its line and what would be right
RUN	t() { printf "$1" >t; dt run ./t && echo ran; }; t 'x'; t '# d\nrecord\n"x\n';
	t '# d\n# c\n'; t '# d\nls x\n'; t '# d\nrun opens\n'; t '# d\nstat \0\n';
	yes x | head -c 20000 >u; dt run ./u; dt run /dev/zero; dt run ./.;
	dt run ./none; mkfifo p; dt run ./p
STATUS	1
NOOUT	ran
ERR	^dt: \./t: line 1: should be '# ' and what the tool prints$
ERR	^dt: \./t: line 3: a " does not end in its line$
ERR	^dt: \./t: line [34]: needs a command of dt, for example record 'syscall:open\*'$
ERR	^dt: \./t: 'ls' should be record, stat, syscalls, profile or offcpu$
ERR	^dt: \./t: 'run' should be record, stat, syscalls, profile or offcpu$
ERR	^dt: \./t: is not a text$
ERR	^dt: \./u: has more than 16384 bytes$
ERR	^dt: /dev/zero: has more than 16384 bytes$
ERR	^dt: \./\.: Is a directory$
ERR	^dt: \./none: No such file or directory$
ERR	^dt: \./p: line 1: should be '# ' and what the tool prints$

NAME	opens prints the files that strace prints
NEEDS	root tp_btf strace jq
RUN	touch a b; l='cat a b none'; dt run opens -j -- sh -c "$l" | jq -r '
	select(.errno != null and .strings.filename) |
	"\(.strings.filename) \(.retval)"' | sort >dt; strace -f -qq -o s \
	-e trace=open,openat,openat2 sh -c "$l"; sed -nE \
	's/.*"(.*)".* = (-?[0-9]+).*/\1 \2/p' s | sort >peer; diff dt peer && cat dt
STATUS	0
OUT	^a [0-9]+$
OUT	^none -1$
NOOUT	^[<>]

# The last thread of a program ends it, and the first may end before.
NAME	execs prints arguments, exit status and run time, also of short commands
NEEDS	root tp_btf tracefs strace python3
RUN	cat >threads.py <<\EOS
	import ctypes, os, threading, time
	def last(): time.sleep(.1); os._exit(5)
	threading.Thread(target=last).start()
	ctypes.CDLL(None).syscall(60, 9) # exit(9) of the first thread only
	EOS
	cat >load <<\EOS
	i=0; while [ $i -lt 50 ]; do /bin/true "a b" $i; i=$((i + 1)); done
	sleep 0.2; /bin/false; sh -c "exit 77"; sh -c 'kill -9 $$'; ./none
	sh -c 'kill -TERM $$'; sh -c "exec /bin/false"
	$1 threads.py
	sh -c "exec ./none"
	exit 0
	EOS
	py=$(python3 -c 'import sys; print(sys.executable)');
	dt run execs -o o -- strace -f -q -o s -e trace=execve sh load $py 2>e; tail -n 15 o;
	grep -c ' 0 /bin/true a b ' o; awk '$5 == "sleep" {
	print ($3 >= 190 && $3 < 2000), "slept" } $NF == "49" { print ($3 > 0 && $3 < 1000) }' o;
	sed -nE 's/^([0-9]+) +[+]* ?exited with ([0-9]+).*/\1 \2/p;
	s/^([0-9]+) +[+]* ?killed by SIGKILL.*/\1 -9/p; s/^([0-9]+) +[+]* ?killed by SIGTERM.*/\1 -15/p' \
	s | sort >all; grep -oE '^[0-9]+ +execve.* = 0$' s | cut -d ' ' -f 1 | sort -u >started;
	join started all | sort -n >peer; awk 'NR > 1 && $5 != "strace" { print $1, $4 }' o | sort -n >dt;
	diff dt peer && wc -l <dt
OUT	^50$
OUT	^1 slept$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +1 /bin/false$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +77 sh -c exit 77$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +-9 sh -c kill -9 \$\$$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +-15 sh -c kill -TERM \$\$$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +5 .*python.* threads.py$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +127 sh -c exec \./none$
OUT	^59$
NOOUT	^[<>]

NAME	own-execs prints the own programs of a user who may not run execs
NEEDS	root nonroot tp_btf setpriv mounts
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	u='setpriv --reuid 65534 --regid 65534 --clear-groups';
	$u dt run own-execs -- sh -c '/bin/true "a b"; /bin/false; sh -c "exit 77"; exit 3';
	echo "status $?"; $u dt run execs -- true
STATUS	1
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +0 /bin/true a b$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +1 /bin/false$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +77 sh -c exit 77$
OUT	^status 3$
ERR	probes of provider tracepoint need the right TRACE_ALL
ERR	in place of dt run execs, you can run: dt run own-execs$

NAME	a tool that needs TRACE_ALL names what TRACE_OWN permits
NEEDS	root nonroot tp_btf setpriv mounts
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	u='setpriv --reuid 65534 --regid 65534 --clear-groups';
	for t in connects syscall-counts runq runq-length; do echo "$t:";
	$u dt run $t -- true 2>&1 | grep -E 'TRACE_ALL|can run|with TRACE_OWN';
	done; $u dt run opens -- sh -c 'env | grep DT_TOOL_ADVICE || echo clean';
	$u dt record tracepoint:sched:sched_switch -- true 2>&1 | grep -c 'can run'; true
OUT	^dt: in place of dt run connects, you can run: dt record syscall:connect$
OUT	^dt: in place of dt run syscall-counts, you can run: dt syscalls$
OUT	^dt: with TRACE_OWN, tools of system calls run, such as: dt run opens$
OUT	^clean$
OUT	^0$
NOOUT	in place of dt run runq

NAME	exits prints the status of each program
NEEDS	root tp_btf
RUN	dt run exits -- sh -c '/bin/false; /bin/true; exit 7'
STATUS	7
OUT	 false +exit_group\(error_code=1\)$
OUT	 true +exit_group\(error_code=0\)$
OUT	 sh +exit_group\(error_code=7\)$

NAME	kills prints what programs send, signals also what the kernel sends
NEEDS	root tp_btf tracefs
RUN	l='sleep 60 & kill -USR1 $!; wait $!; :'; dt run kills -- sh -c "$l";
	dt run signals -- sh -c "$l"
OUT	 sh +.* kill\(pid=[0-9]+, sig=SIGUSR1\) = 0
OUT	^ +1 +[0-9.]+ +sh +SIGUSR1 +s[a-z]+ +[0-9]+$
OUT	^ +1 +[0-9.]+ +s[a-z]+ +SIGCHLD +sh +[0-9]+$

NAME	connects and accepts print both ends of a connection
NEEDS	root tp_btf tracefs python3 jq
RUN	cat >l.py <<\EOS
	import socket
	s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
	c = socket.create_connection(s.getsockname()); a = s.accept()
	print(s.getsockname()[1], c.getsockname()[1])
	EOS
	sed -i 's/^\t//' l.py; dt run connects -j -- python3 l.py >c;
	to=$(sed -nE 's/^([0-9]+) [0-9]+$/\1/p' c); grep '^{' c | jq -r --argjson to \
	$to 'select(.args.dport) | "\(.args.dport == $to) \(.text.daddr)"';
	dt run accepts -- python3 l.py >a; from=$(sed -nE \
	's/^[0-9]+ ([0-9]+)$/\1/p' a); grep -c "htons($from)" a
OUT	^true 127\.0\.0\.1$
OUT	^1$

NAME	retransmits prints the segments that nobody answers
NEEDS	root tp_btf tracefs ip unshare python3
RUN	unshare -n sh -c 'ip link set lo up; ip route add 10.77.0.0/16 dev lo;
	dt run retransmits --if "dport == 4711" -- python3 -c "
	import socket
	s = socket.socket(); s.settimeout(2.5); s.connect_ex((\"10.77.1.2\", 4711))"'
OUT	tcp:tcp_retransmit_skb\(.*dport=4711, .*daddr=10\.77\.1\.2

NAME	slow-io prints the requests of a device that takes 20 ms
NEEDS	root tp_btf tracefs jq guest
TIMEOUT	60
RUN	modprobe -d "$DT_VM_MODULES" \
	null_blk irqmode=2 completion_nsec=20000000 gb=1;
	dt run slow-io -j -- dd if=/dev/nullb0 of=/dev/null bs=4k count=10 \
	iflag=direct >o; rmmod null_blk; jq -rs 'map(select(.duration)) |
	"\(length >= 8) \(map(.duration) | min >= 10000000)"' o
OUT	^true true$

NAME	slow-files prints a file that is slow to open, and no wait for a pipe
NEEDS	root tp_btf
RUN	mkfifo fifo; dt run slow-files -- sh -c 'cat fifo & sleep 0.1; echo x >fifo;
	wait; { sleep 0.1; echo y; } | cat'
OUT	open(at)?\(.*filename="fifo", .* <[0-9]+\.[0-9]+>$
NOOUT	pipe:

NAME	deletes prints each removed name and failures
NEEDS	root tp_btf jq
RUN	touch a b; dt run deletes -j -- rm -f a b none "$PWD/x" | jq -r '
	select(.errno != null and .strings.pathname) |
	"\(.strings.pathname | sub(".*/"; "")) \(.errno)"'
EXPECT	a 0 b 0 none 2 x 2

NAME	writes-by-file prints the bytes of each file, and fsyncs the calls
NEEDS	root tp_btf
RUN	dt run writes-by-file -- sh -c 'dd if=/dev/zero of=f bs=4k count=10 2>e;
	echo hello >g'; dt run fsyncs -- dd if=/dev/zero of=f bs=4k count=2 \
	conv=fsync 2>e
OUT	^ +10 +40\.00kB +[0-9.]+[kMG]?B +dd +/.*/f$
OUT	^ +1 +6B +[0-9.]+[kM]?B +sh +/.*/g$
OUT	fsync\(fd=1</.*/f>\) = 0 <

NAME	forks prints parent and child
NEEDS	root tp_btf tracefs
RUN	dt run forks -- sh -c '/bin/true; (:); :' | grep -c \
	'parent_comm="sh", parent_pid=[0-9]*, child_comm="sh", child_pid='
EXPECT	2

NAME	mounts prints device, place and type, and the removal
NEEDS	root tp_btf mounts
RUN	mkdir m; dt run mounts -- sh -c 'mount -t tmpfs what m && umount m'
OUT	mount\(dev_name="what", dir_name="/.*/m", type="tmpfs", flags=.* = 0
OUT	umount2?\(name="/.*/m", .* = 0

# Processes are killed until dt has seen one.
NAME	oom prints the process that the kernel kills
NEEDS	root tp_btf tracefs memcg python3 full
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=$d/dto$$;
	echo +memory >$d/cgroup.subtree_control; mkdir $c; echo 16M >$c/memory.max;
	echo 0 >$c/memory.swap.max; dt run oom -n 1 & d=$!;
	while kill -0 $d 2>/dev/null; do
	sh -c "echo \$\$ >$c/cgroup.procs; exec python3 -c 'b = bytearray(200 << 20)'";
	s=$?; done; wait $d; rmdir $c; echo killed $s
OUT	^killed 137$
OUT	oom:mark_victim\(pid=[0-9]+

NAME	runq prints how long the threads of a load waited
NEEDS	root tp_btf tracefs jq
RUN	cp /bin/sleep dtwoken; dt run runq --top 1000 -j -- sh -c '
	for i in 1 2 3 4 5; do ./dtwoken 0.1; done' |
	jq -s 'map(select(.args?.comm == "dtwoken")) | map(.count) | add >= 5'
OUT	^true$

# Two runs, so the numbers differ by a few.
NAME	faults counts the page faults that perf counts
NEEDS	root tp_btf tracefs x86_64 perf python3 jq
RUN	l='b = bytearray(8 << 20)'; perf stat -x, -o p -e \
	exceptions:page_fault_user,exceptions:page_fault_kernel -- python3 -c "$l";
	dt run faults --top 100000 -j -- python3 -c "$l" | jq -s \
	--argjson p "$(awk -F, '/page_fault/ { n += $1 } END { print n }' p)" \
	'map(.count // 0) | add | ., $p, . >= $p * .95 and . <= $p * 1.05'
OUT	^true$

NAME	locks prints the wait for a lock that is held for 0.1 s
NEEDS	root tp_btf python3 jq
RUN	dt run locks -j -- python3 -c '
	import threading, time
	l = threading.Lock(); l.acquire()
	t = threading.Thread(target=l.acquire); t.start(); time.sleep(.1)
	l.release(); t.join()' 2>e | jq -s 'map(select(.hist? or .sum?)) |
	map(.max // 0) | max | . >= 80000000 and . < 5000000000'
OUT	^true$

NAME	capable prints the capability that a program lacks
NEEDS	root tp_btf tracefs cap_capable setpriv
RUN	touch f; dt run capable -- setpriv --reuid 65534 --clear-groups \
	chown 1 f 2>e || :
OUT	CAP_CHOWN +-1$

NAME	bashes prints the lines that an interactive bash reads
NEEDS	root uprobe bash script
RUN	printf 'echo one two\n: "three"  four\nexit\n' >lines; export HISTFILE=;
	dt run bashes -- script -qec 'bash --norc --noprofile -i' /dev/null <lines >o;
	grep -o 'readline.*' o
OUT	^readline = "echo one two"$
OUT	^readline = ": \\"three\\"  four"$
OUT	^readline = "exit"$
