# SPDX-License-Identifier: ISC
# Rights: root, and an unprivileged user (65534), with the service and with a
# private daemon.  Numbers of commands as in server.t.

NAME	root has every right, with the service and with a private daemon
CORE
NEEDS	root
SERVICE
ASK	open; rights
EXPECT	0 0x3f
RUN	dt list -v syscall:getpid:entry
OUT	^syscall:getpid:entry

NAME	an unprivileged user may list, and request statistics of own sessions
NEEDS	nonroot
SERVICE
ASK	as 65534; open; rights; list GPLIST exact; list GPLIST small;
	list GPROVS exact; list LOOKUP=syscall:getpid:* ask;
	list GARGS=syscall:openat:entry exact;
	list GARGNAMES=syscall:openat:entry exact; stats; fullstat nopen;
	list GARGS=0 ask
EXPECT	0 0 0x1 0 ENOSPC 0 2 0 0 same 1 EINVAL

NAME	an unprivileged user gets EPERM for every command that traces
NEEDS	nonroot
SERVICE
ASK	as 65534; open; record on; record off; enable syscall:getpid:entry;
	enable profile:hz:97 nsecs=1000000; disable syscall:getpid:entry;
	auxbase self; ksym schedule
EXPECT	0 0 EPERM EPERM EPERM EPERM EPERM EPERM EPERM

NAME	a session's own settings require no right and give none
NEEDS	nonroot
SERVICE
ASK	as 65534; open; self on; filter pid=self; budget 65536; filter set=32;
	budget 0; path /usr; path x; enable syscall:getpid:entry; record on
EXPECT	0 0 0 0 0 EINVAL EINVAL 0 EINVAL EPERM EPERM

NAME	EPERM comes before all errnos of the command itself
NEEDS	nonroot
SERVICE
ASK	as 65534; open; enable pbn=0; disable pbn=0; auxbase 0;
	enable profile:hz:97 nsecs=1; ioctl RECORD null; ioctl ENABLE null;
	ioctl SYM null; ioctl GMAPS null; ioctl SYMFILE null;
	ioctl SAGG null; ioctl AGGSNAP null; ioctl GAGG null;
	ioctl GPENDING null; ioctl PASS; ioctl GPLIST null; ioctl SFILTER null
EXPECT	0 0 EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM
	EPERM EFAULT EFAULT

NAME	ENOTTY comes before EPERM, and EPERM before the length
NEEDS	nonroot
SERVICE
ASK	as 65534; wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0x80044463 int=1; wire recv;
	wire send cmd=0x80104403 pad=3; wire recv;
	wire send cmd=0x80044403 pad=3; wire recv;
	wire send cmd=0x80184404; wire recv;
	wire send cmd=0xc0104401 pad=3; wire recv
EXPECT	0 0 0 0 0 ENOTTY 0 ENOTTY 0 EPERM 0 EPERM 0 EINVAL

NAME	rights are those at open: a session keeps them after its user drops root
NEEDS	root nonroot tp_btf
SERVICE
ASK	spawn W; open; as 65534; filter pid=W; enable syscall:getpid:entry;
	record on; in W call getpid 5; record off; readall; B: open;
	B: auxbase W
EXPECT	0 0 0 0 0 0 0 0 5 0 EPERM

NAME	EPERM names the missing right
NEEDS	nonroot
SERVICE
ASK	as 65534; open; record on; error; auxbase self; error
EXPECT	0 0 EPERM user_65534_lacks_the_right_PROFILE_or_TRACE_OWN_or_TRACE_ALL EPERM
	user_65534_lacks_the_right_TRACE_ALL

NAME	a private daemon gives every right, and can do no more than its client
NEEDS	nonroot
ASK	as 65534; open; private; rights; list GPLIST ask; filter pid=self;
	budget 65536; record on; auxbase self; auxbase 1
EXPECT	0 0 1 0x3f >=600 0 0 ENOENT same EACCES

NAME	a user who may not load BPF programs gets EPERM at ENABLE, with advice
NEEDS	root nonroot
ASK	as 65534; open; enable syscall:getpid:entry; error
EXPECT	0 0 EPERM *
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt stat \
	syscall:getpid:entry -- true
STATUS	1
NOOUT	.
ERR	run dt as root \(sudo dt \.\.\.\)
ERR	CAP_BPF

NAME	dt as an unprivileged user of the service names who can give the right
NEEDS	nonroot setpriv mounts
SERVICE
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt record \
	syscall:getpid:entry -- true
STATUS	1
NOOUT	.
ERR	user 65534 lacks the right .*TRACE_ALL
ERR	you may list probes only; .* group dt, .*'allow = trace-own to user nobody'
ERR	run dt as root
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt list \
	syscall:getpid
EXPECT	syscall:getpid:entry syscall:getpid:return

NAME	an unprivileged user's profile is refused, too
NEEDS	nonroot setpriv mounts
SERVICE
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt profile -d 1
STATUS	1
ERR	right

NAME	every user can connect to the socket, but not remove it from its folder
NEEDS	root nonroot setpriv
SERVICE
RUN	stat -c %a run/dt run; setpriv --reuid 65534 --regid 65534 \
	--clear-groups rm -f run/dt 2>/dev/null && echo removed
STATUS	1
EXPECT	666 755

NAME	a set-user-id dtd refuses to run
NEEDS	root nonroot setpriv
RUN	cp "$DT_DTD" d; chown 0:0 d; chmod 4755 d;
	setpriv --reuid 65534 --regid 65534 --clear-groups ./d --version
STATUS	1
ERR	set-user-ID

# Three clients of the service record the same call: u has TRACE_OWN, a has
# TRACE_ALL, r is root.  Each makes some calls while all of them record.  Root's
# second session has DTIOCSELF.
NAME	a recording client is seen by clients with more rights and by no others
CORE
NEEDS	root nonroot tp_btf mounts quick
SERVICE	allow = trace-own to user 65534
	allow = trace-all to user 65533
RUN	export ASK_DIR=$T/run; e='enable syscall:getppid:entry'; mkfifo u.in a.in r.in;
	ask <u.in >u & u=$!; ask <a.in >a & a=$!; ask <r.in >r & r=$!;
	exec 3>u.in 4>a.in 5>r.in;
	n() { until [ $(wc -l <$1) -ge $2 ]; do sleep 0.02; done; };
	echo "as 65534; open; $e; record on; B: open; B: $e; B: record on" >&3;
	echo "as 65533; open; $e; record on" >&4;
	echo "open; $e; record on; B: open; B: self on; B: $e; B: record on" >&5;
	n u 1; n a 1; n r 1; echo 'do call getppid 100' >&3; n u 2;
	echo 'do call getppid 200' >&4; n a 2; echo 'do call getppid 400' >&5; n r 2;
	f="A: record off; A: readall; A: count pid=$u; A: count pid=$a; A: count pid=$r";
	g=$(echo "$f" | sed s/A:/B:/g); echo "$f" >&4; n a 3;
	echo "$f; $g" >&3; n u 3; echo "$f; $g" >&5; n r 3;
	for i in u a r; do echo "$i $(tail -n 1 $i)"; done
OUT	^u 0 [0-9]+ 0 0 0 0 [0-9]+ 0 0 0 *$
OUT	^a 0 [0-9]+ 100 0 0 *$
OUT	^r 0 [0-9]+ 100 200 0 0 [0-9]+ 100 200 400 *$
