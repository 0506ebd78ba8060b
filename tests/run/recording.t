# SPDX-License-Identifier: ISC
# Recordings: the contents of the files, full files and disks, and a second
# reader of the format.

NAME	events of all CPUs are complete and in order of time
NEEDS	root tp_btf
TIMEOUT	120
RUN	for i in 1 2; do ask until done call getuid 100 & done;
	dt record --no-limit -n 200000 -o f.dt syscall:getuid:entry >o 2>&1;
	touch done; wait; dt report f.dt >r; cut -c 1-15 r | sort -c && wc -l <r;
	dt report -j f.dt | tail -n 1 | grep -o '"late":0'
EXPECT	200000..300000 "late":0

NAME	a recording is written when it ends, and names its machine
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getuid:entry -- ask call getuid 3;
	head -c 4 f.dt | od -An -tx1; strings f.dt | grep -c "^$(uname -r)"
OUT	^ 44 54 52 0a$
OUT	^1$

# The second reader follows only the page of the format.  jq keeps the fields
# that both print.  An argument that dt prints as text is not compared as a
# number, and one narrower than a register is compared by its 32 bits.
NAME	a second reader, written from the page alone, reads the same
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	cat >both.jq <<\EOS
	def same(a; b): (a | type) != "number" or (a - b) % 4294967296 == 0;
	[., $b] | transpose | map(. as [$x, $y] |
	([$x, $y] | map([.head, .time, .probe, .cpu, .pid, .tid, .comm, .retval,
	.errno, .kstack, .ustack]) | .[0] == .[1]) and
	(($x.args // {}) | to_entries | all(same(.value; $y.args[.key])))) |
	length, all
	EOS
	both() { dt report -j --no-lookup $1 | sed '$d' >ours;
	perl $S/tests/run/second.pl $1 >theirs 2>said;
	jq -s --slurpfile b theirs -f both.jq ours;
	sed 's/,.*//' ours >t1; sed 's/,.*//' theirs >t2; cmp t1 t2 && echo same;
	tail -n 1 said; };
	dt record -g -o f.dt 'syscall:*' -- sh -c 'ls / >/dev/null' &&
	both f.dt; dt record -g --lines --embed-symbols -o e.dt 'syscall:*' -- \
	sh -c 'share 20; ls / >/dev/null' && both e.dt &&
	grep -c '"ustack":."share_ms","share_start","_start".' theirs |
	sed 's/[1-9][0-9]*/names/'; $B/tests/forge all >all.dt; both all.dt
EXPECT	>=200 true same whole >=200 true same whole names 9 true same whole

NAME	flags are those of the recording machine, in text and in JSON
RUN	for m in x86 arm64; do $B/tests/forge $m $((0x4000)) >$m.dt;
	dt report $m.dt 2>/dev/null | grep -o 'O_[A-Z_|]*';
	dt report -j $m.dt | grep -o 'O_[A-Z_|]*'; done
EXPECT	O_RDONLY|O_DIRECT O_RDONLY|O_DIRECT O_RDONLY|O_DIRECTORY O_RDONLY|O_DIRECTORY

NAME	the second reader finds strings, descriptors and the end
RUN	$B/tests/forge all >all.dt; PATHS=1 perl $S/tests/run/second.pl all.dt \
	2>&1 >o | tr '\n' ' '; grep -o '"strings":{"filename":"openat"}' o | wc -l
EXPECT	read 8 100/-100 /tmp 100/3 openat 100/4 /etc/passwd late 0 whole 4

NAME	the second reader agrees when the clock was set and events are mixed
CORE
NEEDS	root tp_btf guest
RUN	dt record -o f syscall:getppid:entry -- clockset hits h;
	dt report -j f | sed '$d; s/,.*//' >ours;
	perl $S/tests/run/second.pl f | sed 's/,.*//' >theirs;
	cmp ours theirs && wc -l <ours
EXPECT	13

NAME	--max-size ends the recording with a complete file, status 0
NEEDS	root tp_btf
TIMEOUT	120
RUN	ask until done call getuid 100 & a=$!;
	dt record --no-limit --max-size 1M -o f.dt syscall:getuid:entry; echo $?;
	touch done; wait $a; n=$(stat -c %s f.dt);
	[ $n -le 1048576 ] && [ $n -gt 700000 ] && echo size;
	dt report f.dt >r; echo $?; wc -l <r;
	perl $S/tests/run/second.pl f.dt 2>&1 >/dev/null | tail -n 1
EXPECT	0 size 0 10000..30000 whole
ERR	^dt: f.dt is full: it has [01]\.[0-9] of 1\.0 MB \(--max-size\), so the recording ended
ERR	^dt: f.dt was full \(--max-size\)

NAME	events after the size limit are in the file or counted
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	dt record --no-limit --max-size 1M -o f.dt syscall:getuid:entry -- \
	ask call getuid 40000 2>e; dt report -j f.dt 2>e2 >j;
	perl $S/tests/run/second.pl f.dt 2>&1 >/dev/null |
	sed -n 's/^stop 2 0 //p' >stop; read in out <stop;
	[ $(jq -s '.[-1].ledger.read' j) -eq $((in + out)) ] && echo sum;
	[ $(($(wc -l <j) - 2)) -eq $in ] && echo in;
	grep -c "; $out later events" e e2; grep -c "($in shown)" e e2
EXPECT	sum in e:1 e2:1 e:1 e2:1

NAME	the command continues when the file is full, and its status counts
NEEDS	root tp_btf
TIMEOUT	120
RUN	dt record --no-limit --max-size 1M -o f.dt syscall:getuid:entry -- \
	sh -c 'ask call getuid 40000; : >after; exit 5'; echo $?; ls after
EXPECT	5 after

NAME	--rotate continues in new files and keeps N, each complete
NEEDS	root tp_btf
TIMEOUT	120
RUN	dt record -g --no-limit --max-size 1M --rotate 3 -o f.dt \
	syscall:getuid:entry -- ask call getuid 30000; echo $?; ls f.dt*;
	for f in f.dt.2 f.dt.1; do n=$(stat -c %s $f); [ $n -le 1048576 ] &&
	[ $n -gt 700000 ] && echo size; dt report $f >r; echo $?;
	[ $(grep -c 'getuid()' r) -eq $(grep -c 'do_syscall_64+\|el0_svc' r) ] &&
	echo names; perl $S/tests/run/second.pl $f 2>&1 >/dev/null |
	tail -n 1; done; dt report f.dt >r; echo $?
EXPECT	0 f.dt f.dt.1 f.dt.2 size 0 names goes on elsewhere size 0 names goes on elsewhere 0
ERR	^dt: [0-9]+ files were written, of which the newest 3 remain: f.dt.2 to f.dt.1, then f.dt$
ERR	^dt: f.dt.2 has [0-9]+ events; the recording continues in f.dt.1$
ERR	^dt: f.dt.1 has [0-9]+ events; the recording continues in f.dt$
ERR	^dt: [0-9]+ events \([0-9]+ shown\), none lost$

NAME	--rotate loses no event between the files
NEEDS	root tp_btf
TIMEOUT	120
RUN	dt record --no-limit --max-size 1M --rotate 100 -o f.dt syscall:getuid:entry \
	-- ask call getuid 60000 2>e; cat f.dt* >/dev/null;
	for f in f.dt*; do dt report $f 2>/dev/null; done | wc -l;
	sed -n 's/^dt: \([0-9]*\) events, none lost$/\1/p' e
EXPECT	60000 60000

# The rest of a burst is written while no events arrive, and so is the head of
# the next file.  That case was once taken for a closed pipe.
NAME	a file that is full while no events arrive does not end the recording
NEEDS	root tp_btf full
TIMEOUT	120
RUN	cat >load <<'END'
	ask call getuid 15000; n=0; until [ -e f.dt.1 ]; do n=$((n + 1));
	s=$(stat -c %s f.dt); ask call getuid 2000;
	until [ -e f.dt.1 ] || [ "$(stat -c %s f.dt)" != "$s" ]; do sleep 0.1;
	done; done; [ $n -gt 1 ] && ask call getuid 1000
	END
	dt record --no-limit --max-size 1M --rotate 3 -o f.dt syscall:getuid:entry \
	-- sh load; echo $?; for f in f.dt.1 f.dt; do dt report $f 2>/dev/null; done |
	wc -l >lines; dt report f.dt 2>&1 >/dev/null | sed 's/ events.*//; s/^dt: //' |
	cmp - lines && echo all
EXPECT	0 all

NAME	each file of a rotation has the descriptors' targets
NEEDS	root tp_btf
TIMEOUT	120
RUN	: >recordings; ask until done call getuid 100 <recordings & a=$!;
	dt record --no-limit --max-size 1M --rotate 3 -p $a -n 60000 -o f.dt \
	syscall:getuid:entry syscall:read 2>/dev/null; touch done; wait $a;
	for f in f.dt.2 f.dt.1 f.dt; do NOSUM=1 PATHS=1 perl \
	$S/tests/run/second.pl $f 2>&1 >/dev/null |
	grep -c "^$a/0 .*/recordings$\|^$a/-100 /"; done
EXPECT	2 2 2

NAME	--rotate counts files of earlier recordings, and no others
NEEDS	root tp_btf
RUN	for i in 1 2 3 4; do dt record --rotate 3 -o f.dt syscall:getuid:entry -- \
	ask call getuid $i; done; ls f.dt*; for f in f.dt f.dt.1 f.dt.2; do
	dt report $f 2>/dev/null | wc -l; done
EXPECT	f.dt f.dt.1 f.dt.2 4 3 2

NAME	invalid sizes and numbers of files are refused
RUN	dt record --max-size 1k -o f.dt syscall:getuid:entry
STATUS	2
ERR	--max-size 1k: should be bytes, at least 1M
RUN	dt record --max-size 1M syscall:getuid:entry
STATUS	2
ERR	--max-size needs a file: -o FILE.dt
RUN	dt record --rotate 1 -o f.dt syscall:getuid:entry
STATUS	2
ERR	--rotate 1: should be a number of files, from 2 to 1000
RUN	dt record --rotate 2 -o - syscall:getuid:entry
STATUS	2
ERR	--rotate needs the name of a file: -o FILE.dt
RUN	ls
NOOUT	f.dt

NAME	a full disk ends the recording with a complete file, status 1
NEEDS	root tp_btf mounts
TIMEOUT	120
RUN	mkdir m; mount -t tmpfs -o size=1500k tmpfs m;
	dt record --no-limit --max-size 1G -o m/f.dt syscall:getuid:entry -- \
	ask call getuid 40000; echo $?; cp m/f.dt .; umount m;
	dt report f.dt >r; echo $?; perl $S/tests/run/second.pl f.dt 2>&1 \
	>/dev/null | tee s | tail -n 1;
	sed -n 's/^read //p; s/^stop 3 28 //p' s | tr '\n' ' ' >n;
	read in out all <n; [ $all -eq $((in + out)) ] && echo sum;
	[ $(wc -l <r) -eq $in ] && echo in
EXPECT	1 0 whole sum in
ERR	^dt: m/f.dt: No space left on device; the first [0-9]+ bytes can be read; [0-9]+ later events were not written$
ERR	^dt: writing f.dt failed: No space left on device; [0-9]+ later events

NAME	a disk that is full at the start is reported before the command runs
NEEDS	root tp_btf mounts
RUN	mkdir m; mount -t tmpfs -o size=64k tmpfs m;
	dd if=/dev/zero of=m/z bs=4k 2>/dev/null;
	dt record -o m/f.dt syscall:getuid:entry -- touch ran; echo $?; ls m;
	[ ! -e ran ] && echo none; umount m
EXPECT	1 z none
ERR	^dt: m/f.dt: No space left on device$

NAME	a disk that fills during the next file leaves all files complete
NEEDS	root tp_btf mounts
TIMEOUT	120
RUN	mkdir m; mount -t tmpfs -o size=2500k tmpfs m;
	dt record --no-limit --max-size 1M --rotate 9 -o m/f.dt syscall:getuid:entry \
	-- ask call getuid 80000 2>e; echo $?; cp m/* .; umount m; ls f.dt*;
	for f in f.dt f.dt.1 f.dt.2; do perl $S/tests/run/second.pl $f 2>&1 \
	>/dev/null | tail -n 1; done; grep -c 'No space left' e
EXPECT	1 f.dt f.dt.1 f.dt.2 whole goes on elsewhere goes on elsewhere 1

NAME	a limit of the process (ulimit -f) ends it like a full disk
NEEDS	root tp_btf
TIMEOUT	120
RUN	sh -c 'ulimit -f 2000; exec dt record --no-limit -o f.dt syscall:getuid:entry \
	-- ask call getuid 40000'; echo $?; dt report f.dt >r; echo $?;
	perl $S/tests/run/second.pl f.dt 2>&1 >/dev/null | tail -n 1
EXPECT	1 0 whole
ERR	^dt: f.dt: File too large; the first [0-9]+ bytes

NAME	a recording on stdout that cannot be written is an error
NEEDS	root tp_btf
RUN	dt record -o - syscall:getuid:entry -- ask call getuid 5000 >/dev/full
STATUS	1
ERR	No space left on device

# Killed at random moments, under load.  The report must agree with the second
# reader: all records of all complete blocks.
NAME	a writer killed at any moment leaves every complete block readable
NEEDS	root tp_btf
TIMEOUT	900
RUN	n=6; [ -z "${DT_LARGE:-}" ] || n=100; ask until done call getuid 100 & a=$!;
	i=0; bad=0; while [ $i -lt $n ]; do i=$((i + 1)); rm -f f.dt*;
	dt record --no-limit -p $a -o f.dt syscall:getuid:entry & d=$!;
	until [ -s f.dt ]; do kill -0 $d || break; done;
	perl -e 'select undef, undef, undef, rand 0.15'; kill -9 $d; wait $d;
	dt report f.dt >r 2>e; s=$?;
	NOSUM=1 perl $S/tests/run/second.pl f.dt 2>/dev/null >r2;
	[ $s -eq 1 ] && [ $(wc -l <e) -eq 1 ] && grep -q \
	'^dt: f.dt: at byte [0-9]*: .* cut off.*before it were printed' e &&
	[ $(($(wc -l <r) + 1)) -eq $(wc -l <r2) ] || { bad=$((bad + 1)); cat e; }; done;
	touch done; wait $a; echo "$bad of $n bad"
OUT	^0 of (6|100) bad$

# Each file names its successor, from the oldest on; the last file is cut off.
NAME	a killed writer leaves every file of a rotation readable
NEEDS	root tp_btf
TIMEOUT	900
RUN	n=4; [ -z "${DT_LARGE:-}" ] || n=100; ask until done call getuid 100 & a=$!;
	i=0; bad=0; while [ $i -lt $n ]; do i=$((i + 1)); rm -f f.dt*;
	dt record --no-limit -p $a -o f.dt --max-size 1M --rotate 3 \
	syscall:getuid:entry & d=$!; until [ -s f.dt.1 ]; do kill -0 $d || break; done;
	perl -e 'select undef, undef, undef, rand 0.1'; kill -9 $d; wait $d;
	f=f.dt.2; [ -e $f ] || f=f.dt.1; n1=$(ls f.dt* | wc -l) n2=0;
	while [ -n "$f" ]; do n2=$((n2 + 1)); dt report $f >r 2>e; s=$?;
	f=$(sed -n 's/.*the recording continues in //p' e); done;
	[ $s -eq 1 ] && grep -q 'cut off' e && [ $n1 -eq $n2 ] ||
	{ bad=$((bad + 1)); ls f.dt*; cat e; }; done;
	touch done; wait $a; echo "$bad of $n bad"
OUT	^0 of (4|100) bad$

# A rotation renames three files: three rotations, killed before each rename.
NAME	a writer killed between two renames leaves every file readable
NEEDS	root tp_btf strace full
TIMEOUT	120
RUN	ask until done call getuid 100 & a=$!;
	for i in 1 2 3 4 5 6 7 8 9; do rm -f f.dt*;
	strace -qq -o s -e trace=rename,renameat,renameat2 \
	-e inject=rename,renameat,renameat2:signal=KILL:when=$i \
	dt record --no-limit -p $a -o f.dt --max-size 1M --rotate 3 \
	syscall:getuid:entry; f=f.dt.2; [ -e $f ] || f=f.dt.1;
	[ -e $f ] || f=f.dt; while [ -n "$f" ]; do printf "$f "; dt report $f >r 2>e;
	f=$(sed -n 's/.*the recording continues in //p' e); done;
	grep -o 'cut off' e; done; touch done; wait $a
OUT	^f.dt f.dt.next cut off$
OUT	^f.dt.1 f.dt.next cut off$
OUT	^f.dt.1 f.dt f.dt.next cut off$
OUT	^f.dt.2 f.dt f.dt.next cut off$
OUT	^f.dt.2 f.dt.1 f.dt.next cut off$
OUT	^f.dt.2 f.dt.1 f.dt f.dt.next cut off$

NAME	dt profile -o writes a recording of samples, and refuses other suffixes
NEEDS	root tp_btf perf_event jq
RUN	dt profile --no-limit -F 999 -o f.dt -- sh -c 'i=0; while [ $i -lt 100000 ]; do
	i=$((i+1)); done'; dt report -j f.dt | jq -es '.[-1].ledger.read ==
	(length - 2) and length > 5 and all(.[1:-1][]; .ustack != null and
	(.probe | startswith("profile:")))'; stat -c %a f.dt
EXPECT	true 600
RUN	dt profile -d 0.2 -o - | dt report -j - | grep -c ledger
EXPECT	1
RUN	dt profile -o f.perf
STATUS	2
ERR	-o f.perf: should end in .dt

NAME	forged files are read up to the error, in bounded memory
NEEDS	addresses
RUN	ulimit -v 900000; for k in liar toolong nopbn nonsense strings sum later \
	magic; do $B/tests/forge $k >$k; timeout 60 dt report $k >o 2>$k.e;
	echo "$k $? $(wc -l <o)"; done;
	$B/tests/forge probes 3000000 | timeout 60 dt report - >o; echo $?;
	cat *.e >&2
EXPECT	liar 1 0 toolong 1 0 nopbn 1 1 nonsense 1 0 strings 1 0 sum 1 0 later 1 0 magic 1 0 1
ERR	liar: at byte [0-9]+: the file is cut off 1048492 bytes before the end of a block
ERR	toolong: at byte [0-9]+: the block is longer than the maximum
ERR	nopbn: at byte [0-9]+: an event has a probe that the file does not describe; the 1 events before it were printed
ERR	nonsense: at byte [0-9]+: an event is inconsistent
ERR	strings: at byte [0-9]+: an event is inconsistent
ERR	sum: at byte [0-9]+: the checksum of the block is wrong
ERR	later: was recorded by another version of dt
ERR	magic: is not a recording of dt
ERR	-: at byte [0-9]+: the file has too many names

NAME	events that no kernel makes are printed and counted, and harm no reader
RUN	for k in result noresult 'folders 9000'; do $B/tests/forge $k >f; for o in '' -j \
	'--stat --by retval' '--stat --by dfd,errno' '--stat --by fd,duration' '--path /x' '--tree'; do
	dt report $o f >o 2>&1; [ $? -le 2 ] || echo "$k $o: $?"; done; done; $B/tests/forge noresult >f
	dt report --stat --by dfd,errno f; $B/tests/forge result | dt report -; $B/tests/forge folders 9000 | dt report -
OUT	^ +1 .* AT_FDCWD  -$
OUT	kprobe:f = \.\.\.$
OUT	fchdir\(fd=3<a{20}.*\) = 0 |fchdir\(fd=3\) = 0
NOOUT	: 1[0-9]{2}$

NAME	a folder, an empty file and an empty pipe are refused with the reason
RUN	mkdir d; dt report d; echo $?; : >e; dt report e; echo $?;
	dt report - </dev/null; echo $?; mkfifo p; : >p & dt report p; echo $?
EXPECT	1 1 1 1
ERR	^dt: d: cannot be read: Is a directory
ERR	^dt: e: is not a recording of dt$
ERR	^dt: -: is not a recording of dt$
ERR	^dt: p: is not a recording of dt$

NAME	names in a recording are escaped on the terminal
RUN	$B/tests/forge names >f.dt; for o in "" -j; do dt report $o f.dt >o;
	echo $?; tr -d '\n' <o | LC_ALL=C grep -c "$(printf \
	'[\001-\037\177]\|\302[\200-\237]')"; done; true
EXPECT	0 0 0 0
