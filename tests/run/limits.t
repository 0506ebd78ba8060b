# SPDX-License-Identifier: ISC
# Limits per user and for all users together.  A refusal names the limit and the
# setting, and released resources can be taken again.  Root is subject only to
# the limits of all users.

NAME	above a user's limit open is EMFILE until a session closes, not for root
CORE
NEEDS	root nonroot
SERVICE	opens-user = 2
ASK	open; B: open; C: open; as 65534; D: open; E: open; F: open; D: close;
	F: open; G: open
EXPECT	0 0 0 0 0 0 EMFILE 0 0 EMFILE

NAME	limits of sessions and connections apply to root, and name their setting
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

NAME	released probes, rings and tables of pairs can be taken again
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
EXPECT	0 0 ENOMEM no_107520_more_bytes_of_tables:_all_users_together_have_0_of_100000:_setting_map-bytes 0 0 0 ENOMEM * 0 0

NAME	rings that a limit stops from growing keep their size and count drops
CORE
NEEDS	root tp_btf quick
SERVICE	ring-bytes = 512k
ASK	spawn W; open; filter pid=W; budget 65536; maxbudget 1073741824;
	enable syscall:getppid:entry; record on; in W call getppid 200000;
	fullstat ringbytes; record off; readall
EXPECT	0 0 0 0 0 0 0 0 65536 0 *

NAME	growing rings leave as much memory to others as they take
NEEDS	root tp_btf
SERVICE	ring-bytes = 2M
ASK	spawn W; open; filter pid=W; budget 65536; maxbudget 1073741824;
	enable syscall:getppid:entry; record on; in W call getppid 200000;
	B: open; B: budget 1048576; B: enable syscall:getpid:entry;
	record off; readall
EXPECT	0 0 0 0 0 0 0 0 0 0 0 0 *

# The case has its own /etc/subuid.  A process of user 65534 makes a user
# namespace, and root writes its map, as newuidmap(1) does.
NAME	subordinate user ids share their user's limits, in /etc/subuid or not
NEEDS	root nonroot setpriv unshare userns mounts
RUN	mkdir e; cp /etc/passwd /etc/group /etc/nsswitch.conf /etc/ld.so.cache e;
	echo 65534:100000:65536 >e/subuid; mount --bind e /etc || exit 9;
	trap 'umount -l /etc' EXIT;
	printf 'directory = %s/run\nopens-user = 2\n' $T >c; dtd -v -c c 2>log & d=$!;
	until [ -S run/dt ]; do sleep 0.02; done; export ASK_DIR=$T/run;
	setpriv --reuid 65534 --regid 65534 --clear-groups unshare -U sleep 600 &
	p=$!; n() { readlink /proc/$1/ns/user; };
	until [ "$(n $p)" != "$(n self)" ]; do sleep 0.02; done;
	printf '0 65534 1\n1 100000 65535\n' >/proc/$p/uid_map;
	printf '0 65534 1\n1 100000 65535\n' >/proc/$p/gid_map;
	sub() { u=$1; shift; echo "$*" | nsenter -U -t $p -S $u -G $u ask; };
	mkfifo f; { echo 'open; B: open; C: open; C: error'; cat f; } |
	nsenter -U -t $p -S 1 -G 1 ask >o & exec 3>f;
	until [ -s o ]; do sleep 0.02; done; cat o; sub 2 'open; error';
	sub 0 open; echo 'as 65534; open' | ask; echo 'as 65533; open' | ask;
	echo 'open; B: open; C: open' | ask;
	: >e/subuid; kill -HUP $d; until grep -q 'settings reloaded' log; do sleep 0.02;
	done; sub 2 open; exec 3>&-; kill $p $d; wait $d
EXPECT	0 0 EMFILE no_1_more_opens:_user_65534_has_2_of_2:_setting_opens-user
	EMFILE no_1_more_opens:_user_65534_has_2_of_2:_setting_opens-user EMFILE
	0 EMFILE 0 0 0 0 0 EMFILE

NAME	a part of each limit is reserved for root
NEEDS	root nonroot
SERVICE	opens = 4
	connections = 5
ASK	as 65534; open; B: open; C: open; D: open; D: error; wire connect
EXPECT	0 0 0 0 EMFILE no_1_more_opens:_all_users_together_have_3_of_4,_1_of_them_reserved_for_root:_setting_opens 0
RUN	dt list syscall:getpid:entry
OUT	^syscall:getpid:entry$

# The first daemon shows how many descriptors one daemon needs.
NAME	a part of the descriptors is reserved for root
NEEDS	root nonroot tp_btf mounts full
RUN	echo "directory = $T/run" >c; export ASK_DIR=$T/run;
	start() { dtd -c c 2>log & d=$!; until dt stat -d 0.1 \
	syscall:getppid:entry >/dev/null 2>&1; do sleep 0.05; done; };
	fds() { ls /proc/$d/fd | wc -l; };
	loaded() { n=0; same=0; until [ $same -gt 20 ]; do sleep 0.05; m=$(fds);
	[ $m = $n ] && same=$((same + 1)) || same=0; n=$m; done; };
	start; loaded; kill $d; wait $d;
	ulimit -n $(((n + 24) * 8 / 7)); start; loaded; mkfifo f;
	{ echo 'as 65534'; for i in A B C D E F G H I J K L M N O P Q R S T U V;
	do echo "$i: open; $i: error"; done; cat f; } | ask >o & exec 3>f;
	until [ $(wc -l <o) -gt 22 ]; do sleep 0.02; done; tail -n 1 o;
	dt stat -d 0.1 syscall:getppid:entry >/dev/null && echo served;
	exec 3>&-; kill $d; wait $d; cat log
OUT	^EMFILE the_daemon_is_out_of_descriptors$|^EMFILE no_descriptor_is_left_except_those_reserved_for_root$
OUT	^served$
