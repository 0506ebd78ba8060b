# SPDX-License-Identifier: ISC
# dt kcov: what a command has reached.

NAME	what kcov is asked wrongly is status 2
RUN	for a in '' '--' 'true' '-f' '-f x --user -- true' \
	    '-f x --cmp -- true' '--kernel --cmp -- true' '-o - -- true' \
	    '--top 0 -- true' '-p 1 -- true'; do
	dt kcov $a; [ $? -eq 2 ] || echo "WRONG $a"; done 2>&1
OUT	^dt kcov: needs a command behind --$
OUT	^dt kcov: 'true' is one too many
OUT	^dt kcov: -f is for functions of the kernel
OUT	^dt kcov: --cmp is for the command's own code
OUT	^dt kcov: -o -: should be the name of a file
OUT	^dt kcov: there is no option -p$
NOOUT	WRONG

NAME	an earlier run that makes no sense is told by its line
RUN	printf '%s\n' '{"func":"a","count":1}' '{"func":"b"}' >f;
	dt kcov --diff f -- true
STATUS	1
ERR	^dt: f:2: it has no "func" and "count"; --diff reads what dt kcov -o FILE writes$
RUN	printf '{"func":"a","count":1}' >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f:1: the line has no end
RUN	head -c 70000 /dev/zero | tr '\0' ' ' >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f:1: the line is too long
RUN	: >f; dt kcov --diff f -- true
STATUS	1
ERR	^dt: f: it is empty$
RUN	dt kcov --diff nosuch -- true
STATUS	1
ERR	^dt: nosuch: No such file or directory$

NAME	functions of the kernel that a command reaches, and what another run adds
CORE
NEEDS	root kprobe
TIMEOUT	120
RUN	dt kcov -f vfs_open -f vfs_read -f vfs_rmdir -o before -- \
	sh -c 'read x </etc/hostname; exit 7'
STATUS	7
NOOUT	.
ERR	^dt: [0-9,]+ records, none lost
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
OUT	^\{"kcov":\{"read":[0-9]+,"full":0,"recorded":[0-9]+,"dropped":0,"interrupt":[0-9]+,"missed":0\}\}$

NAME	a kernel without kprobes, and a function that is none, are told
NEEDS	root
RUN	[ -e /sys/bus/event_source/devices/kprobe ] || {
	dt kcov -- true 2>&1 | grep -c kprobe; exit; }; echo 1
EXPECT	1
RUN	dt kcov -f nosuch_function -- true
STATUS	1
ERR	^dt: nosuch_function: 

NAME	more functions than a thousand are told their price, and asked for twice
NEEDS	root kprobe_multi
RUN	dt kcov -f '*' -- true
STATUS	1
ERR	^dt: [0-9]+ functions, which is much: up to
ERR	--force does it$

NAME	a command that makes more records than fit loses none
NEEDS	root kprobe full
TIMEOUT	240
RUN	dt kcov --strict -f vfs_read -f vfs_write -j -- \
	dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none
OUT	^\{"func":"vfs_read","count":2000[0-9][0-9],
OUT	^\{"func":"vfs_write","count":2000[0-9][0-9],

NAME	a command that is not made to record its code has recorded nothing
NEEDS	root
RUN	dt kcov --user -- sh -c 'exit 5'
STATUS	5
NOOUT	.
ERR	^dt: 0 records, none lost$
ERR	^dt: sh has recorded nothing: is it made with
