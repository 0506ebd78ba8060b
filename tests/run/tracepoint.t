# SPDX-License-Identifier: ISC
# Tracepoints: the list, their fields, and recorded values.

NAME	all tracepoints are listed, in the kernel's order
NEEDS	root tracefs
RUN	dt list 'tracepoint:*' | sed 's/^tracepoint://' |
	cmp - /sys/kernel/tracing/available_events && echo same
OUT	^same$

NAME	the fields of all tracepoints have the kernel's types and names
NEEDS	root tracefs perl
TIMEOUT	120
RUN	dt list -j 'tracepoint:*' >list; perl -ne '
	/"probe":"tracepoint:([^:]*):([^"]*)".*"args":\[(.*)\]/ or next;
	my ($sub, $name, $args) = ($1, $2, $3); my (@want, @have);
	open my $f, "<", "/sys/kernel/tracing/events/$sub/$name/format" or next;
	while (<$f>) {
		/^\tfield:(.*?);/ && $1 !~ /\bcommon_/ or next;
		my $d = $1; $d =~ s/(\w+)(\[[^\[\]]*\])?$/$2/ or die "$d\n";
		my $n = $1; $d =~ s/ +$//; $d =~ s/ +\[/[/;
		push @want, "$n $d";
	}
	push @have, "$1 $2" while $args =~ /"name":"(.*?)","type":"(.*?)"/g;
	$#want = 23 if @want > 24;
	print "$sub:$name\n@want\n@have\n" if "@want" ne "@have";
	$all++; END { print "compared ", $all > 100 ? "many" : $all, "\n" }' list
OUT	^compared many$
NOOUT	:

NAME	hits are counted exactly, with numbers by their types
CORE
NEEDS	root tp_btf perf_event
ASK	spawn W; open; filter pid=W; enable tracepoint:raw_syscalls:sys_exit
	flags=args; record on; in W call getpid 100; in W call openat 3;
	record off; readall; count nargs=2 arg0=39; count arg0=257 arg1=-2
EXPECT	0 0 0 0 0 0 ENOENT 0 * 100 3

NAME	text inside the record is recorded, and no bytes after it
CORE
NEEDS	root tp_btf perf_event
ASK	spawn W; open; filter pid=W; enable tracepoint:task:task_rename
	flags=args,strings; record on; in W call prctl args=15,@text:abc;
	in W call prctl args=15,@text:fifteen_letters; record off; readall;
	count nargs=4 nstr=2 arg1=0 arg2=0 str=2:text=abc,len=3,flags=0;
	count str=1:text=abc str=2:text=fifteen_letters,len=15,true=15
EXPECT	0 0 0 0 0 0 0 0 2 1 1

NAME	32-bit numbers are sign-extended
CORE
NEEDS	root tp_btf perf_event
ASK	spawn W; open; filter pid=W; enable tracepoint:signal:signal_generate
	flags=args,strings; in W call getpid; record on;
	in W call tgkill args=@last,@last,23; record off; readall;
	count nargs=7 arg0=23 arg1=0 arg2=-6 arg5=0 arg6=1
EXPECT	0 0 0 0 * 0 0 0 1 1

NAME	without flags there are no strings and arguments
CORE
NEEDS	root tp_btf perf_event
ASK	spawn W; open; filter pid=W; enable tracepoint:task:task_rename; record on;
	in W call prctl args=15,@text:abc; record off; readall; count nargs=0
	nstr=0
EXPECT	0 0 0 0 0 0 0 1 1

NAME	a field with its position in the record (__data_loc) is text, too
NEEDS	root tp_btf perf_event
RUN	dt record tracepoint:sched:sched_process_exec -- /bin/true
OUT	sched:sched_process_exec\(filename="/bin/true", pid=[0-9]+, old_pid=[0-9]+\)

NAME	pointers to text of the process and of the kernel are read
NEEDS	root tp_btf perf_event tracefs
RUN	dt record tracepoint:syscalls:sys_enter_openat -- cat /etc/hostname
OUT	syscalls:sys_enter_openat\(.*dfd=-100, filename="/etc/hostname", flags=0x[0-9a-f]+

NAME	seven fields take the slow path and have their values
NEEDS	root tp_btf perf_event
RUN	dt record -j tracepoint:signal:signal_generate -- \
	sh -c 'trap "" USR1; kill -USR1 $$'
OUT	"args":\{"sig":10,"errno":0,"code":0,.*"pid":[0-9]+,"group":1,"result":1\},.*"strings":\{"comm":"sh"\}

NAME	more than ten fields are recorded and shown
NEEDS	root tp_btf perf_event unshare ip bash tracefs
RUN	unshare -n sh -c 'ip link set lo up; dt record \
	tracepoint:net:netif_rx_entry -- bash -c "echo 1234567 >/dev/udp/127.0.0.1/9"'
OUT	net:netif_rx_entry\(name="lo", napi_id=.*, protocol=2048, .*, len=36, data_len=0, .*gso_type=0(x0)?\)
RUN	unshare -n sh -c 'ip link set lo up; dt record -j \
	tracepoint:net:netif_rx_entry -- bash -c "echo 1234567 >/dev/udp/127.0.0.1/9"'
OUT	"len":36,"data_len":0,

NAME	network addresses are formatted, bytes are printed in hex
NEEDS	root tp_btf perf_event unshare ip bash tracefs
RUN	unshare -n sh -c 'ip link set lo up; dt record \
	tracepoint:sock:inet_sock_set_state -- \
	bash -c "echo 1 >/dev/tcp/127.0.0.1/9"'; true
OUT	sock:inet_sock_set_state\(.*daddr=127\.0\.0\.1,.*daddr_v6=::ffff:127\.0\.0\.1

NAME	a recording has the fields and their types
NEEDS	root tp_btf perf_event
RUN	dt record -o r.dt tracepoint:sched:sched_process_exec -- /bin/true;
	dt report r.dt
OUT	sched:sched_process_exec\(filename="/bin/true", pid=[0-9]+, old_pid=[0-9]+\)

NAME	dt stat counts tracepoints by a field
NEEDS	root tp_btf perf_event
RUN	dt stat -j --by probe,sig tracepoint:signal:signal_generate -- \
	sh -c 'trap "" USR1; kill -USR1 $$; kill -USR1 $$'
OUT	"sig":10\}.*"count":2

NAME	two sessions share a tracepoint, and each gets each hit once
CORE
NEEDS	root tp_btf perf_event
ASK	spawn W; open; B: open; filter pid=W; B: filter pid=W;
	enable tracepoint:task:task_rename flags=args;
	B: enable tracepoint:task:task_rename flags=strings; record on;
	B: record on; in W call prctl args=15,@text:a; record off;
	in W call prctl args=15,@text:b; B: record off; readall; B: readall;
	count nargs=4 nstr=0; B: count nargs=0 nstr=2; record on;
	in W call prctl args=15,@text:c; record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 1 2 0 0 0 1

NAME	a whole subsystem survives rounds of enable, record, stop and close
NEEDS	root tp_btf perf_event full
TIMEOUT	240
ASK	open; enableall tracepoint:sched:*; record on; record off; readall;
	record on; record off; readall; close; open; enableall tracepoint:sched:*;
	record on; close; open; enable tracepoint:sched:sched_switch; record on;
	record off
EXPECT	0 * 0 0 * 0 0 * 0 0 * 0 0 0 0 0 0

NAME	sessions leave no link, event or program, however they end
NEEDS	root tp_btf perf_event
TIMEOUT	240
RUN	leftover closed -r 3
OUT	^leftover closed: nothing$

NAME	enabling a tracepoint requires the right to trace all processes
CORE
NEEDS	nonroot
SERVICE
ASK	as 65534; open; list LOOKUP=tracepoint:sched:sched_switch ask;
	enable tracepoint:sched:sched_switch; error; enable rawtracepoint:sched_switch:hit
EXPECT	0 0 1 EPERM * EPERM

NAME	kernel stacks begin at the caller of the tracepoint
CORE
NEEDS	root tp_btf perf_event
RUN	dt record -g tracepoint:task:task_rename -- sh -c "/bin/true; :" | sed -n 2p
OUT	^ +__set_task_comm\+
RUN	dt record -g rawtracepoint:task_rename -- sh -c "/bin/true; :" | sed -n 2p
OUT	^ +__set_task_comm\+

NAME	a raw tracepoint has the arguments of its prototype
CORE
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W;
	args rawtracepoint:task_rename:hit; enable rawtracepoint:task_rename:hit
	flags=args,strings; record on; in W call prctl args=15,@text:abc;
	record off; readall; count nargs=2 str=1:text=abc,len=3
EXPECT	0 0 0 struct_task_struct_*:task,const_char_*:comm 0 0 0 0 1 1

NAME	where tracefs is not mounted, dtd mounts it privately
CORE
NEEDS	root tp_btf perf_event mounts
RUN	mount -t tmpfs none /sys/kernel/tracing &&
	mount -t tmpfs none /sys/kernel/debug; mount >before;
	dt record tracepoint:task:task_rename -- sh -c "mount >during; true";
	cmp before during && echo same; umount /sys/kernel/debug;
	umount /sys/kernel/tracing
OUT	task:task_rename\(pid=[0-9]+, oldcomm="sh", newcomm="mount"
OUT	^same$

NAME	without tracefs there are raw tracepoints, and dt reports the reason
NEEDS	root tp_btf perf_event mounts setpriv
RUN	mount -t tmpfs none /sys/kernel/tracing;
	mount -t tmpfs none /sys/kernel/debug;
	setpriv --bounding-set=-sys_admin dt list -v rawtracepoint:task_rename;
	setpriv --bounding-set=-sys_admin dt record rawtracepoint:task_rename \
	    -- sh -c "/bin/true; :"
	umount /sys/kernel/debug; umount /sys/kernel/tracing
OUT	^rawtracepoint:task_rename:hit \(struct task_struct \*task, const char \*comm\)
OUT	^# tracepoint +0 probes, not available: tracefs cannot be read.*rawtracepoint
OUT	^# rawtracepoint +[0-9]+ probes, available
OUT	rawtracepoint:task_rename\(task=0x[0-9a-f]+, comm="true"\)

NAME	at perf_event_paranoid 3 a user without CAP_SYS_ADMIN has only raw ones
NEEDS	root tp_btf paranoid setpriv
RUN	setpriv --bounding-set=-sys_admin dt list -v rawtracepoint:task_rename;
	setpriv --bounding-set=-sys_admin dt record rawtracepoint:task_rename \
	    -- sh -c "/bin/true; :"
OUT	^# tracepoint +0 probes, not available: no perf event may be opened
OUT	rawtracepoint:task_rename\(task=0x[0-9a-f]+, comm="true"\)

NAME	dt and perf have the same hits and values of the same run
NEEDS	root tp_btf perf_event perf full
TIMEOUT	300
RUN	perf version --build-options | grep -q "libpython: \[ on" || exit 77;
	n=2; [ -z "${DT_LARGE:-}" ] || n=20; "$S/tests/run/perf_compare" -v $n
OUT	^all agree: [0-9]{3,} hits$
OUT	^sched:sched_switch +[0-9]+ +[0-9]+ +[0-9]+  -$

NAME	an event whose name is longer than probes can have is left out
NEEDS	root tp_btf tracefs mounts unshare
RUN	e=/sys/kernel/tracing/available_events; long=$(head -c 2000 /dev/zero | tr '\0' s); cp $e f;
	echo "$long:$long" >>f; dt list 'tracepoint:*' >plain; unshare -m sh -c "mount --bind f $e &&
	dt list 'tracepoint:*'" >o; echo $?; cmp o plain
EXPECT	0

NAME	an event created after dtd started is listed until it is removed
CORE
NEEDS	root tp_btf perf_event tracefs mounts quick
SERVICE
RUN	[ -w /sys/kernel/tracing/uprobe_events ] || exit 77;
	dt list 'tracepoint:dtlate:*'; p=$(realpath /bin/true);
	at=$(od -An -t u8 -j 24 -N 8 "$p"); cd /sys/kernel/tracing;
	printf 'p:dtlate/l%d %s:0x%x\n' $$ "$p" $at >>uprobe_events || exit 77;
	dt list "tracepoint:dtlate:l$$" | sed 's/[0-9]*$/ alone/';
	dt list 'tracepoint:dtlate:*' | sed 's/[0-9]*$/ by glob/';
	dt record "tracepoint:dtlate:l$$" -- "$p"; echo "status $?";
	echo "-:dtlate/l$$" >>uprobe_events;
	dt record "tracepoint:dtlate:l$$" -- "$p"; [ $? -ne 0 ]
OUT	^tracepoint:dtlate:l alone$
OUT	^tracepoint:dtlate:l by glob$
OUT	^status [1-9]
ERR	dtlate:l[0-9]*: Operation not supported$
ERR	dtlate:l[0-9]*: No such file or directory$
