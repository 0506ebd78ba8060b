# SPDX-License-Identifier: ISC
# Symbols through libdt, compared with known truth.

NAME	a recorded stack has the called functions after its process exits
NEEDS	root tp_btf perf_event
RUN	symbols stack
OUT	^10 stacks$

NAME	processes of a millisecond have symbols after all of them exit
NEEDS	root tp_btf perf_event
RUN	symbols brief
OUT	^300 of 300 processes$

NAME	functions of the kernel are those of /proc/kallsyms
CORE
NEEDS	root quick
RUN	symbols kernel
OUT	^4 functions$

NAME	mappings are those of /proc/self/maps
NEEDS	root perf_event
RUN	symbols maps
OUT	^all mappings$

NAME	an address without a symbol has a reason
NEEDS	root perf_event
RUN	symbols reasons
OUT	^reasons$

NAME	source lines are returned on request
NEEDS	root perf_event
RUN	symbols lines
OUT	^lines$

NAME	a file has symbols only if the build id is the same
NEEDS	root perf_event
RUN	symbols file
OUT	^by file$

NAME	clients that resolve addresses all the time do not delay another's start
NEEDS	root tp_btf perf_event
RUN	symbols flood
OUT	^20 starts$

NAME	clients that wait for a hung symbolizer do not delay another's start
NEEDS	root tp_btf perf_event full
TIMEOUT	150
RUN	printf '#!/bin/sh\nexec sleep 100\n' >s; chmod +x s;
	DT_SYMBOLIZER=$PWD/s symbols flood
OUT	^20 starts$

# The symbolizer that is started first is a program that never replies.
NAME	a request that hangs does not delay another user's symbols
NEEDS	root nonroot tp_btf perf_event setpriv mounts
RUN	printf '#!/bin/sh\nmkdir %s/hung 2>/dev/null && exec sleep 100\n' "$PWD" >s;
	printf 'exec %s/dt-symbolizer "$@"\n' "$B" >>s; chmod +x s;
	printf 'directory = %s\nallow = trace-own to user 65534\n' "$T/run" >c;
	echo 'trace-own-despite-lsm = yes' >>c;
	DT_SYMBOLIZER=$PWD/s dtd -vv -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	u="setpriv --reuid 65534 --regid 65534 --clear-groups";
	$u dt profile --call-graph fp --folded -- ask burn 200 >a 2>&1 & a=$!;
	until [ -d hung ]; do sleep 0.02; done;
	timeout 20 dt profile --call-graph fp --folded -- ask burn 200 >b; echo "status $?";
	grep -q '^ask;.*[;a-z_]clock_gettime' b && echo named;
	grep -c 'symbolizer .* ended' log; grep -c 'symbolizer .* started' log;
	kill $a $d; timeout 5 tail --pid=$d -f /dev/null; echo "waited: $?"; wait
OUT	^status 0$
OUT	^named$
OUT	^0$
OUT	^2$
OUT	^waited: 0$

NAME	a daemon that ends does not wait for a hung symbolizer
NEEDS	root tp_btf perf_event
RUN	printf '#!/bin/sh\nexec sleep 100\n' >s; chmod +x s;
	echo "directory = $T/run" >c; DT_SYMBOLIZER=$PWD/s dtd -vv -c c 2>log &
	d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	dt profile -- ask burn 200 >/dev/null 2>&1 &
	until grep -q 'symbolizer .* started' log; do sleep 0.02; done;
	kill $d; timeout 5 tail --pid=$d -f /dev/null; echo "waited: $?";
	wait; cat log
OUT	^waited: 0$
OUT	^dtd: symbolizer [0-9]+ ended

NAME	the service's symbolizer has its own user, if that user exists
NEEDS	root tp_btf perf_event mounts
RUN	awk -F: '$1 != "dt-symbolizer"' /etc/passwd >without; cp without with;
	echo 'dt-symbolizer:x:64123:64124:::' >>with; echo "directory = $T/run" >c;
	for u in with without; do mount --bind $u /etc/passwd; : >log; dtd -vv -c c 2>>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	until p=$(sed -n 's/.*symbolizer \([0-9]*\) started.*/\1/p' log); [ "$p" ];
	do dt profile --call-graph fp --no-limit -F 997 -- ask burn 200; done >o 2>&1;
	awk '/^[UG]id:/ { print $2, $3, $4, $5 }' /proc/$p/status;
	grep -o 'user dt-symbolizer does not exist.*' log; kill $d; wait $d;
	umount /etc/passwd; done
OUT	^64123 64123 64123 64123$
OUT	^64124 64124 64124 64124$
OUT	^65534 65534 65534 65534$
OUT	^user dt-symbolizer does not exist: the symbolizer runs as user 65534, whose other processes may send it signals$

NAME	a symbolizer inherits no descriptor of dtd but its two sockets
NEEDS	root tp_btf perf_event tracefs
RUN	printf '#!/bin/sh\nls -l /proc/$$/fd >%s/fds\n' "$PWD" >s; chmod +x s;
	echo "directory = $T/run" >c; DT_SYMBOLIZER=$PWD/s dtd -v -c c 2>log 9<c &
	d=$!; until grep -q listening.*/dt$ log; do sleep 0.02; done;
	for p in tracepoint:task:task_rename rawtracepoint:task_rename \
	interval:hz:100 syscall:getuid; do dt record $p -- true; done >o 2>&1;
	dt profile -- ask burn 200 >o 2>&1; kill $d; wait $d;
	grep -c ' socket:' fds; sed -n "s|.* -> $PWD/s$||; s|.* -> /dev/null$||;
	s|.* -> $PWD/fds$||; s|.* -> socket:.*||; s|.*[0-9] -> |inherited: |p" fds
OUT	^2$
NOOUT	inherited

NAME	the full statistics have the symbolizer's counts
NEEDS	root perf_event
RUN	symbols stat
OUT	^statistics$

NAME	a BPF program loaded later has a symbol, also after it is unloaded
NEEDS	root tp_btf perf_event
RUN	symbols bpf
OUT	^a program$

NAME	a module loaded later has symbols, also after it is unloaded
CORE
NEEDS	root guest
TIMEOUT	60
RUN	m="modprobe -d $DT_VM_MODULES";
	symbols module "$m dummy" "$m -r dummy"
OUT	^a module$

NAME	if the kernel hides its addresses, the reason names the setting
CORE
NEEDS	root guest setpriv
RUN	k=$(cat /proc/sys/kernel/kptr_restrict);
	echo 2 >/proc/sys/kernel/kptr_restrict;
	symbols hidden 'sysctl kernel.kptr_restrict=1'; s=$?;
	echo 1 >/proc/sys/kernel/kptr_restrict;
	setpriv --bounding-set=-syslog --inh-caps=-syslog \
	symbols hidden 'lacks CAP_SYSLOG (kernel.kptr_restrict is 1)' || s=$?;
	echo "$k" >/proc/sys/kernel/kptr_restrict; exit $s
OUT	^hidden$
OUT	^hidden$

NAME	a stopped session releases file systems in time, and can start again
NEEDS	root perf_event mounts full
TIMEOUT	120
SERVICE	names-idle = 1
RUN	mkdir m && mount -t tmpfs none m && cp "$(command -v ask)" m/ask
ASK	open; enable profile:hz:97 nsecs=5000000 flags=ustack; record on
EXPECT	0 0 0
AFTER	m/ask burn 100; umount m 2>/dev/null && echo idle; true
NOOUT	^idle$
ASK	record off; readall
EXPECT	0 *
AFTER	until umount m 2>/dev/null; do sleep 0.1; done; echo idle
OUT	^idle$
ASK	record on; record off; readall
EXPECT	0 0 *

# A lease makes an open of the file wait until its holder releases it, or for 45
# s.
NAME	a debug file with a lease does not delay other symbols
NEEDS	root perf_event tp_btf sym_burn objcopy python3
RUN	cp $B/sym/sym_burn full; objcopy --only-keep-debug full leased.debug;
	strip -o prog full; objcopy --remove-section=.note.gnu.build-id prog;
	objcopy --add-gnu-debuglink=leased.debug prog; mkfifo hold;
	py='import fcntl, os, signal; signal.signal(signal.SIGIO, signal.SIG_IGN);
	fd = os.open("leased.debug", os.O_RDWR);
	fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK);
	open("held", "w").close(); open("hold").read()';
	python3 -c "$(echo $py)" & until [ -e held ]; do sleep 0.02; done;
	timeout 20 dt profile --no-limit -f -F 1997 -- sh -c './prog 200; ./full 300' \
	>f 2>e || echo late; : >hold; wait; grep -c '^prog;' f | sed 's/[1-9][0-9]*/some/';
	grep -c '^full;.*burn_leaf' f | sed 's/[1-9][0-9]*/some/'
EXPECT	some some

# In a mount namespace, any user can place debug files for programs of the
# system.  Such files must affect only processes of that namespace, and no files
# of the system.
NAME	debug files of a mount namespace are not used for other processes
NEEDS	root perf_event tp_btf mounts unshare sym_burn objcopy
RUN	cp $B/sym/sym_burn full; objcopy --only-keep-debug full f;
	objcopy --redefine-sym burn_leaf=forged f g; strip -o prog full;
	i=$(readelf -n prog | sed -n 's/ *Build ID: //p'); r=${i#??};
	mkdir -p debug/.build-id/${i%$r} /usr/lib/debug; : >other;
	mv g debug/.build-id/${i%$r}/$r.debug;
	p='dt profile --no-limit -f -F 1997'; s='s/[1-9][0-9]*/some/'; mkfifo hold;
	unshare -m sh -c 'mount --bind debug /usr/lib/debug; mount --bind prog other;
	: >held; read x <hold' & until [ -e held ]; do sleep 0.02; done;
	$p -- sh -c "nsenter -t $! -m sh -c 'cd $PWD; ./other 300'; ./prog 300" >a 2>e;
	$p -- nsenter -t $! -m sh -c "cd $PWD; ./prog 300" >b 2>>e; : >hold; wait;
	grep -c '^other;.*forged' a | sed "$s"; grep -c '^prog;' a b | sed "$s";
	grep -c '^prog;.*forged' a b; true
EXPECT	some a:some b:some a:0 b:0

# Linux 6.16 and later hang while a program is executed, earlier ones when their
# mappings are read: fusehang.c.
NAME	a process that hangs its inspector delays neither symbols nor dtd's end
CORE
NEEDS	root tp_btf perf_event mounts fuse quick
TIMEOUT	120
RUN	mkdir m; mkfifo hold; fusehang $(uname -r | awk -F. '{ print ($1 > 6 ||
	$2 > 15) ? "exec" : "maps" }') m <hold >pid & exec 8>hold;
	until [ -s pid ]; do sleep 0.02; done;
	timeout -s KILL 2 cat /proc/$(cat pid)/maps >x 2>/dev/null; [ -s x ] || echo hangs;
	echo "directory = $T/run" >c; dtd -v -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	for i in 1 2 3; do timeout 20 dt profile -f -F 497 -- ask burn 300 2>&1 |
	grep -c '^ask;.*[a-z]' | sed 's/[1-9][0-9]*/names/'; done;
	timeout 20 dt stat -d 1 syscall:getpid >o 2>&1; echo "stat $?";
	kill $d; timeout 10 tail --pid=$d -f /dev/null; echo "ended $?"; wait $d;
	exec 8>&-; wait; grep -c 'inspecting process .* of user 7002 takes too' log |
	sed 's/[1-9].*/logged/'
EXPECT	hangs names names names stat 0 ended 0 logged

NAME	a debug file on a hung file system does not delay other symbols
CORE
NEEDS	root tp_btf perf_event mounts unshare setpriv fuse sym_burn objcopy quick
TIMEOUT	120
RUN	mkdir .debug; mkfifo hold; cp $B/sym/sym_burn full;
	objcopy --only-keep-debug full x.debug; strip -o prog full;
	objcopy --remove-section=.note.gnu.build-id prog;
	objcopy --add-gnu-debuglink=x.debug prog; rm x.debug; chmod 755 . ..;
	: >other; unshare -m sh -c 'mount --bind prog other;
	exec fusehang link .debug sleep 1000 <hold >pid' & exec 8>hold;
	until [ -s pid ]; do sleep 0.02; done; n="nsenter -t $(cat pid) -m";
	timeout 60 dt profile --no-limit -f -F 997 -- sh -c "$n setpriv --reuid 7002 \
	--clear-groups sh -c 'cd $PWD; ./other 500'; ./full 500" >f 2>e;
	echo "status $?"; exec 8>&-; wait; grep -c '^other;' f | sed 's/[1-9][0-9]*/some/';
	grep -c '^full;.*burn_leaf' f | sed 's/[1-9][0-9]*/some/';
	grep -c 'inspecting a file of user 7002,' e | sed 's/[1-9].*/logged/'
EXPECT	status 0 some some logged

# The inspector remains: no signal ends its lookup.  It has few descriptors, and
# none of BPF.
NAME	after a daemon is killed while its inspector hangs, another one starts
CORE
NEEDS	root tp_btf perf_event mounts unshare setpriv fuse sym_burn objcopy quick
TIMEOUT	120
RUN	mkdir .debug; mkfifo hold; cp $B/sym/sym_burn full;
	objcopy --only-keep-debug full x.debug; strip -o prog full;
	objcopy --remove-section=.note.gnu.build-id prog;
	objcopy --add-gnu-debuglink=x.debug prog; rm x.debug; chmod 755 . ..;
	: >other; unshare -m sh -c 'mount --bind prog other;
	exec fusehang link .debug sleep 1000 <hold >pid' & exec 8>hold;
	until [ -s pid ]; do sleep 0.02; done; echo "directory = $T/run" >c;
	start() { dtd -v -c c 2>log & d=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done; };
	start; dt profile --no-limit -f -F 997 -- nsenter -t $(cat pid) -m setpriv \
	--reuid 7002 --clear-groups sh -c "cd $PWD; ./other 300" >/dev/null 2>&1;
	until grep -q 'inspecting a file of user 7002,' log; do sleep 0.02; done;
	i=$(pgrep -P $(pgrep -P $d dtd-forker)); kill -9 $d; wait $d; start;
	dt stat -d 0.1 syscall:getppid:entry >/dev/null 2>&1; echo "stat $?";
	for p in $i; do [ ! -e /proc/$p/exe ] || readlink /proc/$p/fd/*; done >fds;
	awk 'END { print (NR > 0 && NR < 20 ? "hangs" : NR) }' fds;
	grep -c anon_inode fds; kill $d; wait $d; echo "end $?"; exec 8>&-; wait
EXPECT	stat 0 hangs 0 end 0
