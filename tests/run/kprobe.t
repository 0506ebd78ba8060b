# SPDX-License-Identifier: ISC
# The kprobe provider: functions of the kernel.

NAME	functions are found by name and glob, and a list of all omits them
NEEDS	root kprobe full
RUN	dt list kprobe:vfs_read 'kprobe:vfs_wri[t]e:*'
EXPECT	kprobe:vfs_read:entry kprobe:vfs_read:return kprobe:vfs_write:entry
	kprobe:vfs_write:return
RUN	dt list >all; grep -c '^kprobe:' all
STATUS	1
EXPECT	0
RUN	dt list 'kprobe:*:entry' >f; sort -u f | wc -l >n; wc -l <f | cmp - n;
	grep -c '^kprobe:[a-zA-Z0-9_.@]*:entry$' f
EXPECT	>=20000
RUN	dt list kprobe:vfs_reed
STATUS	1
ERR	did you mean kprobe:vfs_read\?$
RUN	dt stat '*:vfs_read' -- true; dt stat vfs_read -- true
STATUS	1
ERR	no probe matches '\*:vfs_read'; did you mean kprobe:vfs_read\?$
ERR	no probe matches 'vfs_read'; did you mean kprobe:vfs_read\?$

NAME	functions of one name are distinguished, each with its own address
NEEDS	root kprobe
RUN	d=$(dt list 'kprobe:*@2:entry' | head -n 1); n=${d%@2:entry};
	dt list "$n:entry" "$d" | wc -l
EXPECT	2

NAME	types, names and return types come from BTF
NEEDS	root kprobe tp_btf
RUN	dt list -v kprobe:do_sys_openat2 kprobe:vfs_open:return \
	kprobe:kmem_cache_free
OUT	^kprobe:do_sys_openat2:entry \(int dfd, const char \*filename, struct open_how \*how\)$
OUT	^kprobe:do_sys_openat2:return = long int$
OUT	^kprobe:vfs_open:return = int$
OUT	^kprobe:kmem_cache_free:return$
OUT	^# kprobe +[0-9]+ probes, available: by (kprobe.multi.*; returns by fexit, a program for each function, for up to [0-9]+ probes|fentry and fexit, a program for each function, for up to [0-9]+ probes; others by a perf event for each function: this kernel has no kprobe.multi \(CONFIG_FPROBE\))$

NAME	a kernel without kprobes is reported
NEEDS	root
RUN	[ ! -e /sys/bus/event_source/devices/kprobe ] || { dt list kprobe:vfs_read;
	exit; }; dt list kprobe:vfs_read 2>&1 |
	sed 's/^dt: there are no probes of kprobe here: this kernel has.*/kprobe:vfs_read:entry/'
OUT	^kprobe:vfs_read:entry$

NAME	arguments, strings and results are those of the program's calls
NEEDS	root kprobe tp_btf
RUN	head -c 1234 /dev/zero >f; dt record kprobe:do_sys_openat2 \
	kprobe:vfs_read -- dd if=f of=/dev/null bs=1000 status=none
OUT	kprobe:do_sys_openat2\(dfd=-100, filename="f", how=0x[0-9a-f]+\) = [0-9]+ <
OUT	kprobe:vfs_read\(file=0x[0-9a-f]+, buf=.*, count=1000, pos=0x[0-9a-f]+\) = 1000 <
OUT	kprobe:vfs_read\(file=0x[0-9a-f]+, buf=.*, count=1000, pos=0x[0-9a-f]+\) = 234 <
RUN	dt record kprobe:do_sys_openat2 -- cat /no/such
STATUS	1
OUT	kprobe:do_sys_openat2\(dfd=-100, filename="/no/such", how=0x[0-9a-f]+\) = -2 <
NOOUT	4294967
RUN	dt record --no-join kprobe:do_sys_openat2 -- cmp f f
OUT	kprobe:do_sys_openat2\(dfd=-100, filename="f",
OUT	kprobe:do_sys_openat2 = [0-9]+$

NAME	enums print by name, void functions have no value, a recording agrees
NEEDS	root kprobe tp_btf
RUN	dt record kprobe:hrtimer_nanosleep -- sleep 0.01
OUT	kprobe:hrtimer_nanosleep\(rqtp=10000000, mode=HRTIMER_MODE_REL, clockid=[01]\) = 0 <
RUN	dt record -n 40 kprobe:kmem_cache_free:return -- cat /dev/null
OUT	kprobe:kmem_cache_free$
NOOUT	=
RUN	dt record -o r.dt kprobe:do_sys_openat2 -- cat /no/such
STATUS	1
RUN	dt report r.dt
OUT	kprobe:do_sys_openat2\(dfd=-100, filename="/no/such", how=0x[0-9a-f]+\) = -2 <

NAME	all attach methods record the same of one load, including its stacks
CORE
NEEDS	root kprobe tp_btf full
TIMEOUT	40
RUN	kfuncs methods
OUT	^do_sys_openat2:entry -100 1="/nosuch/kfuncs"$
OUT	^do_sys_openat2:return = -2 0$
OUT	^read_zero:entry 1 read_zero vfs_read$
OUT	^read_zero:return = 1 0 vfs_read [a-z0-9_]+$
OUT	^fentry: works$
OUT	^perf: works$
OUT	^[2-4] methods, the same$

NAME	two sessions whose functions overlap get each hit once
NEEDS	root kprobe tp_btf full
RUN	kfuncs both | tee o; grep -c 'read_zero:entry 1' o
OUT	^a 24$
OUT	^b 20$
OUT	^20$

NAME	with many threads and recursion each hit is recorded or missed
NEEDS	root kprobe tp_btf jq
RUN	dt stat -j kprobe:read_zero:entry kprobe:read_zero:return -- kfuncs read \
	32 100 >j;
	jq -es '(map(select(.probe == "kprobe:read_zero:entry").count) | add) as $e |
	(map(select(.probe == "kprobe:read_zero:return").count) | add) as $r |
	.[-1].ledger as $l | $e == $r and ($e == 3200 or
	$e + $l.missed == 3200)' j
OUT	^true$
RUN	dt stat -j 'kprobe:__ep_eventpoll_poll*:entry' \
	'kprobe:__ep_eventpoll_poll*:return' -- kfuncs nest 8 50 >j;
	jq -es '(map(select(.probe | test(":entry$")?).count) | add) as $e |
	(map(select(.probe | test(":return$")?).count) | add) as $r |
	.[-1].ledger as $l | ($e >= 1200 and $e == $r) or
	$e + $l.missed >= 1200' j
OUT	^true$

NAME	with threads waiting in one function each return is recorded or missed
NEEDS	root kprobe tp_btf jq
RUN	dt stat -j 'kprobe:*pipe_read:entry' 'kprobe:*pipe_read:return' -- \
	kfuncs wait 32 >j;
	jq -es '(map(select(.probe | test("pipe_read:return$")?).count) | add) as $r |
	.[-1].ledger as $l | $r > 0 and $r + $l.missed == 32' j
OUT	^true$

NAME	with threads waiting in a function no return is missed
NEEDS	root kprobe tp_btf jq full
TIMEOUT	60
RUN	n() { dt stat -j $(for f in '*pipe_read' "$@"; do echo "kprobe:$f:entry
	kprobe:$f:return"; done) -- kfuncs wait 32 >j 2>e;
	echo "status $?"; jq -rs '(.[-1].ledger | "missed \(.missed // 0)"),
	(map(select(.probe | test("pipe_read:return$")?).count) | add)' j; };
	n; n vfs_open vfs_write vfs_llseek vfs_fsync;
	n 'vfs_*' >o; grep -qx 32 o && cat o ||
	    sed -n 's/^dt: returns may be missing: .*/status 0\nmissed 0\n32/p' e
EXPECT	status 0 missed 0 32 status 0 missed 0 32 status 0 missed 0 32
RUN	dt record --slower 50ms kprobe:schedule -- sleep 0.2
OUT	 sleep .* kprobe:schedule\(\) <0\.[1-9]
ERR	^dt: [1-9][0-9]* events?, none lost$

NAME	DISABLE while recording ends the events of that probe only
NEEDS	root kprobe tp_btf
ASK	spawn W; open; filter pid=W; enable kprobe:do_sys_openat2:entry;
	enable kprobe:do_sys_openat2:return; record on;
	in W call openat 5; disable kprobe:do_sys_openat2:entry;
	in W call openat 5; record off; in W call openat 5; readall;
	count probe=kprobe:do_sys_openat2:entry;
	count probe=kprobe:do_sys_openat2:return
EXPECT	0 0 0 0 0 0 ENOENT 0 ENOENT 0 ENOENT 15 5 10

NAME	conditions test arguments, texts of program and kernel, and results
NEEDS	root kprobe tp_btf
RUN	head -c 1234 /dev/zero >f; dt record --if 'count == 1000' \
	kprobe:vfs_read:entry -- dd if=f of=/dev/null bs=1000 status=none |
	grep -c 'count=1000,'
EXPECT	3
RUN	dt record --if 'filename == "f"' kprobe:do_sys_openat2:entry -- cmp f f
OUT	openat2\(dfd=-100, filename="f"
NOOUT	filename="/
RUN	dt record --if 'retval == -2' kprobe:do_sys_openat2:return -- cat /no/such
STATUS	1
OUT	kprobe:do_sys_openat2 = -2$
NOOUT	 = [0-9]

NAME	texts that functions return are recorded and tested on request
NEEDS	root kprobe tp_btf mounts
RUN	for o in '--str retval' '--if str(retval)=="non*"'; do
	dt record $o kprobe:strndup_user:return -- mount -t nosuchfs none /mnt; done;
	dt stat --by 'str(retval)' kprobe:strndup_user:return -- mount -t nosuchfs none /mnt
STATUS	32
OUT	kprobe:strndup_user = "none"$
OUT	^ +1 .* none$

NAME	a function never probed is refused with the reason, and a glob skips it
NEEDS	root kprobe tp_btf
RUN	dt record kprobe:bpf_ringbuf_output:entry -- true
STATUS	1
ERR	bpf_ringbuf_output is never probed: it is the tracer's own way into the ring$
RUN	dt stat 'kprobe:text_pok*:entry' 'kprobe:vfs_read*:entry' -- true; dt stat \
	'kprobe:r[ci]*_get*:entry' -- true
ERR	^dt: [0-9]+ functions? of 'kprobe:r\[ci\]\*_get\*:entry' cannot be probed: it is never probed: .*: rcu_[a-z_]+
STATUS	0

NAME	more than 1,000 functions are refused with their cost without --force
NEEDS	root kprobe
RUN	dt stat 'kprobe:s*:entry' -- true
STATUS	1
ERR	kprobe:s\*:entry: [0-9]+ functions are too many: attaching takes up to [0-9]+ (s|minutes)
ERR	--force to attach anyway$

NAME	with --force more than 1,000 functions are traced
CORE
NEEDS	root kprobe_multi tp_btf
TIMEOUT	40
RUN	dt stat --force 'kprobe:s[o-y]*:entry' -- true
OUT	kprobe:s[o-y][a-z_]+:entry$

NAME	Ctrl-C during attaching ends dt and leaves no function attached
NEEDS	root kprobe tp_btf script full
TIMEOUT	60
RUN	e=/sys/kernel/tracing/enabled_functions; : >go; { until \
	[ $(wc -l <$e) -gt 20 ] && grep -q Attaching o; do sleep 0.1; done 2>&-;
	printf '\003'; while [ -e go ]; do sleep 0.1; done; } | { script -qefc \
	'dt stat --force "kprobe:*:entry" -- sleep 100' o >/dev/null;
	echo ended $?; rm go; }; tr '\r' '\n' <o;
	until [ $(wc -l <$e) -eq 0 ]; do sleep 0.1; done; echo none left
OUT	^Attaching [0-9]+ functions: .*Ctrl-C stops
OUT	^ended 130$
OUT	^none left$

NAME	a session that attaches many functions delays neither others nor its end
NEEDS	root kprobe tp_btf
TIMEOUT	40
RUN	p=s*; dt list -v profile | grep -q 'perf event' && p=vfs_*;
	kfuncs busy "kprobe:$p:entry"
OUT	^list [0-9]+ ms

NAME	rounds of enable, record, stop, close leave nothing behind
NEEDS	root kprobe tp_btf full
TIMEOUT	60
RUN	p='vfs_*' n=20; if dt list -v profile | grep -q 'perf event'; then \
	p='vfs_[mr][km]d*'; n=8; fi; [ -z "${DT_LARGE:-}" ] || n=300;
	kfuncs rounds $n "kprobe:$p:entry"
OUT	rounds, all as before$

NAME	a module loaded later is found, and can be unloaded and loaded again
NEEDS	root kprobe tp_btf guest full
TIMEOUT	40
RUN	m="modprobe -d $DT_VM_MODULES";
	dt list kprobe:dummy_xmit && exit 9; $m dummy numdummies=1 || exit 8;
	dt list -v kprobe:dummy_xmit:entry;
	dt record kprobe:dummy_get_stats64:entry -- cat /proc/net/dev >o;
	grep -c dummy_get_stats64 o; until $m -r dummy; do :; done 2>/dev/null;
	dt record kprobe:dummy_get_stats64:entry -- true
STATUS	1
OUT	^kprobe:dummy_xmit:entry \(struct sk_buff \*skb, struct net_device \*dev\)$
OUT	^[1-9][0-9]*$
ERR	no probe matches 'kprobe:dummy_xmit'
ERR	no probe matches 'kprobe:dummy_get_stats64:entry'
RUN	m="modprobe -d $DT_VM_MODULES";
	$m dummy numdummies=1 || exit 8; mkfifo go; { read x <go; $m -r dummy \
	2>/dev/null; $m dummy numdummies=1; cat /proc/net/dev >/dev/null; } & \
	dt record kprobe:dummy_get_stats64:entry -- sh -c 'cat /proc/net/dev \
	>/dev/null; echo >go; sleep 1' >o; wait; grep -c dummy_get_stats64 o
OUT	^[1-9]

NAME	the module loop is traced while in use, and can be unloaded afterwards
NEEDS	root kprobe tp_btf guest
TIMEOUT	40
RUN	modprobe -d $DT_VM_MODULES loop || exit 8;
	head -c 65536 /dev/zero >f; dt record kprobe:lo_ioctl \
	kprobe:loop_attr_do_show_backing_file:entry -- sh -c 'l=$(losetup -f --show f);
	cat /sys/block/${l#/dev/}/loop/backing_file; losetup -d $l' >o;
	grep -c 'kprobe:lo_ioctl(.*) = 0 <' o; grep -c do_show_backing_file o;
	until rmmod loop; do sleep 0.1; done 2>/dev/null; echo gone
OUT	^[1-9][0-9]*$
OUT	^gone$
NOOUT	^0$
