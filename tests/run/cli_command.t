# SPDX-License-Identifier: ISC
# A recording of the command after "--" begins at its execve(2): it has nothing
# of dt itself, neither its calls nor its name nor its descriptors.

NAME	the first call of a command is its execve, under the command's name
CORE
NEEDS	root tp_btf
RUN	dt record 'syscall:*' -- true >o; head -n 1 o; grep -c 'read = 1$' o;
	awk '{ print $3 }' o | sort -u
OUT	^[0-9:.]+ [0-9]+ true +[0-9]+/[0-9]+ +execve\(filename="[^"]*/true", argv=\["true"\], .*(\) = 0 <0\.[0-9]*>|<unfinished \.\.\.>)$
OUT	^0$
OUT	^true$
NOOUT	^dt$
ERR	^dt: [0-9]+ events, none lost$

NAME	a command's calls are those that strace counts, including its execve
NEEDS	root tp_btf strace jq x86_64
RUN	set -- sh -c '/bin/cat /dev/null; /usr/bin/env /bin/true; exec /bin/ls / >f';
	dt record -j 'syscall:*:entry' -- "$@" >j;
	jq -r '.probe // empty' j | cut -d : -f 2 | sort | uniq -c >dt;
	strace -f -o s "$@"; sed -n 's/^[0-9]* *\([a-z_0-9]*\)(.*/\1/p' s |
	sort | uniq -c >strace; diff dt strace && grep -c . dt;
	grep ' execve$' dt
OUT	^[1-9][0-9]+$
OUT	^ +5 execve$
NOOUT	[<>]

NAME	no table, record or profile of a command has a row for dt
NEEDS	root tp_btf perf_event
RUN	set -- sh -c 'ls; ls >/dev/null';
	dt stat 'syscall:*' -- "$@" | awk '{ print "stat", $4 }' >o;
	dt stat --by comm 'syscall:*' -- "$@" | awk '{ print "by", $NF }' >>o;
	dt record 'tracepoint:sched:*' -- "$@" |
	awk '{ print "record", $3 }' >>o;
	dt profile --no-limit -f -F 4999 -- "$@" |
	awk -F ';' '{ print "profile", $1 }' >>o;
	dt record profile:hz:4999 -- "$@" | awk '{ print "ticks", $3 }' >>o;
	sort -u o
OUT	^stat sh$
OUT	^stat ls$
OUT	^by sh$
OUT	^by ls$
OUT	^record sh$
OUT	^record ls$
OUT	^profile (sh|ls)$
OUT	^ticks (sh|ls)$
NOOUT	 dt

NAME	kernel functions of a command are recorded from its exec on
NEEDS	root kprobe
RUN	dt stat --by comm kprobe:vfs_open:entry -- sh -c 'cat /dev/null'
OUT	  cat$
OUT	  sh$
NOOUT	  dt$

# The session that began first awaits no exec, so its program at the tracepoint
# runs before the one that detects the exec.
NAME	the tracepoint of the exec is the first event, with a second session too
CORE
NEEDS	root tp_btf perf_event quick
SERVICE	allowdt = yes
RUN	dt record -u 0 tracepoint:sched:sched_process_exec -- sh -c '
	dt record tracepoint:sched:sched_process_exec -- /bin/true >inner' >outer;
	sed 's/.* sched:/sched:/; s/pid=.*//' inner
EXPECT	sched:sched_process_exec(filename="/bin/true",

# The command exits at once: its descriptors are in the events.
NAME	descriptors are the command's, not those that dt closed at its exec
NEEDS	root tp_btf perl x86_64
RUN	dt record -o f.dt 'syscall:f*sync' -- perl -e '
	open $f[$_], ">", "file$_" for 0 .. 5;
	syscall 74, fileno $f[$_] for 0 .. 5';
	dt report f.dt | grep -E 'socket|pipe|anon_inode'; :
NOOUT	.
RUN	dt record 'syscall:f*sync' -- perl -e '
	open $f[$_], ">", "file$_" for 0 .. 5;
	syscall 74, fileno $f[$_] for 0 .. 5' >o;
	sed 's/.*sync(fd=[0-9]*<.*\/\(.*\)>).*/\1/' o
EXPECT	file0 file1 file2 file3 file4 file5

NAME	descriptors that a command inherits are known, also in its children
NEEDS	root tp_btf perl x86_64
RUN	dt record syscall:write 'syscall:*fork' 'syscall:clone*' -- perl -e '
	$text = "a\n"; syscall 1, 7, $text, 2;
	if (fork == 0) { syscall 1, 7, $text, 2; exit } wait' 7>seven |
	grep -c 'write(fd=7<.*/seven>,'
EXPECT	2

NAME	a script without #! is run by a shell: two execve calls, the first fails
NEEDS	root tp_btf
RUN	echo 'echo $1-$2' >script; chmod 755 script;
	dt record 'syscall:exec*' -- ./script a b >o; sed 's/.*execve/execve/' o;
	awk 'NF > 1 { print "by", $3 }' o
OUT	^a-b$
OUT	^execve\(filename="./script", argv=\["./script", "a", "b"\], .* = -1 ENOEXEC
OUT	^execve\(filename="/bin/sh", argv=\["/bin/sh", "./script", "a", "b"\], .* = 0
OUT	^by script$
OUT	^by sh$
NOOUT	^by dt$

NAME	a command that the kernel cannot execute is recorded as one failed call
NEEDS	root tp_btf
RUN	echo '#!/nonexistent' >bad; chmod 755 bad; dt record 'syscall:*' -- ./bad
OUT	bad .*execve\(filename="./bad", argv=\["./bad"\], .* = -1 ENOENT
NOOUT	write|exit
ERR	^dt: './bad': No such file or directory$
ERR	^dt: 2 events, none lost$
STATUS	127

NAME	--no-inherit also begins at the execve, and continues across later ones
NEEDS	root tp_btf
RUN	dt record --no-inherit syscall:execve -- sh -c 'true; ls / >/dev/null;
	exec true' | grep -c ' = 0 <'
EXPECT	2

NAME	in a pid namespace a recording begins at the command's execve
NEEDS	root tp_btf unshare
RUN	unshare -p -f --mount-proc dt record 'syscall:*' -- true | head -n 1
OUT	 true +[1-9][0-9]?/[1-9][0-9]? +execve\(.* = 0 <

NAME	TRACE_OWN: a recording begins at the command's execve
NEEDS	root nonroot tp_btf setpriv
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	setpriv --reuid=65534 --regid=65534 --clear-groups \
	dt record 'syscall:*' -- true | head -n 1
OUT	 true +[0-9]+/[0-9]+ +execve\(.* = 0 <
