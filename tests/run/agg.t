# SPDX-License-Identifier: ISC
# Hits that the kernel counts by key, in place of events.

NAME	threads on all CPUs are counted exactly, through any number of snapshots
CORE
NEEDS	root tp_btf quick
RUN	aggs exact -n 20000 -s 10
STATUS	0
OUT	^aggs exact: exact$

NAME	100 million calls in a thousand snapshots are counted exactly
NEEDS	root tp_btf full
TIMEOUT	900
RUN	aggs exact -n 25000000 -t 4 -s 1000
STATUS	0
OUT	^aggs exact: exact$

NAME	hits are counted exactly by what their records contain
CORE
NEEDS	root tp_btf quick
RUN	aggs records -n 20000 -s 10
STATUS	0
OUT	^aggs records: exact$

NAME	hits whose key does not fit are counted apart
CORE
NEEDS	root tp_btf quick
RUN	aggs full -n 200000 -s 10 -r 1; aggs full -n 200000 -s 10 -r 3
STATUS	0
OUT	^aggs full: exact$

NAME	sums, extremes and buckets of all kinds are those of the values
CORE
NEEDS	root tp_btf
RUN	aggs values
STATUS	0
OUT	^aggs values: exact$

NAME	clients that count are killed, and the others' counts are exact
CORE
NEEDS	root tp_btf quick
RUN	aggs kill -n 20000 -s 10
STATUS	0
OUT	^aggs kill: exact$

NAME	each of many keys is returned once, in all pages of a snapshot
CORE
NEEDS	root tp_btf
RUN	aggs keys -n 4096 -s 3
STATUS	0
OUT	^aggs keys: exact$

NAME	hits in interrupts of counted hits are counted exactly
CORE
NEEDS	root tp_btf perf_event quick
RUN	aggs nested
STATUS	0
OUT	^nested: fired [1-9][0-9]*, rows [1-9]
OUT	^aggs nested: exact$

NAME	a key is process, thread and name, the value an argument
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	agg syscall:lseek:entry k=pid k=tid k=comm v=arg1/8s; record on;
	in W call lseek 20 args=-1,77; in W call lseek 5 args=-1,-7; record off;
	readall; snapshot; rows count k0=W k1=W k2=@ask; rows sum; rows min;
	rows max; rows count none; ledger counted; ledger fired; ledger mapfull;
	ledger mode
EXPECT	0 0 0 0 0 0 EBADF EBADF 0 0 25 25 1505 -7 77 0 25 25 0 1

NAME	a key is a field of a tracepoint, also if its events have no fields
CORE
NEEDS	root tp_btf tracefs
ASK	spawn W; open; filter pid=W uid=0; enable tracepoint:syscalls:sys_enter_lseek;
	agg tracepoint:syscalls:sys_enter_lseek k=arg2/8s k=arg3/8; record on;
	in W call lseek 20 args=-1,77,5; in W call lseek 4 args=-1,-7,0;
	record off; readall; snapshot; rows count k0=77 k1=5;
	rows count k0=-7 k1=0; ledger counted; ledger fired
EXPECT	0 0 0 0 0 0 EBADF EBADF 0 0 24 20 4 24 24

NAME	a key is probe, user, CPU and cgroup, or there is no key
NEEDS	root tp_btf
ASK	spawn W uid=65534; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getppid:entry; enable syscall:getuid:entry;
	agg syscall:getpid:entry k=probe k=uid k=cpu k=cgroup;
	agg syscall:getppid:entry k=probe k=uid k=cpu k=cgroup;
	agg syscall:getuid:entry; record on; in W call getpid 7;
	in W call getppid 5; in W call getuid 3; record off; readall; snapshot;
	rows count k1=65534; rows count k3=0; rows count k0=0 k1=0 none
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 15 12 3 3

NAME	results and errnos are counted, values of failed calls are not
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:socket:return;
	agg syscall:socket:return k=errno v=ret ok; record on;
	in W call socket 3; in W call socket 4 args=-1; record off; readall;
	snapshot; rows count k0=0 value=0; rows count k0=97 none;
	rows count k0=97; rows min value=0; rows n k0=0 none
EXPECT	0 0 0 0 0 0 0 EAFNOSUPPORT 0 0 7 3 4 4 >=3 0

NAME	without ok, the values of failed calls are -1
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:return;
	agg syscall:lseek:return v=ret; record on; in W call lseek 4;
	record off; readall; snapshot; rows sum; rows count value=-1
EXPECT	0 0 0 0 0 0 EBADF 0 0 4 -4 4

# -1 / 10 is 1844674407370955161: -1 is the largest unsigned number.
NAME	values are divided before they are added up, as unsigned numbers
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	agg syscall:lseek:entry v=arg1/8s div=1000000 hist=log/0; record on;
	in W call lseek 3 args=-1,7777777777; in W call lseek 2 args=-1,999999;
	record off; readall; snapshot; rows count; rows sum; rows min; rows max;
	rows count value=4096; rows count value=0; close; open; filter pid=W;
	enable syscall:lseek:entry; agg syscall:lseek:entry v=arg1/8s div=10
	hist=linear/100/10/5; record on; in W call lseek 4 args=-1,1199;
	in W call lseek args=-1,-1; record off; readall; snapshot;
	rows count value=110; rows count value=150; rows sum value=110;
	rows sum value=150; rows max
EXPECT	0 0 0 0 0 0 EBADF EBADF 0 0 5 5 23331 0 7777 3 2
	0 0 0 0 0 0 EBADF EBADF 0 0 5 4 1 476 1844674407370955161
	1844674407370955161

NAME	fields of tracepoints are counted by their types, also the seventh
CORE
NEEDS	root tp_btf perf_event
ASK	spawn W; open; filter pid=W; enable tracepoint:signal:signal_generate;
	agg tracepoint:signal:signal_generate k=arg0/4s k=arg2/4s k=arg6/4s
	v=arg4/4s; in W call getpid; record on;
	in W call tgkill 3 args=@last,@last,23;
	in W call tgkill args=@last,@last,0; record off; readall; snapshot;
	rows count k0=23 k1=-6 k2=1; rows sum k2=0; rows min k0=23
EXPECT	0 0 0 0 0 * 0 0 * 0 0 * >=1 * *

NAME	flags of events that take the slow path change no count
CORE
NEEDS	root tp_btf perf_event quick
ASK	spawn W; open; filter pid=W; enable tracepoint:signal:signal_generate
	flags=args,strings,kstack,ustack,who,comm;
	enable syscall:openat:entry flags=args,strings,kstack,ustack,who,comm;
	agg tracepoint:signal:signal_generate k=arg0/4s;
	agg syscall:openat:entry k=comm; in W call getpid; record on;
	in W call tgkill args=@last,@last,23; in W call openat 9; record off;
	readall; snapshot; rows count k0=@ask; ledger recursed
EXPECT	0 0 0 0 0 0 0 * 0 0 ENOENT 0 0 10 9 0

NAME	arguments of raw tracepoints are counted
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable rawtracepoint:sys_exit:hit;
	agg rawtracepoint:sys_exit:hit k=arg1/8s; record on;
	in W call openat 3; record off; readall; snapshot; rows count k0=-2
EXPECT	0 0 0 0 0 0 ENOENT 0 0 >=3 3

NAME	arguments and results of functions are counted
CORE
NEEDS	root kprobe
ASK	spawn W; open; filter pid=W; enable kprobe:do_sys_openat2:entry;
	enable kprobe:do_sys_openat2:return;
	agg kprobe:do_sys_openat2:entry k=probe k=arg0/4s;
	agg kprobe:do_sys_openat2:return k=probe k=ret/8s; record on;
	in W call openat 6; record off; readall; snapshot;
	rows count k1=-100; rows count k1=-2; ledger counted
EXPECT	0 0 0 0 0 0 0 0 ENOENT 0 0 12 6 6 12

NAME	the durations of pairs are in buckets
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:nanosleep:entry;
	enable syscall:nanosleep:return; pair syscall:nanosleep:entry
	syscall:nanosleep:return k=tid,tid min=100000;
	agg syscall:nanosleep:return k=tid v=duration hist=log/4; record on;
	in W call nanosleep 9 args=@nsecs:1000000;
	in W call nanosleep 2 args=@nsecs:200000000; in W call lseek 3;
	record off; readall; snapshot; rows count k0=W; rows min; rows max;
	rows count value=1000; rows n none; ledger unpaired; ledger counted
EXPECT	0 0 0 0 0 0 0 0 0 0 EBADF 0 0 11 11 >=1000000 >=200000000 0 0 0 11

NAME	a pair is counted by the first hit's arguments and the second's result
CORE
NEEDS	root tp_btf quick
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:socket:return flags=args,kstack,strings;
	pair syscall:lseek:entry syscall:socket:return k=tid,tid;
	if syscall:lseek:entry i=arg2,ne,1,pass,fail;
	if syscall:socket:return i=arg1,ne,5,pass,fail;
	agg syscall:socket:return k=arg1/4s k=errno v=arg2/4s; record on;
	in W call lseek args=-1,77,2; in W call socket args=-1;
	in W call lseek args=-1,5,2; in W call socket args=-1;
	in W call lseek args=-1,77,1; in W call socket args=-1;
	in W call lseek args=-1,-9,3; in W call socket; record off; readall;
	snapshot; rows count k0=77 k1=97; rows sum k0=77; rows count k0=-9 k1=0
EXPECT	0 0 0 0 0 0 0 0 0 0 EBADF EAFNOSUPPORT EBADF EAFNOSUPPORT EBADF
	EAFNOSUPPORT EBADF 0 0 0 2 1 2 1

NAME	a pair of a function's entry and return keeps arguments and duration
NEEDS	root kprobe
ASK	spawn W; open; filter pid=W; enable kprobe:do_sys_openat2:entry;
	enable kprobe:do_sys_openat2:return; pair kprobe:do_sys_openat2:entry
	kprobe:do_sys_openat2:return k=tid,tid;
	agg kprobe:do_sys_openat2:return k=arg0/4s k=ret/8s v=duration;
	record on; in W call openat 6; record off; readall; snapshot;
	rows count k0=-100 k1=-2; rows min
EXPECT	0 0 0 0 0 0 0 0 ENOENT 0 0 6 6 >=1

NAME	filters and conditions exclude hits before they are counted
CORE
NEEDS	root tp_btf
ASK	spawn W; spawn V; open; filter pid=W; enable syscall:lseek:entry;
	if syscall:lseek:entry i=arg1,eq,6,pass,fail;
	agg syscall:lseek:entry k=pid; record on;
	in W call lseek 5 args=-1,6; in W call lseek 7 args=-1,5;
	in V call lseek 3 args=-1,6; record off; readall; snapshot;
	rows count k0=W; ledger fired
EXPECT	0 0 0 0 0 0 0 0 EBADF EBADF EBADF 0 0 5 5 5

NAME	a filter by path excludes hits before they are counted
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr; enable syscall:openat:return;
	agg syscall:openat:return k=pid k=errno; record on;
	in W call openat 4 args=-100,@text:/nope/x;
	in W call openat 3 args=-100,@text:/usr/nope; record off; readall;
	snapshot; rows count k0=W k1=2; ledger fired
EXPECT	0 0 0 0 0 0 0 ENOENT ENOENT 0 0 3 3 3

NAME	ticks of a clock are counted like other hits, with any flags
CORE
NEEDS	root perf_event
ASK	spawn W comm=burner; open; filter pid=W; enable profile:hz:97
	nsecs=1000000 flags=comm,ustack,kstack; agg profile:hz:97 k=comm k=pid;
	record on; in W burn 1000; record off; readall; snapshot;
	rows count k0=@burner k2=W; ledger counted
EXPECT	0 0 0 0 0 0 0 0 0 >=20 >=20 >=20

NAME	interval cannot be counted
NEEDS	root
ASK	open; enable interval:hz:1 nsecs=1000000000; agg interval:hz:1; error
EXPECT	0 0 EINVAL
	hits_of_provider_interval_cannot_be_counted

NAME	numbers of a key are those of the client's pid namespace
CORE
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	ask until stop call getppid 1 & unshare -p -f --mount-proc sh -c '
	echo "spawn W; spawn V; open; enable syscall:getppid:entry;
	agg syscall:getppid:entry k=pid k=tid k=comm; record on;
	in W call getppid 5; in V thread call getppid 3; record off; readall;
	snapshot; rows count k0=W k1=W; rows count k0=V k1=V; rows count k0=V;
	ledger counted" | ask'; : >stop; wait
EXPECT	0 0 0 0 0 0 0 0 0 0 8 5 0 3 8

NAME	with TRACE_OWN, hits of other users are not counted
NEEDS	root nonroot tp_btf
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	ask until stop call getppid 1 & ask until stop call lseek 1 &
	echo "as 65534; spawn W; open; enable syscall:getppid:entry;
	enable syscall:lseek:entry; enable syscall:lseek:return;
	pair syscall:lseek:entry syscall:lseek:return k=tid,tid;
	agg syscall:getppid:entry k=uid k=pid;
	agg syscall:lseek:return k=uid k=pid v=duration; record on;
	in W call getppid 5; in W call lseek 4; record off; readall; snapshot;
	rows count k0=65534 k1=W" | ask; : >stop; wait
EXPECT	0 0 0 0 0 0 0 0 0 0 0 EBADF 0 0 9 9

NAME	a probe that is disabled while it records keeps its counts
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getppid:entry; agg syscall:getpid:entry k=probe;
	agg syscall:getppid:entry k=probe; record on; in W call getpid 5;
	disable syscall:getpid:entry; in W call getpid 4; in W call getppid 3;
	snapshot; in W call getppid 2; record off; readall; snapshot;
	rows count; ledger counted; enable syscall:getpid:entry;
	agg syscall:getpid:entry k=pid; record on; in W call getpid 7; record off;
	readall; snapshot; rows count k0=W; ledger counted
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 8 0 0 0 2 10 10 0 0 0 0 0 0 7 7 17

NAME	rows that are left by a run are in the next snapshot
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	agg syscall:getpid:entry k=pid; record on; in W call getpid 5;
	record off; readall; record on; in W call getpid 4; snapshot unread;
	in W call getpid 3; record off; readall; morerows; snapshot; snapshot;
	ledger fired; rows count k0=W
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 3 0 12 12

NAME	one probe of a session counts while another records events
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getppid:entry flags=comm; agg syscall:getpid:entry k=pid;
	record on; in W call getpid 5; in W call getppid 4; record off; readall;
	count probe=*:getppid:entry comm=ask; snapshot; ledger fired;
	ledger read; ledger counted
EXPECT	0 0 0 0 0 0 0 0 0 0 4 4 5 9 4 5

NAME	the end of its pair makes the second probe an ordinary one
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:lseek:entry;
	enable syscall:lseek:return flags=args; pair syscall:lseek:entry
	syscall:lseek:return k=tid,tid; agg syscall:lseek:return k=arg1
	v=duration; record on; in W call lseek 5 args=-1,9;
	disable syscall:lseek:entry; in W call lseek 4 args=-1,9; record off;
	readall; snapshot; rows count k0=9; count error=EBADF pair=0; enable
	syscall:lseek:entry; pair syscall:lseek:entry syscall:lseek:return
	k=tid,tid; agg syscall:lseek:return; disable syscall:lseek:entry;
	agg syscall:lseek:return k=errno
EXPECT	0 0 0 0 0 0 0 0 EBADF 0 EBADF 0 4 5 5 4 0 0 0 0 0

NAME	errnos of a request: ENOENT, EBUSY, EEXIST, EINVAL
CORE
NEEDS	root tp_btf
ASK	open; agg 1 nkeys=9; enable syscall:getpid:entry;
	agg syscall:getppid:entry; agg syscall:getpid:entry nkeys=5; record on;
	agg 4294967295; agg syscall:getpid:entry nkeys=5; record off;
	agg syscall:getpid:entry; agg syscall:getpid:entry nkeys=5; error;
	ioctl SAGG fill=0xff
EXPECT	0 ENOENT 0 ENOENT EINVAL 0 ENOENT EBUSY 0 0 EEXIST * ENOENT

NAME	EINVAL: keys and values that the probe does not have
CORE
NEEDS	root tp_btf
ASK	open; enable syscall:lseek:entry; agg syscall:lseek:entry k=arg3; error;
	agg syscall:lseek:entry k=ret; agg syscall:lseek:entry k=errno;
	agg syscall:lseek:entry k=duration; error; agg syscall:lseek:entry
	v=duration; agg syscall:lseek:entry k=str0; agg syscall:lseek:entry
	v=comm; error; agg syscall:lseek:entry v=probe; error;
	agg syscall:lseek:entry v=cgroup; agg syscall:lseek:entry k=cgroup/4;
	agg syscall:lseek:entry k=socket0; error;
	agg syscall:lseek:entry k=pid/8; agg syscall:lseek:entry k=comm/8;
	agg syscall:lseek:entry k=arg0/3; agg syscall:lseek:entry k=arg0/0;
	agg syscall:lseek:entry k=pid nkeys=2; agg syscall:lseek:entry k=pid
	nkeys=0; error; agg syscall:lseek:entry k=comm k=comm k=pid k=tid; error;
	agg syscall:lseek:entry k=comm k=comm; agg syscall:lseek:entry k=comm
	k=pid k=tid k=uid
EXPECT	0 0 EINVAL this_probe_has_no_argument_3 EINVAL EINVAL EINVAL
	only_the_second_hit_of_a_pair_has_a_duration EINVAL EINVAL EINVAL
	the_value_is_a_text EINVAL probe_is_only_a_key_of_counts EINVAL EINVAL
	EINVAL this_probe_has_no_socket_at_argument_0
	EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL
	a_key_after_dtag_nkeys_is_not_0 EINVAL
	the_parts_of_the_key_take_6_words,_5_at_most 0 EEXIST

NAME	a key is the cgroup of a socket, only for its address in some tracepoints
NEEDS	root tp_btf tracefs
ASK	open; enable tracepoint:sock:inet_sock_set_state;
	enable tracepoint:tcp:tcp_probe; enable syscall:socket:return;
	agg tracepoint:sock:inet_sock_set_state k=socket1; error;
	agg tracepoint:sock:inet_sock_set_state k=socket0/4;
	agg tracepoint:sock:inet_sock_set_state v=socket0; error;
	agg tracepoint:sock:inet_sock_set_state k=socket200;
	agg tracepoint:tcp:tcp_probe k=socket0; agg syscall:socket:return k=socket0;
	if tracepoint:sock:inet_sock_set_state i=socket0,eq,1,pass,fail;
	agg tracepoint:sock:inet_sock_set_state k=socket0
EXPECT	0 0 0 0 EINVAL this_probe_has_no_socket_at_argument_1 EINVAL EINVAL
	socket_at_argument_is_only_a_key_of_counts EINVAL EINVAL EINVAL EINVAL 0

NAME	EINVAL: each number of a histogram out of its range
NEEDS	root tp_btf
ASK	open; enable syscall:lseek:entry; agg syscall:lseek:entry hist=log/2;
	agg syscall:lseek:entry ok; agg syscall:lseek:entry v=arg1 hist=log/7;
	agg syscall:lseek:entry v=arg1 hist=linear/0/0/9;
	agg syscall:lseek:entry v=arg1 hist=linear/0/1/0;
	agg syscall:lseek:entry v=arg1 hist=linear/0/1/65537;
	agg syscall:lseek:entry rows=1048577; error;
	agg syscall:lseek:entry v=arg1 poke=52:3; error;
	agg syscall:lseek:entry v=arg1 poke=48:4; agg syscall:lseek:entry
	poke=84:1; error; agg syscall:lseek:entry v=arg1 poke=56:1;
	agg syscall:lseek:entry v=arg1 poke=60:1; agg syscall:lseek:entry v=arg1
	poke=64:1; agg syscall:lseek:entry v=arg1 poke=72:1;
	agg syscall:lseek:entry v=arg1 hist=log/6 poke=64:1;
	agg syscall:lseek:entry v=arg1 hist=linear/1/1/1 poke=56:1;
	agg syscall:lseek:entry v=arg1 hist=linear/0x7fffffffffffffff/1/65536
EXPECT	0 0 EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL
	a_table_has_1048576_rows_at_most EINVAL there_is_no_histogram_3 EINVAL
	EINVAL dtag_hist_or_dtag_divisor_is_not_0,_or_DTAG_OKONLY_is_set,_without_a_value
	EINVAL
	EINVAL EINVAL EINVAL EINVAL EINVAL 0

NAME	the first probe of a pair is not counted, and no pair is made of counts
NEEDS	root tp_btf
ASK	open; enable syscall:lseek:entry; enable syscall:lseek:return;
	agg syscall:lseek:return; pair syscall:lseek:entry syscall:lseek:return
	k=tid,tid; error; disable syscall:lseek:return; enable
	syscall:lseek:return; pair syscall:lseek:entry syscall:lseek:return
	k=tid,tid; agg syscall:lseek:entry; error; agg syscall:lseek:return
	k=arg6; agg syscall:lseek:return k=arg2 v=duration
EXPECT	0 0 0 0 EINVAL one_of_them_counts_hits_already;_the_pair_comes_first
	0 0 0 EINVAL the_first_probe_of_a_pair_is_not_counted;_the_second_is
	EINVAL 0

NAME	a snapshot without counts is ENOENT, of unread rows EBUSY
CORE
NEEDS	root tp_btf
ASK	open; snapshot; error; morerows; enable syscall:getpid:entry; snapshot;
	agg syscall:getpid:entry k=arg0; close; spawn W; open; filter pid=W;
	enable syscall:getpid:entry; enable syscall:getppid:entry;
	agg syscall:getpid:entry k=probe; agg syscall:getppid:entry k=probe;
	morerows; snapshot; record on; in W call getpid 3; in W call getppid 2;
	snapshot first; snapshot; error; morerows; snapshot; record off
EXPECT	0 ENOENT no_probe_of_this_session_counts ENOENT 0 ENOENT EINVAL 0
	0 0 0 0 0 0 0 0 0 0 0 0 * EBUSY
	the_rows_of_the_last_snapshot_were_not_all_read * 0 0

NAME	ENOSPC: a session counts in 32 different ways
NEEDS	root tp_btf
RUN	{ printf 'open; '; dt list 'syscall:*:entry' | head -n 33 | {
	n=0; while read -r p; do n=$((n + 1)); printf 'enable %s; agg %s v=cpu
	hist=linear/0/%d/1; ' "$p" "$p" $n | tr '\n\t' '  '; done; }
	echo 'error'; } | ask
OUT	^0( 0){65} ENOSPC a_session_counts_in_32_different_ways_at_most$

NAME	the memory of the tables is charged to the user's limit
NEEDS	root tp_btf
SERVICE	map-bytes = 6M
ASK	A: open; B: open; A: enable syscall:getpid:entry;
	B: enable syscall:getpid:entry; A: agg syscall:getpid:entry;
	B: agg syscall:getpid:entry; B: error; B: fullstat mode;
	B: agg syscall:getpid:entry rows=1000; B: fullstat mode; B: close;
	A: close
EXPECT	0 0 0 0 0 ENOMEM * 0 0 1 0 0
