# SPDX-License-Identifier: ISC
# Reads of memory at hits (DTIOCSREADS): requests at the device, and values that
# scripts read by structs.

NAME	reads are set for an enabled probe, while it does not record
CORE
NEEDS	root tp_btf quick
ASK	open; reads 1 r=task/bytes/8; enable syscall:getppid:entry flags=reads,args;
	reads syscall:getppid:entry r=task/bytes/8 r=task/text/16/0/8;
	record on; reads syscall:getppid:entry r=task/bytes/8; record off;
	reads syscall:getppid:entry; ioctl SREADS fill=0xff
EXPECT	0 ENOENT 0 0 0 EBUSY 0 0 ENOENT

NAME	each part of a read that is out of bounds is refused
NEEDS	root tp_btf
ASK	open; enable syscall:lseek:entry flags=reads,args;
	enable syscall:getppid:entry flags=args; enable syscall:getuid:entry flags=reads;
	reads syscall:getppid:entry r=task/bytes/8; error;
	reads syscall:getuid:entry r=arg0/bytes/8/0; error;
	reads syscall:lseek:entry nreads=17; error;
	reads syscall:lseek:entry r=task/bytes/0/0; error;
	reads syscall:lseek:entry r=task/bytes/513/0;
	reads syscall:lseek:entry r=task/text/4096/0;
	reads syscall:lseek:entry r=task/text/8; error;
	reads syscall:lseek:entry r=task/bytes/8/1048576; error;
	reads syscall:lseek:entry r=arg24/bytes/8/0; error;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=8:2; error;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=9:5; error;
	reads syscall:lseek:entry r=reg14/bytes/8; error;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=10:1;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=11:7; error;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=14:1; error;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=20:1; error;
	reads syscall:lseek:entry r=task/bytes/8/0 poke=48:1; error;
	reads syscall:lseek:entry r=task/bytes/512/1048575 r=arg23/text/4095/0/0/0/0/0/0
EXPECT	0 0 0 0 EINVAL the_probe_was_enabled_without_DTEVT_READS
	EINVAL read_0:_the_probe_does_not_record_arguments
	EINVAL a_probe_has_16_reads_at_most
	EINVAL read_0:_it_has_1_to_512_bytes,_not_0 EINVAL EINVAL
	EINVAL read_0:_without_a_step_it_has_8_bytes
	EINVAL read_0:_the_offset_1048576_of_step_0_is_not_below_1048576
	EINVAL read_0:_there_is_no_argument_24
	EINVAL read_0:_there_is_no_kind_2
	EINVAL read_0:_there_is_no_base_5
	EINVAL read_0:_hits_of_syscall_have_no_registers EINVAL
	EINVAL read_0:_7_steps,_6_at_most EINVAL read_0:_mrd_reserved_is_not_0
	EINVAL read_0:_an_offset_after_the_last_step_is_not_0
	EINVAL read_1:_it_is_unused_and_not_0 0

NAME	a probe with reads makes no pair, and a probe of a pair has no reads
NEEDS	root tp_btf
ASK	open; enable syscall:lseek:entry flags=reads,args;
	enable syscall:lseek:return flags=reads; reads syscall:lseek:entry r=task/bytes/8;
	pair syscall:lseek:entry syscall:lseek:return k=tid,tid; error;
	reads syscall:lseek:entry;
	pair syscall:lseek:entry syscall:lseek:return k=tid,tid;
	reads syscall:lseek:entry r=task/bytes/8; error
EXPECT	0 0 0 0 EINVAL a_probe_with_reads_makes_no_pair 0 0 EINVAL
	the_probe_is_in_a_pair

NAME	a value by structs is what the kernel also reports
CORE
NEEDS	root tp_btf
RUN	dt run -e 'syscall:getppid:entry { $t = (struct task_struct *)curtask;
	@[$t->pid == tid, $t->tgid == pid, $t->comm == comm, $t->real_parent->tgid == ppid,
	curtask->comm[0] == 97, curtask->comm] = count(); }' -- ask call getppid 5
OUT	^@\[1, 1, 1, 1, 1, ask\]: 5$
ERR	none lost
NOERR	could not be read

NAME	elements, nested structs, pointers to numbers and predicates work
NEEDS	root tp_btf
RUN	dt run -e 'syscall:getppid:entry /curtask->signal->rlim[7].rlim_cur == 77/
	{ @limit[((struct task_struct *)curtask)->signal->rlim[7].rlim_max] = count();
	@sum = sum(curtask->signal->rlim[7].rlim_cur);
	@same[*(int32 *)curtask->signal == curtask->signal->sigcnt.refs.counter,
	(*curtask->real_parent).tgid == ppid] = count(); }
	syscall:getuid:entry /comm == "ask" && curtask->signal->rlim[7].rlim_cur != 77/ { @other = count(); }' \
	-- sh -c 'ulimit -n 77; ask call getppid 3; ask call getuid 4'
OUT	^@limit\[77\]: 3$
OUT	^@sum: 231$
OUT	^@same\[1, 1\]: 3$
NOOUT	@other

NAME	arguments have the types of their tracepoint, texts and bit fields are read
NEEDS	root tp_btf
RUN	cp /bin/true a-true; dt run -e 'rawtracepoint:sched_process_exec {
	printf("%s %s %d %d\n", str(args.bprm->filename),
	str(args.bprm->file->f_path.dentry->d_name.name), args.p->in_execve,
	args.p->pid == tid); } syscall:getppid:entry { print(curtask->in_execve); }' \
	-- sh -c './a-true; ask call getppid 1'
OUT	^\./a-true a-true 1 1$
OUT	^0$

NAME	memory of the program is read from its arguments, and never the kernel's
NEEDS	root tp_btf
RUN	dt run -e 'syscall:clock_nanosleep:entry { printf("%d.%d %d\n", args.rqtp->tv_sec,
	args.rqtp->tv_nsec, *(uint32 *)args.rqtp); }' -- sleep 1.25;
	a=$(awk '$3 == "schedule" { print "0x" $1 }' /proc/kallsyms); a=$(bash -c "echo \$(($a))");
	dt run -e "syscall:lseek:entry /args.offset == $a/ { @[*(int8 *)args.offset] = count(); }" \
	-- ask call lseek 2 args=-1,$a
OUT	^1\.250000000 1$
OUT	^@\[0\]: 2$
ERR	^dt: [0-9]+ values could not be read from memory, and were 0$

NAME	structs of sockets, with bit fields, are what their tracepoint reports
NEEDS	root tp_btf
RUN	dt run -e 'tracepoint:sock:inet_sock_set_state { $sk = (struct sock *)args->skaddr;
	@[$sk->__sk_common.skc_family == args->family, bswap($sk->__sk_common.skc_dport) ==
	args->dport, $sk->__sk_common.skc_num == args->sport, args->dport,
	ntop($sk->__sk_common.skc_daddr), $sk->__sk_common.skc_reuse,
	$sk->__sk_common.skc_net_refcnt] = count(); }' \
	-- bash -c 'echo x >/dev/tcp/127.0.0.1/9' 2>/dev/null || :
OUT	^@\[1, 1, 1, 9, 127\.0\.0\.1, 0, 1\]: [1-9]

NAME	samples of a clock read the thread that they interrupt
NEEDS	root
RUN	dt run -e 'profile:hz:199 /comm == "yes"/ { @[curtask->pid == tid, curtask->comm] =
	count(); }' -- timeout 1 yes >o; grep -a '^@' o
OUT	^@\[1, yes\]: [1-9]

NAME	--explain states how many values are read
NEEDS	root tp_btf
RUN	dt run --explain -e 'syscall:getppid:entry { print(curtask->pid);
	print(curtask->comm); print(curtask->pid); }'
OUT	^  dt executes the clause for each event with arguments, 2 values read by structs$
RUN	dt run --explain -e 'syscall:openat:entry { print(str(arg1)); }'
OUT	^  dt executes the clause for each event with arguments, texts$
RUN	dt run --explain -e 'syscall:openat:entry { print(str(arg1)); print(buf(arg1, 4)); }'
OUT	^  dt executes the clause for each event with arguments, texts, 1 value read by structs$

NAME	limits of reads are stated with the place of the value
NEEDS	root tp_btf
RUN	dt run -e 'syscall:getppid:entry { print(curtask->real_parent->real_parent->real_parent->real_parent->real_parent->real_parent->pid); }'
STATUS	1
ERR	^dt: -e:1:[0-9]+: more than 6 pointers$
RUN	p=; for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	p="$p print(curtask->comm[$i]);"; done;
	dt run --dry-run -e "syscall:getppid:entry { $p }" && echo sixteen;
	dt run --dry-run -e "syscall:getppid:entry { $p print(curtask->pid); }"
STATUS	1
OUT	^sixteen$
ERR	read more than 16 values$

NAME	results are the same with and without the help of the kernel
NEEDS	root tp_btf
RUN	for how in --no-lower -v; do dt run $how -j -e 'syscall:getppid:entry
	/comm == "ask" && curtask->tgid == pid/ { @[curtask->comm] = count(); }' \
	-- ask call getppid 9 2>/dev/null; done | sort | uniq -c
OUT	^ +2 \{"type": "map", "data": \{"@": \{"ask": 9\}\}\}$

NAME	arguments and results of functions of the kernel are read by structs
NEEDS	root kprobe tp_btf
RUN	echo x >here; dt run -e 'kprobe:security_file_open /comm == "cat"/ {
	@entry[str(((struct file *)arg0)->f_path.dentry->d_name.name)] = count();
	@named[str(args.file->f_path.dentry->d_name.name)] = count(); }
	kretprobe:do_filp_open /comm == "cat"/ {
	@return[str(((struct file *)retval)->f_path.dentry->d_name.name)] = count(); }' \
	-- cat here nothere 2>/dev/null || :
OUT	^@entry\[here\]: 1$
OUT	^@named\[here\]: 1$
OUT	^@return\[here\]: 1$
OUT	^@return\[\]: [1-9]
NOOUT	nothere

NAME	many functions with reads are attached in one session, with user stacks too
NEEDS	root kprobe tp_btf
RUN	dt run -e 'kprobe:vfs_* /comm == "cat"/ { @[curtask->comm, curtask->tgid == pid] = count();
	@stacks[ustack(1)] = count(); }' -- cat /etc/passwd | grep '^@\[' 
OUT	^@\[cat, 1\]: [1-9]

NAME	str() and buf() of arguments by number and of results read their memory
NEEDS	root tp_btf uprobe
RUN	dt run -e 'syscall:openat:entry /comm == "cat"/ { @[str(arg1) == str(args.filename),
	str(arg1, 5), buf(arg1, 4)] = count(); } uretprobe:libc:getenv { if (str(retval) == "found it")
	{ @found = count(); } } uprobe:libc:getenv { $name = (char *)arg0; @name[str($name)] = count(); }' \
	-- env MARK="found it" sh -c 'cat /etc/passwd >/dev/null; env printenv MARK >/dev/null'
OUT	^@\[1, /etc, /etc\]: [1-9]

NAME	addresses of symbols are looked up for the kernel and for the files of probes
NEEDS	root tp_btf
ASK	open; addr 0 schedule; addr 0 no_such_symbol_x; error; addr syscall:lseek:entry schedule;
	error; addr 0 -; addr 4000000000 x; error; ioctl GADDR fill=0xff; error
EXPECT	0 1 ENOENT the_kernel_has_no_symbol_no_such_symbol_x EINVAL
	probes_of_syscall_belong_to_no_file EINVAL ENOENT there_is_no_probe_4000000000 EINVAL
	the_name_of_a_symbol_has_1_to_255_bytes

NAME	memory at an address of the kernel is the same at hits of every kind
NEEDS	root tp_btf tracefs uprobe
RUN	w='{ @[*kaddr("schedule"), *(kaddr("schedule") + 8), buf(kaddr("schedule"), 3)] =
	count(); }'; for p in syscall:getppid:entry tracepoint:syscalls:sys_enter_getppid \
	rawtracepoint:sys_enter profile:hz:499 interval:ms:20 uprobe:libc:getppid:entry; do
	dt run -d 1 -e "$p $w" -- sh -c 'ask call getppid 5; timeout 0.3 yes >/dev/null' 2>err | grep -a '^@' >got;
	[ -s got ] || { echo "$p: nothing"; cat err; }; sed 's/: [0-9]*$//' got; done | sort -u | wc -l
OUT	^1$

NAME	a tick of interval that reads memory has its name, its period and a thread
NEEDS	root
RUN	dt run -d 1050ms -e 'interval:ms:100 { @ticks = count(); @[probe, curtask->pid == tid] =
	count(); } interval:ms:10 { @own = count(); }'
OUT	^@\[interval:ms:100, 1\]: (9|10)$
OUT	^@ticks: (9|10)$
OUT	^@own: [0-9]+$
RUN	dt run -e 'interval:ms:100 { print(gid); } interval:ms:200 { print(gid); }'
STATUS	1
ERR	^dt: -e:1:[0-9]+: interval has another rate elsewhere; a script has one$

NAME	registers and variables of a program are what the program has
NEEDS	root uprobe cc
RUN	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' '#include <string.h>' \
	'int count = 41; char *text; short small = 777; static volatile unsigned list[4] = { 5, 6, 7, 8 };' \
	'__attribute__((noinline)) long work(int a, const char *s) {' \
	'__asm__ volatile("" : : "r"(s)); return a + count; }' \
	'int main(void) { char *s = strdup("argument"); int i; text = strdup("some text");' \
	'printf("at %lx %lx\n", (long)&count, (long)work); fflush(stdout);' \
	'for (i = 0; i < 3; i++, count++) (void)work(i, s); return list[1] + small == 0; }' >v.c;
	for how in -fPIE\ -pie -fno-pie\ -no-pie; do ${CC:-cc} -O1 $how -o v v.c;
	dt run -e "uprobe:$PWD/v:work { printf(\"%d %s %d %d %d\\n\", *uaddr(\"count\"),
	str(*uaddr(\"text\")), *uaddr(\"small\"), *((uint32 *)uaddr(\"list\") + 2),
	((uint32 *)uaddr(\"list\"))[3]);
	printf(\"at %llx %llx\\n\", uaddr(\"count\"), uaddr(\"work\")); }
	uretprobe:$PWD/v:work { @count = count(); }" -- ./v | sort | uniq -c; done
OUT	^ +4 at [0-9a-f]+ [0-9a-f]+$
OUT	^ +1 41 some text 777 7 8$
OUT	^ +1 42 some text 777 7 8$
OUT	^ +1 43 some text 777 7 8$
RUN	[ "$(uname -m)" = x86_64 ] || { echo "0 argument ment 1 1"; exit 0; };
	dt run -e "uprobe:$PWD/v:work { printf(\"%d %s %s %d %d\\n\", reg(\"di\"), str(reg(\"si\")),
	str(reg(\"si\") + 4), reg(\"di\") == arg0, reg(\"ip\") == uaddr(\"work\")); }" -- ./v
OUT	^0 argument ment 1 1$

NAME	registers and symbols that hits do not have are refused with the reason
NEEDS	root uprobe
RUN	for p in 'profile:hz:9 { print(reg("sp")) }' 'profile:hz:9 { print(uaddr("x")) }' \
	'profile:hz:9 { print(kaddr("no_such_symbol_x")) }' \
	'profile:hz:9 { $p = (uint32 *)curtask->stack; print(*($p - 1)) }' \
	'uretprobe:libc:getenv { print(*uaddr("environ")) }' \
	'uprobe:libc:getenv { print(*uaddr("no_such_symbol_x")) }'; do
	dt run --dry-run -e "$p" 2>&1 | head -n 1; done
OUT	^dt: -e:1:22: hits of profile have no registers; use kprobe, uprobe or usdt$
OUT	^dt: -e:1:22: probes of profile belong to no file$
OUT	^dt: -e:1:22: the kernel has no symbol no_such_symbol_x$
OUT	^dt: -e:1:[0-9]+: this is too far from its pointer$
OUT	^dt: -e:1:[0-9]+: where the file is in memory is not known at a return, only at an entry$
OUT	^dt: -e:1:[0-9]+: libc.* has no symbol no_such_symbol_x in its symbol tables$

NAME	elements of arrays in a record, and pointers through kptr() and uptr(), are read
NEEDS	root tp_btf tracefs
RUN	dt run -e 'tracepoint:raw_syscalls:sys_enter /comm == "ask" && args.args[2] == 77/ {
	printf("%d %d %d\n", args.args[0], args.args[1], args.args[2]); }
	tracepoint:sched:sched_switch /args.prev_comm == "sleep"/ { @[args.prev_comm[0], args.prev_comm[2]] = count(); }
	syscall:getppid:entry { printf("%s %d\n", kptr(curtask)->comm,
	((struct task_struct *)kptr(curtask))->pid == tid); }
	syscall:openat:entry /comm == "cat"/ { @path[str(uptr(arg1)) == str(args.filename), *(uint8 *)uptr(arg1) > 0]
	= count(); }' -- sh -c 'ask call lseek 1 args=-1,5,77; ask call getppid 1; cat /etc/passwd >/dev/null; sleep 0.1'
OUT	^-1 5 77$
OUT	^ask 1$
OUT	^@\[115, 101\]: [1-9]
OUT	^@path\[1, 1\]: [1-9]
RUN	for p in 'tracepoint:raw_syscalls:sys_enter { print(args.args[6]) }' \
	'tracepoint:raw_syscalls:sys_enter { print(args.id[0]) }'; do
	dt run --dry-run -e "$p" 2>&1 | head -n 1; done
OUT	^dt: -e:1:[0-9]+: args has 6 elements$
OUT	^dt: -e:1:[0-9]+: only arrays and pointers have elements$

NAME	registers of functions of the kernel are their arguments and results
NEEDS	root kprobe tp_btf
RUN	[ "$(uname -m)" = x86_64 ] || { echo done; exit 0; };
	dt run -e 'kprobe:vfs_read /comm == "cat"/ { @e[reg("di") == arg0, reg("si") == arg1,
	reg("dx") == arg2, str(((struct file *)reg("di"))->f_path.dentry->d_name.name),
	reg("ip") >= kaddr("vfs_read"), reg("ip") < kaddr("vfs_read") + 16] = count(); }
	kretprobe:vfs_read /comm == "cat"/ { @r[reg("ax") == retval] = count(); }' \
	-- sh -c 'echo x >here; cat here >/dev/null' && echo done
OUT	^@e\[1, 1, 1, here, 1, 1\]: 2$|^done$
OUT	^@r\[1\]: [1-9]|^done$
RUN	[ "$(uname -m)" = x86_64 ] || { echo done; exit 0; };
	dt run --dry-run -e 'kprobe:vfs_read { print(reg("r12")) }' 2>&1 | head -n 1
OUT	^dt: -e:1:25: kprobe:vfs_read:entry has only the registers .*: bp r9 r8 ax cx dx si di ip sp$|^done$

NAME	loads of bpftrace prints what the kernel reports
NEEDS	root kprobe bpftrace
RUN	[ -e /usr/sbin/loads.bt ] || { echo agrees; exit 0; }; dt run -d 1500ms /usr/sbin/loads.bt >o;
	read -r a b c rest </proc/loadavg; cat o; sed -n 's/.*load averages: //p' o | head -n 1 |
	awk -v a="$a" -v b="$b" -v c="$c" '{ far = (a - $1) ^ 2 + (b - $2) ^ 2 + (c - $3) ^ 2;
	if (NF == 3 && far < 0.3) print "agrees" }'
OUT	^agrees$
