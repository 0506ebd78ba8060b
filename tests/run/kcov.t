# SPDX-License-Identifier: ISC
# The kcov device.

NAME	each kcov command is refused as documented, in the original's order
NEEDS	root
RUN	kcovs errors
OUT	^unknown: ENOTTY$
OUT	^ENABLE first, no such mode: ENXIO$
OUT	^SETBUFSIZE 0, twice: EBUSY$
OUT	^ENABLE without the runtime: EOPNOTSUPP$
OUT	^ENABLE twice, no such mode: EBUSY$
OUT	^DISABLE twice: EPERM$
OUT	^REMOTEATTACH another's: EINVAL$

NAME	without the right TRACE_ALL only a program's own code can be recorded
NEEDS	root nonroot
RUN	kcovs rights
OUT	^without TRACE_ALL: the kernel EPERM, its own code 0$

NAME	a session belongs to the thread that enabled it until that thread exits
NEEDS	root
RUN	kcovs threads
OUT	^what a thread leaves enabled ends with it, 100 times$
OUT	^ENABLE after a close: EBUSY$
OUT	^its open does for another thread$

NAME	a child inherits no session; its parent can enable one for it
NEEDS	root
RUN	kcovs fork
OUT	^in a child: ENABLE is EBUSY, DISABLE EPERM$
OUT	^DISABLE when it has ended: EPERM$

NAME	a client in a pid namespace names threads and children by its numbers
CORE
NEEDS	root tp_btf
RUN	kcovns numbers
OUT	^of another thread: 0$
OUT	^of its number outside: ESRCH$
OUT	^of a child with two threads: ESRCH$
OUT	^of a child's child: ESRCH$
OUT	^of a child in a namespace below: 0$

NAME	thousands of threads of a user, and their requests, do not delay root
NEEDS	root tp_btf
TIMEOUT	480
RUN	kcovns many
OUT	^[1-9][0-9]* requests$
OUT	^root does not wait$

NAME	kcov's memory can be mapped at every length and offset
NEEDS	root
RUN	kcovs memory
OUT	^two mappings are one memory$
OUT	^of a page and one: the page$
OUT	^a mapping outlives its open$

NAME	a program for /dev/kcov works unchanged
NEEDS	root
RUN	kcovs seed
OUT	^close$

NAME	kcov survives arbitrary commands and clients that exit at any time
NEEDS	root full
RUN	kcovs hostile
OUT	^some of each$
OUT	^ENABLE after a close: EBUSY$

NAME	known calls of a thread are recorded, and no calls of another thread
CORE
NEEDS	root kprobe
TIMEOUT	60
RUN	kcovk calls
OUT	^a child's calls are not recorded$
OUT	^each call of the thread is recorded once$
OUT	^and none of another thread's$
OUT	^which are in its own open$

NAME	full memory drops records, and an invalid count writes nothing
CORE
NEEDS	root kprobe
TIMEOUT	60
RUN	kcovk full
OUT	^and counted$
OUT	^who writes 0 begins anew$
OUT	^memory without room for any$

NAME	exit, close and DISABLE by another thread end a record
CORE
NEEDS	root kprobe
TIMEOUT	60
RUN	kcovk ends
OUT	^twenty threads, one after the other$
OUT	^it is traced, and this thread is not$
OUT	^a close ends it$

NAME	exec(2) does not end a record
NEEDS	root kprobe full
TIMEOUT	60
RUN	kcovk exec
OUT	^who executes another program is still traced$
OUT	^and so is a thread that is not the first$

NAME	work of io_uring workers for a process is recorded
NEEDS	root kprobe full
TIMEOUT	60
RUN	kcovk remote
OUT	^threads of the process are not recorded$
OUT	^what a worker does for it is$
OUT	^any thread may disable it$

NAME	empty and oversized sets of functions are refused, with their cost
NEEDS	root kprobe full
TIMEOUT	60
RUN	kcovk sets
OUT	^and then it is attached$
OUT	^what is no function: ENOENT$

NAME	a thousand rounds of enable and disable leave nothing behind
NEEDS	root kprobe full
TIMEOUT	180
RUN	kcovr rounds
OUT	^1000 rounds, each with its own records, and all as before$

NAME	a client that exits while functions are attached for it leaves nothing
NEEDS	root kprobe full
TIMEOUT	120
RUN	kcovr gone
OUT	^what was attached has gone$

NAME	functions that cost too much are stopped, and DISABLE reports it
NEEDS	root kprobe full
TIMEOUT	60
RUN	kcovr brake
OUT	^DISABLE: ECANCELED$
OUT	^it was stopped before: 1 functions took others about [0-9.e+-]+ % of [0-9]+ CPUs,
OUT	^nothing is attached$
OUT	^who has lifted the limit is not stopped$
OUT	^and it may be enabled again$

NAME	of root and a user with many small sets, the cost limit stops the user
NEEDS	root kprobe full
TIMEOUT	60
RUN	kcovr people
OUT	^root is not stopped while a user takes more$

NAME	coverage finds flags of open(2) that reach new functions
NEEDS	root kprobe full
TIMEOUT	60
RUN	kcovk guided
OUT	^0x200 reaches do_truncate$
OUT	^some flags reach what the first had not$
