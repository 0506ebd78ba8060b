# SPDX-License-Identifier: ISC
# The tools of Debian's package of bpftrace, unchanged.

NAME	nine of ten of bpftrace's tools whose probes exist run, and others have a reason
NEEDS	root tp_btf bpftrace full
TIMEOUT	900
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	sh "$S"/tests/run/script/debian >table; cat table;
	grep -e refused -e absent table | grep -v -e ': [0-9]*:[0-9]*: no probe matches ' \
	-e ': [0-9]*:[0-9]*: the kernel has no symbol ' \
	-e ': [0-9]*:[0-9]*: struct [a-z_]* of this kernel has no member ' |
	sed 's/^/ODD /'; awk '/^share / && $2 < 90 { print "FEW" }' table;
	for t in cpuwalk execsnoop killsnoop naptime opensnoop pidpersec runqlat \
	setuids statsnoop syncsnoop syscount tcpdrop; do grep -qx "$t runs" table ||
	echo "MISSING $t"; done
OUT	^share [0-9]+ %: [0-9]+ of [0-9]+$|^no tools$
OUT	^opensnoop runs$|^no tools$
NOOUT	ODD
NOOUT	FEW
NOOUT	MISSING

NAME	each of bpftrace's tools is compared with bpftrace
RUN	for t in /usr/sbin/*.bt; do [ -e "$t" ] || continue; t=${t##*/};
	grep -qE "^[a-z]+ \| [^|]* \| ${t%.bt} " "$S"/tests/run/script/peers ||
	echo "MISSING $t"; done; grep -c ' | opensnoop | ' "$S"/tests/run/script/peers
EXPECT	1

NAME	tools that read structs of sockets print the ports that a program has
NEEDS	root kprobe tp_btf bpftrace full
TIMEOUT	300
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	printf '%s\n' 'import socket' 's = socket.create_server(("127.0.0.1", 0))' \
	'c = socket.create_connection(s.getsockname())' 'a, p = s.accept()' \
	'a.sendall(b"x" * 5000)' 'c.recv(9000)' 'c.close()' 'a.close()' \
	'x, y = socket.socketpair()' 'x.sendall(b"some text")' 'y.recv(99)' \
	'print("ports", p[1], s.getsockname()[1])' >c.py;
	for t in tcpconnect tcpaccept undump; do
	dt run /usr/sbin/$t.bt -- python3 c.py >$t 2>err || cat err; done;
	dt run -d 8 /usr/sbin/tcplife.bt >tcplife 2>err & t=$!;
	until grep -q PID tcplife || ! kill -0 $t; do sleep 0.2; done;
	python3 c.py >ports; wait; cat ports >>tcplife;
	for t in tcpconnect tcpaccept tcplife; do set -- $(grep ^ports $t);
	grep -qE " python3 +127\.0\.0\.1 +$2 +127\.0\.0\.1 +$3 " $t && echo "$t agrees"; done;
	grep -q ' python3 .* 9  *some text$' undump && echo "undump agrees";
	sed 's/^/| /' tcpconnect tcpaccept tcplife undump
OUT	^tcpconnect agrees$|^no tools$
OUT	^tcpaccept agrees$|^no tools$
OUT	^tcplife agrees$|^no tools$
OUT	^undump agrees$|^no tools$

NAME	execsnoop, opensnoop and killsnoop print what a command does
NEEDS	root tp_btf bpftrace
TIMEOUT	180
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	dt run /usr/sbin/execsnoop.bt -- sh -c '/bin/true one two';
	dt run /usr/sbin/killsnoop.bt -- sh -c 'kill -0 $$';
	echo x >here; dt run /usr/sbin/opensnoop.bt -- cat here
OUT	^[0-9]+ +[0-9]+ +/bin/true one two$|^no tools$
OUT	^[0-9:]+ +[0-9]+ +sh +0 +[0-9]+ +0$|^no tools$
OUT	^[0-9]+ +cat +[0-9]+ +0 here$|^no tools$

NAME	bpftrace's tools of files and processes print with dt what they print with bpftrace
NEEDS	root tp_btf tracefs mounts bpftrace full
TIMEOUT	900
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	sh "$S"/tests/run/script/check_peers "$S"/tests/run/script/peers files
OUT	^opensnoop: equal$|^no tools$
OUT	^all done$|^no tools$
NOOUT	DIFFERS

NAME	bpftrace's tools of the scheduler and memory print with dt what they print with bpftrace
NEEDS	root tp_btf tracefs bpftrace full
TIMEOUT	900
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	sh "$S"/tests/run/script/check_peers "$S"/tests/run/script/peers sched
OUT	^pidpersec: equal$|^no tools$
OUT	^all done$|^no tools$
NOOUT	DIFFERS

NAME	bpftrace's tools of disks print with dt what they print with bpftrace
NEEDS	root tp_btf tracefs mounts bpftrace full
TIMEOUT	900
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	sh "$S"/tests/run/script/check_peers "$S"/tests/run/script/peers disk
OUT	^bitesize: (equal|needs loop)$|^no tools$
OUT	^all done$|^no tools$
NOOUT	DIFFERS

NAME	bpftrace's tools of the network print with dt what they print with bpftrace
NEEDS	root tp_btf tracefs bpftrace full
TIMEOUT	900
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	sh "$S"/tests/run/script/check_peers "$S"/tests/run/script/peers net
OUT	^tcpdrop: equal$|^no tools$
OUT	^all done$|^no tools$
NOOUT	DIFFERS

NAME	bpftrace's tools of user programs print with dt what they print with bpftrace
NEEDS	root tp_btf tracefs uprobe bpftrace full
TIMEOUT	900
RUN	[ -e /usr/sbin/opensnoop.bt ] || { echo "no tools"; exit 0; };
	sh "$S"/tests/run/script/check_peers "$S"/tests/run/script/peers user
OUT	^gethostlatency: equal$|^no tools$
OUT	^all done$|^no tools$
NOOUT	DIFFERS
