# SPDX-License-Identifier: ISC
# The commands of docs/recipes.md, each on a load with known results, next to
# another tool (recipes/run).  Both tools must agree, and the known results must
# be in the output.

NAME	opened files by process, as opensnoop.bt
NEEDS	root tp_btf tracefs bpftrace jq
TIMEOUT	120
RUN	r=$S/tests/run/recipes; cp "$B/tests/keys" dtopens;
	$r/run 'Who opens' /usr/sbin/opensnoop.bt './dtopens calls';
	sed -nE 's/^[0-9]+ +dtopens +(-?[0-9]+) +([0-9]+) (.*)/\1 \2 \3/p' \
	peer.out | sort >peer; jq -rs -L $r 'include "recipes"; calls |
	select(.comm == "dtopens") | "\(if .errno == 0 then .retval else -1 end
	) \(.errno) \(.strings.filename)"' dt.out | sort >dt;
	diff peer dt && uniq -c dt
OUT	^ +5 -1 2 gone$
OUT	^ +3 [0-9]+ 0 here$
OUT	^ +1 [0-9]+ 0 /dev/zero$

NAME	started programs by process, as execsnoop.bt
NEEDS	root tp_btf tracefs bpftrace jq
TIMEOUT	120
RUN	r=$S/tests/run/recipes; cp /bin/true dtexec; $r/run 'Which programs' \
	execsnoop.bt './dtexec "a  b" c; sh -c "./dtexec d; :"; ./dtnone e; :';
	grep '[.]/dt[en]' peer.out | sort >peer; jq -r 'select(.strings.argv and
	(.probe | endswith(":entry"))) |
	"\(.pid) \(.ppid) \(.strings.argv | join(" "))"' dt.out |
	grep '[.]/dt[en]' | sort >dt; diff peer dt && cat dt
OUT	^[0-9]+ [0-9]+ \./dtexec a  b c$
OUT	^[0-9]+ [0-9]+ sh -c \./dtexec d; :$
OUT	^[0-9]+ [0-9]+ \./dtexec d$
OUT	^[0-9]+ [0-9]+ \./dtnone e$

NAME	signals by sender and receiver, as killsnoop.bt
NEEDS	root tp_btf tracefs bpftrace jq
TIMEOUT	120
RUN	r=$S/tests/run/recipes; cp /bin/sh dtkills; $r/run 'Who sends' \
	/usr/sbin/killsnoop.bt './dtkills -c "sleep 60 & kill -0 \$\$;
	kill -15 \$!; kill -9 999999; wait; :"';
	sed -nE 's/^[0-9:]+ +([0-9]+ +dtkills +[0-9]+ +[0-9]+ +[-0-9]+)$/\1/p' \
	peer.out | tr -s ' ' | sort >peer; jq -rs -L $r 'include "recipes";
	calls | select(.comm == "dtkills" and .args.sig) | "\(.pid) \(.comm) \(
	.args.sig) \(.args.pid) \(0 - .errno)"' dt.out | sort >dt;
	diff peer dt && cat dt
OUT	^[0-9]+ dtkills 0 [0-9]+ 0$
OUT	^[0-9]+ dtkills 15 [0-9]+ 0$
OUT	^[0-9]+ dtkills 9 999999 -3$

NAME	deleted files by process, as a bpftrace script
NEEDS	root tp_btf tracefs bpftrace jq
TIMEOUT	120
RUN	r=$S/tests/run/recipes; cp /bin/rm dtrm; echo x >one; mkdir d;
	echo x >d/two; $r/run 'Who deletes' deletesnoop.bt './dtrm one;
	./dtrm -r d; ./dtrm -f none "$PWD/none"'; grep -E '^[0-9]+ dtrm ' \
	peer.out | sort >peer; jq -rs -L $r 'include "recipes"; calls |
	select(.comm == "dtrm") | "\(.pid) \(.comm) \(.errno) \(
	.strings.pathname)"' dt.out | sort >dt; diff peer dt && cat dt
OUT	^[0-9]+ dtrm 0 one$
OUT	^[0-9]+ dtrm 0 d/?$
OUT	^[0-9]+ dtrm 0 (d/)?two$
OUT	^[0-9]+ dtrm 2 none$

# No server listens there; connect() is called nevertheless.
NAME	addresses that programs connect to, as strace
NEEDS	root tp_btf tracefs strace jq
RUN	line=$(sed -n '/^## Where programs/,$s/^    # //p' \
	$S/docs/recipes.md | sed '1s/^dt record/& -j/;q'); echo "$line --" \
	strace -f -qq -o trace -e trace=connect "sh load >dt.out" >inner;
	for to in 127.0.0.1/1 127.0.0.2/17 ::1/9; do
	echo "bash -c ': >/dev/tcp/$to'"; done >load; echo : >>load; sh inner;
	sed -nE 's/.*htons[(]([0-9]+)[)].*"([0-9.:]+)".*/\2 \1/p' trace | sort \
	>peer; jq -r 'select(.text.newstate == "TCP_SYN_SENT") | "\(
	if .text.family == "AF_INET" then .text.daddr else .text.daddr_v6 end) \(
	.args.dport)"' dt.out | sort >dt; diff peer dt && cat dt
OUT	^127\.0\.0\.1 1$
OUT	^127\.0\.0\.2 17$
OUT	^::1 9$

NAME	addresses that programs connect to, as tcpconnect.bt
NEEDS	root tp_btf tracefs kprobe bpftrace jq full
TIMEOUT	120
RUN	r=$S/tests/run/recipes; cp /bin/bash dtconnect; $r/run 'Where programs' \
	/usr/sbin/tcpconnect.bt 'for to in 127.0.0.1/1 127.0.0.2/17 ::1/9; do
	./dtconnect -c ": >/dev/tcp/$to"; done; :'; tr -s ' ' <peer.out |
	sed -nE 's/^[0-9:]+ ([0-9]+ dtconnect) [^ ]+ [0-9]+ ([^ ]+ [0-9]+).*/\1 \2/p' \
	| sort >peer; jq -r 'select(.comm == "dtconnect") | "\(.pid) \(.comm) \(
	if .args.family == 2 then .text.daddr else .text.daddr_v6 end) \(
	.args.dport)"' dt.out | sort >dt; diff peer dt && cat dt
OUT	^[0-9]+ dtconnect 127\.0\.0\.1 1$
OUT	^[0-9]+ dtconnect 127\.0\.0\.2 17$

# A disk that replies at once.
NAME	disk latency by device, as a bpftrace script
NEEDS	root tp_btf tracefs bpftrace jq loop
TIMEOUT	120
RUN	r=$S/tests/run/recipes; truncate -s 4M image;
	loop=$(losetup -f --show image); trap 'losetup -d $loop' EXIT;
	$r/run 'How long disks' biolatency.bt "dd if=$loop of=/dev/null bs=4k \
	count=50 iflag=direct" -f json; n=$(( $(stat -c 0x%t $loop) << 20 |
	$(stat -c 0x%T $loop) ));
	jq -cn -L $r --argjson n $n --slurpfile a peer.out --slurpfile b dt.out \
	'include "recipes"; ($a[] | .data["@ns"]? // empty | .["\($n)"]) as $p |
	($b[] | select(.args.dev? == $n)) as $d | $d.count, ([$p[].count] | add),
	near($p; $d.hist; 0; 1; 90)'
EXPECT	50 50 true

NAME	disk latency of a device with a known delay of 20 ms
CORE
NEEDS	root tp_btf tracefs jq guest
TIMEOUT	60
RUN	modprobe -d "$DT_VM_MODULES" \
	null_blk irqmode=2 completion_nsec=20000000 gb=1;
	dt stat -j -u 0 --self --hist --by dev --from tracepoint:block:block_rq_issue \
	--to tracepoint:block:block_rq_complete --key dev,sector -- \
	dd if=/dev/nullb0 of=/dev/null bs=4k count=10 iflag=direct >dt.out;
	rmmod null_blk; cat dt.out; jq -rs '(map(select(.hist))[0]) as $h |
	"\($h.count > 7) \($h.count + .[-1].ledger.missed >= 10)",
	([$h.hist[] | select(.min < 16777216) | .count] | add)' dt.out
OUT	^true true$
OUT	^null$

# Both print a histogram of waits whose sum the kernel counts (runwait).  The
# number of waits is known, and the sum lies between the sums of the buckets'
# lower and upper bounds.
NAME	waiting times for a CPU, as the kernel's account and bpftrace
NEEDS	root tp_btf tracefs bpftrace jq
TIMEOUT	120
RUN	r=$S/tests/run/recipes; $r/run 'How long threads' runqlat.bt \
	'exec runwait >waits' -f json; jq -cnR -L $r --slurpfile a peer.out \
	--slurpfile b dt.out 'include "recipes"; (input | split(" ") |
	map(tonumber)) as [$pid, $n, $nsecs, $n2, $nsecs2] |
	($a[] | .data["@ns"]? // empty | .["\($pid)"]) as $p |
	($b[] | select(.args.pid? == $pid)) as $d | $n,
	fits($p; $n; $nsecs; $n2; $nsecs2),
	fits($d.hist; $n; $nsecs; $n2; $nsecs2)' waits; cat waits >&2;
	grep -h "$(cut -d' ' -f1 waits)" dt.out peer.out >&2
EXPECT	>=20 true true

NAME	reads of more than 10 ms, as a bpftrace script
NEEDS	root tp_btf tracefs kprobe bpftrace jq full
TIMEOUT	120
RUN	r=$S/tests/run/recipes; mkfifo f; cp /bin/dd dtreads; $r/run \
	'Which reads' slowread.bt 'for t in 0.05 0.2; do { sleep $t; echo $t; } >f &
	./dtreads if=f of=/dev/null bs=77 count=1 2>/dev/null; wait; done;
	./dtreads if=/dev/zero of=/dev/null bs=77 count=20';
	awk '$2 == "dtreads" { print $1, $2, $3, $4 }' peer.out | sort >peer;
	jq -r 'select(.comm == "dtreads") | "\(.pid) \(.comm) \(.args.count) \(
	.retval)"' dt.out | sort >dt; diff peer dt && cut -d' ' -f2- dt;
	awk '$2 == "dtreads" { print $1, $5 }' peer.out | sort >a;
	jq -r 'select(.comm == "dtreads") | "\(.pid) \(.duration)"' dt.out |
	sort >b; join a b | awk '{ d = $2 - $3; if (d * d > 4e12) print "far" }'
OUT	^dtreads 77 5$
OUT	^dtreads 77 4$
NOOUT	far

NAME	allocations by caller, page faults by function, and slow calls are those of a program
NEEDS	root uprobe tracefs cc
RUN	printf '%s\n' '#include <stdlib.h>' '#include <sys/mman.h>' '#include <unistd.h>' \
	'#define OWN __attribute__((noinline))' 'char *volatile last;' \
	'OWN void alpha_step(void) { for (int i = 0; i < 3; i++) last = malloc(1000); }' \
	'OWN void beta_step(void) { for (int i = 0; i < 5; i++) last = malloc(200); usleep(30000); }' \
	'OWN void touch_pages(char *p) { for (int i = 0; i < 500; i++) p[i * 4096L] = 1; }' \
	'int main(void) { char *p = mmap(0, 500 * 4096L, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);' \
	'madvise(p, 500 * 4096L, MADV_NOHUGEPAGE); alpha_step(); beta_step(); touch_pages(p); }' >v.c;
	${CC:-cc} -O1 -fno-inline -fno-optimize-sibling-calls -o v v.c;
	{ dt profile --on uprobe:libc:malloc:entry --sum arg0 -f -- ./v 2>e ||
	dt profile --on uprobe:libc:malloc:entry --sum bytes -f -- ./v; } |
	sed -n 's/.*main;\([a-z]*_step\);.*malloc[a-z_]* \([0-9]*\)$/\1 \2/p';
	for p in tracepoint:exceptions:page_fault_user counter:page-faults:1; do
	dt profile --event $p -f -- ./v | awk '/;touch_pages/ { n += $NF } END {
	print (n >= 500 && n < 510 ? "touch_pages" : n) }'; done
OUT	^alpha_step 3000$
OUT	^beta_step 1000$
OUT	^touch_pages$
NOOUT	^[0-9]+$
RUN	dt record --slower 10ms "uprobe:$PWD/v:*_step" -- ./v; dt record uprobe:libc:malloc -- ./v | grep -cE 'malloc.*(0x3e8|1000)'
OUT	uprobe:v:beta_step\(.*\).* <0\.0[3-9]
NOOUT	alpha_step\(
OUT	^[1-9]
RUN	dt stat --by comm uprobe:libc:malloc:entry -- ls
OUT	^ +[1-9][0-9]* .* ls$
RUN	dt stat --hist --by comm uprobe:libc:getaddrinfo -- getent ahosts localhost
OUT	duration: [1-9][0-9]* values?

NAME	handshakes of TLS are measured
NEEDS	root uprobe openssl debian_python
RUN	openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -subj /CN=x \
	-days 2 2>/dev/null; printf '%s\n' 'import ssl, socket, threading' \
	's = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); s.load_cert_chain("c", "k")' \
	'c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT); c.check_hostname = False' \
	'c.verify_mode = ssl.CERT_NONE' 'for i in range(10):' \
	'    a, b = socket.socketpair()' \
	'    t = threading.Thread(target=s.wrap_socket, args=(a, True))' \
	'    t.start(); c.wrap_socket(b); t.join()' >tls.py;
	dt stat --hist --by comm uprobe:libssl:SSL_do_handshake -- /usr/bin/python3 tls.py;
	dt record --if 'retval != 1' uprobe:libssl:SSL_do_handshake -- /usr/bin/python3 tls.py
OUT	duration: 20 values
NOOUT	SSL_do_handshake
ERR	^dt: 0 events in .*, none lost$

NAME	imports and garbage collections of a Python program
NEEDS	root uprobe debian_python
RUN	echo 'import gc, colorsys' >t.py; echo 'for i in range(30): gc.collect()' >>t.py;
	p=usdt:/usr/bin/python3:python; dt stat --by 'str(arg0)' \
	$p:import__find__load__start -- /usr/bin/python3 t.py;
	dt stat --hist --by comm --from $p:gc__start --to $p:gc__done --key tid \
	-- /usr/bin/python3 t.py
OUT	^ +1 .* colorsys$
OUT	duration: [3-9][0-9] values

NAME	calls of Python functions: all by static probes, those from C by the interpreter
NEEDS	root uprobe debian_python
TIMEOUT	120
RUN	printf '%s\n' 'def leaf(n):' '    return n + 1' 'def mid(n):' \
	'    return leaf(n) + leaf(n)' 'list(map(mid, range(50)))' \
	'sorted(range(30), key=leaf)' 'for i in range(100): mid(i)' >f.py;
	p=usdt:/usr/bin/python3:python; dt stat --by 'probe,str(arg1)' \
	$p:function__entry $p:line -- /usr/bin/python3 f.py;
	dt stat uprobe:/usr/bin/python3:_PyEval_EvalFrameDefault:entry \
	-- /usr/bin/python3 f.py
OUT	^ +330 .*python:function__entry +leaf$
OUT	^ +330 .*python:line +leaf$
OUT	^ +150 .*python:function__entry +mid$
OUT	^ +[1-9][0-9]{2,} .*:_PyEval_EvalFrameDefault:entry$
ERR	events, none lost$

NAME	statements of PostgreSQL by its static probes
NEEDS	root uprobe postgres setpriv full
TIMEOUT	300
RUN	pg=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); chmod 755 .; mkdir db;
	chown 65534 db; me='setpriv --reuid=65534 --regid=65534 --clear-groups';
	$me $pg/initdb -D db -A trust >/dev/null || exit;
	printf 'select 40 + 2;\nselect 1 / 0;\n' >q; p=usdt:$pg/postgres:postgresql;
	dt record --str arg0 $p:query__start -- $me $pg/postgres --single -D db postgres <q;
	dt record --str arg0 --from $p:query__start --to $p:query__done --key tid \
	-- $me $pg/postgres --single -D db postgres <q
OUT	query__start\(arg0="select 40 \+ 2;(\\n)?"
OUT	query__start\(arg0="select 1 / 0;(\\n)?"
OUT	query__start\(arg0="select 40 .*"\) -> usdt:postgres:postgresql:query__done <
