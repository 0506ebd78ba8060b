# SPDX-License-Identifier: ISC
# Calls as lines: joined entry and return, tracked descriptors and directories,
# --path.  The program steps makes the calls that its arguments name.

NAME	entry and return of a call are one line with its duration
CORE
NEEDS	root tp_btf
RUN	dt record syscall:getuid syscall:close -- steps getuid close 999
OUT	^[0-9:.]+ [0-9]{3} steps +[0-9]+/[0-9]+ +getuid\(\) = 0 <0\.[0-9]{6}>$
OUT	close\(fd=999\) = -1 EBADF \(Bad file descriptor\) <0\.[0-9]{6}>$
NOOUT	close\(.*\)$
ERR	none lost$

NAME	--no-join prints both, as does a report of a recording
NEEDS	root tp_btf
RUN	dt record --no-join syscall:getuid -- steps getuid >a;
	dt record -o f.dt syscall:getuid -- steps getuid;
	dt report --no-join f.dt >b; for f in a b; do
	grep -c ' getuid()$' $f; grep -c ' getuid = 0$' $f; done;
	dt report f.dt | grep -c ' getuid() = 0 <.*>$'
EXPECT	1 1 1 1 1

NAME	an entry or a return alone prints its own events
NEEDS	root tp_btf
RUN	dt record syscall:getuid:entry -- steps getuid;
	dt record syscall:getuid:return -- steps getuid
OUT	getuid\(\)$
OUT	getuid = 0$
NOOUT	<

NAME	JSON has one object per event, joined or not
NEEDS	root tp_btf jq
RUN	dt record -j syscall:getuid -- steps getuid getuid |
	jq -es 'map(.probe) == [null, "syscall:getuid:entry",
	"syscall:getuid:return", "syscall:getuid:entry",
	"syscall:getuid:return", null]'
EXPECT	true

NAME	a call in progress is printed once as pending and once at its return
NEEDS	root tp_btf
TIMEOUT	120
RUN	dt record syscall:nanosleep syscall:getuid -- steps block 3000 getuid >o &
	until grep -q unfinished o; do sleep 0.05; done;
	grep -c -e resumed -e getuid o; wait;
	sed -e 's/^[^ ]* [^ ]* *//; s/=0x[0-9a-f]*/=X/g; s/{[^}]*}/X/' o
OUT	^0$
OUT	^steps +[0-9]+/[0-9]+ +nanosleep\(rqtp=.*, rmtp=[^)]* <unfinished \.\.\.>$
OUT	^steps +[0-9]+/[0-9]+ +<\.\.\. nanosleep resumed>.*\) = 0 <[3-9]\.[0-9]{6}>$
OUT	getuid\(\) = 0

NAME	lines are printed at the return, with the time of the entry
NEEDS	root tp_btf
RUN	dt record syscall:nanosleep syscall:getuid -- \
	steps beside '(' block 100 getuid ')' block 200 >o;
	awk '/nanosleep/ { t[n++] = $1 } END { print n, (t[0] > t[1]) }' o
EXPECT	2 *

NAME	a pending call ends as unfinished, one that never returns has no result
NEEDS	root tp_btf
RUN	dt record -d 0.3 syscall:nanosleep -- steps block 3000
OUT	nanosleep\(.* <unfinished \.\.\.>$
RUN	dt record syscall:exit_group syscall:exit -- steps thread '(' ')'
OUT	exit\(error_code=0\) = \?$
OUT	exit_group\(.*\) = \?$
RUN	dt record syscall:nanosleep syscall:exit_group -- \
	steps beside '(' block 100000 ')' block 1500
OUT	<\.\.\. nanosleep resumed>\) = \?$
OUT	<\.\.\. nanosleep resumed>.*\) = 0 <

NAME	fork prints two returns, the child's without an entry
NEEDS	root tp_btf
RUN	dt record 'syscall:*fork' 'syscall:clone*' -- steps fork '(' getuid ')' |
	awk '/clone|fork/ { split($4, id, "/"); if (/\(.*\) = [0-9]+ </) {
	for (i = 5; i < NF; i++) if ($i == "=") child = $(i + 1) }
	else if (/ = 0$/) alone = id[1] } END { print (child == alone) }'
EXPECT	1

NAME	a thread that calls execve continues under the leader's number
NEEDS	root tp_btf
RUN	dt record syscall:execve syscall:getuid -- \
	steps thread '(' exec '(' getuid ')' ')' |
	sed -e 's/(.*)/()/; s/<.*>/<>/'
OUT	^[0-9:.]+ [0-9]{3} .* [0-9]+/[0-9]+ +execve\(\) = 0 <>$
OUT	getuid\(\) = 0 <>$
NOOUT	execve = 0$
NOOUT	execve\(\)$

NAME	a joined line has the stacks of its entry
NEEDS	root tp_btf
RUN	dt record -g syscall:getuid -- steps getuid |
	awk '/getuid\(\) = 0/ { n = 1 } /^ / && n { k += /do_syscall|invoke/ }
	END { print k }'
EXPECT	1

NAME	a recording prints like the live run
NEEDS	root tp_btf
RUN	mkdir d; echo x >d/a; echo y >b; cat >do <<\EOS
	dt record "$@" syscall:openat syscall:read 'syscall:close*' \
	'syscall:*chdir' 'syscall:dup*' 'syscall:clone*' 'syscall:*fork' \
	'syscall:execve*' syscall:wait4 \
	syscall:exit_group syscall:nanosleep -- steps open d openat 3 a \
	dupto 4 30 close 4 open b read 30 read 4 chdir d open a \
	fork '(' read 5 chdir / open etc ')' read 99 block 700 read 0 </dev/null
	EOS
	sh do >live; sh do -o f.dt; dt report f.dt >report;
	for f in live report; do sed -E -e 's/^[0-9:.]+ [0-9]+ //' \
	-e 's/<[0-9.]+>$/<>/' -e 's,[0-9]+/[0-9]+ +,,' \
	-e 's/ = [0-9]{3,} / = N /' -e 's/(0x[0-9a-f]{6,}|pid=[0-9]+)/X/g' $f \
	>$f.s; done; diff live.s report.s && wc -l <live
EXPECT	>=25

NAME	a line shows descriptors and directories as they were at the call
NEEDS	root tp_btf
RUN	mkdir d; echo x >d/a; dt record 'syscall:*' -- steps open d \
	openat 3 a dupto 4 30 close 4 open d/a read 30 fchdir 3 open a dupto 5 4 \
	read 99
OUT	openat\(dfd=AT_FDCWD</[^>]*/[^/>]{2,}>, filename="d", flags=O_RDONLY\) = 3</[^>]*/d> <
OUT	openat\(dfd=3</[^>]*/d>, filename="a", flags=O_RDONLY\) = 4</[^>]*/d/a> <
OUT	dup3\(oldfd=4</[^>]*/d/a>, newfd=30, flags=0\) = 30</[^>]*/d/a> <
OUT	close\(fd=4</[^>]*/d/a>\) = 0 <
OUT	read\(fd=30</[^>]*/d/a>, .*\) = 2 <
OUT	fchdir\(fd=3</[^>]*/d>\) = 0 <
OUT	openat\(dfd=AT_FDCWD</[^>]*/d>, filename="a", flags=O_RDONLY\) = 5</[^>]*/d/a> <
OUT	dup3\(oldfd=5</[^>]*/d/a>, newfd=4</[^>]*/d/a>, flags=0\) = 4</[^>]*/d/a> <
OUT	read\(fd=99, .*\) = -1 EBADF

NAME	--path excludes calls with other paths, also relative ones
NEEDS	root tp_btf
RUN	mkdir d; echo x >d/a; echo y >b; dt record --path "$PWD/d/" \
	syscall:openat 'syscall:*chdir' -- \
	steps open b open d open "$PWD/d/a" openat 4 a openat 4 ../b chdir d \
	open a open ../b >o; grep -c openat o; grep -c '= [3-9]' o
EXPECT	3 3
ERR	^dt: [0-9]+ events \([0-9]+ shown\), none lost$
ERR	^dt: [0-9]+ events were excluded by --path$

NAME	--path tracks copied and reused descriptors, and those of threads
NEEDS	root tp_btf
RUN	echo x >a; echo y >b; dt record --path "$PWD/a" 'syscall:*' -- \
	steps open a dupto 3 30 close 3 open b read 30 read 3 dup 30 read 4 \
	close_range 30 30 read 30 thread '(' open a ')' read 5 \
	fork '(' read 5 close 5 read 5 ')' read 5 opencloexec a \
	exec '(' read 4 read 6 close 4 read 4 ')' |
	sed -E 's/^.* ([a-z0-9_]+\((fd=|oldfd=)?[0-9]*).*$/\1/' | tr '\n' ' '
EXPECT	openat( dup3(oldfd=3 close(fd=3 read(fd=30 dup( read(fd=4
	close_range(fd=30 openat( read(fd=5 read(fd=5 close(fd=5 read(fd=5
	openat( read(fd=4 close(fd=4

NAME	--path knows what a process had open when the recording began
NEEDS	root tp_btf
RUN	echo x >a; echo y >b; dt record --path "$PWD/a" syscall:read -- \
	steps read 7 read 8 7<a 8<b
OUT	read\(fd=7
NOOUT	fd=8
RUN	steps open a open b block 4000 read 3 read 4 </dev/null & p=$!;
	until [ -e /proc/$p/fd/4 ]; do sleep 0.02; done;
	dt record --path "$PWD/a" -d 20 -n 1 -p $p syscall:read; wait
OUT	read\(fd=3

NAME	--path tracks excluded calls, so that a reused number is not confused
NEEDS	root tp_btf
RUN	mkdir d e; echo x >d/a; echo y >e/b; dt record --path "$PWD/d/" \
	syscall:openat syscall:read -- steps open "$PWD/d/a" read 3 close 3 \
	open "$PWD/e/b" read 3 | grep -c 'read(fd=3.*/d/a>'
EXPECT	1

NAME	--path tracks all changes of the working directory
NEEDS	root tp_btf
RUN	mkdir d e; echo x >d/a; echo y >e/a; dt record --path "$PWD/d/" \
	'syscall:*' -- steps chdir "$PWD/d" open a chdir "$PWD/e" open a |
	grep -c 'filename="a"'
EXPECT	1

NAME	events that --path excludes are counted separately
NEEDS	root tp_btf jq
RUN	echo x >a; dt record -j --path "$PWD/a" syscall:openat syscall:getuid -- \
	steps open a open b getuid open "$PWD/a" |
	jq -es '(length - 2) == 4 and .[-1].ledger.filtered >= 2 and
	.[-1].ledger.read == 4 + .[-1].ledger.filtered and
	.[-1].ledger.fired == .[-1].ledger.read'
EXPECT	true
RUN	dt record -j syscall:getuid -- steps getuid | tail -n 1
NOOUT	filtered

NAME	--path with -n, -o and stat counts only matching events
NEEDS	root tp_btf
RUN	echo x >a; echo y >b; dt record -n 3 --path "$PWD/a" --no-join \
	syscall:openat -- steps open b open a open b open a open a |
	grep -c openat;
	dt record -o f.dt --path "$PWD/a" syscall:openat -- \
	steps open b open a open a; dt report --no-join f.dt | grep -c openat;
	dt stat --path "$PWD/a" syscall:openat:entry -- \
	steps open b open a open a | awk '/openat/ { print $1 }'
EXPECT	3 4 2

NAME	--path of a report excludes events that the recording has
NEEDS	root tp_btf
RUN	echo x >a; dt record -o f.dt syscall:openat syscall:read -- \
	steps open a read 3; dt report --path "$PWD/a" f.dt
OUT	openat\(
OUT	read\(fd=3
NOOUT	libc
ERR	excluded by --path

NAME	a path that was unreadable at the entry is taken from the return
CORE
NEEDS	root tp_btf jq
RUN	printf '%s\0' "$PWD/a" >name; echo x >a; cp name warm;
	dt record -j syscall:openat -- steps opencold name >j;
	jq -s --arg a "$PWD/a" '[.[] | select(.path.filename == $a)] |
	.[-1] | .probe, .strings.filename == $a' j
EXPECT	"syscall:openat:return" true

NAME	an absolute path is enough for --path to test a return without its entry
NEEDS	root tp_btf
RUN	echo x >a; dt record --path "$PWD/a" syscall:openat:return -- \
	steps open "$PWD/a" open "$PWD/b"
OUT	openat = 3<.*/a>$
NOOUT	= -1

NAME	JSON has raw strings and the resolved paths
NEEDS	root tp_btf jq
RUN	mkdir d; x=$(printf 'e\033[31m"\\\377'); echo x >"d/$x";
	dt record -j syscall:openat 'syscall:*chdir' syscall:execve -- \
	steps open d openat 3 "$x" chdir d open "./../d//$x" >j;
	jq -es --arg p "$PWD/d/" '[.[] | select(.probe ==
	"syscall:openat:entry" and (.path.filename // "" |
	startswith($p)))] | length == 2 and
	.[0].strings.filename == "e\u001b[31m\"\\\u00ff" and
	all(.[]; .path.filename == $p + "e\u001b[31m\"\\\u00ff")' j;
	grep -c "$(printf '\033')" j;
	jq -es '[.[] | select(.probe == "syscall:execve:entry")] |
	.[0].strings.argv[1:4] == ["open", "d", "openat"]' j;
	jq -es --arg p "$PWD/d" 'map(select(.probe == "syscall:chdir:return" and
	.path.filename == $p)) | length == 1' j
EXPECT	true 0 true true

NAME	paths of other users are escaped on the terminal
NEEDS	root tp_btf
RUN	x=$(printf 'a\033[31mb\rc'); mkdir "$x"; cd "$x"; echo x >f;
	dt record 'syscall:*' -- steps open f read 3 chdir . open "$x" >../o;
	dt record -o ../f.dt 'syscall:*' -- steps open f read 3 open "$x";
	cd ..; dt report f.dt >r; cat o r | tr -d '[:print:]\n' | wc -c
EXPECT	0

NAME	--path requires an absolute path, and is refused for ticks
RUN	dt record --path etc syscall:openat
STATUS	2
ERR	--path etc: should be the beginning of absolute paths
RUN	dt profile --path /etc
STATUS	2
ERR	there is no option --path
