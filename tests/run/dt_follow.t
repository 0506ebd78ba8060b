# SPDX-License-Identifier: ISC
# A session that follows a process and all its descendants.

NAME	all of 1,000 nested forks are recorded
NEEDS	root tp_btf
TIMEOUT	200
RUN	follow nested
OUT	^follow nested: 1001 processes, 1000 calls, 1000 recorded, 0 unf

NAME	a shorter chain of nested forks is recorded
CORE
NEEDS	root tp_btf quick
RUN	follow nested -n 60
OUT	^follow nested: 61 processes, 60 calls, 60 recorded, 0 unf

NAME	1,000 children of one process are recorded
NEEDS	root tp_btf
TIMEOUT	200
RUN	follow wide
OUT	1000 recorded, 0 unfollowed$

NAME	children of vfork(2) are recorded
CORE
NEEDS	root tp_btf
RUN	follow vfork
OUT	200 recorded, 0 unfollowed$

NAME	children of clone3(2) are recorded
NEEDS	root tp_btf
RUN	follow clone3
OUT	200 recorded, 0 unfollowed$

NAME	CLONE_PARENT: a child is followed if the process that created it is
NEEDS	root tp_btf
RUN	follow cloneparent
OUT	100 recorded, 0 unfollowed$

NAME	orphans stay in the tree
NEEDS	root tp_btf
RUN	follow orphan
OUT	200 recorded, 0 unfollowed$

NAME	children created by threads are recorded
NEEDS	root tp_btf
RUN	follow threads
OUT	100 recorded, 0 unfollowed$

NAME	execve by the leader or another thread keeps process and children
CORE
NEEDS	root tp_btf quick
RUN	follow exec
OUT	120 recorded, 0 unfollowed$

NAME	a reused pid is followed only for a descendant
NEEDS	root tp_btf
RUN	follow reuse
OUT	300 recorded, 0 unfollowed$

NAME	a tree that existed before the recording is recorded
NEEDS	root tp_btf
RUN	follow before
OUT	61 recorded, 0 unfollowed$

NAME	a process that does not fit into the table of the followed is counted
NEEDS	root tp_btf
RUN	follow limit
OUT	50 calls, 9 recorded, 41 unfollowed$

NAME	dt follows a command's children and reports how many it could not
CORE
NEEDS	root tp_btf quick
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

NAME	-p PID --children records the process and its children
NEEDS	root tp_btf
RUN	sh -c "while :; do ask call getppid 2; done" & pid=$!;
	dt record -n 4 -p $pid --children syscall:getppid:entry; kill $pid
OUT	 ask .*getppid\(\)
ERR	\(4 shown\)|^dt: 4 events

NAME	--all records other processes, too, while the command runs
NEEDS	root tp_btf
RUN	cp $B/tests/ask dtall; mkfifo go done; (read x <go; ./dtall call getppid 7;
	echo >done) & dt stat -j --by comm --all syscall:getppid:entry -- sh -c '
	echo >go; read x <done'; wait
OUT	^\{"comm":"dtall","count":7\}$
RUN	dt stat --all --no-inherit syscall:getppid -- true
STATUS	2
ERR	--no-inherit and --all contradict each other

NAME	--children without -p, --no-inherit without a command are usage errors
RUN	dt stat --children syscall:getppid:entry; echo $?;
	dt stat --no-inherit syscall:getppid:entry; echo $?
OUT	^2$
ERR	--children needs a process
ERR	--no-inherit needs a command

NAME	DTFI_CHILDREN requires a process, and is fixed while recording
CORE
NEEDS	root tp_btf
ASK	open; filter set=16; filter set=17; enable syscall:getpid:entry;
	record on; filter set=17
EXPECT	0 EINVAL 0 0 0 EBUSY

NAME	of two sessions that follow, one can end and the other loses no process
NEEDS	root tp_btf
SERVICE	allowdt = yes
RUN	dt stat -j syscall:getppid:entry -- sh -c 'ask call getppid 3;
	dt stat syscall:getppid:entry -- ask call getppid 3 >/dev/null 2>&1;
	ask call getppid 3' | grep -c '"comm":"ask","count":3'
OUT	^3$

NAME	a profile follows children, too
NEEDS	root perf_event
RUN	dt record -j -F 997 profile:hz:97 -- sh -c '
	awk "BEGIN { while (i < 2000000) i++ }"; true' | grep -c '"comm":"awk"'
OUT	^[1-9][0-9]+$

NAME	DTFI_ONEXEC: a process and its children count from its execve on
CORE
NEEDS	root tp_btf
RUN	follow onexec
OUT	^follow onexec: 4 processes, 5 calls, 5 recorded, 0 unfollowed$

NAME	DTFI_ONEXEC: the execve of a thread that is not the leader counts
CORE
NEEDS	root tp_btf
RUN	follow onexecthread
OUT	^follow onexecthread: 4 processes, 5 calls, 5 recorded, 0 unfollowed$

NAME	DTFI_ONEXEC requires a process, and excludes children by itself
CORE
NEEDS	root tp_btf
ASK	open; filter set=64; filter set=65; filter set=81
EXPECT	0 EINVAL 0 0
