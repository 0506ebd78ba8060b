# SPDX-License-Identifier: ISC
# Pairs of probes: BPF joins two hits into one event.

NAME	entry and return become one event with arguments, result and duration
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:lseek:return flags=args,comm,who;
	pair syscall:lseek:entry syscall:lseek:return k=tid,tid; record on;
	in W call lseek 20 args=-1,77,2; record off; readall;
	count probe=*:lseek:return first=*:lseek:entry arg0=-1
	arg1=77 arg2=2 nargs=3 retval=-1 error=EBADF pair=1 duration>0
	duration<1000000000 comm=ask pid=W uid=0;
	count probe=*:entry; ledger fired; ledger unpaired
EXPECT	0 0 0 0 0 0 0 EBADF 0 20 20 0 20 0

NAME	a pair below the minimum duration is neither an event nor fired
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:nanosleep:entry;
	enable syscall:nanosleep:return flags=args,memory;
	pair syscall:nanosleep:entry syscall:nanosleep:return k=tid,tid
	min=200000000; record on; in W call nanosleep 30 args=@nsecs:1000;
	in W call nanosleep 2 args=@nsecs:200000000;
	in W call nanosleep 1 args=@nsecs:400000000; record off; readall;
	count duration>199999999 duration<30000000000;
	count duration>399999999 pair=1; ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 3 3 1 3

NAME	a second hit without a first is no event, and a first is used once
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getppid:entry; pair syscall:getpid:entry
	syscall:getppid:entry k=tid,tid; record on; in W call getppid 5;
	in W call getpid; in W call getppid 3; in W call getpid 9;
	in W call getppid 1; in W call getpid; record off; readall;
	count probe=*:getppid:entry first=*:getpid:entry; ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 2 2

NAME	of two first hits the newer one counts
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:close:entry;
	enable syscall:getppid:entry flags=args; pair syscall:close:entry
	syscall:getppid:entry k=tid,tid; record on;
	in W call close args=-77; in W call nanosleep args=@nsecs:300000000;
	in W call close args=-88; in W call getppid; record off; readall;
	count arg0=-88 nargs=1 duration<200000000
EXPECT	0 0 0 0 0 0 0 EBADF 0 EBADF 0 0 1 1

NAME	keys separate threads, or join two threads by a common value
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:close:entry;
	enable syscall:lseek:entry flags=args; pair syscall:close:entry
	syscall:lseek:entry k=tid,tid; record on;
	in W thread call close args=-5; in W call lseek args=-5; record off;
	readall; disable syscall:close:entry; enable syscall:close:entry;
	pair syscall:close:entry syscall:lseek:entry k=pid,pid k=arg0/4s,arg0/4s
	; record on; in W thread call close args=-5;
	in W call lseek args=-6,1; in W call lseek args=-5,2; record off;
	readall; count nargs=1 arg0=-5 pair=1
EXPECT	0 0 0 0 0 0 0 EBADF EBADF 0 0 0 0 0 0 EBADF EBADF EBADF 0 1 1

NAME	a key has the given bytes, sign-extended
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:lseek:return flags=args; pair syscall:lseek:entry
	syscall:lseek:return k=arg1/1s,ret k=tid,tid; record on;
	in W call lseek args=-1,0xff; in W call lseek args=-1,0x1ff;
	in W call lseek args=-1,0x7f; in W call lseek args=-1,0xfe;
	record off; readall; count arg1=0xff; count arg1=0x1ff
EXPECT	0 0 0 0 0 0 0 EBADF EBADF EBADF EBADF 0 2 1 1

NAME	pointed-to data is read at the return, like that of entry and return
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry;
	enable syscall:openat:return flags=strings; pair syscall:openat:entry
	syscall:openat:return k=tid,tid; enable syscall:nanosleep:entry;
	enable syscall:nanosleep:return flags=memory;
	pair syscall:nanosleep:entry syscall:nanosleep:return k=tid,tid;
	record on; in W call openat 2 args=-100,@text:/nope/x;
	in W call openat args=-100,@fresh:/nope/x;
	in W call nanosleep args=@nsecs:1000; record off; readall;
	count probe=*:openat:return str=1:text=/nope/x error=ENOENT;
	count probe=*:nanosleep:return nstr=1 pair=1 nargs=0
EXPECT	0 0 0 0 0 0 0 0 0 0 ENOENT ENOENT 0 0 4 3 1

NAME	the second call's paths are not reported as the first's
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:openat:return flags=args,strings;
	pair syscall:lseek:entry syscall:openat:return k=tid,tid; record on;
	in W call lseek args=-1,5; in W call openat args=-100,@text:/nope/x;
	record off; readall; count nstr=0 arg1=5 error=ENOENT nargs=3
EXPECT	0 0 0 0 0 0 0 EBADF ENOENT 0 1 1

NAME	pairs combine with the stacks, owner and name of the second hit
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:lseek:return
	flags=args,comm,kstack,ustack,who,strings; pair syscall:lseek:entry
	syscall:lseek:return k=tid,tid; record on;
	in W call lseek 6 args=-1,9; record off; readall;
	count arg1=9 kstack>0 ustack>0 uid=0 comm=ask duration>0 error=EBADF
EXPECT	0 0 0 0 0 0 0 EBADF 0 6 6

NAME	a filter by path excludes the whole pair
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr; enable syscall:openat:entry;
	enable syscall:openat:return flags=strings; pair syscall:openat:entry
	syscall:openat:return k=tid,tid; record on;
	in W call openat 4 args=-100,@text:/nope/x;
	in W call openat 3 args=-100,@text:/usr/nope; record off; readall;
	count str=1:text=/usr/nope; ledger fired; ledger unpaired
EXPECT	0 0 0 0 0 0 0 0 ENOENT ENOENT 0 3 3 3 0

NAME	a hit that fails its condition is not kept as first, no event as second
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:lseek:return flags=args; pair syscall:lseek:entry
	syscall:lseek:return k=tid,tid;
	if syscall:lseek:entry i=arg1,ne,5,pass,fail;
	if syscall:lseek:return i=arg2,eq,1,1,fail i=errno,eq,9,pass,fail;
	record on; in W call lseek 2 args=-1,5,1; in W call lseek 3
	args=-1,6,1; in W call lseek 4 args=-1,6,2; record off; readall;
	count arg1=6 arg2=1; ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 EBADF EBADF EBADF 0 3 3 3

NAME	the condition of a second hit that has fields uses these
CORE
NEEDS	root tp_btf tracefs
ASK	spawn W; open; filter pid=W;
	enable tracepoint:syscalls:sys_enter_lseek;
	enable tracepoint:syscalls:sys_exit_lseek;
	pair tracepoint:syscalls:sys_enter_lseek
	tracepoint:syscalls:sys_exit_lseek k=tid,tid;
	if tracepoint:syscalls:sys_exit_lseek i=arg1,eq,-9,pass,fail;
	record on; in W call lseek 6 args=-1,5,1; record off; readall;
	ledger fired
EXPECT	0 0 0 0 0 0 0 0 EBADF 0 6 6

NAME	a condition on the duration belongs to the second
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:nanosleep:entry;
	enable syscall:nanosleep:return; pair syscall:nanosleep:entry
	syscall:nanosleep:return k=tid,tid;
	if syscall:nanosleep:return i=duration,ge,20000000,pass,fail; record on;
	in W call nanosleep 9 args=@nsecs:1000;
	in W call nanosleep 2 args=@nsecs:20000000; record off; readall;
	count duration>19999999
EXPECT	0 0 0 0 0 0 0 0 0 0 0 2 2

NAME	after stop and start no first hit of the previous run is found
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getppid:entry; pair syscall:getpid:entry
	syscall:getppid:entry k=tid,tid; record on; in W call getpid;
	record off; readall; record on; in W call getppid; in W call getpid;
	in W call getppid; record off; readall; ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1

NAME	two sessions with the same probes keep their own first hits
NEEDS	root tp_btf
SERVICE
ASK	spawn W; A: open; B: open; C: open; A: filter pid=W; B: filter pid=W;
	C: filter pid=W; A: enable syscall:getpid:entry;
	A: enable syscall:getppid:entry; A: pair syscall:getpid:entry
	syscall:getppid:entry k=tid,tid; B: enable syscall:getpid:entry;
	B: enable syscall:getppid:entry; B: pair syscall:getpid:entry
	syscall:getppid:entry k=pid,pid; C: enable syscall:getppid:entry;
	A: record on; B: record on; C: record on; in W call getpid;
	in W call getppid 4; A: record off; B: record off; C: record off;
	A: readall; B: readall; C: readall; A: count pair=1;
	B: count pair=1; C: count pair=0
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 4 1 1 4

NAME	DTIOCSPAIR returns its errnos in the documented order
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry; enable syscall:getpid:return;
	enable syscall:lseek:entry; enable profile:hz:97 nsecs=10000000;
	pair syscall:getpid:entry syscall:close:entry k=tid,tid;
	pair 0 syscall:getpid:entry k=tid,tid;
	pair syscall:getpid:entry syscall:getpid:entry k=tid,tid;
	pair syscall:getpid:entry syscall:getpid:return;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid nkeys=3;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid nkeys=2;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid k=pid,pid
	nkeys=1;
	pair syscall:getpid:entry syscall:getpid:return k=arg0,tid;
	pair syscall:getpid:entry syscall:getpid:return k=ret,tid;
	pair syscall:getpid:entry syscall:getpid:return k=tid,comm;
	pair syscall:lseek:entry syscall:getpid:return k=str0,tid;
	pair syscall:getpid:entry syscall:getpid:return k=duration,tid;
	pair syscall:getpid:entry syscall:getpid:return k=tid,duration;
	pair syscall:getpid:entry syscall:getpid:return k=tid/3,tid;
	pair syscall:getpid:entry syscall:getpid:return k=tid/8,tid;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid poke=12:2;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid poke=20:1;
	pair profile:hz:97 syscall:getpid:return k=tid,tid;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid;
	pair syscall:lseek:entry syscall:getpid:return k=tid,tid;
	pair syscall:getpid:return syscall:lseek:entry k=tid,tid; record on;
	pair syscall:lseek:entry syscall:getpid:return k=tid,tid;
	pair syscall:lseek:entry syscall:close:return k=tid,tid
EXPECT	0 0 0 0 0 ENOENT ENOENT EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL
	EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL
	0 EEXIST EEXIST EEXIST 0 EBUSY ENOENT

NAME	disabling one of the two ends the pair, also while recording
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getppid:entry; pair syscall:getpid:entry
	syscall:getppid:entry k=tid,tid; record on; in W call getppid 5;
	in W call getpid; in W call getppid; disable syscall:getpid:entry;
	in W call getppid 3; record off; readall; count pair=1; count pair=0;
	enable syscall:getpid:entry; record on; in W call getpid 2; record off;
	clear; readall; pair syscall:getpid:entry syscall:getppid:entry
	k=tid,tid; disable syscall:getppid:entry; record on; in W call getpid 4;
	record off; clear; readall; count pair=0
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 4 1 3 0 0 0 0 0 2 0 0 0 0 0 0 4 4

NAME	first hits that do not fit are counted, the others become events
NEEDS	root tp_btf
RUN	pairs full
OUT	^pairs full: as they should be$

NAME	first hits of killed threads are removed
NEEDS	root tp_btf
RUN	pairs dead
OUT	^pairs dead: as they should be$

NAME	a full table is empty in the next run, and a stop pairs no second hit
NEEDS	root tp_btf
RUN	pairs clear
OUT	^pairs clear: as they should be$

NAME	many threads at once: each call is one event with its own arguments
NEEDS	root tp_btf
RUN	pairs threads
OUT	^pairs threads: as they should be$

# poke=12:1 is DTPA_FIRST.
NAME	a pair has the first hit's thread and pointed-to data if requested
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry
	flags=args,strings; enable syscall:lseek:entry flags=args,comm,who;
	pair syscall:openat:entry syscall:lseek:entry k=arg0/4s,arg0/4s
	poke=12:1; enable syscall:close:entry; enable syscall:dup:entry;
	pair syscall:close:entry syscall:dup:entry k=tid,tid; record on;
	in W call openat 1 args=-4321,@text:/nope/x;
	in W thread call lseek args=-4321; record off; readall;
	count pair=1 from.pid=W from.tid=W tid!=W from.comm=ask from.uid=0
	from.ppid=self str=1:text=/nope/x arg0=-4321 nargs=4 comm=ask uid=0;
	count from.cgroup>0; count from.cpu<4096
EXPECT	0 0 0 0 0 0 0 0 EINVAL 0 ENOENT EBADF 0 1 1 1 1

NAME	the first hit decides whether a pair is of dt itself
CORE
NEEDS	root tp_btf
ASK	spawn W; open; enable syscall:close:entry;
	enable syscall:lseek:entry flags=args; pair syscall:close:entry
	syscall:lseek:entry k=arg0/4s,arg0/4s; record on;
	in W call close args=-4321; do call lseek args=-4321;
	do call close args=-4322; in W call lseek args=-4322; record off;
	readall; count pid=self arg0=-4321 first=*:close:entry; count arg0=-4322
EXPECT	0 0 0 0 0 0 EBADF EBADF EBADF EBADF 0 * 1 0
