# SPDX-License-Identifier: ISC
# dt kcov: which code a command reached.

NAME	wrong usage of dt kcov is status 2
RUN	for a in '' '--' 'true' '-f' '-f x --user -- true' \
	    '-f x --cmp -- true' '--kernel --cmp -- true' '-o - -- true' \
	    '--top 0 -- true' '-p 1 -- true'; do
	dt kcov $a; [ $? -eq 2 ] || echo "WRONG $a"; done 2>&1
OUT	^dt kcov: needs a command after --$
OUT	^dt kcov: unexpected argument 'true'
OUT	^dt kcov: -f selects functions of the kernel
OUT	^dt kcov: --cmp prints comparisons of the command's own code
OUT	^dt kcov: -o -: should be the name of a file
OUT	^dt kcov: there is no option -p$
NOOUT	WRONG

NAME	a malformed file for --diff is refused with the reason
RUN	printf '{"func":"a","count":1}' >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f: is not a recording of dt; --diff reads what dt kcov -o FILE writes$
RUN	: >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f: is not a recording of dt;
RUN	head -c -8 $S/tests/fuzz/corpus/kcov/kernel >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f: the file is cut off 8 bytes before the end of a block;
RUN	head -c 208 $S/tests/fuzz/corpus/kcov/kernel >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f: the recording has no end: it was cut off, or continues;
RUN	dt kcov --diff . -- true
STATUS	1
ERR	^dt: \.: cannot be read: Is a directory;
RUN	dt kcov --diff nosuch -- true
STATUS	1
ERR	^dt: nosuch: No such file or directory$

NAME	dt report prints a file of dt kcov as dt kcov would have
RUN	dt report $S/tests/fuzz/corpus/kcov/kernel
OUT	^ +COUNT  FUNCTION$
OUT	^ +12  vfs_read$
ERR	^dt: 13 records, none lost; 2 excluded: in interrupts$
RUN	dt report -j $S/tests/fuzz/corpus/kcov/kernel
OUT	^\{"func":"vfs_read","count":12,"first":[0-9]+\}$
OUT	^\{"kcov":\{"read":13,"full":0,"recorded":13,"dropped":0,"interrupt":2,"missed":0,"stopped":0\}\}$
RUN	dt report --stat $S/tests/fuzz/corpus/kcov/kernel
STATUS	1
ERR	is of dt kcov, and has no events

NAME	it lists kernel functions that a command reaches, and those a run adds
CORE
NEEDS	root kprobe full
TIMEOUT	120
RUN	dt kcov -f vfs_open -f vfs_read -f vfs_rmdir -o before -- \
	sh -c 'read x </etc/hostname; exit 7'
STATUS	7
NOOUT	.
ERR	^dt: [0-9,]+ records
RUN	dt kcov -f vfs_open -f vfs_read -f vfs_rmdir -- rmdir /tmp/no/such/dir
STATUS	1
OUT	^ +COUNT  FUNCTION$
OUT	^ +[1-9][0-9]*  vfs_open$
NOOUT	vfs_rmdir
RUN	mkdir d; dt kcov -f vfs_open -f vfs_read -f vfs_rmdir --diff before -- \
	rmdir d
OUT	^ +BEFORE +NOW  FUNCTION$
OUT	^\+ +0 +1  vfs_rmdir$
NOOUT	vfs_open
RUN	mkdir d; dt kcov -j --order -f vfs_open -f vfs_read -f vfs_rmdir -- \
	rmdir d; rm before
OUT	^\{"func":"vfs_rmdir","count":1,"first":[1-9][0-9]*\}$
OUT	^\{"kcov":\{"read":[0-9]+,"full":0,"recorded":[0-9]+,"dropped":0,"interrupt":[0-9]+,"missed":[0-9]+,"stopped":0\}\}$

NAME	missing kprobes and an unknown function are reported
NEEDS	root
RUN	[ -e /sys/bus/event_source/devices/kprobe ] || {
	dt kcov -- true 2>&1 | grep -c kprobes; exit; }; dt kcov -f nosuch -- true \
	2>&1 | grep -c '^dt: nosuch: '
EXPECT	1
RUN	dt kcov -f 'nosuch*' -- true
STATUS	1
ERR	^dt: nosuch\*: no function of the kernel has this name$
RUN	dt kcov -f vfs_read:entry -- true
STATUS	1
ERR	^dt: vfs_read:entry: a function is named without a colon, as vfs_read or
RUN	dt kcov -f 'vfs_*' -f 'vfs_[a-' -- true
STATUS	1
ERR	^dt: vfs_\* vfs_\[a-: the pattern has a \[ without a \];

NAME	more than a thousand functions are refused with their cost unless forced
CORE
NEEDS	root kprobe_multi
RUN	dt kcov -f '*' -- true
STATUS	1
ERR	^dt: [0-9]+ functions are too many: attaching takes up to
ERR	--force to attach anyway$

NAME	a command that makes more records than fit loses none
NEEDS	root kprobe full
TIMEOUT	240
RUN	dt kcov -f vfs_read -f vfs_write -j -- \
	dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none
OUT	^\{"func":"vfs_read","count":2000[0-9][0-9],
OUT	^\{"func":"vfs_write","count":2000[0-9][0-9],
OUT	^\{"kcov":\{.*"dropped":0,

NAME	in a pid namespace the client's child is recorded by its number there
NEEDS	root kprobe mounts unshare full
SERVICE
RUN	unshare -p -f --mount-proc dt kcov -f vfs_read -j -- cat /dev/null
OUT	^\{"func":"vfs_read","count":[1-9]
ERR	^dt: [1-9][0-9]* records, none lost$

NAME	a command not built for coverage has no records, and dt reports why
NEEDS	root
RUN	dt kcov --user -- sh -c 'exit 5'
STATUS	5
NOOUT	.
ERR	^dt: 0 records, none lost$
ERR	^dt: sh recorded nothing; build it with

NAME	it lists a program's own code with source lines, in both orders
NEEDS	root cc
RUN	$S/tests/run/cli_kcov/build && dt kcov -- ./reached 5
STATUS	7
OUT	^ +COUNT  FUNCTION$
OUT	^ +5  often \(reached\) .*/reached\.c:1[0-3]$
OUT	^ +1  compared \(reached\) .*/reached\.c:2[0-3]$
NOOUT	seldom
ERR	^dt: [0-9]+ records, none lost$
RUN	dt kcov --order --top 1 -- ./reached 5
STATUS	7
OUT	^ +[12]  main \(reached\) .*/reached\.c:[0-9]+$
OUT	^ +and [0-9]+ more rows$
NOOUT	often
RUN	ln -s reached link; dt kcov -j -- sh -c 'exec ./link 2' | grep often;
	dt kcov --user -j -- sh -c 'exec ./link 2' | grep often
OUT	^\{"func":"often","module":"reached","file":".*/reached\.c","line":1[0-3],"count":2,"first":[0-9]+\}$

NAME	--diff shows new and missing code, and with -v the rest
NEEDS	root cc
RUN	$S/tests/run/cli_kcov/build; dt kcov -o one -- ./reached 3;
	dt kcov --diff one -- ./reached 0 x; dt kcov -v --diff one -- ./reached 4
STATUS	7
OUT	^ +BEFORE +NOW  FUNCTION$
OUT	^\+ +0 +1  seldom \(reached\)
OUT	^- +3 +0  often \(reached\)
OUT	^  +3 +4  often \(reached\)
OUT	^  +1 +1  compared \(reached\)
RUN	dt kcov --cmp --diff one -- ./reached 1
STATUS	1
ERR	^dt: one: it was written without --cmp$
RUN	dt kcov -o one -- ./reached 4; for f in one one.old; do
	dt report -j $f 2>/dev/null | grep -c '"often"'; done
EXPECT	1 1

NAME	comparisons of a program are listed with the constants of its source
NEEDS	root cc
RUN	$S/tests/run/cli_kcov/build; dt kcov --cmp -- ./reached 1
STATUS	7
OUT	^ +COUNT BYTES +FIRST +SECOND  FUNCTION$
OUT	^ +1 +4 const +0x1234567 +0x2  compared \(reached\) .*/reached\.c:2[0-3]$

NAME	an instrumented program that makes more records than fit loses none
NEEDS	root cc full
RUN	$S/tests/run/cli_kcov/build; dt kcov --strict -- ./reached 1000000
STATUS	7
OUT	^ +1000000  often \(reached\)
ERR	^dt: [0-9,]+ records, none lost$

NAME	the first signal goes to the command; the second ends dt, which prints
NEEDS	root
RUN	dt kcov --user -- sh -c 'kill -TERM $PPID; exec sleep 60'
STATUS	143
ERR	^dt: 0 records, none lost$
RUN	dt kcov --user -- sh -c 'echo $$ >pid; trap "trap : INT; kill -INT $PPID" INT;
	kill -INT $PPID; while :; do sleep 0.05; done'; echo $?;
	kill -KILL $(cat pid); echo $?
EXPECT	130 0
ERR	^dt: 0 records, none lost$
