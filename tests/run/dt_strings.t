# SPDX-License-Identifier: ISC
# Data that arguments point to: paths, argv, structs, buffers, read at the entry
# of a call and at its return.

NAME	a path is recorded at entry and, flagged, at return
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry
	flags=args,strings; enable syscall:openat:return flags=strings;
	record on; in W call openat 3; record off; readall;
	count probe=*:entry nstr=1 nargs=4 strbytes=32
	str=1:text=/nonexistent/ask,len=16,true=16,err=0,flags=0;
	count probe=*:return nstr=1 error=ENOENT
	str=1:text=/nonexistent/ask,len=16,true=16,err=0,flags=1
EXPECT	0 0 0 0 0 0 ENOENT 0 6 3 3

NAME	a path of 4095 characters is complete, longer ones are cut and flagged
CORE
NEEDS	root tp_btf quick
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry flags=strings;
	enable syscall:openat:return flags=strings; record on;
	in W call openat args=-100,@long:4094; in W call openat
	args=-100,@long:4095; in W call openat args=-100,@long:4096;
	in W call openat args=-100,@long:5000; in W call openat
	args=-100,@long:65534; in W call openat args=-100,@long:65535;
	in W call openat args=-100,@long:200000; record off; readall;
	count str=1:len=4094,true=4094; count str=1:len=4095,true=4095;
	count str=1:len=4095,true=4096; count str=1:len=4095,true=5000;
	count str=1:len=4095,true=65534; count str=1:len=4095,true=65535
EXPECT	0 0 0 0 0 0 ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG
	ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG 0 14 2 2 2 2 2 4

NAME	paths of every length are complete, with no bytes after the end
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry flags=strings;
	record on; in W call openat args=-100,@edge:/; in W call openat
	args=-100,@edge:/123456; in W call openat args=-100,@edge:/1234567;
	in W call openat args=-100,@edge:/12345678; in W call openat
	args=-100,@text:; record off; readall;
	count str=1:text=/ strbytes=24; count str=1:text=/123456 strbytes=24;
	count str=1:text=/1234567 strbytes=24;
	count str=1:text=/12345678 strbytes=32;
	count str=1:text=,len=0,err=0 strbytes=16
EXPECT	0 0 0 0 0 * ENOENT ENOENT ENOENT ENOENT 0 5 1 1 1 1 1

NAME	unreadable memory has length 0 and EFAULT; NULL has no string
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry flags=strings;
	enable syscall:openat:return flags=strings; record on;
	in W call openat args=-100,@bad; in W call openat args=-100,@cut:/abcd;
	in W call openat args=-100,-1; in W call openat args=-100,0;
	record off; readall; count probe=*:entry
	str=1:len=0,true=0,err=EFAULT,flags=0 nstr=1; count probe=*:return
	str=1:len=0,true=0,err=EFAULT,flags=1 nstr=1 error=EFAULT; count nstr=0
EXPECT	0 0 0 0 0 0 EFAULT EFAULT EFAULT EFAULT 0 8 3 3 2

NAME	a page not in memory at entry is read at return
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:openat:entry flags=strings;
	enable syscall:openat:return flags=strings; record on;
	in W call openat args=-100,@fresh:/not/yet; record off; readall;
	count probe=*:entry str=1:err=EFAULT,len=0;
	count probe=*:return str=1:text=/not/yet
EXPECT	0 0 0 0 0 0 ENOENT 0 2 1 1

NAME	a call with two paths has both, by argument
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:renameat2:entry
	flags=args,strings; enable syscall:renameat2:return flags=strings;
	record on; in W call renameat2 args=-100,@text:/nope/a,-100,@text:b;
	in W call renameat2 args=-100,@bad,-100,@text:b; in W call renameat2
	args=-100,@long:4095,-100,@long:9000; record off; readall;
	count nstr=2 str=1:text=/nope/a str=3:text=b;
	count nstr=2 str=1:err=EFAULT str=3:text=b;
	count nstr=2 str=1:len=4095,true=4095 str=3:len=4095,true=9000
EXPECT	0 0 0 0 0 0 ENOENT EFAULT ENAMETOOLONG 0 6 2 2 2

NAME	a 32-bit call has its strings, too
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall32:openat:entry
	flags=args,strings; enable syscall32:openat:return flags=strings;
	enable syscall32:execve:entry flags=strings; enable
	syscall32:execve:return flags=strings; record on;
	in W int80 295 args=-100,@text:/nope,0; in W int80 295
	args=-100,0x700000000,0; in W int80 295 args=-100,@bad,0; in W int80 11
	args=@text:/nope/x,@vec32:x+yy+zzz,0; in W int80 11
	args=@text:/nope/x,@many32:100:3,0; record off; readall;
	count probe=*:openat:entry str=1:text=/nope,flags=0;
	count probe=*:openat:return str=1:text=/nope,flags=1;
	count probe=*:openat:* nstr=0; count str=1:err=EFAULT;
	count probe=*:entry str=0:text=/nope/x str=1:text=x,nth=0,flags=8
	str=1:text=yy,nth=1 str=1:text=zzz,nth=2,flags=8 nstr=4;
	count probe=*:return str=0:text=/nope/x,flags=1
	str=1:text=x,nth=0,flags=9 str=1:text=zzz,nth=2,flags=9 nstr=4;
	count nstr=66 str=1:text=/aa,nth=63 str=1:true=36,nth=64,len=0
EXPECT	0 0 0 0 0 0 0 0 ENOENT EFAULT EFAULT ENOENT ENOENT 0 10 1 1 2 2 1 1
	2

NAME	execve has its argv in order, and the number of omitted arguments
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:execve:entry
	flags=args,strings; enable syscall:execve:return flags=strings;
	record on; in W call execve args=@text:/nope/x,@vec:x+yy+zzz,0;
	in W call execve args=@text:/nope/x,@many:64:8,0;
	in W call execve args=@text:/nope/x,@many:65:8,0;
	in W call execve args=@text:/nope/x,@many:1000:8,0; record off; readall;
	count probe=*:entry nstr=4 str=0:text=/nope/x,flags=0
	str=1:text=x,nth=0,flags=8 str=1:text=yy,nth=1,flags=8
	str=1:text=zzz,nth=2,flags=8; count probe=*:return nstr=4
	str=0:text=/nope/x,flags=1 str=1:text=zzz,nth=2,flags=9;
	count nstr=65 str=1:nth=63,len=8;
	count nstr=66 str=1:nth=64,flags=0x18,true=1,len=0;
	count probe=*:return nstr=66 str=1:nth=64,flags=0x19,true=936,len=0;
	count probe=*:entry nstr=66 str=1:nth=64,flags=0x18,true=936,len=0
EXPECT	0 0 0 0 0 0 ENOENT ENOENT ENOENT ENOENT 0 8 1 1 2 1 1 1

NAME	an argv that is too long is cut at a record's limit and flagged
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:execve:entry
	flags=all; enable syscall:execve:return flags=strings;
	record on; in W call execve args=@text:/nope/x,@many:40:3000,0;
	in W call execve args=@long:4095,@many:3:9000,0;
	in W call execve args=@text:/nope/x,@many:70000:1,0;
	record off; readall; count strbytes=16384 nstr=8 str=1:nth=4,len=3000
	str=1:nth=5,true=3000,flags=8,len=1304
	str=1:nth=6,flags=0x18,len=0,true=34;
	count nstr=4 str=0:len=4095,true=4095
	str=1:nth=1,flags=8,true=9000,len=4095
	str=1:nth=2,flags=8,true=9000,len=4048; count probe=*:return
	strbytes<2000 nstr=66 str=1:nth=64,flags=0x19,true=65535
EXPECT	0 0 0 0 0 0 ENOENT ENAMETOOLONG ENOENT 0 6 1 1 1

NAME	an argv unreadable in whole or in part has EFAULT where reading failed
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:execve:entry
	flags=strings; record on; in W call execve args=@text:/nope/x,@bad,0;
	in W call execve args=@text:/nope/x,@endless:3,0;
	in W call execve args=@text:/nope/x,@endless:1000,0;
	in W call execve args=@text:/nope/x,0,0; record off; readall;
	count nstr=2 str=0:text=/nope/x str=1:err=EFAULT,nth=0,flags=8;
	count nstr=5 str=1:nth=2,text=/ str=1:err=EFAULT,nth=3,len=0;
	count nstr=66 str=1:nth=64,flags=0x18,true=936;
	count nstr=1 str=0:text=/nope/x
EXPECT	0 0 0 0 0 * * * ENOENT 0 4 1 1 1 1

NAME	after a successful execve there are no strings
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W set=0x11; enable syscall:execve:entry
	flags=strings; enable syscall:execve:return flags=strings; record on;
	in W child call execve args=@text:/bin/true,@vec:true+one,0;
	record off; readall;
	count probe=*:entry nstr=3 str=0:text=/bin/true str=1:text=one,nth=1;
	count probe=*:return nstr=0 retval=0
EXPECT	0 0 0 0 0 0 0 0 2 1 1

NAME	the flag does not change calls without strings
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry
	flags=strings,memory,data; enable syscall:close:return
	flags=strings,memory,data; record on; in W call getpid 5;
	in W call close 5; record off; readall; count nstr=0 strbytes=0
EXPECT	0 0 0 0 0 0 0 EBADF 0 10 10

NAME	structs are read at their full length or not at all
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:nanosleep:entry
	flags=args,memory; enable syscall:connect:entry flags=memory;
	enable syscall:connect:return flags=memory; record on;
	in W call nanosleep
	args=@memedge:00000000000000000100000000000000; in W call nanosleep
	args=@memedge:000000000000000001000000000000;
	in W call connect args=-1,@memedge:0100414243,5;
	in W call connect args=-1,@memedge:0100414243,6;
	in W call connect args=-1,@mem:0100414243,0x500000002;
	in W call connect args=-1,@mem:01004142,1000; in W call connect
	args=-1,@mem:01004142,0; record off; readall;
	count str=0:hex=00000000000000000100000000000000,flags=2,true=16;
	count str=0:err=EFAULT,len=0; count str=1:hex=0100414243,true=5,err=0;
	count str=1:err=EFAULT; count str=1:hex=0100,true=2;
	count str=1:len=128,true=1000; count str=1:len=0,true=0,err=0
EXPECT	0 0 0 0 0 0 0 0 EFAULT EBADF EBADF EBADF EBADF EBADF 0 12 1 1 1 1 1
	1 1

NAME	data that is read and written is recorded up to the limit
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:write:entry
	flags=args,data; enable syscall:read:return flags=data,strings; record
	on; in W call write args=-1,@text:hello,5; in W call write
	args=-1,@long:100,100; in W call write args=-1,@long:100,0x100000000;
	in W call write args=-1,@text:hello,0; in W eintr read restart;
	in W call read args=-1,@text:hello,5; record off; readall;
	count str=1:text=hello,true=5,flags=4;
	count str=1:len=32,true=100,flags=4; count str=1:len=32,true=65535;
	count str=1:len=0,true=0,err=0; count probe=*:return nstr=1
	str=1:len=1,true=1,flags=5; count probe=*:return nstr=0 retval=-1
EXPECT	0 0 0 0 0 0 EBADF EBADF EBADF EBADF 0 EBADF 0 >=7 1 1 1 1 1 >=1

NAME	a length that is stored in memory is used
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getsockname:return
	flags=memory; record on; in W call socket; in W call getsockname
	args=@last,@mem:ffffffff,@mem:10000000; in W call getsockname
	args=-1,@mem:ffffffff,@mem:10000000; record off; readall;
	count str=1:hex=0100,true=2,err=0,flags=3 nstr=2; count nstr=0
	error=EBADF
EXPECT	0 0 0 0 0 0 0 EBADF 0 2 1 1

NAME	records with strings that do not fit into a small ring are dropped
NEEDS	root tp_btf
ASK	spawn W; open; budget 65536; filter pid=W; enable syscall:execve:entry
	flags=all; record on; in W call execve 200
	args=@long:4000,@many:60:3000,0; record off; readall;
	count nstr=7 strbytes=16384; ledger fired; ledger dropped
EXPECT	0 0 0 0 0 0 ENAMETOOLONG 0 >=3 >=3 200 >=1

NAME	the longest records arrive in order of time
NEEDS	root tp_btf
ASK	spawn W; spawn V; open ordered; budget 8388608; enable
	syscall:execve:entry flags=all; enable syscall:execve:return
	flags=strings; record on; in W call execve 60
	args=@long:4000,@many:60:3000,0; in V call execve 60
	args=@long:4000,@many:60:3000,0; in W call execve 20
	args=@long:9,@vec:a+b,0; record off; readall; count pid=W
	strbytes=16384; count pid=V strbytes=16384; count pid=W nstr=3; sorted
EXPECT	0 0 0 0 0 0 0 ENAMETOOLONG ENAMETOOLONG ENOENT 0 >=280 120 120 40 1

NAME	strings combine with stacks, name and owner
NEEDS	root tp_btf
ASK	spawn W comm=all-of-it; open; filter pid=W;
	enable syscall:execve:entry flags=all;
	enable syscall:execve:return flags=all; record on;
	in W call execve 50 args=@text:/nope/x,@vec:x+yy,0; record off;
	readall; count kstack>0 ustack>0 comm=all-of-it cgroup>0 nstr=3
	str=0:text=/nope/x str=1:text=yy,nth=1; count probe=*:return
	error=ENOENT kstack>0 nstr=3
EXPECT	0 0 0 0 0 0 ENOENT 0 100 100 50
