# SPDX-License-Identifier: ISC
# The scripts of share/dt/tools about sockets, each on a load whose results are
# known, next to another tool on the same run.

NAME	sockets counts by family and type what strace prints
NEEDS	root tp_btf strace python3
RUN	py=$(python3 -c 'import sys; print(sys.executable)');
	dt run sockets -- strace -qq -o s -e trace=socket $py -c '
	import ctypes, socket as s
	open("/proc/self/comm", "w").write("dtsock")
	def f(n, *a): [s.socket(*a) for i in range(n)]
	f(3, s.AF_INET, s.SOCK_STREAM); f(2, s.AF_INET, s.SOCK_DGRAM)
	f(1, s.AF_UNIX, s.SOCK_SEQPACKET); f(4, s.AF_NETLINK, s.SOCK_RAW)
	ctypes.CDLL(None).socket(45, 2, 0)' >o; cat o;
	awk '/dtsock/ { n += $NF } END { print n, "calls" }' o; grep -c socket s
OUT	^@sockets\[dtsock, IPv4, stream\]: 3$
OUT	^@sockets\[dtsock, IPv4, datagram\]: 2$
OUT	^@sockets\[dtsock, local, seqpacket\]: 1$
OUT	^@sockets\[dtsock, netlink, raw\]: 4$
OUT	^@others\[dtsock, 45, 2\]: 1$
OUT	^11 calls$
OUT	^11$

# The server's end is created while a packet arrives, in any process; its line has
# the server all the same.
# perf prints the changes of states; a client has no port before the first one.
NAME	tcp-lifetimes prints both ends of a connection, with program and time
NEEDS	root tp_btf tracefs python3 perf
RUN	cat >client.py <<\EOS
	import socket, sys, time
	open("/proc/self/comm", "w").write("dtclient")
	c = socket.create_connection((sys.argv[1], int(sys.argv[2])))
	print(c.getsockname()[1], flush=True); time.sleep(.2); c.close()
	EOS
	cat >server.py <<\EOS
	import socket, subprocess, sys
	open("/proc/self/comm", "w").write("dtserver")
	s = socket.create_server((sys.argv[1], 0), family=int(sys.argv[2]))
	print(s.getsockname()[1], flush=True)
	p = subprocess.Popen(["python3", "client.py", sys.argv[1], str(s.getsockname()[1])])
	a = s.accept()[0]; a.recv(9); a.close(); p.wait(); s.close()
	c = socket.socket(int(sys.argv[2]))
	c.connect_ex((sys.argv[1], int(sys.argv[3])))
	EOS
	for a in '127.0.0.1 2' '::1 10'; do dt run tcp-lifetimes -o o -- perf record -q -a \
	-o p -e sock:inet_sock_set_state python3 server.py $a 1 >ports 2>e; cat o;
	{ read -r to; read -r from; } <ports; perf script -i p -F time,trace 2>>e |
	awk -v from=$from -v to=$to '{ for (i = 2; i <= NF; i++) { split($i, w, "=");
	v[w[1]] = w[2] } k = v["sport"] " " v["dport"]; sub(/:$/, "", $1);
	if (!(k in begin)) begin[k] = $1; if (v["newstate"] ~ /CLOSE$/)
	print k, int(($1 - begin[k]) * 1000) }' >peer;
	awk 'NR == FNR { ms[$1 " " $2] = $3; next } ($4 " " $6) in ms { t = ms[$4 " " $6];
	n += $7 + 1 >= t && $7 <= t + 100 } END { print n, "as perf" }' peer o;
	a=${a% *}; awk -v a=$a -v from=$from -v to=$to '
	$2 == "dtclient" && $3 == a && $4 == from && $5 == a && $6 == to { c = $7 }
	$2 == "dtserver" && $3 == a && $4 == to && $5 == a && $6 == from { s = $7 }
	$2 == "dtserver" && $5 == a && $6 == 1 { r = $7 + 1 }
	END { print "met", (c >= 200), (s >= 200), (r > 0) }' o; done
OUT	^met 1 1 1$
OUT	^[2-9] as perf$
NOOUT	^met .*0
NOOUT	^[01]? ?as perf

# gethostlatency of bpftrace's package runs around it.
NAME	dns-latency prints the names that programs look up, as gethostlatency
NEEDS	root uprobe bpftrace python3
TIMEOUT	120
RUN	cat >look.py <<\EOS
	import socket
	open("/proc/self/comm", "w").write("dtlook")
	socket.getaddrinfo("localhost", 80)
	try: socket.getaddrinfo("dt-none.invalid", 80)
	except socket.gaierror: pass
	EOS
	echo 'exec dt run dns-latency -o o -- python3 look.py' >inner;
	bpftrace -B line -o p -c "/bin/sh $PWD/inner" /usr/sbin/gethostlatency.bt 2>e;
	cat o; awk '$2 == "dtlook" { print $1, $NF, ($3 < 60000) }' o >dt;
	awk '$3 == "dtlook" { print $2, $NF, ($4 < 60000) }' p >peer; diff dt peer && wc -l <dt
OUT	^PID +PROGRAM +MS +RESULT HOST$
OUT	^[0-9]+ +dtlook +[0-9]+\.[0-9]{3} +0 localhost$
OUT	^[0-9]+ +dtlook +[0-9]+\.[0-9]{3} +-[0-9]+ dt-none\.invalid$
OUT	^2$
NOOUT	^[<>]

# The changes that bpftrace counts are at least those of dt, which it starts.
NAME	tcp-states has the changes of a connection by name, and those of bpftrace
NEEDS	root tp_btf tracefs bpftrace python3
TIMEOUT	120
RUN	cat >l.py <<\EOS
	import socket
	s = socket.create_server(("127.0.0.1", 0))
	c = [socket.create_connection(s.getsockname()) for i in range(7)]
	a = [s.accept()[0] for i in range(7)]
	for x in c: x.close()
	for x in a: x.close()
	socket.socket().connect_ex(("127.0.0.1", 1))
	EOS
	cat >inner <<\EOS
	dt run tcp-states -o o -- python3 l.py
	EOS
	bpftrace -f json -o p -e 'tracepoint:sock:inet_sock_set_state
	/args->protocol == 6/ { @[args->oldstate, args->newstate] = count(); }' \
	-c "/bin/sh $PWD/inner"; cat o;
	n() { sed -n "s/^@changes\[$1\]: //p" o; }; peer() { jq --arg k $1 \
	'.data["@"]? // empty | .[$k]' p; };
	[ $(n 'SYN_SENT, ESTABLISHED') -le $(peer 2,1) ] && [ $(n 'CLOSE, SYN_SENT') \
	-le $(peer 7,2) ] && [ $(n 'LAST_ACK, CLOSE') -le $(peer 9,7) ] && echo fewer
OUT	^@changes\[CLOSE, SYN_SENT\]: ([89]|[1-9][0-9]+)$
OUT	^@changes\[SYN_SENT, ESTABLISHED\]: ([7-9]|[1-9][0-9]+)$
OUT	^@changes\[SYN_SENT, CLOSE\]: [1-9]
OUT	^@changes\[LAST_ACK, CLOSE\]: ([7-9]|[1-9][0-9]+)$
OUT	^@changes\[CLOSE, LISTEN\]: [1-9]
OUT	^fewer$
