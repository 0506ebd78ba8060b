# SPDX-License-Identifier: ISC
# The filter by path of a session: an excluded call is not a hit, and a path
# that cannot be determined passes.

NAME	calls with paths elsewhere are not hits, neither at entry nor at return
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr/lib; enable syscall:openat:entry
	flags=strings; enable syscall:openat:return flags=strings; record on;
	in W call openat 7 args=-100,@text:/etc/nope;
	in W call openat 3 args=-100,@text:/usr/lib/nope;
	in W call openat 2 args=-100,@text:/usr/library-nope;
	in W call openat 5 args=-100,@text:/usr/li; record off; readall;
	count str=1:text=/usr/lib/nope; count str=1:text=/usr/library-nope;
	ledger fired; ledger excluded
EXPECT	0 0 0 0 0 0 0 ENOENT ENOENT ENOENT ENOENT 0 10 6 4 10 0

NAME	unreadable paths and paths with .. pass
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr; enable syscall:openat:entry;
	enable syscall:openat:return; enable syscall:utimensat:entry;
	record on; in W call openat args=-100,@text:nope;
	in W call openat args=-100,@text:../nope; in W call openat
	args=-100,@text:; in W call openat args=-100,@bad; in W call openat
	args=-100,@cut:/etc; in W call openat args=-100,0; in W call openat
	args=-100,@text:/nope; in W call utimensat args=-1,0;
	in W call utimensat args=-1,@text:/nope; in W call utimensat
	args=-1,@text:/usr/x; record off; readall; count nstr=0;
	count probe=*:openat:entry; count probe=*:openat:return;
	count probe=*:utimensat:entry
EXPECT	0 0 0 0 0 0 0 0 ENOENT ENOENT ENOENT EFAULT EFAULT EFAULT ENOENT EBADF
	ENOENT ENOENT 0 7 7 3 3 1

NAME	a relative path is tested together with its starting directory
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr/li; enable syscall:openat:entry
	flags=strings; enable syscall:chdir:entry; record on; in W call chdir
	args=@text:/usr; in W call openat 3 args=-100,@text:lib/nope; in W call
	openat 5 args=-100,@text:nope; in W call chdir args=@text:/; in W call
	openat 2 args=-100,@text:usr/lib/nope; in W call openat 4
	args=-100,@text:nope; in W call openat args=-100,@text:./nope; in W
	call openat args=77,@text:lib; record off; readall;
	count str=1:text=lib/nope; count str=1:text=usr/lib/nope;
	count str=1:text=./nope; count probe=*:chdir:entry
EXPECT	0 0 0 0 0 0 0 0 ENOENT ENOENT 0 ENOENT ENOENT ENOENT EBADF 0 8 3 2 1 2

NAME	a call with a descriptor is tested by the path of its file
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr; enable syscall:lseek:entry
	flags=paths; enable syscall:lseek:return; record on;
	in W call openat args=-100,@text:/etc,0; in W call lseek 3 args=@last;
	in W call openat args=-100,@text:/usr/lib,0;
	in W call lseek 4 args=@last; in W call lseek 5 args=77;
	in W call lseek 6 args=-1; record off; readall;
	count str=0:text=/usr/lib; count probe=*:return
EXPECT	0 0 0 0 0 0 0 0 0 0 0 EBADF EBADF 0 8 4 4

NAME	a path not yet in memory passes at entry and is tested at return
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr; enable syscall:openat:entry
	flags=strings; enable syscall:openat:return flags=strings; record on;
	in W call openat args=-100,@fresh:/etc/nope; in W call openat
	args=-100,@fresh:/usr/nope; record off; readall;
	count probe=*:entry str=1:err=EFAULT;
	count probe=*:return str=1:text=/usr/nope
EXPECT	0 0 0 0 0 0 0 ENOENT ENOENT 0 3 2 1

NAME	a call with two paths is excluded only if both are elsewhere
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr/; enable
	syscall:renameat2:entry flags=strings; record on;
	in W call renameat2 args=-100,@text:/nope/a,-100,@text:/nope/b;
	in W call renameat2 args=-100,@text:/usr/nope,-100,@text:/nope/b;
	in W call renameat2 args=-100,@text:/nope/c,-100,@text:/usr/b;
	in W call renameat2 args=-100,@text:/nope/d,-100,@text:../b;
	in W call renameat2 args=-100,@text:/nope/e,-100,@bad; record off;
	readall; count str=1:text=/nope/a; count str=3:text=/usr/b
EXPECT	0 0 0 0 0 0 ENOENT ENOENT ENOENT ENOENT ENOENT 0 4 0 1

NAME	calls without a path pass, and removing the filter passes all
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; path /usr; enable syscall:getpid:entry;
	enable syscall:close:return; enable syscall:openat:entry; record on;
	in W call getpid 5; in W call close 4; in W call openat 3; record off;
	readall; path; record on; in W call openat 3; record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 EBADF ENOENT 0 9 0 0 ENOENT 0 3

NAME	each session has its own filter of up to 255 characters
NEEDS	root tp_btf
SERVICE
ASK	spawn W; A: open; B: open; C: open; A: filter pid=W; B: filter pid=W;
	C: filter pid=W; A: path /aaaaaaaaa; B: path long=255;
	A: enable syscall:openat:entry flags=kstack; B: enable
	syscall:openat:entry; C: enable syscall:openat:entry; A: record on;
	B: record on; C: record on; in W call openat args=-100,@long:255;
	in W call openat args=-100,@long:254; in W call openat
	args=-100,@long:9; in W call openat args=-100,@long:4000; A: record
	off; B: record off; C: record off; A: readall; B: readall; C: readall;
	A: count kstack>0
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ENOENT ENOENT ENOENT ENAMETOOLONG 0 0 0
	3 2 4 3

NAME	32-bit calls are filtered by path, too
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; path /usr; enable syscall32:openat:entry
	flags=strings; enable syscall32:openat:return; record on;
	in W int80 295 3 args=-100,@text:/nope,0; in W int80 295 2
	args=-100,@text:/usr/nope,0; record off; readall;
	count str=1:text=/usr/nope
EXPECT	0 0 0 0 0 0 0 ENOENT ENOENT 0 4 2

NAME	a relative or malformed path is EINVAL
ASK	open; path relative; path /; path; ioctl SPATH fill=47; ioctl SPATH
	hex=2f00ffff; ioctl SPATH fill=255; ioctl SPATH hex=2f2f fill=0
EXPECT	0 EINVAL 0 0 EINVAL 0 EINVAL 0

NAME	the path cannot change while the session records
NEEDS	root tp_btf
ASK	open; enable syscall:openat:entry; record on; path /usr; path; path x;
	record off; path /usr
EXPECT	0 0 0 EBUSY EBUSY EINVAL 0 0
