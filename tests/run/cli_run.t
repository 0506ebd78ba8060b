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
NEEDS	root nonroot tp_btf setpriv mounts strace
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	u='setpriv --reuid 65534 --regid 65534 --clear-groups'; mkdir w; chown 65534 w;
	$u dt run own-execs -- strace -f -q -o w/s -e trace=execve sh -c '
	/bin/true "a b"; /bin/false; sh -c "exit 77"; exit 3' >o 2>e;
	echo "status $?"; cat o; sed -nE 's/^([0-9]+) +[+]* ?exited with ([0-9]+).*/\1 \2/p' w/s |
	sort >all; grep -oE '^[0-9]+ +execve.* = 0$' w/s | cut -d ' ' -f 1 | sort -u >started;
	join started all >peer; awk '$1 ~ /^[0-9]+$/ && $5 != "strace" { print $1, $4 }' o |
	sort >dt; diff dt peer; wc -l <dt; $u dt run execs -- true
STATUS	1
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +0 /bin/true a b$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +1 /bin/false$
OUT	^[0-9]+ +[0-9]+ +[0-9.]+ +77 sh -c exit 77$
OUT	^status 3$
OUT	^4$
NOOUT	^[<>]
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

NAME	exits prints the status of each program, as strace
NEEDS	root tp_btf strace
RUN	dt run exits -- strace -f -qq -o s -e trace=exit_group sh -c '
	/bin/false; /bin/true; exit 7' >o; status=$?; cat o;
	sed -nE 's/^([0-9]+) +exit_group[(]([0-9]+)[)].*/\1 \2/p' s | sort >peer;
	sed -nE '/ strace +exit_group/d; s/^[^ ]+ +([0-9]+) .*error_code=([0-9]+)[)]$/\1 \2/p' \
	o | sort >dt; diff dt peer; wc -l <dt; exit $status
STATUS	7
OUT	 false +exit_group\(error_code=1\)$
OUT	 true +exit_group\(error_code=0\)$
OUT	 sh +exit_group\(error_code=7\)$
OUT	^3$
NOOUT	^[<>]

# strace sends and receives signals, too, which it does not print.
NAME	kills and signals print what programs and the kernel send, as strace
NEEDS	root tp_btf tracefs strace
RUN	l='sleep 60 & kill -USR1 $!; wait $!; kill -9 999999; :';
	dt run kills -- strace -f -qq -o s -e trace=kill,tgkill -e signal=none sh -c "$l" \
	>o 2>e; cat o; sed -nE 's/^([0-9]+) +(t?g?kill)[(](.*)[)] += (-?[0-9]+).*/\1 \2 \3 \4/p' \
	s >peer; sed -nE '/ strace +[0-9]+\//d; s/pid=([0-9]+), sig=/\1, /;
	s|^.* ([0-9]+)/[0-9]+ +(t?g?kill)[(](.*)[)] = (-?[0-9]+).*|\1 \2 \3 \4|p' o >dt;
	diff dt peer; wc -l <dt
OUT	 sh +.* kill\(pid=[0-9]+, sig=SIGUSR1\) = 0
OUT	 sh +.* kill\(pid=999999, sig=SIGKILL\) = -1 ESRCH
OUT	^2$
NOOUT	^[<>]
RUN	dt run signals -- strace -f -qq -o s -e trace=none sh -c 'sleep 60 & kill -USR1 $!;
	wait $!; (exit 3); :' >o; cat o;
	sed -nE 's/^([0-9]+) +--- (SIG[A-Z0-9]+) .*/\1 \2/p' s | sort | uniq -c |
	awk '{ print $1, $3, $2 }' | sort >peer; awk '$4 ~ /^SIG/ && $5 != "strace" &&
	$5 != "dt" { print $1, $4, $6 }' o | sort >dt; diff dt peer; wc -l <dt
OUT	^ +1 +[0-9.]+ +sh +SIGUSR1 +s[a-z]+ +[0-9]+$
OUT	^ +[12] +[0-9.]+ +s[a-z]+ +SIGCHLD +sh +[0-9]+$
OUT	^[23]$
NOOUT	^[<>]

NAME	connects and accepts print both ends of a connection, as strace
NEEDS	root tp_btf tracefs python3 jq strace
RUN	cat >l.py <<\EOS
	import socket
	s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
	c = socket.create_connection(s.getsockname()); a = s.accept()
	print(s.getsockname()[1], c.getsockname()[1])
	EOS
	dt run connects -j -- strace -f -qq -o s -e trace=connect python3 l.py >c;
	to=$(sed -nE 's/^([0-9]+) [0-9]+$/\1/p' c); grep '^{' c | jq -r --argjson to \
	$to 'select(.args.dport) | "\(.args.dport == $to) \(.text.daddr)"';
	grep '^{' c | jq -r 'select(.args.dport) | "\(.args.dport) \(.text.daddr)"' >dt;
	sed -nE 's/.*connect[(].*htons[(]([0-9]+)[)].*inet_addr[(]"([0-9.]+)"[)].*/\1 \2/p' s >peer;
	diff dt peer; dt run accepts -- strace -f -qq -o s -e trace=accept,accept4 \
	python3 l.py >a; from=$(sed -nE 's/^[0-9]+ ([0-9]+)$/\1/p' a);
	grep -c "htons($from)" a; for f in a s; do
	sed -nE 's/.*accept(4?)[(](fd=)?([0-9]+).*htons[(]([0-9]+)[)].*inet_addr[(]"([0-9.]+)"[)].*[)] += ([0-9]+).*/\1 \3 \4 \5 \6/p' \
	$f >$f.calls; done; diff a.calls s.calls; wc -l <a.calls
OUT	^true 127\.0\.0\.1$
OUT	^1$
NOOUT	^[<>]
NOOUT	^0$

# The network namespace is new: the kernel counts its segments from 0.
NAME	retransmits prints the segments that nobody answers, which the kernel counts
NEEDS	root tp_btf tracefs ip unshare python3
RUN	unshare -n sh -c 'ip link set lo up; ip route add 10.77.0.0/16 dev lo;
	dt run retransmits --if "dport == 4711" -- python3 -c "
	import socket
	s = socket.socket(); s.settimeout(2.5); s.connect_ex((\"10.77.1.2\", 4711))" >lines;
	grep "^Tcp:" /proc/net/snmp >snmp'; cat lines;
	n=$(awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "RetransSegs") f = i }
	NR == 2 { print $f }' snmp); [ $n -ge 1 ] &&
	[ $(grep -c tcp_retransmit_skb lines) = $n ] && echo equal
OUT	tcp:tcp_retransmit_skb\(.*dport=4711, .*daddr=10\.77\.1\.2
OUT	^equal$

# The kernel's time of a request begins earlier, and is rounded to ms: fields 1 and
# 4 of the file stat.
NAME	slow-io prints the requests of a device that takes 20 ms, as the kernel
NEEDS	root tp_btf tracefs jq guest
TIMEOUT	60
RUN	modprobe -d "$DT_VM_MODULES" \
	null_blk irqmode=2 completion_nsec=20000000 gb=1;
	read -r n x x ms x </sys/block/nullb0/stat;
	dt run slow-io -j -- dd if=/dev/nullb0 of=/dev/null bs=4k count=10 \
	iflag=direct >o; read -r n2 x x ms2 x </sys/block/nullb0/stat;
	rmmod null_blk; jq -rs --argjson n $((n2 - n)) --argjson ms $((ms2 - ms)) '
	map(select(.duration)) | (map(.duration) | add / 1e6) as $sum |
	"\(length >= 8) \(map(.duration) | min >= 10000000)",
	"\(length <= $n) \($sum <= $ms + $n) \($sum >= $ms * length / $n / 2)"' o;
	echo $n $n2 $ms $ms2 >&2
OUT	^true true$
OUT	^true true true$

# strace's time contains its own work, so it is longer.
NAME	slow-files prints a file that is slow to open, as strace, and no wait for a pipe
NEEDS	root tp_btf strace
RUN	mkfifo fifo; dt run slow-files -- strace -f -T -qq -o s -e trace=open,openat sh -c '
	cat fifo & sleep 0.1; echo x >fifo; wait; { sleep 0.1; echo y; } | cat' >o; cat o;
	awk '/ open[a-z]*[(]/ { split($0, w, "\""); name[$1] = w[2] } match($0, /<[0-9.]+>$/) {
	print $1, name[$1], substr($0, RSTART + 1, RLENGTH - 2) }' s >peer;
	sed -nE 's|^.* ([0-9]+)/([0-9]+) .*open(at)?[(].*filename="([^"]*)".*<([0-9.]+)>$|\2 \4 \5|p' \
	o >dt; awk 'NR == FNR { pids[$1] = 1; if ($3 > t[$1, $2]) t[$1, $2] = $3; next }
	$1 in pids { ok = $3 <= t[$1, $2] + .001; n += ok; if (!ok) print "WRONG", $0, t[$1, $2] }
	END { print (n > 0) ? "no longer" : "WRONG" }' peer dt
OUT	open(at)?\(.*filename="fifo", .* <[0-9]+\.[0-9]+>$
OUT	^no longer$
NOOUT	pipe:
NOOUT	WRONG

NAME	deletes prints each removed name and failures, as strace
NEEDS	root tp_btf jq strace
RUN	touch a b; dt run deletes -j -- strace -qq -o s -e trace=/^unlink rm -f a b none \
	"$PWD/x" >o; jq -r 'select(.errno != null and .strings.pathname) |
	"\(.strings.pathname | sub(".*/"; "")) \(.errno)"' o;
	jq -r 'select(.errno != null and .strings.pathname) |
	"\(.strings.pathname) \(.retval)"' o >dt;
	sed -nE 's/.*"(.*)".* = (-?[0-9]+).*/\1 \2/p' s >peer; diff dt peer
EXPECT	a 0 b 0 none 2 x 2

NAME	writes-by-file prints the bytes of each file, and fsyncs the calls, as strace
NEEDS	root tp_btf jq strace
RUN	dt run writes-by-file -- sh -c 'dd if=/dev/zero of=f bs=4k count=10 2>e;
	echo hello >g'
OUT	^ +10 +40\.00kB +[0-9.]+[kMG]?B +dd +/.*/f$
OUT	^ +1 +6B +[0-9.]+[kM]?B +sh +/.*/g$
RUN	dt run writes-by-file -j -- strace -f -y -qq -o s -e trace=/^p?write sh -c '
	dd if=/dev/zero of=f bs=4k count=10 2>e; echo hello >g; echo more >>g' |
	jq -r 'select(.path and .comm != "strace") | "\(.path) \(.count) \(.sum)"' |
	sort >dt; sed -nE 's/^[0-9]+ +p?write[a-z0-9]*[(][0-9]+<([^>]*)>.* = ([0-9]+)$/\1 \2/p' s |
	awk '{ n[$1]++; s[$1] += $2 } END { for (f in n) print f, n[f], s[f] }' | sort >peer;
	diff dt peer; sed 's|.*/||' dt
OUT	^f 10 40960$
OUT	^g 2 11$
NOOUT	^[<>]
RUN	dt run fsyncs -- strace -f -y -qq -o s -e trace=/sync sh -c 'sync -d g;
	dd if=/dev/zero of=f bs=4k count=2 conv=fsync 2>e; sync -f /proc' >o; cat o;
	sed -nE 's/.* ([a-z]*sync[a-z]*)[(](fd=)?(.*)[)] += (-?[0-9]+).*/\1 \3 \4/p' o >dt;
	sed -nE 's/.* ([a-z]*sync[a-z]*)[(](.*)[)] += (-?[0-9]+).*/\1 \2 \3/p' s >peer;
	diff dt peer; wc -l <dt
OUT	fsync\(fd=1</.*/f>\) = 0 <
OUT	^3$
NOOUT	^[<>]

NAME	forks prints parent and child, as strace
NEEDS	root tp_btf tracefs strace
RUN	dt run forks -- strace -f -qq -o s -e trace=/^clone,/fork sh -c '/bin/true; (:); :' >o;
	grep -c 'parent_comm="sh", parent_pid=[0-9]*, child_comm="sh", child_pid=' o;
	sed -nE 's/.*parent_comm="sh", parent_pid=([0-9]+).*child_pid=([0-9]+).*/\1 \2/p' o >dt;
	sed -nE 's/^([0-9]+) .*(clone3?|fork).* = ([0-9]+)$/\1 \3/p' s >peer; diff dt peer
EXPECT	2

NAME	mounts prints device, place and type, and the removal, as strace
NEEDS	root tp_btf mounts strace
RUN	mkdir m; dt run mounts -- strace -f -qq -o s -e trace=mount,/umount sh -c '
	mount -t tmpfs what m && umount m; umount m' >o 2>e; cat o;
	sed -nE 's/dev_name=|dir_name=|type=|name=//g; s/.* mount[(]([^,]*, [^,]*, [^,]*),.*[)] = (.*)/mount \1 \2/p;
	s/.* umount2?[(]([^,]*),.*[)] = (.*)/umount \1 \2/p' o | sed -E 's/ <[0-9.]+>$//; s/ [(].*//' >dt;
	sed -nE 's/.* mount[(]([^,]*, [^,]*, [^,]*),.*[)] += (.*)/mount \1 \2/p;
	s/.* umount2?[(]([^,]*),.*[)] += (.*)/umount \1 \2/p' s | sed 's/ (.*//' >peer;
	diff dt peer; wc -l <dt
STATUS	0
OUT	mount\(dev_name="what", dir_name="/.*/m", type="tmpfs", flags=.* = 0
OUT	umount2?\(name="/.*/m", .* = 0
OUT	^[234]$
NOOUT	^[<>]

# Processes are killed until dt has seen one.  The kernel counts those of a cgroup.
NAME	oom prints the process that the kernel kills
NEEDS	root tp_btf tracefs memcg python3 full
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=$d/dto$$;
	echo +memory >$d/cgroup.subtree_control; mkdir $c; echo 16M >$c/memory.max;
	echo 0 >$c/memory.swap.max; dt run oom -n 1 >o & d=$!;
	while kill -0 $d 2>/dev/null; do
	sh -c "echo \$\$ >>pids; echo \$\$ >$c/cgroup.procs;
	exec python3 -c 'b = bytearray(200 << 20)'"; s=$?; done; wait $d; cat o;
	[ $(sed -n 's/^oom_kill //p' $c/memory.events) = $(wc -l <pids) ] && echo counted;
	rmdir $c; echo killed $s; p=$(sed -nE 's/.*mark_victim[(]pid=([0-9]+).*/\1/p' o);
	grep -qx $p pids && echo known
OUT	^killed 137$
OUT	^counted$
OUT	^known$
OUT	oom:mark_victim\(pid=[0-9]+

NAME	runq prints how long the threads of a load waited
NEEDS	root tp_btf tracefs jq
RUN	cp /bin/sleep dtwoken; dt run runq --top 1000 -j -- sh -c '
	for i in 1 2 3 4 5; do ./dtwoken 0.1; done' |
	jq -s 'map(select(.args?.comm == "dtwoken")) | map(.count) | add >= 5'
OUT	^true$

# An emulated CPU may stop between the kernel's begin of a wait and dt's.  Linux 6.1
# does not count missed hits.
NAME	runq has the waits that the kernel counts for a thread
NEEDS	root tp_btf tracefs jq
RUN	dt run runq --by args.comm,args.pid --top 1000 -j -- sh -c 'runwait >t' >o; cat t >&2;
	grep '"runwait"' o >&2; read -r pid n nsecs n2 nsecs2 <t; jq -s --argjson pid $pid \
	--argjson n $n --argjson nsecs $nsecs --argjson n2 $n2 --argjson nsecs2 $nsecs2 \
	--argjson part $([ ${SLOW:-1} -gt 1 ] && echo .4 || echo .9) '
	(.[-1].ledger.missed // 2) as $missed | map(select(.args?.pid == $pid))[] |
	.count + $missed >= $n, .count <= $n2, .sum + $missed * 1e7 >= $nsecs * $part,
	.sum <= $nsecs2 * 1.1' o
EXPECT	true true true true

# Two runs, so the numbers differ by a few.
NAME	faults counts the page faults that perf counts
NEEDS	root tp_btf tracefs x86_64 perf python3 jq
RUN	l='b = bytearray(8 << 20)'; perf stat -x, -o p -e \
	exceptions:page_fault_user,exceptions:page_fault_kernel -- python3 -c "$l";
	dt run faults --top 100000 -j -- python3 -c "$l" | jq -s \
	--argjson p "$(awk -F, '/page_fault/ { n += $1 } END { print n }' p)" \
	'map(.count // 0) | add | ., $p, . >= $p * .95 and . <= $p * 1.05'
OUT	^true$

NAME	locks prints the wait for a lock that is held for 0.1 s, as strace
NEEDS	root tp_btf python3 jq strace
RUN	dt run locks -j -- strace -f -T -qq -o s -e trace=futex python3 -c '
	import threading, time
	l = threading.Lock(); l.acquire()
	t = threading.Thread(target=l.acquire); t.start(); time.sleep(.1)
	l.release(); t.join()' 2>e >o; jq -s 'map(select(.max? and .comm != "strace")) |
	map(.max // 0) | max | . >= 80000000 and . < 5000000000' o;
	jq -r 'select(.count and .comm != "strace") | "\(.text.errno // 0) \(.count)"' o |
	awk '{ n[$1] += $2 } END { for (e in n) print e, n[e] }' | sort >dt;
	awk '/futex[(]/ { wait[$1] = /FUTEX_WAIT(_BITSET)?(_PRIVATE|,|[|])/ }
	wait[$1] && match($0, /[)] += -?[0-9]+.*<[0-9.]+>$/) { e = $0; sub(/.*[)] += /, "", e);
	split(e, w, " "); n[w[1] == 0 ? 0 : w[2]]++; t = $NF; gsub(/[<>]/, "", t);
	if (t > max) max = t; wait[$1] = 0 }
	END { for (e in n) print e, n[e]; print max * 1e9 >"max" }' s | sort >peer;
	diff dt peer; jq -s --argjson max $(cat max) 'map(.max // 0) | max <= $max + 1e6' o
OUT	^true$
NOOUT	^false$
NOOUT	^[<>]

# A capability of 0 is CAP_CHOWN.
NAME	capable prints the capability that a program lacks, as often as perf
NEEDS	root tp_btf tracefs cap_capable setpriv perf
RUN	touch f; dt run capable -- perf stat -x, -o p -e capability:cap_capable \
	--filter 'cap == 0' setpriv --reuid 65534 --clear-groups chown 1 f >o 2>e || :; cat o;
	dt=$(awk '$(NF - 1) == "CAP_CHOWN" { n += $1 } END { print n }' o);
	peer=$(sed -n 's/^\([0-9]*\),.*/\1/p' p); echo dt $dt, perf $peer;
	[ "$dt" -gt 0 ] && [ "$dt" = "$peer" ] && echo equal
OUT	CAP_CHOWN +-1$
OUT	^equal$

# bashreadline of bpftrace's package runs around it.
NAME	bashes prints the lines that an interactive bash reads, as bashreadline
NEEDS	root uprobe bash script bpftrace
TIMEOUT	120
RUN	printf 'echo one two\n: "three"  four\nexit\n' >lines; export HISTFILE=;
	echo "dt run bashes -- script -qec 'bash --norc --noprofile -i' /dev/null <lines >o" >inner;
	bpftrace -B line -o p -c "/bin/sh $PWD/inner" /usr/sbin/bashreadline.bt 2>e;
	grep -o 'readline.*' o; tr -d '\r' <o | sed -nE 's|.* ([0-9]+)/[0-9]+ .*readline = "(.*)"$|\1 \2|p' |
	sed 's/\\"/"/g' >dt; sed -nE 's/^[0-9:]+ +([0-9]+) +(.*)$/\1 \2/p' p >peer; diff dt peer;
	wc -l <dt
OUT	^readline = "echo one two"$
OUT	^readline = ": \\"three\\"  four"$
OUT	^readline = "exit"$
OUT	^3$
NOOUT	^[<>]
