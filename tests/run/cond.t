# SPDX-License-Identifier: ISC
# Conditions of enabled probes at the device: a firing that fails its condition
# is not a hit, neither fired nor lost.

NAME	each comparison of numbers works, signed and unsigned
CORE
NEEDS	root tp_btf quick
ASK	spawn W; A: open; B: open; C: open; D: open; E: open; F: open; G: open;
	A: filter pid=W; B: filter pid=W; C: filter pid=W; D: filter pid=W;
	E: filter pid=W; F: filter pid=W; G: filter pid=W;
	A: enable syscall:close:entry; B: enable syscall:close:entry;
	C: enable syscall:close:entry; D: enable syscall:close:entry;
	E: enable syscall:close:entry; F: enable syscall:close:entry;
	G: enable syscall:close:entry;
	A: if syscall:close:entry i=arg0/4s,eq,-1,pass,fail;
	B: if syscall:close:entry i=arg0/4s,ne,-1,pass,fail;
	C: if syscall:close:entry i=arg0/4s,lt,-1,pass,fail;
	D: if syscall:close:entry i=arg0/4s,le,-1,pass,fail;
	E: if syscall:close:entry i=arg0/4s,gt,-1,pass,fail;
	F: if syscall:close:entry i=arg0/4s,ge,-1,pass,fail;
	G: if syscall:close:entry i=arg0/4,lt,0xffffffff,pass,fail;
	A: record on; B: record on; C: record on; D: record on; E: record on;
	F: record on; G: record on; in W call close 1 args=-1;
	in W call close 2 args=-2; in W call close 4 args=-2147483648;
	in W call close 8 args=1000; in W call close 16 args=2147483647;
	A: record off; B: record off; C: record off; D: record off;
	E: record off; F: record off; G: record off; A: fullstat fired;
	B: fullstat fired; C: fullstat fired; D: fullstat fired; E: fullstat fired;
	F: fullstat fired; G: fullstat fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	EBADF EBADF EBADF EBADF EBADF 0 0 0 0 0 0 0 1 30 6 7 24 25 30

NAME	a comparison uses the given bytes, and bits of them
NEEDS	root tp_btf
ASK	spawn W; A: open; B: open; C: open; D: open; E: open; F: open;
	A: filter pid=W; B: filter pid=W; C: filter pid=W; D: filter pid=W;
	E: filter pid=W; F: filter pid=W;
	A: enable syscall:lseek:entry; B: enable syscall:lseek:entry;
	C: enable syscall:lseek:entry; D: enable syscall:lseek:entry;
	E: enable syscall:lseek:entry; F: enable syscall:lseek:entry;
	A: if syscall:lseek:entry i=arg1/1,eq,0xf0,pass,fail;
	B: if syscall:lseek:entry i=arg1/2s,eq,-8464,pass,fail;
	C: if syscall:lseek:entry i=arg1/4,eq,0x9abcdef0,pass,fail;
	D: if syscall:lseek:entry i=arg1/8,eq,0x123456789abcdef0,pass,fail;
	E: if syscall:lseek:entry i=arg1/8,eq,0xa00,pass,fail,0xf00;
	F: if syscall:lseek:entry i=arg1/1s,lt,0,pass,fail;
	A: record on; B: record on; C: record on; D: record on; E: record on;
	F: record on; in W call lseek 1 args=-1,0x123456789abcdef0;
	in W call lseek 2 args=-1,0xdef0; in W call lseek 4 args=-1,0x8abcdef0;
	in W call lseek 8 args=-1,0x170; in W call lseek 16 args=-1,0xa42f0;
	in W call lseek 32 args=-1,0xa73; A: record off; B: record off;
	C: record off; D: record off; E: record off; F: record off;
	A: fullstat fired; B: fullstat fired; C: fullstat fired; D: fullstat fired;
	E: fullstat fired; F: fullstat fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	EBADF EBADF EBADF EBADF EBADF EBADF 0 0 0 0 0 0 23 7 1 1 32 23

NAME	a condition can test results, and at the return the arguments, too
CORE
NEEDS	root tp_btf quick
ASK	spawn W; A: open; B: open; C: open; D: open; A: filter pid=W;
	B: filter pid=W; C: filter pid=W; D: filter pid=W;
	A: enable syscall:openat:return; B: enable syscall:openat:return;
	C: enable syscall:openat:return; D: enable syscall:openat:return;
	A: if syscall:openat:return i=errno,eq,2,pass,fail;
	B: if syscall:openat:return i=ret,ge,0,pass,fail;
	C: if syscall:openat:return i=arg2/4,ne,0,1,fail,0x40
	i=errno,ne,0,pass,fail;
	D: if syscall:openat:return i=str1,prefix,@/dev/,1,fail
	i=ret,lt,0,pass,fail; A: record on; B: record on; C: record on;
	D: record on; in W call openat 1 args=-100,@text:/nope,0;
	in W call openat 2 args=-100,@text:/dev/null,0;
	in W call openat 4 args=-100,@text:/dev/nope,0;
	in W call openat 8 args=-100,@text:/nope/x,0x40;
	in W call openat 16 args=-100,@text:/dev/null/x,0; A: record off;
	B: record off; C: record off; D: record off; A: fullstat fired;
	B: fullstat fired; C: fullstat fired; D: fullstat fired; D: readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ENOENT 0 ENOENT ENOENT
	ENOTDIR 0 0 0 0 13 2 8 20 20

NAME	a condition can test the process, thread, user, CPU and name
NEEDS	root tp_btf
ASK	spawn V; spawn W uid=1234 comm=cond-name; A: open; B: open; C: open;
	D: open; E: open; F: open; A: enable syscall:getppid:entry;
	B: enable syscall:getppid:entry; C: enable syscall:getppid:entry;
	D: enable syscall:getppid:entry; E: enable syscall:getppid:entry;
	F: enable syscall:getppid:entry;
	A: if syscall:getppid:entry i=pid,eq,V,1,fail i=tid,ne,V,pass,fail;
	B: if syscall:getppid:entry i=tid,eq,V.2,pass,fail;
	C: if syscall:getppid:entry i=uid,eq,1234,1,fail i=pid,eq,W,pass,fail;
	D: if syscall:getppid:entry i=comm,eq,@cond-name,pass,fail;
	E: if syscall:getppid:entry i=comm,prefix,@cond-n,pass,fail;
	F: if syscall:getppid:entry i=cpu,lt,0x10000,1,fail i=pid,eq,W,2,3
	i=comm,ne,@cond-name,pass,fail i=pid,eq,V,pass,fail;
	A: record on; B: record on; C: record on; D: record on; E: record on;
	F: record on; in V call getppid 1; in V thread call getppid 2;
	in W call getppid 4; A: record off; B: record off; C: record off;
	D: record off; E: record off; F: record off; A: fullstat fired;
	B: fullstat fired; C: fullstat fired; D: fullstat fired; E: fullstat fired;
	F: fullstat fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	2 2 4 4 4 3

NAME	a condition can test a text or its beginning, of every length
CORE
NEEDS	root tp_btf quick
ASK	spawn W; A: open; B: open; C: open; D: open; E: open; A: filter pid=W;
	B: filter pid=W; C: filter pid=W; D: filter pid=W; E: filter pid=W;
	A: enable syscall:openat:entry; B: enable syscall:openat:entry;
	C: enable syscall:openat:entry; D: enable syscall:openat:entry;
	E: enable syscall:openat:entry;
	A: if syscall:openat:entry i=str1,eq,@/nope/x,pass,fail;
	B: if syscall:openat:entry i=str1,prefix,@/nope/x,pass,fail;
	C: if syscall:openat:entry i=str1,ne,@/nope/x,pass,fail;
	D: if syscall:openat:entry i=str1,eq,@,pass,fail;
	E: if syscall:openat:entry
	i=str1,eq,@/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,pass,1
	i=str1,prefix,@/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,2,fail
	i=arg2/4,eq,7,pass,fail;
	A: record on; B: record on; C: record on; D: record on; E: record on;
	in W call openat 1 args=-100,@text:/nope/x;
	in W call openat 2 args=-100,@text:/nope/xy;
	in W call openat 4 args=-100,@text:/nope/;
	in W call openat 8 args=-100,@text:;
	in W call openat 16 args=-100,@edge:/nope/x;
	in W call openat 32 args=-100,0;
	in W call openat 64 args=-100,@long:63,7;
	in W call openat 128 args=-100,@long:64,0;
	in W call openat 256 args=-100,@long:65,0;
	in W call openat 512 args=-100,@long:65,7;
	in W call openat 1024 args=-100,@long:3000,7;
	A: record off; B: record off; C: record off; D: record off;
	E: record off; A: fullstat fired; B: fullstat fired; C: fullstat fired;
	D: fullstat fired; E: fullstat fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	ENOENT ENOENT ENOENT ENOENT ENOENT EFAULT ENOENT ENOENT ENOENT ENOENT ENAMETOOLONG
	0 0 0 0 0 17 19 2030 8 1664

NAME	a text not yet in memory passes at the entry and is tested at the return
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry;
	enable syscall:openat:return;
	if syscall:openat:entry i=str1,eq,@/nope,pass,fail;
	if syscall:openat:return i=str1,eq,@/nope,pass,fail; record on;
	in W call openat args=-100,@fresh:/nope;
	in W call openat args=-100,@fresh:/none;
	in W call openat args=-100,@bad; in W call openat args=-100,@text:/none;
	record off; readall; count probe=*:entry; count probe=*:return
EXPECT	0 0 0 0 0 0 0 0 ENOENT ENOENT EFAULT ENOENT 0 5 3 2

NAME	a text next to an unmapped page is read as far as it counts
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry;
	if syscall:openat:entry i=str1,prefix,@/nop,pass,fail; record on;
	in W call openat 2 args=-100,@cut:/nope;
	in W call openat 4 args=-100,@cut:/none; record off; fullstat fired
EXPECT	0 0 0 0 0 0 EFAULT EFAULT 0 2

NAME	&& and || combine up to 16 comparisons
NEEDS	root tp_btf
ASK	spawn W; A: open; B: open; A: filter pid=W; B: filter pid=W;
	A: enable syscall:close:entry; B: enable syscall:close:entry;
	A: if syscall:close:entry i=arg0/4s,lt,0,1,2 i=arg0/4s,ge,-5,pass,2
	i=arg0/4s,eq,1000,pass,fail;
	B: if syscall:close:entry i=arg0,eq,1001,pass,1 i=arg0,eq,1002,pass,2
	i=arg0,eq,1003,pass,3 i=arg0,eq,1004,pass,4 i=arg0,eq,1005,pass,5
	i=arg0,eq,1006,pass,6 i=arg0,eq,1007,pass,7 i=arg0,eq,1008,pass,8
	i=arg0,eq,1009,pass,9 i=arg0,eq,1010,pass,10 i=arg0,eq,1011,pass,11
	i=arg0,eq,1012,pass,12 i=arg0,eq,1013,pass,13 i=arg0,eq,1014,pass,14
	i=arg0,eq,1015,pass,15 i=arg0,eq,1016,pass,fail;
	A: record on; B: record on; in W call close 1 args=-5;
	in W call close 2 args=-6; in W call close 4 args=1000;
	in W call close 8 args=1016; in W call close 16 args=1001;
	in W call close 32 args=1017; A: record off; B: record off;
	A: fullstat fired; B: fullstat fired
EXPECT	0 0 0 0 0 0 0 0 0 0 0 EBADF EBADF EBADF EBADF EBADF EBADF 0 0 5 24

NAME	a condition can be replaced and removed
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:close:entry;
	if syscall:close:entry i=arg0/4s,eq,-1,pass,fail;
	if syscall:close:entry i=arg0/4s,eq,-2,pass,fail; record on;
	in W call close 1 args=-1; in W call close 2 args=-2; record off;
	readall; if syscall:close:entry; record on; in W call close 4 args=-1;
	record off; clear; readall; disable syscall:close:entry;
	enable syscall:close:entry; record on; in W call close 8 args=-1;
	record off; clear; readall
EXPECT	0 0 0 0 0 0 0 EBADF EBADF 0 2 0 0 EBADF 0 0 4 0 0 0 EBADF 0 0 8

NAME	a failed condition is not fired, not excluded and cannot fill a ring
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; budget 1; ioctl NOLIMIT int=1;
	enable syscall:close:entry;
	if syscall:close:entry i=arg0/4s,eq,-2,pass,fail; record on;
	in W call close 50000 args=-1; in W call close 3 args=-2; record off;
	readall; fullstat fired; ledger dropped; ledger excluded
EXPECT	0 0 0 0 0 0 0 0 EBADF EBADF 0 3 3 0 0

NAME	conditions work with stacks and strings, too
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W;
	enable syscall:openat:entry flags=args,strings,kstack,who;
	if syscall:openat:entry i=str1,prefix,@/nope,pass,fail; record on;
	in W call openat 3 args=-100,@text:/nope;
	in W call openat 5 args=-100,@text:/none; record off; readall;
	fullstat fired; count str=1:text=/nope
EXPECT	0 0 0 0 0 0 ENOENT ENOENT 0 3 3 3

NAME	each session has its own condition per probe, on 128 probes at once
NEEDS	root tp_btf full
RUN	conds many
EXPECT	128 opens, each its own hits

NAME	equal conditions share an entry, and entries are freed
NEEDS	root tp_btf
RUN	conds lines
EXPECT	1023 different, then ENOSPC; equal ones have room; all come back

NAME	a probe not enabled is ENOENT, then a session that records is EBUSY
CORE
NEEDS	root tp_btf
ASK	open; if pbn=4000000000; error; enable syscall:close:entry;
	if syscall:openat:entry i=pid,eq,1,pass,fail; record on;
	if syscall:close:entry i=pid,eq,1,pass,fail;
	if syscall:openat:entry i=pid,eq,1,pass,fail;
	if syscall:close:entry poke=4:1; record off;
	if syscall:close:entry poke=4:1; error;
	if syscall:close:entry i=pid,eq,1,pass,fail
EXPECT	0 ENOENT probe_4000000000_is_not_enabled 0 ENOENT 0 EBUSY ENOENT EBUSY 0 EINVAL dtcn_reserved_is_not_0 0

NAME	an invalid condition is EINVAL with the reason
NEEDS	root tp_btf
ASK	open; enable syscall:close:entry;
	if syscall:close:entry i=arg1,eq,1,pass,fail; error;
	if syscall:close:entry i=ret,eq,1,pass,fail; error;
	if syscall:close:entry i=errno,eq,1,pass,fail; error;
	if syscall:close:entry i=arg0,eq,1,0,fail; error;
	if syscall:close:entry i=arg0,eq,1,1,fail; error;
	if syscall:close:entry i=arg0,eq,1,pass,fail poke=8:17; error;
	if syscall:close:entry i=arg0/3,eq,1,pass,fail; error;
	if syscall:close:entry i=arg0,prefix,1,pass,fail; error;
	if syscall:close:entry i=comm,lt,@x,pass,fail; error;
	if syscall:close:entry i=arg0,eq,1,pass,fail poke=783:1; error
EXPECT	0 0 EINVAL instruction_0:_this_probe_has_no_argument_1 EINVAL instruction_0:_this_probe_has_no_return_value EINVAL instruction_0:_this_probe_has_no_errno EINVAL instruction_0:_continues_at_0,_which_does_not_follow_it EINVAL instruction_0:_continues_at_1,_after_the_last_instruction EINVAL a_condition_has_16_instructions_at_most EINVAL instruction_0:_op_size_3_is_not_a_size_of_argument EINVAL instruction_0:_a_number_has_no_prefix EINVAL instruction_0:_texts_are_equal_or_not,_or_have_a_prefix EINVAL bytes_of_the_condition_that_are_not_used_are_not_0

NAME	a refused condition leaves the previous one in force
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:close:entry;
	if syscall:close:entry i=arg0/4s,eq,-2,pass,fail;
	if syscall:close:entry i=arg9,eq,1,pass,fail; record on;
	in W call close 1 args=-1; in W call close 2 args=-2; record off;
	fullstat fired
EXPECT	0 0 0 0 0 EINVAL 0 EBADF EBADF 0 2

NAME	profile accepts conditions on the thread only, interval accepts none
NEEDS	root tp_btf
ASK	open; enable profile:hz:97 nsecs=10000000;
	enable interval:hz:1 nsecs=1000000000;
	if profile:hz:97 i=arg0,eq,1,pass,fail;
	if profile:hz:97 i=errno,eq,1,pass,fail;
	if profile:hz:97 i=uid,eq,0x7ffffff0,1,fail i=comm,eq,@x,2,pass
	i=cpu,ge,0,pass,fail; if interval:hz:1 i=cpu,ge,0,pass,fail; error;
	record on; do call getpid 100; record off; fullstat fired
OUT	^0 0 0 EINVAL EINVAL 0 EINVAL probes_of_provider_interval_take_no_condition 0 [0-9]+ 0 [01]$

NAME	process numbers are those of the client's pid namespace
NEEDS	root tp_btf mounts unshare
SERVICE
RUN	ask until stop call getppid 1 & unshare -p -f --mount-proc sh -c '
	echo "spawn W; spawn V; open; enable syscall:getppid:entry;
	if syscall:getppid:entry i=pid,eq,W,1,fail i=tid,lt,20,pass,fail;
	record on; in W call getppid 5; in V call getppid 3; record off;
	readall; count pid=W" | ask'; : >stop; wait
EXPECT	0 0 0 0 0 0 0 0 0 5 5

NAME	arguments of 32-bit calls are compared at their own width and sign
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall32:process_vm_readv:entry;
	if syscall32:process_vm_readv:entry i=arg0/4s,lt,0,1,fail
	i=arg1,eq,22,pass,fail; record on;
	in W int80 347 2 args=0x1ffffffff,0x200000016;
	in W int80 347 4 args=1,22; in W int80 347 8 args=-1,23; record off;
	fullstat fired
EXPECT	0 0 0 0 0 0 0 0 0 0 2
