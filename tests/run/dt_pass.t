# SPDX-License-Identifier: ISC
# Low water on request: DTIOCPASS, and dt_passed() of libdt, which sends it.

NAME	low water arrives on request, also without any hit
CORE
NEEDS	root tp_btf
ASK	spawn W; open ordered; filter pid=W; enable syscall:getpid:entry; record on;
	passed; pass; passed; pass; in W call getpid; pass; record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 0 1 0 1

NAME	when a time has passed, all older hits were returned
CORE
NEEDS	root tp_btf
ASK	spawn W comm=p-%P; spawn V comm=p-%P; open ordered; filter comm=p-%P;
	enable syscall:getpid:entry; record on; in W call getpid 300; pass;
	in V call getpid 300; pass; in V call getpid; pass; in W call getpid 20;
	in V call getpid 20; in W thread call getpid 20; pass; sorted; record off;
	readall
EXPECT	0 0 0 0 0 0 0 300 0 600 0 601 0 0 0 661 1 0 661

NAME	events that were not read have not passed
CORE
NEEDS	root tp_btf
ASK	spawn W; open ordered; filter pid=W; enable syscall:getpid:entry; record on;
	in W call getpid 100; next ms=60000; passed; read 99; passed; pass; record off;
	readall
EXPECT	0 0 0 0 0 0 1 0 99 0 100 0 100

NAME	many requests at once leave no later one without low water
CORE
NEEDS	root tp_btf
ASK	spawn W; open ordered; filter pid=W; enable syscall:getpid:entry; record on;
	pass flood; in W call getpid 100; pass flood; pass; record off; readall
EXPECT	0 0 0 0 0 0 0 100 100 0 100

NAME	sessions with batches, and those that sort by themselves, get it as well
CORE
NEEDS	root tp_btf
ASK	spawn W; A: open ordered batched; A: filter pid=W; A: enable syscall:getpid:entry;
	A: record on; B: open flags=16; B: filter pid=W; B: enable syscall:getpid:entry;
	B: record on; in W call getpid 100; A: pass; B: pass lowwater; A: pass;
	B: pass lowwater; A: record off; A: readall; B: record off; B: readall
EXPECT	0 0 0 0 0 0 0 0 0 0 100 100 100 100 0 100 0 100

NAME	before a recording and after its end, every time has passed
CORE
NEEDS	root tp_btf
ASK	spawn W; open ordered; passed; ioctl PASS; filter pid=W;
	enable syscall:getpid:entry; passed future; record on; passed; passed future;
	in W call getpid; record off; readall; passed; passed future; ioctl PASS;
	record on; passed; in W call getpid 5; pass; record off; readall; passed
EXPECT	0 0 1 0 0 0 1 0 0 0 0 0 1 1 1 0 0 0 0 5 0 5 1

NAME	a session without low water refuses the request, and says why
CORE
ASK	open; ioctl PASS; error; passed; error; close; open batched; ioctl PASS
EXPECT	0 EINVAL
	the_session_was_opened_without_DT_OPEN_ORDERED_or_DT_OPEN_LOWWATER
	EINVAL dt_passed()_requires_DT_OPEN_ORDERED 0 0 EINVAL

NAME	when the daemon has gone, every time has passed
NEEDS	root tp_btf
ASK	open ordered; enable syscall:getpid:entry; filter pid=1; record on; pass;
	passed; killdtd; next ms=60000; passed; ioctl PASS
EXPECT	0 0 0 0 0 0 1 EPIPE 1 EPIPE
