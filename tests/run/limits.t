# SPDX-License-Identifier: ISC
# Limits: what a user, and all together, may have at once.  A refusal names the
# limit and the setting; what is given back may be taken again.  root is under
# the limits of all only.

NAME	opens of a user: EMFILE, and one that ends makes room; root goes on
CORE
NEEDS	root nonroot
SERVICE	opens-user = 2
ASK	open; B: open; C: open; as 65534; D: open; E: open; F: open; D: close;
	F: open; G: open
EXPECT	0 0 0 0 0 0 EMFILE 0 0 EMFILE

NAME	opens and connections of all, root's too, are told with the setting
NEEDS	root
SERVICE	opens = 2
	connections = 3
ASK	open; B: open
EXPECT	0 0
RUN	dt list 'syscall:getpid:*'
STATUS	1
ERR	no 1 more opens: all users together have 2 of 2: setting opens$
ASK	wire connect
EXPECT	0
RUN	dt list 'syscall:getpid:*'
STATUS	1
ERR	no 1 more connections: all users .* 3 of 3: setting connections$
ASK	close
EXPECT	0
RUN	dt list 'syscall:getpid:*'
OUT	^syscall:getpid:entry$

NAME	enabled probes, rings, tables of pairs: what is given back can be had
NEEDS	root tp_btf
SERVICE	probes = 3
	ring-bytes = 1M
	map-bytes = 100000
	pair-max = 512
ASK	open; budget 65536; enable syscall:getpid:entry;
	enable syscall:getpid:return; enable syscall:close:entry;
	enable syscall:close:return; error
EXPECT	0 0 0 0 0 EMFILE no_1_more_enabled_probes:_all_users_together_have_3_of_3:_setting_probes
ASK	disable syscall:close:entry; enable syscall:close:return;
	pair syscall:getpid:entry syscall:getpid:return k=tid,tid; error;
	disable syscall:getpid:entry; B: open; B: budget 1048576;
	B: enable syscall:close:entry; B: error; B: budget 65536;
	B: enable syscall:close:entry
EXPECT	0 0 ENOMEM no_102400_more_bytes_of_tables:_all_users_together_have_0_of_100000:_setting_map-bytes 0 0 0 ENOMEM * 0 0

NAME	rings whose growth a limit refuses stay as they are, and all is counted
CORE
NEEDS	root tp_btf
SERVICE	ring-bytes = 512k
ASK	spawn W; open; filter pid=W; budget 65536; maxbudget 1073741824;
	enable syscall:getppid:entry; record on; in W call getppid 200000;
	fullstat ringbytes; record off; readall
EXPECT	0 0 0 0 0 0 0 0 65536 0 *

NAME	rings that grow leave as much to others as they take
NEEDS	root tp_btf
SERVICE	ring-bytes = 2M
ASK	spawn W; open; filter pid=W; budget 65536; maxbudget 1073741824;
	enable syscall:getppid:entry; record on; in W call getppid 200000;
	B: open; B: budget 1048576; B: enable syscall:getpid:entry;
	record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 *
