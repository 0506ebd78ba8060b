# SPDX-License-Identifier: ISC
# dt stat --by and --sum

NAME	paths and results of calls are counted exactly
NEEDS	root tp_btf jq
RUN	dt stat -j --by path,errno syscall:openat:return -- keys calls >j;
	jq -ces 'map(select(.path == "here" or .path == "gone" or
	(.path // "" | endswith("red"))) | [.path, .errno, .text.errno, .count])
	| sort' j
OUT	^\[\["\\u001b\[31mred",2,"ENOENT",2\],\["gone",2,"ENOENT",5\],\["here",0,null,3\]\]$

NAME	text output names errnos and escapes control characters of names
NEEDS	root tp_btf
RUN	dt stat --by filename,errno syscall:openat -- keys calls >o; cat o;
	grep -c "$(printf '\033')" o
STATUS	1
OUT	^       COUNT       RATE/s  FILENAME +ERRNO$
OUT	^           5 +[0-9.]+  gone +ENOENT$
OUT	^           3 +[0-9.]+  here +0$
OUT	^           2 +[0-9.]+  \\x1b\[31mred +ENOENT$
OUT	^0$

NAME	return values are added up, failures are not
NEEDS	root tp_btf jq
RUN	dt stat -j --by errno --sum retval syscall:read:return --comm keys \
	-- keys calls >j; dt stat -j --by errno,count --sum retval syscall:read \
	-- keys calls >k; jq -s 'map(select(.errno == 9) | .count, .sum)[]' j;
	jq -s 'map(select(.args.count == 100) | .errno, .count, .sum)[]' k
EXPECT	2 0 0 7 700 9 2 0

NAME	the sums of dd's reads and writes are the bytes it copied
NEEDS	root tp_btf jq
RUN	dt stat -j --by fd --sum retval syscall:read syscall:write -- \
	dd if=/dev/zero of=/dev/null bs=1000 count=50 2>/dev/null >j;
	jq -s 'map(select(.args.fd == 0 or .args.fd == 1)) |
	map([.count, .sum] | tostring)[]' j; dt stat --by comm --sum count \
	syscall:write:entry -- dd if=/dev/zero of=/dev/null bs=64k count=10
OUT	^"\[50,50000\]"$
OUT	^   COUNT       SUM     SUM/s  COMM$
OUT	^ +1[0-9] +640\.[0-9]kB +[0-9.]+[kMG]?B  dd$
NOOUT	^ +[0-9]+ +[0-9.]+[kMG]?B +[0-9.]+[kMG]?B  [^d]

NAME	rows are sorted by sum, the highest first
NEEDS	root tp_btf jq
RUN	dt stat -j --by fd --sum retval syscall:read syscall:write -- sh -c \
	'dd if=/dev/zero of=/dev/null bs=1 count=200 2>/dev/null;
	dd if=/dev/zero bs=100000 count=3 2>/dev/null | cat >/dev/null' |
	jq -es '.[:-1] | map(.sum) | length > 1 and . == (sort | reverse)'
EXPECT	true

NAME	--by tid counts each thread separately
NEEDS	root tp_btf jq
RUN	dt stat -j --by tid,pid syscall:getppid:entry -- keys threads 5 |
	jq -ces '.[:-1] | [map(.count), (map(.tid) | unique | length),
	(map(.pid) | unique | length)]'
OUT	^\[\[5,4,3,2,1\],5,1\]$

NAME	--by shows users by name and number, and parent processes by number
NEEDS	root nonroot tp_btf jq setpriv
RUN	echo 'echo $$ >parent; setpriv --reuid 65534 --clear-groups "$1" threads 3;
	:' >s; dt stat -j --by uid,ppid,comm syscall:getppid:entry -- sh s \
	"$B/tests/keys" >j; jq -es --argjson p $(cat parent) 'map(select(.uid ==
	65534 and .ppid == $p and .comm == "keys") | .count) | add' j;
	dt stat --by uid syscall:getppid:entry -- setpriv --reuid 0 keys threads 3
EXPECT	6 COUNT RATE/s UID 6 * root

NAME	--by cpu lists every CPU that was used
NEEDS	root tp_btf jq
RUN	dt stat -j --by cpu syscall:getppid:entry -- keys threads 9 | jq -es \
	'(.[:-1] | map(.count) | add == 45) and all(.[:-1][]; .cpu >= 0)'
EXPECT	true

NAME	a cgroup is printed by its unit name, and with its path in JSON
NEEDS	root tp_btf jq cgroup2
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts);
	c=dt$$.slice/dtx$$.service; mkdir -p $d/$c/sub;
	echo "echo \$\$ >$d/$c/sub/cgroup.procs; exec keys threads 3" >s;
	dt stat -j --by cgroup syscall:getppid:entry -- sh s >j;
	dt stat --by cgroup syscall:getppid:entry -- sh s >t;
	id=$(stat -c %i $d/$c/sub); rmdir $d/$c/sub $d/$c $d/${c%/*};
	jq -es --arg c "/$c/sub" --argjson i $id '.[0] | .cgroup == $c and
	.cgroup_id == $i and .count == 6' j;
	sed -n "s/^ *6 .*  dtx$$.service\$/found/p" t
EXPECT	true found

# The scan of the tree, for a user who may not open file handles.
NAME	the cgroup is found without privileges, too
NEEDS	root tp_btf jq cgroup2 setpriv
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts);
	mkdir $d/dtwalk$$; echo "echo \$\$ >$d/dtwalk$$/cgroup.procs;
	exec keys threads 3" >s; setpriv --inh-caps=-dac_read_search \
	--bounding-set=-dac_read_search dt stat -j --by cgroup \
	syscall:getppid:entry -- sh s >j; rmdir $d/dtwalk$$;
	jq -es --arg c "/dtwalk$$" '.[0].cgroup == $c' j
EXPECT	true

NAME	-i prints the counts by key of each interval
NEEDS	root tp_btf jq full
RUN	ask until done call getuid 1 & a=$!;
	dt stat -j -i 0.2 -d 0.9 -p $a --by retval --sum retval syscall:getuid \
	>j; touch done; wait $a; jq -es '.[-1].ledger.read == (.[:-1] |
	map(.count) | add) and (.[:-1] | length >= 4 and all(.[]; .interval >
	1000000 and .time > 1e18 and (.retval == 0 or .retval == null)))' j
EXPECT	true

NAME	an argument selects by number, even if it has the name of a key
NEEDS	root tp_btf jq
RUN	dt stat -j --by flags syscall:openat:entry -- keys calls | jq -s \
	'map(select(.args.flags == 66) | .count)[]';
	dt stat -j --by args.pid,pid syscall:kill:entry -- sh -c 'kill -0 1' |
	jq -cs '.[0] | [.args.pid, .pid > 1]'
EXPECT	3 [1,true]

NAME	keys beyond the limit share one row, and no count is lost
NEEDS	root tp_btf jq
RUN	dt stat -j --max-keys 30 --by path syscall:openat:entry -- \
	keys names 500 >j; jq -es '(.[:-1] | length == 31 and .[-1].other and
	.[-1].path == null and .[-1].count > 400) and .[-1].ledger.read ==
	(.[:-1] | map(.count) | add)' j; dt stat --max-keys 30 --by path \
	syscall:openat:entry -- keys names 500
OUT	^true$
OUT	^ +4[0-9]{2} +[0-9.]+  all others: the table is full \(30 rows\)$

NAME	--top prints N rows and reports how many there are
NEEDS	root tp_btf
RUN	dt stat --top 3 --by path syscall:openat:entry -- keys names 50 >o;
	cat o; wc -l <o
OUT	^ +and (4[7-9]|[5-9][0-9]) more rows \(--top N prints N rows, -j all\)$
OUT	^5$
RUN	dt stat --by path syscall:openat:entry -- keys names 50 |
	grep -c name0000
EXPECT	50

NAME	a table is no longer than the terminal
NEEDS	root tp_btf script
RUN	TERM=dumb script -qec 'stty rows 12 cols 70; dt stat --by path \
	syscall:openat:entry -- keys names 50' /dev/null >o; tr -d '\r' <o >t;
	cat t; sed -n '/COUNT/,/more rows/p' t | wc -l
OUT	^ +1 +[0-9.]+  .*name0000
OUT	^ +and [0-9]+ more rows
OUT	^7$
RUN	TERM=dumb script -qec 'stty rows 12 cols 30; dt stat --by path \
	syscall:openat:entry -- keys names 50' /dev/null >o; tr -d '\r' <o >t;
	grep -c 'more rows' t; awk '{ n += length > 0 ? int((length + 29) / 30) : 1 } END { print n }' t
EXPECT	1 7..11

NAME	an unknown key is reported with the nearest name, all keys and arguments
NEEDS	root tp_btf
RUN	dt stat --by erno syscall:openat -- keys calls
STATUS	1
ERR	--by erno: is neither a key .* did you mean errno\? Keys are probe, pid, .*; arguments are dfd, filename, flags and mode
RUN	dt stat --by fnilename syscall:openat -- keys calls
STATUS	1
ERR	did you mean filename\?
RUN	dt stat --sum fd syscall:getppid -- keys calls
STATUS	1
ERR	--sum fd: these probes have no such argument
RUN	dt stat --sum filename syscall:openat -- true
STATUS	1
ERR	--sum filename: is a string; a sum needs a number
RUN	dt stat --by pid,,tid syscall:getppid -- keys calls
STATUS	2
ERR	should be names separated by commas
NOOUT	.

NAME	calls that have not returned by the end are counted
NEEDS	root tp_btf jq
RUN	dt stat -j --by which_clock,errno syscall:clock_nanosleep -- sh -c \
	'sleep 1000 & echo $! >p; until grep -q nanosleep /proc/$!/wchan; do :;
	done' >j; kill $(cat p); jq -cs '.[0] | [.args.which_clock, .errno,
	.count]' j
OUT	^\[0,null,1\]$

# dt stat prints pointed-to data as dt record does, whether BPF or dt counts.
NAME	pointed-to data as a key prints as text, live and from a recording
NEEDS	root tp_btf jq bash
RUN	truncate -s 12345 file; cat >s <<'X'
	for p in 1 1 17; do bash -c ": >/dev/tcp/127.0.0.1/$p" 2>/dev/null; done
	for i in 1 2 3; do printf 'a\tb\n'; done; test -s file
	X
	two() { dt stat -j --by $1 $2 -- sh s | grep -v '^a' >live; dt record \
	--data -o f.dt $2 -- sh s >/dev/null; dt report -j --stat --by $1 f.dt \
	>report; for f in live report; do jq -cs --arg w "$3" 'map(select(.args)
	| select(.args[] | tostring | contains($w)) | [.args[], .count])' $f;
	done; }; two uservaddr syscall:connect sin_port; two buf syscall:write \
	'a\t'; two statbuf syscall:newfstatat 12345; two argv syscall:execve \
	tcp/127.0.0.1/17
OUT	^\[\["\{sa_family=AF_INET, sin_port=htons\(1\), sin_addr=inet_addr\(\\"127\.0\.0\.1\\"\)\}",2\],\["\{sa_family=AF_INET, sin_port=htons\(17\), sin_addr=inet_addr\(\\"127\.0\.0\.1\\"\)\}",1\]\]$
OUT	^\[\["\\"a\\\\tb\\\\n\\"",3\]\]$
OUT	^\[\["\{st_mode=S_IFREG\|0[0-9]+, st_size=12345, \.\.\.\}",1\]\]$
OUT	^\[\["\[\\"bash\\", \\"-c\\", \\": >/dev/tcp/127\.0\.0\.1/17\\"\]",1\]\]$
NOOUT	^\[\]$

NAME	text output shows it as dt record does, and a return probe suffices
NEEDS	root tp_btf bash
RUN	dt stat --by uservaddr syscall:connect:return -- \
	bash -c 'for i in 1 2; do : >/dev/tcp/127.0.0.1/1; done; :' 2>/dev/null
OUT	^ +2 +[0-9.]+  \{sa_family=AF_INET, sin_port=htons\(1\), sin_addr=inet_addr\("127\.0\.0\.1"\)\}$
NOOUT	0x

NAME	data that dt does not decode is printed as an address
NEEDS	root tp_btf jq
RUN	dt stat -j --by envp syscall:execve -- true | jq -s '.[0].args.envp |
	test("^0x[0-9a-f]+$")'; dt stat --by envp syscall:execve -- true
OUT	^true$
OUT	^ +1 +[0-9.]+  0x[0-9a-f]+$

NAME	fields of tracepoints can be keys: texts, arrays and addresses
NEEDS	root tp_btf perf_event jq bash
RUN	dt stat -j --by daddr,dport,newstate tracepoint:sock:inet_sock_set_state \
	-- bash -c ': >/dev/tcp/127.0.0.1/9' 2>/dev/null | jq -cs 'map(select(
	.args.dport == 9) | .args.daddr) | unique'; cp /bin/true dtexecs;
	dt stat -j --by filename,args.pid tracepoint:sched:sched_process_exec -- \
	./dtexecs | jq -cs 'map(select(.args) | .args.filename) | unique'
OUT	^\["127\.0\.0\.1"\]$
OUT	^\["\./dtexecs"\]$

NAME	a text longer than a key is cut and marked as cut
NEEDS	root tp_btf jq
RUN	a=$(printf %0300d 7); dt stat -j --by argv syscall:execve -- sh -c \
	"/bin/true $a 1; exec /bin/true $a 2" | jq -cs 'map(select(.args.argv //
	"" | startswith("[\"/bin/true\", \"000")) | [(.args.argv | length),
	.args.argv[-6:], .count])'
OUT	^\[\[259,"000\.\.\.",2\]\]$

NAME	stacks are keys: their functions are lines below the row
NEEDS	root tp_btf jq
RUN	dt stat --by probe,ustack syscall:getppid:entry -- keys calls
OUT	^ +COUNT +RATE/s  PROBE$
OUT	^ +4 +[0-9.]+  syscall:getppid:entry$
OUT	^        main \(keys\)$
OUT	^        __libc_start_main \(libc\.so\.6\)$
RUN	dt stat -j --by kstack,ustack,errno syscall:read:return -- keys calls |
	jq -es 'map(select(.errno == 9 and .count == 2 and
	(.ustack | index("main (keys)")) and (.kstack | length) > 1)) | length'
OUT	^1$
RUN	cp "$(command -v keys)" k; dt record -g -o f.dt syscall:getppid:entry \
	-- ./k calls && dt report --stat --by ustack f.dt
OUT	^ +4 +[0-9.]+$
OUT	^        main \(k\)$
