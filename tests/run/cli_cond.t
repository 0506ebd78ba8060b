# SPDX-License-Identifier: ISC
# --if: conditions as text, checked in the kernel.

NAME	a condition on an argument selects joined calls and nothing else
CORE
NEEDS	root tp_btf
RUN	dt record --if 'path == "/nonexistent/*"' syscall:openat -- \
	ask call openat 3
OUT	^[0-9:.]+ [0-9]{3} ask +[0-9]+/[0-9]+ +openat\(dfd=AT_FDCWD, filename="/nonexistent/ask", flags=O_RDONLY\|O_CLOEXEC\) = -1 ENOENT \(No such file or directory\) <.*>$
NOOUT	ld\.so
ERR	^dt: 6 events, none lost$

NAME	conditions on flags by name, and on the result
CORE
NEEDS	root tp_btf
RUN	dt stat --if 'errno == ENOENT && flags & O_CLOEXEC && dfd == AT_FDCWD' \
	syscall:openat --by probe,errno -- ask call openat 50
OUT	^ +5[0-9] .*syscall:openat +ENOENT$
NOOUT	entry

NAME	a condition on the result makes each call one event, its return
NEEDS	root tp_btf
RUN	dt stat --if 'retval < 0' syscall:close --by probe,errno -- \
	ask call close 40
OUT	^ +40 .*syscall:close +EBADF$
NOOUT	entry
ERR	^dt: 40 events, none lost$

NAME	a call selected by its result is one line with its arguments and texts
NEEDS	root tp_btf jq
RUN	dt record --if 'errno == ENOENT' syscall:openat -- ask call openat 3
OUT	 openat\(dfd=AT_FDCWD, filename="/nonexistent/ask", flags=O_RDONLY\|O_CLOEXEC\) = -1 ENOENT \(No such file or directory\) <.*>$
NOOUT	 = [0-9]
RUN	dt record -j --if 'errno == ENOENT' syscall:openat syscall:open\* -- \
	ask call openat 3 | jq -r 'select(.strings.filename ==
	"/nonexistent/ask") | [.probe, .from, .errno, .args.dfd] | @csv' | uniq -c
OUT	^ +3 "syscall:openat:return","syscall:openat:entry",2,-100$
RUN	dt record -o f.dt --if 'retval == -1 && whence == 1' syscall:lseek -- \
	sh -c 'ask call lseek 4 args=-1,7,1; exec ask call lseek 4 args=-1,7,2';
	dt report f.dt | grep -c 'lseek(fd=-1, offset=7, whence=SEEK_CUR) = -1';
	dt stat --by whence --if 'errno && fd == -1' syscall:lseek -- \
	ask call lseek 5 args=-1,7,2
OUT	^4$
OUT	^ +5 .* SEEK_END$
ERR	^dt: 4 events, none lost$

NAME	conditions on results hold for execve and for the child of a fork
NEEDS	root tp_btf
RUN	dt record --if 'errno == 0 && path == "/sbin/*"' syscall:execve -- \
	sh -c '/usr/bin/env true; true' | wc -l;
	dt record --if 'errno == 0 && path == "/usr/bin/en*"' syscall:execve -- \
	sh -c '/usr/bin/env true; true';
	dt record --if 'retval == 0' syscall:clone syscall:clone3 \
	syscall:vfork syscall:fork -- sh -c '/bin/true; /bin/true'
OUT	^0$
OUT	 env .* execve\(filename=0x.*\) = 0 <.*>$
OUT	 sh  .* (vfork|clone|clone3|fork) = 0$
NOOUT	 true .*execve

NAME	--no-join shows the return alone
NEEDS	root tp_btf
RUN	dt record --no-join --if 'errno == EBADF' syscall:close -- \
	ask call close 3 | grep -o 'close.*'
EXPECT	close = -1 EBADF (Bad file descriptor) close = -1 EBADF (Bad file descriptor) close = -1 EBADF (Bad file descriptor)

NAME	a condition on the result of an entry fails and names the return probe
NEEDS	root tp_btf
RUN	dt record --if 'fd == 3 && retval < 0' syscall:close:entry -- true
STATUS	1
ERR	^dt: --if: not available at syscall:close:entry; use syscall:close:return, or the call syscall:close$
ERR	^    fd == 3 && retval < 0$
ERR	^               \^{6}$

NAME	conditions on user, thread and name; a user is accepted by name
NEEDS	root tp_btf
RUN	dt stat --if 'uid == root && comm == "as*" && cpu < 65536 && pid' \
	syscall:getuid:entry -- ask call getuid 30
OUT	^ +30 .*syscall:getuid:entry$
RUN	dt stat --if 'uid == "nobody" || comm != "as*"' syscall:getuid:entry -- \
	ask call getuid 30
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$

NAME	one condition applies to every call that has the argument
NEEDS	root tp_btf
RUN	dt stat --by probe --if 'fd == -1' syscall:close syscall:lseek \
	syscall:read -- ask call close 20
OUT	^ +20 .*syscall:close$
NOOUT	return|read

NAME	a name that a probe lacks is reported with the nearest name
CORE
NEEDS	root tp_btf
RUN	dt record --if 'fd == 3 || flgs & 1' 'syscall:openat*' -- true
STATUS	1
ERR	^dt: --if: syscall:openat:entry has no fd; did you mean dfd\?$
ERR	^    fd == 3 \|\| flgs & 1$
ERR	^    \^\^$
RUN	dt stat --if 'ret < 0' syscall:read -- true
STATUS	1
ERR	^dt: --if: syscall:read:entry has no ret; did you mean retval\?$

NAME	an invalid expression ends dt before the command runs
NEEDS	root tp_btf
RUN	dt stat --if 'fd = 3' syscall:close -- touch ran; echo $?; echo *
OUT	^1$
ERR	^dt: --if: a comparison is ==$
ERR	^    fd = 3$
ERR	^       \^$
NOOUT	ran

NAME	control characters of an expression do not reach the terminal
NEEDS	root tp_btf
RUN	dt stat --if "$(printf 'fd == \033[31m')" syscall:close -- true
STATUS	1
ERR	^    fd == \\x1b\[31m$
ERR	^          \^{4}$

NAME	pid is the process; dt notes if an argument has the same name
NEEDS	root tp_btf
RUN	dt record -d 0.1 --if 'pid == 1' syscall:kill
ERR	^dt: --if: pid is the thread's; the argument of syscall:kill:entry is args.pid$
RUN	dt stat --if 'args.pid == 0 && sig == 0' syscall:kill:entry -- \
	sh -c 'kill -0 0; kill -0 $$'
OUT	^ +1 .*syscall:kill:entry$

NAME	duration without a pair is refused, since it needs two hits
NEEDS	root tp_btf
RUN	dt record --if 'duration > 1ms' syscall:close -- true
STATUS	1
ERR	^dt: --if: a hit has no duration; use --slower or --from$

NAME	--if given twice is refused with advice, and so is --if for interval
NEEDS	root tp_btf
RUN	dt record --if 'fd == 3' --if 'fd == 4' syscall:close
STATUS	2
ERR	may be given only once; && joins conditions
RUN	dt record --if 'comm == "x"' interval:hz:10
STATUS	1
ERR	^dt: --if: interval:hz:.*: probes of provider interval take no condition$

NAME	dt profile --if counts only matching ticks
NEEDS	root tp_btf
RUN	dt profile -d 0.3 -f --if 'comm == "nobody-is*"' | wc -l
EXPECT	0
RUN	dt profile -d 0.1 --if 'fd == 3'
STATUS	1
ERR	^dt: --if: profile:hz:.* has no fd

NAME	a recording has the events that passed, and --until tests its own probe
NEEDS	root tp_btf
RUN	dt record -o x.dt --if 'path == "/nonexistent/*"' \
	--until syscall:exit_group:entry syscall:openat -- ask call openat 7;
	dt report x.dt | grep -c nonexistent
EXPECT	7

NAME	a condition uses fields after the tenth
NEEDS	root tp_btf tracefs bash ip unshare
RUN	for c in 'gso_size == 0 && transport_offset > 0' 'gso_size != 0'; do
	dt stat --by none --if "$c" tracepoint:net:net_dev_start_xmit -- unshare -n \
	bash -c 'ip link set lo up; echo x >/dev/udp/127.0.0.1/9'; done 2>&1
OUT	^dt: [1-9][0-9]* events?, none lost$
OUT	^dt: 0 events( in [0-9.]+ m?s)?, none lost$
