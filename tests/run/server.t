# SPDX-License-Identifier: ISC
# The server and its connections, without libdt where libdt would refuse.
# Numbers of commands: GPLIST 0xc0104401, GSTATS 0x40204402, RECORD 0x80044403,
# ENABLE 0x80184404, GARGS 0xc0184406, SELF 0x80044440.

NAME	the service replies, returns the client's rights, and ends by SIGTERM
CORE
SERVICE
ASK	open; private; rights; list GPLIST ask; close
EXPECT	0 0 * >=600 0

NAME	a service that is loading its programs ends like any other
NEEDS	root tp_btf
RUN	early 5 100
OUT	^5 times$

NAME	a service ends at any moment of its start, also while it reads symbols
CORE
NEEDS	root tp_btf full
TIMEOUT	240
RUN	early 60 3000
OUT	^60 times$

NAME	without the device's socket, DT_OPEN_SERVICE is ENOENT
SERVICE	test-device = no
ASK	open test
EXPECT	ENOENT

NAME	allowdt = no makes open fail with EPERM
CORE
SERVICE	allowdt = no
ASK	open; error; wire connect; wire send fds=ns pad=8; wire recv
EXPECT	EPERM the_configuration_has_allowdt_=_no 0 0 EPERM

NAME	every command before open is EBADF, also an unknown one
NEEDS	root
SERVICE
ASK	wire connect; wire send cmd=0xc0104401 pad=8; wire recv;
	wire send cmd=0x20004463; wire recv;
	wire send cmd=0x80044403 int=1; wire recv; wire send fds=ns pad=8;
	wire recv; wire send cmd=0x80044403 int=1; wire recv
EXPECT	0 0 EBADF 0 EBADF 0 EBADF 0 0 0 ENOENT

NAME	a second open on a connection is EINVAL, and the first session continues
SERVICE
ASK	wire connect; wire send fds=ns pad=8; wire recv; wire send pad=8;
	wire recv; wire send cmd=0xc0104401 pad=8; wire recv
EXPECT	0 0 0 0 EINVAL 0 0

NAME	an open without descriptors is EINVAL, and can be repeated
SERVICE
ASK	wire connect; wire send pad=8; wire recv; wire send; wire recv;
	wire send pad=4; wire recv; wire send fds=ns pad=8; wire recv
EXPECT	0 0 EINVAL 0 EINVAL 0 EINVAL 0 0

NAME	an open with an unsupported mode is EOPNOTSUPP
SERVICE
ASK	wire connect; wire send fds=ns hex=0000000001000000; wire recv;
	wire send fds=ns hex=0000000000000000; wire recv
EXPECT	0 0 EOPNOTSUPP 0 0

NAME	unexpected descriptors with an open close the connection
SERVICE
ASK	wire connect; wire send fds=one pad=8; wire recv; wire eof; wire close;
	wire connect; wire send fds=ns pad=4; wire recv; wire eof; wire close;
	wire connect; wire send fds=three pad=8; wire recv; wire eof;
	wire close; wire connect; wire send fds=ns pad=8; wire recv;
	wire send fds=ns pad=8; wire recv; wire eof
EXPECT	0 0 EINVAL EOF 0 0 0 EINVAL EOF 0 0 0 EINVAL EOF 0 0 0 0 0 EINVAL EOF

NAME	descriptors with a command close the connection
SERVICE
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0xc0104401 fds=one pad=8; wire recv; wire eof; open;
	await nopen 1
EXPECT	0 0 0 0 EINVAL EOF 0 0

NAME	open requires the namespaces of the peer: others are EPERM
SERVICE
ASK	wire connect; wire send fds=swap pad=8; wire recv; wire eof
EXPECT	0 0 EPERM EOF

NAME	a peer of another version gets an errno and is closed
SERVICE
ASK	wire connect; wire send ver=2 fds=ns pad=8; wire recv; wire eof;
	wire close; wire connect; wire send ver=0 cmd=0xc0104401 pad=8;
	wire recv; wire eof; open; list GPLIST ask
EXPECT	0 0 EPROTONOSUPPORT EOF 0 0 0 EPROTONOSUPPORT EOF 0 >=600

NAME	another version after open gets an errno, too
SERVICE
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send ver=4294967295 cmd=0xc0104401 pad=8; wire recv; wire eof
EXPECT	0 0 0 0 EPROTONOSUPPORT EOF

NAME	a message of 64 kB is accepted, a longer one is EMSGSIZE and closes
SERVICE
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0x20004463 pad=65512; wire recv;
	wire send cmd=0x20004463 len=65513; wire recv; wire eof;
	wire close; wire connect; wire send len=4294967295 fds=ns pad=8;
	wire recv; wire eof
EXPECT	0 0 0 0 ENOTTY 0 EMSGSIZE EOF 0 0 0 EMSGSIZE EOF

NAME	tags are returned unchanged, whatever their value
SERVICE
ASK	wire connect; wire send tag=0 fds=ns pad=8; wire recv;
	wire send tag=4294967295 cmd=0xc0104401 pad=8; wire recv;
	wire send tag=0 cmd=0xc0104401 pad=8; wire recv;
	wire send tag=0 cmd=0x20004463; wire recv
EXPECT	0 0 0 0 0 0 0 0 ENOTTY

NAME	the length of each payload is checked, after ENOTTY
SERVICE
NEEDS	root
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0xc0104401 pad=7; wire recv;
	wire send cmd=0xc0104401 pad=9; wire recv;
	wire send cmd=0x40204402 pad=1; wire recv;
	wire send cmd=0x80044403 pad=3; wire recv;
	wire send cmd=0x80044403; wire recv;
	wire send cmd=0x80184404 pad=23; wire recv;
	wire send cmd=0x80184404 pad=25; wire recv;
	wire send cmd=0x80184405 pad=25; wire recv;
	wire send cmd=0xc0184406 pad=24; wire recv;
	wire send cmd=0xc0104407 pad=15; wire recv;
	wire send cmd=0x80044440 pad=5; wire recv;
	wire send cmd=0x80104403 pad=3; wire recv
EXPECT	0 0 0 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL
	0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 ENOTTY

NAME	a pattern without an end and too many addresses are EINVAL
SERVICE
NEEDS	root
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0xc0184441 pad=264; wire recv;
	wire send cmd=0xc0484446 hex=000000000100000000000000000000000000000000000000; wire recv;
	wire send cmd=0xc0484446 hex=00000000ffffffff00000000000000000000000000000000; wire recv
EXPECT	0 0 0 0 * 0 * 0 *

NAME	a connection closed in the middle of a message does no harm
SERVICE
ASK	open; wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0xc0104401 len=60000 pad=8; wire close;
	wire connect; wire close; wire connect; wire send len=8 fds=ns pad=3;
	wire close; list GPLIST ask; close
EXPECT	0 0 0 0 0 0 0 0 0 0 0 >=600 0

NAME	the test device: data is returned, at once or later
SERVICE	test-device = yes
ASK	open test; ioctl TESTECHO fill=0x5a same;
	ioctl TESTECHO hex=000102030405060708 same;
	ioctl TESTLATER fill=0x77 same; ioctl TESTECHO same; close
EXPECT	0 1 1 1 1 0

NAME	the test device: 1 MB arrives intact, and data after it
SERVICE	test-device = yes
ASK	open test; ioctl TESTSEND int=1048576; recvdata 1048576;
	ioctl TESTSEND int=1; recvdata 1; ioctl TESTSEND int=70000;
	ioctl TESTSEND int=70000; recvdata 140000
EXPECT	0 0 1048576 0 1 0 0 140000

NAME	the test device: data beyond the socket's buffer waits, and none is lost
SERVICE	test-device = yes
ASK	open test; ioctl TESTSEND int=16777216; ioctl TESTECHO fill=1 same;
	recvdata 16777216; ioctl TESTSEND int=67108865
EXPECT	0 0 1 16777216 EINVAL

NAME	the test device: unread data does not delay close
SERVICE	test-device = yes
ASK	open test; ioctl TESTSEND int=16777216; close; open test;
	ioctl TESTECHO fill=1 same
EXPECT	0 0 0 0 1

NAME	the test device: unknown commands, and those of dt, are ENOTTY
SERVICE	test-device = yes
ASK	open test; ioctl 0x20005a63; ioctl GPLIST; ioctl GSTATS;
	ioctl RECORD int=0; ioctl ENABLE; ioctl TESTECHO fill=3 same
EXPECT	0 ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY 1

NAME	the test device: a command of ADMIN is EPERM for an unprivileged user
NEEDS	root nonroot
SERVICE	test-device = yes
ASK	open test; ioctl TESTADMIN; as 65534; B: open test;
	B: ioctl TESTADMIN; B: ioctl TESTECHO fill=9 same; B: ioctl TESTADMIN;
	B: ioctl 0x20005a63
EXPECT	0 0 0 0 EPERM 1 EPERM ENOTTY

NAME	the test device exists only if the configuration enables it
SERVICE
ASK	open test; open
EXPECT	ENOENT 0

NAME	the 129th session is EMFILE until one closes
NEEDS	root
TIMEOUT	120
SERVICE
ASK	openmany 130; m5: close; m9: close; m0: await nopen 126; x: open;
	y: open; z: open; x: enable pbn=0
EXPECT	128:EMFILE 0 0 0 0 0 EMFILE ENOENT

NAME	a user other than root has at most 32 connections, the next is refused
NEEDS	root nonroot
SERVICE
ASK	open; as 65534; openmany 40; m3: close; A: await nopen 32;
	x: open soon; y: open
EXPECT	0 0 32:EMFILE 0 0 0 EMFILE

NAME	a service that ends closes its clients' connections
NEEDS	root tp_btf
SERVICE
ASK	open; enable syscall:getpid:entry; filter pid=1; record on
EXPECT	0 0 0 0
STOP
ASK	next ms=60000; next ms=60000; list GPLIST ask; record off
EXPECT	* EPIPE EPIPE EPIPE

NAME	a client that is killed while it records leaves nothing behind
NEEDS	root tp_btf perf_event
SERVICE
RUN	ask until done call getuid 1 & a=$!;
	dt record 'syscall:*' >/dev/null 2>&1 & pid=$!;
	dt record -n 1 --self -p $pid syscall >/dev/null 2>&1; kill -9 $pid;
	wait $pid; echo $?; touch done; wait $a
OUT	^137$
ASK	open; await nopen 1
EXPECT	0 0

NAME	a killed private daemon returns EPIPE and does not block its client
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry; filter pid=1; record on; killdtd;
	next ms=60000; evread 2184; record off; list GPLIST ask; close
EXPECT	0 0 0 0 1 EPIPE EPIPE EPIPE EPIPE 0

NAME	a private daemon ends with a client that is killed
NEEDS	root tp_btf
RUN	dt record 'syscall:*:entry' >out.txt 2>err.txt & pid=$!;
	until [ -s out.txt ]; do sleep 0.02; done; kill -9 $pid; wait $pid;
	echo $?
OUT	^137$

NAME	a second service in the same folder refuses to start
SERVICE
RUN	dtd -c conf
STATUS	1
ERR	another dtd listens on it

NAME	a socket left by a dead service is replaced
RUN	mkdir -p $T/a; echo "directory = $T/a" >c; dtd -c c & pid=$!;
	until [ -S a/dt ]; do sleep 0.02; done; kill -9 $pid; wait $pid;
	[ -S a/dt ] || exit 9; dtd -v -c c 2>log & pid=$!;
	until grep -q listening.*/dt$ log; do sleep 0.02; done;
	kill -TERM $pid; wait $pid; echo $?; ls a
EXPECT	0

NAME	a configuration may have comments and white space
RUN	printf '#\n\n  allowdt =  yes # all\nring-bytes=1G\n' >c; dtd -n -c c

NAME	a missing configuration ends dtd
RUN	dtd -n -c nosuch
STATUS	1
ERR	nosuch: No such file

NAME	dtd refuses unknown options
RUN	dtd --nosuch
STATUS	2

NAME	ring-bytes limits the rings of all: ENOMEM with advice
NEEDS	root tp_btf
SERVICE	ring-bytes = 1M
ASK	open; enable syscall:getpid:entry; error; budget 131072;
	enable syscall:getpid:entry; B: open; B: budget 1048576;
	B: enable syscall:getpid:entry; close; B: budget 131072;
	B: enable syscall:getpid:entry
EXPECT	0 ENOMEM * 0 0 0 0 ENOMEM 0 0 0
