# SPDX-License-Identifier: ISC
# The syscall provider: which calls are recorded, for which processes, and which
# are not.

NAME	each call has entry and return, with arguments, results and times
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry
	flags=args,comm; enable syscall:openat:return flags=args,comm;
	record on; in W call openat 3; record off; readall;
	count probe=syscall:openat:entry pid=W tid=W comm=ask nargs=4
	arg0=-100 arg1!=0 arg2=0x80000 arg3=0;
	count probe=syscall:openat:return pid=W tid=W comm=ask nargs=0
	retval=-1 error=ENOENT; recent 600
EXPECT	0 0 0 0 0 0 ENOENT 0 6 3 3 6

NAME	all six arguments are recorded
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W;
	enable syscall:process_vm_readv:entry flags=args; record on;
	in W call process_vm_readv args=-1,22,33,44,55,66; record off; readall;
	count arg0=-1 arg1=22 arg2=33 arg3=44 arg4=55 arg5=66 nargs=6
EXPECT	0 0 0 0 0 EINVAL 0 1 1

NAME	read(2) of /dev/dt returns the same data as struct dt_evt
NEEDS	root tp_btf
ASK	spawn W comm=evt; open; filter pid=W;
	enable syscall:process_vm_readv:entry flags=args,comm;
	enable syscall:close:return flags=args,comm,kstack,ustack; record on;
	in W call process_vm_readv args=-1,22,33,44,55,66; in W call close;
	in W call close args=-1; record off; evread 6552; evread 6552;
	count probe=syscall:process_vm_readv:entry pid=W tid=W comm=evt arg0=-1
	arg1=22 arg2=33 arg3=44 arg4=55 arg5=66 arg6=0 arg9=0 kstack=0
	ustack=0; count probe=syscall:close:return pid=W retval=-1 error=EBADF
	comm=evt kstack>0 ustack>0; recent 600
EXPECT	0 0 0 0 0 0 EINVAL EBADF EBADF 0 3 0 1 2 3

NAME	without flags a record has only number, CPU, process, thread and time
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry; record on;
	in W call openat 2; record off; readall;
	count nargs=0 commlen=0 kstack=0 ustack=0 cgroup=0 pid=W tid=W;
	recent 600
EXPECT	0 0 0 0 0 ENOENT 0 2 2 2

NAME	each flag adds its data and nothing else
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry flags=args;
	enable syscall:close:entry flags=comm;
	enable syscall:getpid:entry flags=kstack;
	enable syscall:getppid:entry flags=ustack; record on;
	in W call openat; in W call close; in W call getpid; in W call getppid;
	record off; readall;
	count probe=syscall:openat:entry nargs=4 commlen=0 kstack=0 ustack=0;
	count probe=syscall:close:entry nargs=0 commlen=3 kstack=0 ustack=0;
	count probe=syscall:getpid:entry nargs=0 commlen=0 kstack>0 ustack=0;
	count probe=syscall:getppid:entry nargs=0 commlen=0 kstack=0 ustack>0
EXPECT	0 0 0 0 0 0 0 0 ENOENT EBADF 0 0 0 4 1 1 1 1

NAME	all flags combine, on entry and return
NEEDS	root tp_btf
ASK	spawn W comm=all-of-it; open; filter pid=W;
	enable syscall:process_vm_readv:entry flags=all;
	enable syscall:process_vm_readv:return flags=all; record on;
	in W call process_vm_readv 50 args=-1,2,3,4,5,6; record off; readall;
	count probe=*:entry nargs=6 arg5=6 comm=all-of-it kstack>0 ustack>0
	cgroup>0; count probe=*:return retval=-1 error=EINVAL comm=all-of-it
	kstack>0 ustack>0 cgroup>0
EXPECT	0 0 0 0 0 0 EINVAL 0 100 50 50

NAME	the owner is recorded: user, parent, cgroup
CORE
NEEDS	root tp_btf
ASK	spawn W uid=65534; spawn V; open; enable syscall:getpid:entry flags=who;
	enable syscall:getppid:return flags=who; record on;
	in W call getpid 3; in V thread call getppid 2; record off; readall;
	count pid=W ppid=self uid=65534 cgroup>0;
	count pid=V probe=*:return ppid=self uid=0 cgroup>0
EXPECT	0 0 0 0 0 0 0 0 0 >=5 3 2

NAME	a call that succeeds has its result and error 0
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:return;
	enable syscall:close:return; record on; in W call getpid 4;
	in W call close 3; record off; readall;
	count probe=syscall:getpid:return retval>1 error=0;
	count probe=syscall:close:return retval=-1 error=EBADF
EXPECT	0 0 0 0 0 0 0 EBADF 0 7 4 3

NAME	a call that a handled signal ends has ERESTART, not EINTR
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:nanosleep:return;
	enable syscall:rt_sigsuspend:return; enable syscall:read:return;
	record on; in W eintr nanosleep; in W eintr rt_sigsuspend;
	record off; readall;
	count probe=syscall:nanosleep:return retval=-1
	error=ERESTART_RESTARTBLOCK;
	count probe=syscall:rt_sigsuspend:return retval=-1
	error=ERESTARTNOHAND; count error=EINTR
EXPECT	0 0 0 0 0 0 0 EINTR EINTR 0 2 1 1 0

NAME	a call that continues after a signal has two returns
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:read:entry;
	enable syscall:read:return; record on; in W eintr read restart;
	record off; readall; count probe=*:entry;
	count probe=*:return retval=-1 error=ERESTARTSYS;
	count probe=*:return retval=1 error=0
EXPECT	0 0 0 0 0 0 0 0 4 2 1 1

NAME	a probe that is not enabled is not recorded, nor is its counterpart
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:close:return; record on; in W call getppid 20;
	in W call getpid 5; in W call close 6; record off; readall;
	count probe=syscall:getpid:entry; count probe=syscall:close:return
EXPECT	0 0 0 0 0 0 0 0 EBADF 0 11 5 6

NAME	hits before RECORD 1 and after RECORD 0 are not recorded
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	in W call getpid 9; record on; in W call getpid 2; record off;
	in W call getpid 9; readall; in W call getpid 9; record on;
	in W call getpid 3; record off; in W call getpid 9; readall;
	ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 2 0 0 0 0 0 3 5

NAME	a filter by process passes all threads of that process and no others
CORE
NEEDS	root tp_btf
ASK	spawn W; spawn V; open; filter pid=W; enable syscall:getpid:entry;
	record on; in V call getpid 50; in W call getpid 5;
	in W thread call getpid 4; in V thread call getpid 50; record off;
	readall; count pid=W tid=W; count pid=W tid=W.t; ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 9 5 4 9

NAME	a filter by thread passes only that thread
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter tid=W.t; enable syscall:getpid:entry; record on;
	in W call getpid 50; in W thread call getpid 4; record off; readall;
	count pid=W tid=W.t; ledger fired; filter tid=W; record on;
	in W call getpid 3; in W thread call getpid 50; record off; readall;
	ledger fired
EXPECT	0 0 0 0 0 0 0 0 4 4 4 0 0 0 0 0 3 7

NAME	a filter by user passes only that user's processes
CORE
NEEDS	root nonroot tp_btf
ASK	spawn W uid=6%P; spawn V; open; filter uid=6%P;
	enable syscall:getpid:entry; record on; in W call getpid 6;
	in V call getpid 50; record off; readall; count pid=W; filter uid=7%P;
	record on; in W call getpid 6; in V call getpid 6; record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 6 6 0 0 0 0 0 0

NAME	a filter by name passes only that name, compared up to 15 characters
CORE
NEEDS	root tp_btf
ASK	spawn W comm=dt-nam-%Px; spawn V comm=dt-nam-%P; open;
	filter comm=dt-nam-%Px; enable syscall:getpid:entry flags=comm;
	record on; in W call getpid 6; in V call getpid 50; record off;
	readall; count pid=W comm=dt-nam-%Px; filter comm=dt-nam-%P;
	record on; in W call getpid 50; in V call getpid 7; record off; readall;
	in V comm x-%P; filter comm=x-%P; record on;
	in W call getpid 50; in V call getpid 3; record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 6 6 0 0 0 0 0 7 0 0 0 0 0 0 3

NAME	filters add up: a hit must pass each
CORE
NEEDS	root nonroot tp_btf
ASK	spawn W comm=fw-%P uid=6%P; spawn V comm=fv-%P uid=6%P; open;
	filter pid=W tid=W uid=6%P comm=fw-%P; enable syscall:getpid:entry;
	record on; in W call getpid 2; in W thread call getpid 9;
	in V call getpid 9; record off; readall; filter pid=W comm=fv-%P;
	record on; in W call getpid 9; in V call getpid 9; record off; readall;
	filter uid=6%P; record on; in W call getpid 4; in V call getpid 5;
	record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 9

NAME	a filter that is cleared passes all hits again
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=1; filter; enable syscall:getpid:entry;
	record on; in W call getpid 6; record off; readall; count pid=W
EXPECT	0 0 0 0 0 0 0 0 >=6 6

NAME	two sessions with different filters each get their own events
NEEDS	root tp_btf
SERVICE
ASK	spawn W; spawn V; A: open; B: open; A: filter pid=W; B: filter pid=V;
	A: enable syscall:getpid:entry; B: enable syscall:getpid:entry
	flags=kstack; B: enable syscall:getppid:entry; A: record on;
	B: record on; in W call getpid 5; in V call getpid 7;
	in W call getppid 3; in V call getppid 2; A: record off;
	in W call getpid 5; in V call getpid 1; B: record off; A: readall;
	B: readall; A: count pid=W kstack=0; B: count pid=V
	probe=syscall:getpid:entry kstack>0; B: count pid=V
	probe=syscall:getppid:entry kstack=0
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 10 5 8 2

NAME	a hit that several sessions match is recorded for each
CORE
NEEDS	root tp_btf
SERVICE
ASK	spawn W; A: open; B: open; C: open; A: filter pid=W; B: filter pid=W;
	C: filter pid=W; A: enable syscall:close:return flags=comm,kstack;
	B: enable syscall:close:return; C: enable syscall:close:return
	flags=ustack; A: record on; B: record on; C: record on;
	in W call close 20; B: record off; in W call close 5; A: record off;
	C: record off; A: readall; B: readall; C: readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 EBADF 0 EBADF 0 0 25 20 25

NAME	a 32-bit call is counted, not taken for the 64-bit call of its number
CORE
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall:writev:entry;
	enable syscall:writev:return; enable syscall:getpid:entry;
	enable syscall:getpid:return; record on; in W int80 20 30;
	in W call writev 2; in W call getpid 3; record off; readall;
	count probe=syscall:writev:*; count probe=syscall:getpid:*;
	ledger compat; ledger fired
EXPECT	0 0 0 0 0 0 0 0 0 EBADF 0 0 10 4 6 30 10

NAME	32-bit calls of other processes are not counted in a filtered session
NEEDS	root tp_btf int80
ASK	spawn W; spawn V; open; filter pid=W; enable syscall:writev:entry;
	record on; in V int80 20 30; in W int80 39 4; record off; readall;
	ledger compat
EXPECT	0 0 0 0 0 0 0 * 0 0 4

NAME	the recording client is excluded, and excluded hits are counted
CORE
NEEDS	root tp_btf
ASK	spawn W comm=m-%P; do comm m-%P; open; filter comm=m-%P; enable syscall:getuid:entry;
	record on; do call getuid 40; in W call getuid 3; record off; readall;
	count pid=W; count pid=self; ledger excluded
EXPECT	0 0 0 0 0 0 0 0 0 3 3 0 40

NAME	DTIOCSELF includes the client itself, as does a filter by its own pid
CORE
NEEDS	root tp_btf
ASK	do comm m-%P; open; filter comm=m-%P; self on; enable syscall:getuid:entry; record on;
	do call getuid 40; record off; readall; count pid=self;
	ledger excluded; self off; filter pid=self; record on;
	do call getuid 5; record off; readall; ledger excluded; filter comm=m-%P;
	record on; do call getuid 6; record off; readall; ledger excluded
EXPECT	0 0 0 0 0 0 0 0 40 40 0 0 0 0 0 0 5 0 0 0 0 0 0 6

NAME	a session that does not record excludes no process
NEEDS	root tp_btf mounts
SERVICE
ASK	do comm h%T; open; enable syscall:getuid:entry
EXPECT	0 0 0
AFTER	{ dt record -n 5 --comm "h${T#"${T%???????}"}" syscall:getuid:entry \
	>o; : >done; } &
ASK	do until done call getuid 1
EXPECT	0
RUN	grep -c getuid o
EXPECT	5

NAME	ordered sessions return events of all CPUs in order of time
CORE
NEEDS	root tp_btf
ASK	spawn W comm=s-%P; spawn V comm=s-%P; spawn U comm=s-%P;
	open ordered; filter comm=s-%P; enable syscall:getpid:entry;
	enable syscall:getpid:return; record on; in W call getpid 200;
	in V call getpid 200; in U call getpid 200; in W call getpid 200;
	in V thread call getpid 200; record off; readall; sorted
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 2000 1

NAME	all probes of the provider can be enabled and recorded at once
CORE
NEEDS	root tp_btf
TIMEOUT	120
ASK	spawn W; open; filter pid=W; enableall syscall:* flags=args,comm;
	record on; in W call getpid 10; in W call openat 10; record off;
	readall; count probe=syscall:getpid:entry;
	count probe=syscall:getpid:return; count probe=syscall:openat:entry;
	count probe=syscall:openat:return
EXPECT	0 0 0 >=600 0 0 ENOENT 0 >=40 10 10 10 10

NAME	a full ring drops events, and fired equals read plus dropped
CORE
NEEDS	root tp_btf quick
TIMEOUT	120
ASK	spawn W; open; budget 1; ioctl NOLIMIT int=1; filter pid=W; enable syscall:getpid:entry
	flags=comm,kstack,ustack; record on; in W call getpid 60000;
	fullstat dropped; record off; readall; ledger fired; ledger dropped;
	stats
EXPECT	0 0 0 0 0 0 0 0 >=1 0 >=1 60000 >=1 same

NAME	probes have the original's numbers: the clocks, then calls in order
ASK	open; pbn profile:hz:97; pbn interval:hz:1; pbn syscall:read:entry; pbn
	syscall:read:return; pbn syscall:write:entry
EXPECT	0 1 2 3 4 5

NAME	arguments have the types and names of their call
ASK	open; args syscall:openat:entry; args syscall:read:entry;
	args syscall:getpid:entry; args syscall:openat:return
EXPECT	0 int:dfd,const_char_*:filename(path),int:flags,umode_t:mode
	unsigned_int:fd,char_*:buf,size_t:count none none

NAME	all providers work here, except kprobes where the kernel has none
CORE
NEEDS	int80 jq
RUN	dt list -j -v profile | jq -r 'select(.provider and
	(.available | not)).provider' | grep -cv kprobe;
	dt list -j -v profile | jq -r 'select(.provider and .available).provider' |
	wc -l
EXPECT	0 9..10

