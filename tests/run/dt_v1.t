# SPDX-License-Identifier: ISC
# The older interface: which hits the filter of a request passes, how its rate
# ticks, and what its statistics count.

NAME	a request for one process records only that process
CORE
NEEDS	root tp_btf
ASK	spawn W; spawn V; open; enable syscall:getuid:entry v1 pid=W;
	record on; in V call getuid 40; in W call getuid 100;
	in W thread call getuid 10; in V call getuid 40; record off; readall;
	count pid=W; count pid!=W; oldstats read; oldstats dropped; stats
EXPECT	0 0 0 0 0 0 0 0 0 0 110 110 0 110 0 same

NAME	a request that excludes a process does not record it
NEEDS	root tp_btf
ASK	spawn W; spawn V; spawn U; open; enable syscall:getuid:entry v1 pid!=W;
	record on; in W call getuid 100; in V call getuid 40;
	in W thread call getuid 10; in U call getuid 30; record off;
	readall; count pid=V; count pid=U; count pid=W
EXPECT	0 0 0 0 0 0 0 0 0 0 0 >=70 40 30 0

NAME	a request for one thread excludes the other threads of its process
NEEDS	root tp_btf
ASK	spawn W; open; enable syscall:getuid:entry v1 tid=W.t; record on;
	in W call getuid 100; in W thread call getuid 10; record off;
	readall; count tid=W.t; count tid!=W.t
EXPECT	0 0 0 0 0 0 0 10 10 0

NAME	a request can exclude one thread
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getuid:entry v1 tid!=W.t;
	record on; in W call getuid 100; in W thread call getuid 10; record off;
	readall; count tid=W; count tid!=W
EXPECT	0 0 0 0 0 0 0 0 100 100 0

NAME	an incomplete filter has no effect
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getuid:entry v1 op=1;
	enable syscall:getpid:entry v1 var=1; record on;
	in W call getuid 10; in W call getpid 20; record off; readall;
	count probe=syscall:getuid:entry; count probe=syscall:getpid:entry
EXPECT	0 0 0 0 0 0 0 0 0 30 10 20

NAME	each request has its own filter, in addition to the session's
NEEDS	root tp_btf
ASK	spawn W; spawn V; open; filter comm=ask;
	enable syscall:getuid:entry v1 pid=W;
	enable syscall:getpid:entry v1 pid=V;
	enable syscall:getppid:entry; record on; in W call getuid 1;
	in V call getuid 2; in W call getpid 4; in V call getpid 8;
	in W comm other; in W call getuid 16; in V call getppid 32; record off;
	readall; count probe=syscall:getuid:entry pid=W;
	count probe=syscall:getpid:entry pid=V;
	count probe=syscall:getppid:entry pid=V; count pid=W; count pid=V
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 * 1 8 32 1 40

NAME	a filter that was disabled with its probe does not return
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getuid:entry v1 pid=1;
	record on; in W call getuid 10; record off; readall;
	disable syscall:getuid:entry; enable syscall:getuid:entry; record on;
	in W call getuid 20; record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 20

NAME	a request that names the client itself records it
NEEDS	root tp_btf
ASK	open; enable syscall:getuid:entry v1 pid=self;
	enable syscall:getpid:entry; filter comm=ask; record on;
	do call getuid 5; do call getpid 5; record off; readall;
	count probe=syscall:getuid:entry; ledger excluded
EXPECT	0 0 0 0 0 0 0 0 5 5 >=5

NAME	a return is filtered like its entry
NEEDS	root tp_btf
ASK	spawn W; spawn V; open; enable syscall:getuid:return v1 pid=W;
	record on; in V call getuid 40; in W call getuid 100; record off;
	readall; count pid=W
EXPECT	0 0 0 0 0 0 0 0 100 100

NAME	a filter of the request works with stacks, too
NEEDS	root tp_btf
ASK	spawn W; spawn V; open;
	enable syscall:getuid:entry v1 pid=W flags=kstack,ustack,comm;
	record on; in V call getuid 40; in W call getuid 100; record off;
	readall; count pid=W kstack>0
EXPECT	0 0 0 0 0 0 0 0 100 100

NAME	a clock of the older request ticks at its rate, for its process only
NEEDS	root perf_event
ASK	spawn W; spawn V; open; enable profile:hz:97 v1 rate=100 pid=W
	flags=comm; record on; in V burn 200; in W burn 500; record off;
	readall; count pid=W; count pid!=W; oldstats dropped; stats
EXPECT	0 0 0 0 0 0 0 0 25..100 >=25 0 0 same

NAME	a clock of the older request can exclude a process
NEEDS	root perf_event
ASK	spawn W; spawn V; open; enable profile:hz:97 v1 rate=100 pid!=W;
	record on; in W burn 300; in V burn 500; record off;
	readall; count pid=V; count pid=W
EXPECT	0 0 0 0 0 0 0 0 >=25 >=25 0

NAME	a clock's filter does not stay for the next session in its slot
NEEDS	root perf_event
SERVICE
ASK	spawn W; A: open; A: enable profile:hz:97 v1 rate=100 pid=1;
	A: record on; A: record off; A: readall; A: close; B: open;
	B: enable profile:hz:97 nsecs=10000000; B: filter pid=W;
	B: record on; in W burn 500; B: record off; B: readall
EXPECT	0 0 0 0 0 * 0 0 0 0 0 0 0 >=25

NAME	both counters include dropped events
NEEDS	root tp_btf
ASK	spawn W; open; budget 1; enable syscall:getuid:entry v1 pid=W; record on;
	in W call getuid 200000; record off; readall; oldstats read;
	oldstats dropped; stats
EXPECT	0 0 0 0 0 0 0 >=1 >=1 >=1 same
