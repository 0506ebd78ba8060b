# SPDX-License-Identifier: ISC
# The syscall32 provider: calls of 32-bit programs, and of 64-bit threads that
# make a 32-bit call, but no calls of the 64-bit table.

NAME	a 32-bit call of a 64-bit thread has its name, arguments and result
CORE
NEEDS	root tp_btf int80
ASK	spawn W comm=w32; open; filter pid=W;
	enable syscall32:process_vm_readv:entry flags=args,comm;
	enable syscall32:process_vm_readv:return flags=args,comm; record on;
	in W int80 347 4 args=-1,22,33,44,55,66; record off; readall;
	count probe=syscall32:process_vm_readv:entry pid=W tid=W comm=w32
	nargs=6 arg0=0xffffffff arg1=22 arg2=33 arg3=44 arg4=55 arg5=66;
	count probe=syscall32:process_vm_readv:return pid=W tid=W comm=w32
	nargs=0 retval=-1 error=EINVAL; recent 600
EXPECT	0 0 0 0 0 0 EINVAL 0 8 4 4 8

NAME	32-bit arguments exclude the upper halves of registers
CORE
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W;
	enable syscall32:process_vm_readv:entry flags=args; record on;
	in W int80 347 args=0x1ffffffff,0x200000016,0x700000000,0x7fffffff80000000,-2,0x600000042;
	record off; readall;
	count arg0=0xffffffff arg1=22 arg2=0 arg3=0x80000000 arg4=0xfffffffe
	arg5=66
EXPECT	0 0 0 0 0 EINVAL 0 1 1

NAME	results are 32 bits: an address above 2 GB is not an error
CORE
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall32:mmap2:return;
	enable syscall32:munmap:return; enable syscall32:getpid:return;
	enable syscall32:close:return; record on;
	in W int80 192 args=0xf0000000,4096,1,0x32,-1,0;
	in W int80 91 args=0xf0000000,4096; in W int80 20; in W int80 6;
	record off; readall;
	count probe=syscall32:mmap2:return retval=0xf0000000 error=0;
	count probe=syscall32:munmap:return retval=0 error=0;
	count probe=syscall32:getpid:return retval>1 error=0;
	count probe=syscall32:close:return retval=-1 error=EBADF
EXPECT	0 0 0 0 0 0 0 0 0 0 0 EBADF 0 4 1 1 1 1

NAME	a 32-bit call that a handled signal ends has ERESTART, not EINTR
CORE
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall32:pause:return;
	record on; in W eintr int80; record off; readall;
	count probe=syscall32:pause:return retval=-1 error=ERESTARTNOHAND
EXPECT	0 0 0 0 0 EINTR 0 1 1

NAME	all flags combine, on entry and return of a 32-bit call
NEEDS	root tp_btf int80
ASK	spawn W comm=all-of-32; open; filter pid=W;
	enable syscall32:process_vm_readv:entry flags=all;
	enable syscall32:process_vm_readv:return flags=all; record on;
	in W int80 347 50 args=-1,2,3,4,5,6; record off; readall;
	count probe=*:entry nargs=6 arg5=6 comm=all-of-32 kstack>0 ustack>0
	cgroup>0; count probe=*:return retval=-1 error=EINVAL comm=all-of-32
	kstack>0 ustack>0 cgroup>0
EXPECT	0 0 0 0 0 0 EINVAL 0 100 50 50

NAME	each call belongs to one provider: the counts of both add up
NEEDS	root tp_btf int80
TIMEOUT	120
ASK	spawn W; open; filter pid=W; enableall syscall32:* flags=args,comm;
	enableall syscall:* flags=args,comm; record on; in W int80 20 30;
	in W call getpid 5; in W call writev 4; in W int80 39 3;
	record off; readall; count probe=syscall32:*;
	count probe=syscall32:getpid:entry;
	count probe=syscall32:getpid:return; count probe=syscall32:mkdir:*;
	count probe=syscall:getpid:entry; count probe=syscall:writev:return;
	count probe=syscall:mkdir:*; ledger compat
EXPECT	0 0 0 >=700 >=700 0 0 0 EBADF EFAULT 0 >=60 66 30 30 6 5 4 0 0

NAME	recorded 32-bit calls are not counted as missing
NEEDS	root tp_btf int80
SERVICE
ASK	spawn W; A: open; B: open; C: open; D: open; A: filter pid=W;
	B: filter pid=W; C: filter pid=W; D: filter pid=W;
	A: enable syscall:getpid:entry; B: enable syscall:getpid:entry;
	B: enable syscall32:getpid:entry; C: enable syscall:getpid:entry;
	C: enable syscall32:getpid:return; D: enable syscall32:getpid:entry;
	A: record on; B: record on; C: record on; D: record on;
	in W int80 20 30; in W int80 39 4; in W call getpid 7; A: record off;
	B: record off; C: record off; D: record off; A: readall; B: readall;
	C: readall; D: readall; A: ledger compat; B: ledger compat;
	C: ledger compat; D: ledger compat
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 EFAULT 0 0 0 0 0 7 37 37
	30 34 4 4 0

NAME	disabling the last 64-bit call ends the counting; 32-bit calls continue
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall32:getpid:entry; record on; in W int80 39 2;
	disable syscall:getpid:entry; in W int80 39 3; in W int80 20 5;
	record off; readall; ledger compat
EXPECT	0 0 0 0 0 0 EFAULT 0 EFAULT 0 0 5 2

NAME	the session's filter applies to 32-bit calls
NEEDS	root tp_btf int80
ASK	spawn W; spawn V; open; filter pid=W; enable syscall32:getpid:entry;
	record on; in V int80 20 5; in W int80 20 3; record off; readall;
	count pid=W
EXPECT	0 0 0 0 0 0 0 0 0 3 3

NAME	arguments have the types and names of the 32-bit call
NEEDS	int80
ASK	open; args syscall32:clone:entry; args syscall32:pread64:entry;
	args syscall32:mmap:entry; args syscall32:open:entry;
	args syscall32:open:return
EXPECT	0
	unsigned_long:clone_flags,unsigned_long:newsp,int_*:parent_tidptr,unsigned_long:tls,int_*:child_tidptr
	unsigned_int:fd,char_*:ubuf,u32:count,u32:poslo,u32:poshi
	struct_mmap_arg_struct32_*:arg
	const_char_*:filename(path),int:flags,umode_t:mode none

NAME	dt record prints each call of a 32-bit program, in order
NEEDS	root tp_btf int80 as32 jq
RUN	as --32 -o c.o "$S/tests/run/prog/calls32.s" &&
	ld -m elf_i386 -o calls32 c.o &&
	dt record -j 'syscall32:*' -- ./calls32 >j && jq -r 'select(.probe) |
	[.probe[10:], (.args // {} | del(.filename, .argv, .envp, .ubuf,
	.uname, .result) | with_entries(select(.key != "fd" or .value < 0)) |
	.[]), .retval // empty, (.errno // 0 | select(. != 0))] | join(",")' j |
	sed -E 's/^(getpid|memfd_create):return,[0-9]+/\1:return,N/'
EXPECT	execve:return,0 getpid:entry getpid:return,N getpid:entry
	getpid:return,N getpid:entry getpid:return,N
	open:entry,524288,0 open:return,-1,2 open:entry,524288,0
	open:return,-1,2 write:entry,-1,0xfffff000,5 write:return,-1,9
	pread64:entry,-1,10,286331153,2147483648 pread64:return,-1,22
	process_vm_readv:entry,-1,0x16,33,0x2c,55,66
	process_vm_readv:return,-1,22 mmap2:entry,0xf0000000,4096,1,50,-1,0
	mmap2:return,4026531840 munmap:entry,0xf0000000,4096 munmap:return,0
	close:entry,-1 close:return,-1,9 memfd_create:entry,1
	memfd_create:return,N _llseek:entry,1,2147483653,0 _llseek:return,0
	lseek:entry,0,1 lseek:return,2147483653
	_llseek:entry,1,4294967294,0 _llseek:return,0
	lseek:entry,0,1 lseek:return,-1,2 exit:entry,0
RUN	dt record --no-join 'syscall32:mmap2' -- ./calls32
OUT	syscall32:mmap2\(addr=0xf0000000, len=4096, prot=PROT_READ, flags=MAP_PRIVATE\|MAP_FIXED\|MAP_ANONYMOUS, fd=-1, pgoff=0\)$
OUT	syscall32:mmap2 = 0xf0000000$

NAME	calls of a 32-bit program are missing, except the execve that starts it
NEEDS	root tp_btf int80 as32 jq
RUN	as --32 -o c.o "$S/tests/run/prog/calls32.s" &&
	ld -m elf_i386 -o calls32 c.o &&
	dt record -j 'syscall:*' -- ./calls32 >j 2>e;
	jq -r '.probe // empty' j; cat e >&2
EXPECT	syscall:execve:entry
ERR	^dt: 17 system calls of 32-bit programs were not recorded \(syscall32 records them\)$
RUN	dt record 'syscall*' -- ./calls32 >/dev/null
NOERR	32-bit

NAME	missing 32-bit calls are those of the command and its children only
NEEDS	root tp_btf int80 as32
RUN	as --32 -o c.o "$S/tests/run/prog/calls32.s" &&
	ld -m elf_i386 -o calls32 c.o
RUN	ask until done int80 20 >/dev/null & a=$!
	dt record syscall:execve -- sh -c 'for i in 1 2 3 4 5 6 7 8; do
	./calls32 & done; wait'; : >done; wait $a
ERR	^dt: 136 system calls of 32-bit programs were not recorded

NAME	a return belongs to the new program: exec from 64 to 32 bits and back
NEEDS	root tp_btf int80 as32 jq
RUN	as --32 -o c.o "$S/tests/run/prog/calls32.s" &&
	ld -m elf_i386 -o calls32 c.o &&
	dt record -j 'syscall*:exec*' -- ./calls32 ./calls32 /bin/true >j &&
	jq -r 'select(.probe) | .probe, .retval // empty' j
EXPECT	syscall:execve:entry syscall32:execve:return 0
	syscall32:execve:entry syscall32:execve:return 0
	syscall32:execve:entry syscall:execve:return 0

NAME	the numbers of calls are those that strace counts
NEEDS	root tp_btf int80 as32 jq strace
RUN	as --32 -o c.o "$S/tests/run/prog/calls32.s" &&
	ld -m elf_i386 -o calls32 c.o &&
	strace -f -c -U name,calls -o s ./calls32 ./calls32 &&
	awk '/32 bit/ { p = 1 } p && NF == 2 && $2 ~ /^[0-9]+$/ &&
	$1 != "total" { print }' s | sort >want &&
	dt record -j 'syscall32:*:entry' -- ./calls32 ./calls32 >j &&
	jq -r 'select(.probe) | .probe | split(":")[1]' j | grep -vx exit |
	sort | uniq -c | awk '{ print $2, $1 }' | sort >got;
	awk '{ print $1, $2 }' want | diff - got && wc -l <got
EXPECT	12

NAME	a recording of 32-bit calls is reported with their names
NEEDS	root tp_btf int80 as32
RUN	as --32 -o c.o "$S/tests/run/prog/calls32.s" &&
	ld -m elf_i386 -o calls32 c.o &&
	dt record -o f.dt 'syscall32:*' -- ./calls32; dt report f.dt
OUT	syscall32:pread64\(fd=-1, ubuf=0x[0-9a-f]+, count=10, poslo=286331153, poshi=2147483648\) = -1 EINVAL
