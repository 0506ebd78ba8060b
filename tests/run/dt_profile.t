# SPDX-License-Identifier: ISC
# The profile provider: a clock on every CPU.  Where ticks of a process are
# counted, the period is not a multiple of the scheduler's.  Otherwise other
# threads would be on the CPU at every tick, or at none.

NAME	profile ticks at the requested rate and names the interrupted process
CORE
NEEDS	root perf_event quick
ASK	spawn W comm=burner; open; enable profile:hz:97 nsecs=1000000
	flags=comm,ustack,kstack; record on; in W burn 1000; record off;
	readall; count comm=burner pid=W; count comm=burner ustack>0;
	count nargs>0; ledger fired
EXPECT	0 0 0 0 0 0 >=120 >=120 >=120 0 >=120

NAME	a tick has the user and parent of the interrupted process
NEEDS	root perf_event
ASK	spawn W uid=65534; open; filter pid=W; enable profile:hz:97
	nsecs=2000000 flags=who,kstack; record on; in W burn 400; record off;
	readall; count uid=65534 ppid=self cgroup>0; count ppid!=self
EXPECT	0 0 0 0 0 0 0 >=20 >=20 0

NAME	ticks and skipped ticks together match the elapsed time
NEEDS	root perf_event
ASK	spawn W; open; filter pid=W; enable profile:hz:97 nsecs=9700000;
	record on; in W burn 1000; record off; readall
EXPECT	0 0 0 0 0 0 0 60..160

# A guest on a busy host has fewer ticks; the test does not depend on how many.
NAME	a filter passes only ticks that interrupt its process
CORE
NEEDS	root perf_event
ASK	spawn W; spawn V; open; filter pid=W; enable profile:hz:97
	nsecs=4700000; record on; in W burn 400; in V burn 100; record off;
	readall; count pid=W; count pid=V
EXPECT	0 0 0 0 0 0 0 0 0 10..130 >=10 0

NAME	a batched session receives all ticks, many at once
NEEDS	root perf_event
ASK	open batched; enable profile:hz:97 nsecs=1000000; record on; waits 600;
	record off; readall
EXPECT	0 0 0 1..40 0 >=600

NAME	a batched session receives rare events at once, and its end
NEEDS	root tp_btf
ASK	spawn W; open batched; filter pid=W; enable syscall:getpid:entry;
	record on; in W call getpid 1; read 1; in W call getpid 100; read 101;
	record off; readall
EXPECT	0 0 0 0 0 0 1 0 101 0 101

NAME	two sessions have separate clocks
NEEDS	root perf_event
SERVICE
ASK	spawn W; A: open; B: open; A: filter pid=W; B: filter pid=W;
	A: enable profile:hz:97 nsecs=1100000; B: enable profile:hz:97
	nsecs=11000000; A: record on; B: record on; in W burn 1000;
	A: record off; B: record off; A: readall; B: readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 545..1455 54..145

NAME	no tick follows RECORD 0, and a second run ticks again
NEEDS	root perf_event
ASK	spawn W; open; filter pid=W; enable profile:hz:97 nsecs=5000000;
	record on; in W burn 300; record off; readall; in W burn 300;
	next ms=50; record on; in W burn 300; record off; readall
EXPECT	0 0 0 0 0 0 0 >=10 0 0 0 0 0 >=10

NAME	DISABLE while recording ends the ticks, and none counts as skipped
NEEDS	root perf_event
ASK	spawn W; open; enable profile:hz:97 nsecs=1000000; record on;
	disable profile:hz:97; in W burn 1000; record off; readall;
	ledger skiptick
EXPECT	0 0 0 0 0 0 0 * 0..200

NAME	profile and system calls can be recorded in one session
NEEDS	root perf_event tp_btf
ASK	spawn W; open; filter pid=W; enable profile:hz:97 nsecs=5000000
	flags=kstack; enable syscall:getpid:entry flags=comm; record on;
	in W call getpid 30; in W burn 400; record off; readall;
	count probe=syscall:getpid:entry comm=ask; count probe=profile:hz:97
EXPECT	0 0 0 0 0 0 0 0 0 >=31 30 >=1

NAME	ticks on idle CPUs are not losses
NEEDS	root perf_event
ASK	spawn W; open; filter pid=W; enable profile:hz:97 nsecs=10000000;
	record on; in W burn 1000; record off; readall; ledger dropped;
	ledger recursed
EXPECT	0 0 0 0 0 0 0 >=1 0 0
