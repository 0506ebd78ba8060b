# SPDX-License-Identifier: ISC
# Clients in pid namespaces see only their own processes, by the namespace's
# numbers.

NAME	a private dtd in a pid namespace uses the numbers of that namespace
CORE
NEEDS	root tp_btf unshare
RUN	unshare -p -f --mount-proc sh -c 'echo "spawn W; open private;
	filter pid=W; enable syscall:getppid:entry; record on;
	in W call getppid 5; record off; readall; count pid=W tid=W;
	count pid<20 tid<20" | ask'
EXPECT	0 0 0 0 0 0 0 5 5 5

NAME	in a pid namespace, and inside of another one, stacks are by unwind tables
NEEDS	root perf_event tp_btf sym_burn mounts unshare
RUN	ns='unshare -p -f --mount-proc'; for inside in '' "$ns"; do
	$ns dt profile --call-graph table --no-limit -f -F 997 -- \
	$inside $B/sym/sym_frames 100 2>e >f; awk -f "$S"/tests/run/frames_check e f; done
EXPECT	ok ok

NAME	a client in a namespace sees only its processes, by its numbers
CORE
NEEDS	root tp_btf mounts unshare quick
SERVICE
RUN	ask until stop call getppid 1 & unshare -p -f --mount-proc sh -c '
	echo "spawn W; spawn V; open; enable syscall:getppid:entry flags=comm;
	record on; in W call getppid 5; in V thread call getppid 3; record off;
	readall; count pid=W tid=W; count pid=V tid!=V; count pid<20 comm=ask" |
	ask'; : >stop; wait
EXPECT	0 0 0 0 0 0 0 0 8 5 3 8

NAME	filters by process and thread take the client's numbers
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	unshare -p -f --mount-proc sh -c 'echo "spawn W; spawn V; open;
	filter pid=V; enable syscall:getppid:entry; record on;
	in W call getppid 5; in V call getppid 3; record off; readall;
	count pid=V; filter tid=W; record on; in W call getppid 2;
	in V call getppid 1; record off; clear; readall; count tid=W" | ask'
EXPECT	0 0 0 0 0 0 0 0 0 3 3 0 0 0 0 0 0 2 2

NAME	a parent has its number in the namespace, or 0 if it is outside
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	echo "spawn W; open; self on; enable syscall:getppid:entry flags=who;
	record on; do call getppid 3; in W call getppid 5; record off; readall;
	count pid=1 ppid=0; count pid=W ppid=1 uid=0" |
	unshare -p -f --mount-proc ask
EXPECT	0 0 0 0 0 0 0 0 8 3 5

NAME	of nested namespaces the outer sees the inner, each by its own numbers
CORE
NEEDS	root tp_btf mounts unshare quick
SERVICE
RUN	ask until stop call getppid 1 &
	unshare -p -f --mount-proc sh -c 'dt record -j syscall:getuid:entry \
	--comm ask -d 30 -n 1 >outer & until grep -q comm outer; do
	unshare -p -f --mount-proc dt record -j --no-inherit \
	syscall:getuid:entry -- ask call getuid 3 >inner; sleep 0.1; done;
	wait'; : >stop; wait
	jq -c 'select(.pid) | [.pid < 10, .comm]' inner;
	jq -c 'select(.pid) | [.pid > 3, .comm]' outer
OUT	^\[true,"ask"\]$
NOOUT	false
ERR	none lost

NAME	a command in a namespace is followed
CORE
NEEDS	root tp_btf unshare
RUN	unshare -p -f --mount-proc dt stat -j syscall:getppid:entry -- \
	sh -c 'ask call getppid 4; (ask call getppid 4; true)' |
	grep -c '"comm":"ask","count":4'
OUT	^2$

NAME	a process tree in a namespace is found by a daemon outside
CORE
NEEDS	root tp_btf mounts unshare quick
SERVICE
RUN	unshare -p -f --mount-proc sh -c 'sh -c "while :; do
	ask call getppid 2; done" & dt record -n 4 -p $! --children \
	syscall:getppid:entry; kill $!'
OUT	 ask .*getppid\(\)

NAME	a client in a namespace gets no ticks of processes outside
NEEDS	root perf_event mounts unshare
SERVICE
RUN	ask until stop call getppid 1 & unshare -p -f --mount-proc sh -c '
	dt record -j -d 5 -n 20 -F 997 profile:hz:97 >o & awk "BEGIN {
	while (i < 30000000) i++ }" & wait'; : >stop; wait
	jq -r 'select(.pid) | .comm' o | sort | uniq -c
OUT	 awk$
NOOUT	ask

NAME	a client in a namespace is excluded from its own recording
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	unshare -p -f --mount-proc dt record -d 0.2 'syscall:*:entry' 2>&1 |
	grep -v "of dt itself"
NOOUT	 dt  

NAME	DTIOCGETAUXBASE takes a number of the client's namespace
CORE
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	unshare -p -f --mount-proc sh -c 'echo "spawn W; open; auxbase W; auxbase self;
	auxbase 3000000" | ask'
EXPECT	0 0 same same ESRCH

NAME	a client outside of the daemon's pid namespace gets EPERM
CORE
NEEDS	root tp_btf mounts unshare
RUN	mkdir d; echo "directory = $PWD/d" >c;
	unshare -p -f --kill-child --mount-proc dtd -f -c c 2>log & pid=$!;
	while ! [ -S d/dt ]; do sleep 0.05; done;
	echo "open; error" | ASK_DIR=$PWD/d ask; kill -9 $pid; wait 2>/dev/null; true
OUT	^EPERM

NAME	root of a user namespace has the rights of an unprivileged user
CORE
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	unshare -U -r -p -f --mount-proc sh -c 'echo "open; rights; pbn syscall:getuid:entry;
	enable syscall:getppid:entry; record on" | ask'
OUT	^0 0x1 [0-9]+$
OUT	^EPERM EPERM$

NAME	a private dtd in a user namespace names the missing capability
CORE
NEEDS	root tp_btf unshare
RUN	unshare -U -r -p -f --mount-proc dt stat syscall:getppid:entry -- true
STATUS	1
ERR	CAP_BPF
