# SPDX-License-Identifier: ISC
# An open that follows a process and all that descend from it.

NAME	1,000 nested forks, each process is seen
NEEDS	root tp_btf
TIMEOUT	200
RUN	follow nested
OUT	^follow nested: 1001 processes, 1000 calls, 1000 recorded, 0 unf

NAME	nested forks, fewer of them
CORE
NEEDS	root tp_btf
RUN	follow nested -n 60
OUT	^follow nested: 61 processes, 60 calls, 60 recorded, 0 unf

NAME	1,000 children of one process
NEEDS	root tp_btf
TIMEOUT	200
RUN	follow wide
OUT	1000 recorded, 0 unfollowed$

NAME	children by vfork(2)
CORE
NEEDS	root tp_btf
RUN	follow vfork
OUT	200 recorded, 0 unfollowed$

NAME	children by clone3(2)
NEEDS	root tp_btf
RUN	follow clone3
OUT	200 recorded, 0 unfollowed$

NAME	CLONE_PARENT: siblings by their parent, descendants by who made them
NEEDS	root tp_btf
RUN	follow cloneparent
OUT	100 recorded, 0 unfollowed$

NAME	orphans belong to the tree still
NEEDS	root tp_btf
RUN	follow orphan
OUT	200 recorded, 0 unfollowed$

NAME	children of threads
NEEDS	root tp_btf
RUN	follow threads
OUT	100 recorded, 0 unfollowed$

NAME	execve by the leader and by another thread, and what is forked then
CORE
NEEDS	root tp_btf
RUN	follow exec
OUT	120 recorded, 0 unfollowed$

NAME	process numbers that are used again: by a stranger, by a descendant
NEEDS	root tp_btf
RUN	follow reuse
OUT	300 recorded, 0 unfollowed$

NAME	a tree that was there before the recording
NEEDS	root tp_btf
RUN	follow before
OUT	61 recorded, 0 unfollowed$

NAME	who finds no room in the table of the followed is counted
NEEDS	root tp_btf
RUN	follow limit
OUT	50 calls, 9 recorded, 41 unfollowed$

NAME	dt follows what a command starts, and says whom it could not follow
CORE
NEEDS	root tp_btf
SERVICE	follow-processes = 3
RUN	dt stat syscall:execve:entry -- sh -c 'ls >/dev/null & true; wait;
	sleep 0.1 & sleep 0.1 & sleep 0.1 & sleep 0.1 & wait'
OUT	execve
ERR	^dt: [1-9] process(es)? could not be followed: there were too many

NAME	--no-inherit records the command alone
CORE
NEEDS	root tp_btf
RUN	dt stat -j --no-inherit syscall:getppid:entry -- sh -c '
	ask call getppid 5; ask call getppid 5';
	dt stat -j syscall:getppid:entry -- sh -c '
	ask call getppid 5; ask call getppid 5' | grep -c '"comm":"ask","count":5'
OUT	^2$
NOOUT	"count":10

NAME	-p PID --children records the process and what it starts
NEEDS	root tp_btf
RUN	sh -c "while :; do ask call getppid 2; done" & pid=$!;
	dt record -n 4 -p $pid --children syscall:getppid:entry; kill $pid
OUT	 ask .*getppid\(\)
ERR	\(4 shown\)|^dt: 4 events

NAME	--children without -p, --no-inherit without a command: usage
RUN	dt stat --children syscall:getppid:entry; echo $?;
	dt stat --no-inherit syscall:getppid:entry; echo $?
OUT	^2$
ERR	--children needs a process
ERR	--no-inherit needs a command

NAME	DTFI_CHILDREN wants a process; with one it is a filter as any other
CORE
NEEDS	root tp_btf
ASK	open; filter set=16; filter set=17; enable syscall:getpid:entry;
	record on; filter set=17
EXPECT	0 EINVAL 0 0 0 EBUSY

NAME	two opens follow, one ends: the other loses nobody
NEEDS	root tp_btf
SERVICE	allowdt = yes
RUN	dt stat -j syscall:getppid:entry -- sh -c 'ask call getppid 3;
	dt stat syscall:getppid:entry -- ask call getppid 3 >/dev/null 2>&1;
	ask call getppid 3' | grep -c '"comm":"ask","count":3'
OUT	^3$

NAME	a profile follows, too
NEEDS	root perf_event
RUN	dt record -j -F 997 profile:hz:97 -- sh -c '
	awk "BEGIN { while (i < 2000000) i++ }"; true' | grep -c '"comm":"awk"'
OUT	^[1-9][0-9]+$

NAME	DTFI_ONEXEC: a process and its children count from its execve on
CORE
NEEDS	root tp_btf
RUN	follow onexec
OUT	^follow onexec: 4 processes, 5 calls, 5 recorded, 0 unfollowed$

NAME	DTFI_ONEXEC: the execve of a thread that is not the leader
CORE
NEEDS	root tp_btf
RUN	follow onexecthread
OUT	^follow onexecthread: 4 processes, 5 calls, 5 recorded, 0 unfollowed$

NAME	DTFI_ONEXEC requires a process; alone it records that without children
CORE
NEEDS	root tp_btf
ASK	open; filter set=64; filter set=65; filter set=81
EXPECT	0 EINVAL 0 0
