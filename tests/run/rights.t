# SPDX-License-Identifier: ISC
# Who may do what: root, and somebody else (65534) with the service and with a
# daemon of his own.  Numbers of commands as in server.t.

NAME	root has every right, with the service and with a private daemon
CORE
NEEDS	root
SERVICE
ASK	open; rights
EXPECT	0 0x3f
RUN	dt list -v syscall:getpid:entry
OUT	^syscall:getpid:entry

NAME	somebody else may list, and ask for statistics of his own
NEEDS	nonroot
SERVICE
ASK	as 65534; open; rights; list GPLIST exact; list GPLIST small;
	list GPROVS exact; list LOOKUP=syscall:getpid:* ask;
	list GARGS=syscall:openat:entry exact;
	list GARGNAMES=syscall:openat:entry exact; stats; fullstat nopen;
	list GARGS=0 ask
EXPECT	0 0 0x1 0 ENOSPC 0 2 0 0 same 1 EINVAL

NAME	somebody else may do nothing that traces: EPERM
NEEDS	nonroot
SERVICE
ASK	as 65534; open; record on; record off; enable syscall:getpid:entry;
	enable profile:hz:97 nsecs=1000000; disable syscall:getpid:entry;
	auxbase self; ksym schedule
EXPECT	0 0 EPERM EPERM EPERM EPERM EPERM EPERM EPERM

NAME	settings of one's own open need no right, and give none
NEEDS	nonroot
SERVICE
ASK	as 65534; open; self on; filter pid=self; budget 65536; filter set=32;
	budget 0; path /usr; path x; enable syscall:getpid:entry; record on
EXPECT	0 0 0 0 0 EINVAL EINVAL 0 EINVAL EPERM EPERM

NAME	EPERM comes before all that the command itself would refuse
NEEDS	nonroot
SERVICE
ASK	as 65534; open; enable pbn=0; disable pbn=0; auxbase 0;
	enable profile:hz:97 nsecs=1; ioctl RECORD null; ioctl ENABLE null;
	ioctl SYM null; ioctl GMAPS null; ioctl SYMFILE null;
	ioctl GPLIST null; ioctl SFILTER null
EXPECT	0 0 EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EFAULT EFAULT

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

NAME	rights are those at open: who gives root up keeps what he opened
NEEDS	root nonroot tp_btf
SERVICE
ASK	spawn W; open; as 65534; filter pid=W; enable syscall:getpid:entry;
	record on; in W call getpid 5; record off; readall; B: open;
	B: auxbase W
EXPECT	0 0 0 0 0 0 0 0 5 0 EPERM

NAME	EPERM tells which right lacks
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

NAME	who may not load BPF programs gets EPERM at ENABLE from a private
	daemon, and is told what it takes
NEEDS	root nonroot
ASK	as 65534; open; enable syscall:getpid:entry; error
EXPECT	0 0 EPERM *
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt stat \
	syscall:getpid:entry -- true
STATUS	1
NOOUT	.
ERR	run dt as root \(sudo dt \.\.\.\)
ERR	CAP_BPF

NAME	dt as somebody else, with the service: told who can give the right
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

NAME	somebody else's profile is refused, too
NEEDS	nonroot setpriv mounts
SERVICE
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt profile -d 1
STATUS	1
ERR	right

NAME	the socket lets everybody knock, the folder does not let him write
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
