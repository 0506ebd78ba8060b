# SPDX-License-Identifier: ISC
# Paths of descriptors and working directories at the time of the hit, for
# processes that exit before dt can read /proc.

NAME	the path of each kind of descriptor equals readlink of /proc
CORE
NEEDS	root tp_btf jq plain
RUN	dt stat -j --by path syscall:lseek:entry -- sh -c 'fdpaths >truth' |
	jq -r 'select(has("path")) | .path as $p | range(.count) | $p' |
	sort >got; jq -r . truth | sort >want; diff want got && wc -l <want
EXPECT	22

NAME	a process with another root has paths relative to that root
CORE
NEEDS	root tp_btf jq plain quick
RUN	mkdir r; dt stat -j --by path syscall:lseek:entry -- sh -c \
	'fdpaths r >truth' |
	jq -r 'select(has("path")) | .path as $p | range(.count) | $p' |
	sort >got; jq -r . truth | sort >want; diff want got && wc -l <want;
	grep -c '^/fdpaths' got
EXPECT	19 7

NAME	in a mount namespace paths follow its mounts
CORE
NEEDS	root tp_btf jq mounts unshare plain quick
RUN	mkdir -p r/in s/t; dt stat -j --by path syscall:lseek:entry -- \
	unshare -m sh -c 'mount --bind s r/in && mount -t tmpfs t r/in/t &&
	cd r/in/t && fdpaths >../../../truth && fdpaths .. >>../../../truth' |
	jq -r 'select(has("path")) | .path as $p | range(.count) | $p' |
	sort >got; jq -r . truth | sort >want; diff want got && wc -l <want;
	grep -c "$PWD/r/in/t/fdpaths" got; grep -c '^/fdpaths' got
EXPECT	41 7 7

NAME	--path finds all calls of processes that exit at once
CORE
NEEDS	root tp_btf quick
RUN	mkdir d; echo x >d/a; echo y >b; dt stat --path "$PWD/d/a" --by probe \
	'syscall:*' -- sh -c 'cd d; i=0; while [ $i -lt 50 ]; do i=$((i + 1));
	steps open a read 3 read 3 close 3 open ../b read 3 close 3; done' |
	awk 'NR > 1 { print $1, $3 }' | sort
EXPECT	100 syscall:read 50 syscall:close 50 syscall:openat
NOERR	with an unknown path

NAME	one probe is enough for --path
CORE
NEEDS	root tp_btf quick
RUN	mkdir d; echo x >d/a; echo y >b; cat >load <<'END'
	cd d; i=0; while [ $i -lt 50 ]; do i=$((i + 1));
	steps open a read 3 close 3 open ../b read 3; done
	END
	for p in openat:entry read:entry read:return openat:return close:entry;
	do dt stat --path "$PWD/d/a" --by probe syscall:$p -- sh load |
	awk 'NR > 1 { print $1, $3 }'; done
EXPECT	50 syscall:openat:entry 50 syscall:read:entry 50 syscall:read:return
	50 syscall:openat:return 50 syscall:close:entry

NAME	record --path has all of them, and so does its report
NEEDS	root tp_btf
RUN	mkdir d; echo x >d/a; echo y >b; cat >load <<'END'
	cd d; i=0; while [ $i -lt 50 ]; do i=$((i + 1));
	steps open a read 3 close 3 open ../b read 3; done
	END
	dt record --path "$PWD/d/a" syscall:openat syscall:read -- sh load >text;
	grep -c openat text; grep -c 'read(fd=3<.*/d/a>' text;
	dt record -o f.dt --path "$PWD/d/a" syscall:openat syscall:read -- \
	sh load; dt report f.dt >text; grep -c 'openat(.*/d>' text;
	grep -c 'read(fd=3<.*/d/a>' text; dt report --stat --by path f.dt |
	awk '/\/d\/a/ { print $1 }'
EXPECT	50 50 50 50 50
NOERR	with an unknown path

NAME	--path knows descriptors that were opened before the recording
CORE
NEEDS	root tp_btf
RUN	echo x >a; echo y >b; exec 7<a 8<b;
	dt stat --path "$PWD/a" --by probe syscall:read:entry -- sh -c \
	'for i in 1 2 3 4 5; do steps read 7 read 8 read 7 & done; wait' |
	awk '/read/ { print $1 }'
EXPECT	10

NAME	--path resolves names with dots
NEEDS	root tp_btf
RUN	mkdir -p d/e; echo x >d/a; dt record --no-join --path "$PWD/d/a" \
	syscall:openat:entry -- steps open ./d/a open d/../d/a open d//a \
	open "$PWD/d/e/../a" open d/e/a open ../a open d openat 3 a | wc -l
EXPECT	5

NAME	paths that cannot be determined are counted
NEEDS	root tp_btf jq
RUN	printf '%s\0' "$PWD/a" >name; echo x >a; cp name warm; dt record \
	--no-join --path "$PWD/a" syscall:openat:entry -- steps opencold name
ERR	among them [0-9]+ events? with an unknown path
RUN	dt stat -j --path "$PWD/a" syscall:openat:entry -- \
	steps opencold name | jq -e 'select(has("ledger")) |
	.ledger.path_unknown == .ledger.filtered and .ledger.filtered > 0'
EXPECT	true
RUN	dt stat --path "$PWD/a" --by probe syscall:openat -- \
	steps opencold name | awk '/openat/ { print $1, $3 }'
OUT	1 syscall:openat:entry
NOOUT	return
NOERR	with an unknown path

NAME	--by path of a call with a descriptor is the path of the descriptor
CORE
NEEDS	root tp_btf jq
RUN	echo x >a; dt stat -j --by path syscall:read:entry -- steps open a \
	read 3 read 3 read 99 open / read 4 |
	jq -c 'select(has("path")) | [.path, .count]' | grep -v libc |
	sort >got;
	printf '%s\n' '["/",1]' '["'"$PWD/a"'",2]' '[null,1]' | sort >want;
	diff want got && echo same
OUT	same

NAME	--by path of a call with an empty path is the path of the descriptor
CORE
NEEDS	root tp_btf quick
RUN	echo x >a; dt stat --by path,probe 'syscall:*fstat*' -- cat a |
	awk '/a  / { print $1, $4 }'; dt stat --by path 'syscall:*fstat*' \
	-- cat a | grep -c '""'
EXPECT	1 syscall:newfstatat 0
STATUS	1

NAME	descriptors and directories of a record are those of the hit
CORE
NEEDS	root tp_btf quick
RUN	mkdir d; for f in a b d/c; do echo x >$f; done; cat >load <<'END'
	for i in 1 2 3 4 5; do steps open a read 3 close 3 open b read 3; done;
	cd d; steps open c read 3
	END
	only() { sed -n 's/.*read(fd=3<.*\(\/[abc]\)>.*/\1/p
	s/.*AT_FDCWD<.*\/\([^/]*\)>, filename="\([abc]\)".*/\1 \2/p' |
	sed "s|$(basename "$PWD")|top|" | sort | uniq -c; };
	for o in '' --no-join '--slower 0ns'; do
	dt record $o syscall:read syscall:openat -- sh load | only; done;
	dt record --if 'fd != 7' syscall:read -- sh load | only;
	dt record -o f.dt syscall:read -- sh load; dt report f.dt | only
EXPECT	5 /a 5 /b 1 /c 1 d c 5 top a 5 top b 5 /a 5 /b 1 /c 1 d c 5 top a 5 top b
	5 /a 5 /b 1 /c 1 d c 5 top a 5 top b 5 /a 5 /b 1 /c 5 /a 5 /b 1 /c

NAME	an argument has its path before the call, a result the path after it
NEEDS	root tp_btf perl x86_64
RUN	touch a b; l='open $a, "<", "a"; open $b, "<", "b"; $^F = 99;
	syscall 292, fileno $a, fileno $b, 0; syscall 292, fileno $b, 77, 0';
	for o in syscall:dup3 "--path $PWD/a syscall:dup3" 'syscall:*'; do
	dt record $o -- perl -e "$l" | sed -n "s|.* dup3|dup3|; s|$PWD||g;
	s/ <[0-9.]*>//; s/fd=[0-9]/fd=N/g; s/= [0-9]*/= N/; /^dup3/p"; done
EXPECT	dup3(oldfd=N</a>, newfd=N</b>, flags=0) = N</a>
	dup3(oldfd=N</a>, newfd=N7, flags=0) = N</a>
	dup3(oldfd=N</a>, newfd=N</b>, flags=0) = N</a>
	dup3(oldfd=N</a>, newfd=N7, flags=0) = N</a>
	dup3(oldfd=N</a>, newfd=N</b>, flags=0) = N</a>
	dup3(oldfd=N</a>, newfd=N7, flags=0) = N</a>

# Without a command, other processes have descriptors that no call has shown.
NAME	paths that are read from /proc after the call are counted
CORE
NEEDS	root tp_btf quick
RUN	echo x >a; dt record 'syscall:*' -- cat a
NOERR	/proc
RUN	mkfifo f g; sh -c 'read x <f; read y; read x <g' <a &
	dt record -u 0 --comm sh 'syscall:*' -- sh -c 'echo x >f; sleep 1' >o;
	echo x >g; wait
ERR	^dt: [0-9]+ paths? w[a-z]+ read from /proc after the call, perhaps of a later file$
RUN	dt record syscall:read -- cat a
NOERR	/proc

NAME	32-bit calls have paths of descriptors, too
NEEDS	root tp_btf int80
ASK	spawn W; open; filter pid=W; enable syscall32:fstatfs:entry
	flags=paths; enable syscall32:openat:entry flags=paths; record on;
	in W int80 100 args=2,0; in W int80 100 args=77,0;
	in W int80 295 args=-100,@text:nope,0;
	in W int80 295 args=-100,@text:/nope,0; record off; readall;
	count probe=*:fstatfs:* nstr=1; count str=0:err=EBADF;
	count probe=*:openat:* nstr=1; count nstr=0
EXPECT	0 0 0 0 0 0 EFAULT EBADF ENOENT ENOENT 0 4 2 1 1 1
