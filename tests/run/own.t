# SPDX-License-Identifier: ISC
# Rights that the configuration grants: their commands and probes, and what the
# right to trace one's own processes reveals of other processes.

NAME	each right allows its commands and probes, for its users and groups
NEEDS	root nonroot userns
RUN	allowed
OUT	^allowed: as the tables say$

NAME	TRACE_OWN: calls of own processes in this namespace, not set-user-ID
CORE
NEEDS	root nonroot userns tp_btf quick
RUN	own hits
OUT	^own hits: as the table says$

NAME	TRACE_OWN: clocks show own processes only
NEEDS	root nonroot userns tp_btf perf_event
RUN	own ticks
OUT	^own ticks: as the table says$

NAME	TRACE_OWN: symbols and mappings are of own processes only
NEEDS	root nonroot userns tp_btf perf_event
RUN	own names
OUT	^own names: as the table says$

NAME	TRACE_OWN: a set-user-ID program between own programs has no mappings
NEEDS	root nonroot userns tp_btf perf_event
RUN	own reuse
OUT	^own reuse: as the table says$

NAME	TRACE_OWN: a process that changes its user is no longer followed
NEEDS	root nonroot userns tp_btf
RUN	own follow
OUT	^own follow: as the table says$

NAME	sums over all sessions require the right STATS
NEEDS	root nonroot userns tp_btf
RUN	own stats
OUT	^own stats: as the table says$

NAME	TRACE_OWN: arguments with their data are shown, and no kernel stacks
NEEDS	root nonroot tp_btf
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
ASK	as 65534; open; rights; spawn W; filter pid=W;
	enable syscall:openat:entry flags=args,strings,kstack,ustack;
	record on; in W call openat; record off; readall; ksym schedule
EXPECT	0 0 0x9 0 0 0 0 ENOENT 0 1 EPERM

NAME	TRACE_OWN: dt record and dt stat of a command work, with symbols
NEEDS	root nonroot tp_btf perf_event setpriv mounts
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt stat \
	syscall:getppid:entry -- ask call getppid 5;
	setpriv --reuid 65534 --regid 65534 --clear-groups dt record -g \
	syscall:getppid:entry -- ask call getppid 2
OUT	^ +5 .* ask +syscall:getppid:entry$
OUT	^        syscall\+0x[0-9a-f]+ \(
OUT	no kernel addresses for this user
NOOUT	not yours|denied

NAME	dt reports the missing right and how to get it
NEEDS	root nonroot setpriv mounts
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt record \
	tracepoint:sched:sched_switch -- true
STATUS	1
ERR	probes of provider tracepoint need the right TRACE_ALL
ERR	your rights .* are LIST and TRACE_OWN; .* group dt, .*'allow = trace-all to user nobody'

NAME	processes that an LSM confines require trace-own-despite-lsm
NEEDS	root nonroot setpriv mounts
SERVICE	allow = trace-own to everybody
RUN	setpriv --no-new-privs --reuid 65534 --regid 65534 --clear-groups \
	dt record syscall:getppid:entry -- true
STATUS	1
ERR	TRACE_OWN: .* trace-own-despite-lsm is not set

NAME	dt doctor reports whose processes a right covers
NEEDS	root nonroot setpriv mounts tp_btf
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt doctor
OUT	rights +LIST TRACE_OWN: system calls and clocks of your own processes
OUT	names +TRACE_OWN does not include kernel addresses

NAME	a mistake in an allow setting is reported with its position
NEEDS	root
RUN	echo 'allow = stats, all to user root' >c; echo 'allow = list' >>c;
	dtd -n -c c
STATUS	1
ERR	^dtd: c:1:16: allow: not a right: list, stats
ERR	^dtd: c:2:13: allow: expected 'to', or a comma$
