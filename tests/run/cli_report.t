# SPDX-License-Identifier: ISC
# dt report and the recordings that it reads.

# Both are clients of one daemon, so a hit has one time for both.  But each
# client gets its own clock offset at open, so lines are equal if the rest of
# the line is equal and the times between lines agree to a microsecond or two.
NAME	dt report prints what dt record would have printed
NEEDS	root tp_btf mounts
SERVICE
RUN	cat >s <<\EOS
	{ dt record --no-join -n 40 -p $$ syscall:getuid syscall:openat >text 2>err;
	: >ready; } &
	exec ask until ready call getuid 1
	EOS
	cat >compare <<\EOS
	BEGIN { n = m = found = 0 }
	function us(s) { split(s, t, /[:.]/);
	return ((t[1] * 60 + t[2]) * 60 + t[3]) * 1000000 + t[4] }
	function same(k, i, d) { d = r[k + i] - r[k] - (x[i] - x[0]);
	return rest[k + i] == text[i] && d > -3 && d < 3 }
	NR == FNR { x[n] = us($0); text[n++] = substr($0, 16); next }
	{ r[m] = us($0); rest[m++] = substr($0, 16) }
	END { for (k = 0; k + n <= m; k++) {
	for (i = 0; i < n && same(k, i); i++);
	if (i == n) found++ }
	print n, found }
	EOS
	dt record --no-inherit -o f.dt syscall:getuid syscall:openat -- sh s;
	dt report --no-join f.dt >report; awk -f compare text report
EXPECT	40 1
ERR	none lost

NAME	dt report -j prints valid JSON with the same events
CORE
NEEDS	root tp_btf jq quick
RUN	dt record -o f.dt syscall:openat syscall:getuid -- ask call openat 5;
	dt report -j f.dt >j; dt report --no-join f.dt >t;
	jq -es '.[-1].ledger.read == (length - 2) and
	(map(.time | select(. != null)) | . == sort) and
	(map(select(.probe == "syscall:openat:return" and .errno == 2)) |
	length >= 5) and all(.[1:-1][] | select(.probe ==
	"syscall:openat:entry"); .args.dfd == -100)' j;
	[ $(wc -l <t) -eq $(($(wc -l <j) - 2)) ]
OUT	^true$
ERR	^dt: [0-9]+ events, none lost$

NAME	dt report prints the stacks with kernel symbols
NEEDS	root tp_btf
RUN	dt record -g --call-graph fp -o f.dt syscall:getuid:entry -- ask call getuid 2;
	DT_DTD=/nonexistent dt report f.dt
OUT	^        do_syscall_64\+0x[0-9a-f]+$|^        (el0_svc|invoke_syscall).*$
OUT	^        libc.so.6\+0x[0-9a-f]+$
OUT	^        \[incomplete: outermost frame has no name\]$
ERR	^dt: symbols of programs are missing: .*/nonexistent.*--no-lookup

# share has no library and all its symbols; its file is looked up by build id.
NAME	user symbols come from the file of the same build id, or the recording
NEEDS	root perf_event
RUN	cp $B/tests/share share; dt profile --call-graph fp --no-limit -F 997 -o f.dt -- ./share 300 2>/dev/null;
	dt profile --call-graph fp --no-limit --embed-symbols -F 997 -o e.dt -- ./share 300 2>/dev/null;
	n() { dt report --profile -f "$@" 2>/dev/null |
	grep -cE '^share;_start;share_start;outer;(one|two) '; };
	m() { grep -cE '^share;.incomplete: outermost frame has no name.;share.0x[0-9a-f]+;' $1; };
	n f.dt; n --no-lookup f.dt; n --no-lookup e.dt;
	dt report --profile -f --no-lookup f.dt 2>/dev/null >x; m x | sed 's/[1-9][0-9]*/some/';
	mv share moved; n f.dt; n e.dt; printf x | cat moved - >share; n f.dt;
	objcopy --remove-section .note.gnu.build-id moved share; n f.dt; n e.dt
EXPECT	2 0 2 some 0 2 2 0 2

NAME	a report reads local files of its user, of root, or those below --symfs
NEEDS	root nonroot setpriv mounts perf_event
RUN	chmod 755 .; mkdir d away; cp $B/tests/share d/share; chown 65533 d/share;
	dt profile --no-limit -F 997 -o f.dt -- d/share 300 2>/dev/null; chmod 644 f.dt;
	n() { "$@" report --profile -f f.dt $symfs 2>>errs | grep -cE \
	'^share;_start;share_start;outer;(one|two) '; };
	user() { setpriv --reuid 65534 --regid 65534 --clear-groups dt "$@"; };
	symfs=; n dt; n user; chown 65534 d/share; n user; chown 0 d/share; n user;
	mv d/share away/s; ln -s ../away/s d/share; n dt; chown -h 65533 d/share; n user;
	rm d/share; mount -t proc nodev d; n dt; umount d;
	mkdir -p "sys/$PWD/d"; cp away/s "sys/$PWD/d/s"; ln -s "$PWD/d/s" "sys/$PWD/d/share";
	n dt; symfs="--symfs sys"; n dt;
	grep -o ' and similar files are not read.*' errs | sort -u >&2
EXPECT	2 0 2 2 2 0 0 0 2
ERR	^ and similar files are not read: share belongs to another user \(see --symfs\)$
ERR	^ and similar files are not read: d is not on a local file system \(see --symfs\)$
RUN	dt report --symfs nosuch f.dt
STATUS	2
ERR	^dt report: --symfs nosuch: No such file or directory$

NAME	a user without privileges can draw a recording like a profile
NEEDS	root nonroot perf_event setpriv xmllint
RUN	dt profile --no-limit -F 997 -o f.dt -- share 200 2>/dev/null; chmod 644 f.dt;
	mkdir -m 777 d; cd d; setpriv --reuid 65534 --regid 65534 --clear-groups \
	sh -c 'dt report --profile -o x.svg ../f.dt; dt report --profile -o x.pb.gz ../f.dt' 2>&1 |
	grep -cE '^dt: (9[0-9]|100) % of [0-9,]+ user stacks complete(, .*)?$';
	xmllint --xpath 'count(//*[local-name()="title"][starts-with(., "two")])' x.svg;
	gzip -dc x.pb.gz | grep -ac share_start
EXPECT	2 >=1 1

NAME	--lines has source lines, and functions that were inlined
NEEDS	root perf_event jq
RUN	dt profile --no-limit --lines -F 997 -f -- share 200 2>/dev/null >f; grep -cE \
	'^share;_start;share_start share.c:[0-9]+;outer share.c:[0-9]+;two share.c:[0-9]+;spin share.c:[0-9]+ ' f;
	dt profile --no-limit -F 997 -o f.dt -- share 200 2>/dev/null; dt report --profile -j --lines f.dt 2>/dev/null |
	jq -se '[.[1:-1][].uframes[]] | any(.[]; .func == "spin" and .inlined and .line > 0 and
	(.file | endswith("share.c"))) and any(.[]; .func == "two" and (.inlined | not))';
	dt report --stat --lines f.dt
EXPECT	>=1 true
STATUS	2
ERR	--lines and --stat exclude each other

NAME	dt report needs no daemon and no root
NEEDS	root nonroot tp_btf setpriv
RUN	dt record -o f.dt syscall:getuid:entry -- ask call getuid 4;
	chmod 644 f.dt; DT_DTD=/nonexistent setpriv --reuid 65534 --regid 65534 \
	--clear-groups dt report f.dt | grep -c getuid
EXPECT	4

NAME	dt report prints a recording's ledger, and --strict fails on its losses
NEEDS	root tp_btf
RUN	q=q$$; cp "$B/tests/ask" $q;
	dt record --buffer 1 --buffer-max 1 -o - --comm $q syscall:getuid -- \
	sh -c "./$q call getuid 60000; : >go" |
	{ until [ -e go ]; do sleep 0.02; done; cat >f.dt; };
	dt report f.dt >/dev/null; echo $?;
	dt report --strict f.dt >/dev/null; echo $?
EXPECT	0 3
ERR	^dt: [0-9]+ events, [0-9]+ lost
ERR	^dt: [0-9]+ dropped: the ring buffer was full

NAME	a truncated recording is printed up to the cut, status 1
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getuid -- ask call getuid 1000;
	dt report --no-join f.dt | wc -l; n=$(stat -c %s f.dt);
	head -c $((n - 100)) f.dt >cut; dt report cut >/dev/null;
	echo $?; head -c 10 f.dt >cut2; dt report cut2; echo $?
EXPECT	2000 1 1
ERR	cut: at byte [0-9]+: .*; the [0-9]+ events before it were printed

NAME	a damaged recording is printed up to the damage, status 1
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getuid -- ask call getuid 1000;
	n=$(($(stat -c %s f.dt) / 2)); cp f.dt bad;
	printf '\377\377\377\377' | dd of=bad bs=1 seek=$n conv=notrunc \
	2>/dev/null; dt report bad >o; echo $?; wc -l <o
EXPECT	1 0..1999
ERR	bad: at byte [0-9]+: .*; the [0-9]+ events before it were printed

NAME	a corrupt byte at any offset is detected without a crash
NEEDS	root tp_btf
RUN	dt record -g -o f.dt syscall:getuid:entry -- ask call getuid 3;
	n=$(stat -c %s f.dt); i=0; while [ $i -lt $n ]; do cp f.dt b;
	printf '\245' | dd of=b bs=1 seek=$i conv=notrunc 2>/dev/null;
	cmp -s f.dt b || { dt report b >/dev/null 2>e; s=$?;
	[ $s -eq 1 ] || echo "byte $i: status $s"; }; i=$((i + 41)); done
NOOUT	status

NAME	a file that is not a recording is reported, status 1
RUN	dt report /etc/passwd
STATUS	1
ERR	/etc/passwd: is not a recording of dt
RUN	: >empty; dt report empty
STATUS	1
ERR	empty: 
RUN	dt report nosuch
STATUS	1
ERR	nosuch: No such file
RUN	dt report /
STATUS	1
RUN	dt report - </dev/zero
STATUS	1

NAME	a recording without events has only its head and ledger
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getuid -- true; dt report f.dt; dt report -j f.dt
OUT	^\{"ledger":\{"fired":0,"read":0,
NOOUT	getuid
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$

NAME	a recording in progress can be read up to what is written
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	dt record -p $a -o f.dt syscall:getuid:entry & d=$!;
	until [ "$(dt report f.dt 2>/dev/null | grep -c getuid)" -gt 0 ]; do
	sleep 0.1; done; kill -TERM $d; wait $d; touch done; wait $a;
	dt report f.dt 2>&1 >/dev/null | grep -c 'none lost'
EXPECT	1

NAME	the recording of a killed dt record is readable
NEEDS	root tp_btf
RUN	ask until done call getuid 1 & a=$!;
	dt record -p $a -o f.dt syscall:getuid:entry & d=$!;
	until [ "$(dt report f.dt 2>/dev/null | grep -c getuid)" -gt 0 ]; do
	sleep 0.1; done; kill -9 $d; wait $d; touch done; wait $a;
	dt report f.dt | grep -c getuid
EXPECT	>=1

NAME	a reader that closes its pipe does not block the report
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getuid -- ask call getuid 20000;
	dt report f.dt | head -n 2
OUT	getuid

# Times and processes differ between the two runs.
NAME	report --stat counts as dt stat does
NEEDS	root tp_btf jq
RUN	probes='syscall:openat syscall:read';
	dt record --columns +uid -o f.dt $probes -- keys calls;
	for by in probe,comm comm,errno filename,errno fd,errno,uid; do
	dt stat -j --by $by --sum retval $probes -- keys calls >live;
	DT_DTD=/nonexistent dt report -j --stat --by $by --sum retval f.dt >file;
	for f in live file; do jq -cs '[.[:-1][] | select(.count and
	.comm != "dt")] | sort |
	.[]' $f >$f.s; done;
	cmp live.s file.s && wc -l <file.s; done
EXPECT	2 3 6..30 4..20

NAME	report --stat without keys prints the table of dt stat
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getppid syscall:exit_group -- keys threads 3;
	dt report --stat f.dt; dt report --stat --top 1 f.dt
OUT	^       COUNT       RATE/s     PID  COMM             PROBE$
OUT	^           6 +[0-9.]+ +[0-9]+  keys             syscall:getppid$
OUT	^ +and 1 more rows

NAME	report --profile has the stacks of a recording
NEEDS	root tp_btf jq
RUN	dt record -g -o f.dt syscall:getppid:entry -- keys threads 4;
	DT_DTD=/nonexistent dt report --profile f.dt >t; cat t;
	dt report -j --profile f.dt | jq -es '(map(.count // 0) | add) == 10 and
	.[-1].ledger.read == 10 and (.[1].kstack | any(.[]; . == "do_syscall_64"
	or . == "invoke_syscall"))'; dt report --profile -f f.dt |
	awk '{ n += $NF } /^keys;.*;(do_syscall_64|invoke_syscall)/ { k += $NF }
	END { print n, k }'
OUT	^   SELF  SAMPLES   TOTAL  SAMPLES  FUNCTION +MODULE$
OUT	^10 samples$
OUT	^true$
OUT	^10 10$

NAME	options of a view are refused without that view
RUN	dt report --by comm x.dt
STATUS	2
ERR	--by, --hist, --quantiles, --avg, --min, --max and --max-keys need --stat
RUN	dt report --stat -f x.dt
STATUS	2
RUN	dt report --top 3 x.dt
STATUS	2
RUN	dt report --profile --columns uid x.dt
STATUS	2

NAME	a key that no event of the recording has is reported
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getppid -- keys threads 1;
	dt report --stat --by fd f.dt
STATUS	1
ERR	--by fd: is neither a key nor an argument of these probes

NAME	views show a damaged recording up to the damage
NEEDS	root tp_btf
RUN	dt record -g -o f.dt syscall:getppid:entry -- keys threads 200;
	n=$(stat -c %s f.dt); head -c $((n / 2)) f.dt >cut;
	dt report --stat cut; echo $?; dt report --profile cut; echo $?
OUT	getppid:entry$
OUT	^[1-9][0-9]* samples$
OUT	^1$
ERR	cut: at byte [0-9]+: .*; the [0-9]+ events before it were printed

NAME	views also detect a corrupt byte at any offset without a crash
NEEDS	root tp_btf
RUN	dt record -g --columns +cgroup -o f.dt syscall:openat -- keys names 1;
	n=$(stat -c %s f.dt); i=0; while [ $i -lt $n ]; do cp f.dt b;
	printf '\245' | dd of=b bs=1 seek=$i conv=notrunc 2>/dev/null;
	cmp -s f.dt b || for v in "--stat --by path,errno,cgroup,mode,probe" \
	--profile; do dt report $v b >/dev/null 2>e; s=$?;
	[ $s -eq 1 ] || echo "byte $i: status $s"; done; i=$((i + 97)); done
NOOUT	status

NAME	report --profile shows what dt profile -o has written
NEEDS	root perf_event jq
RUN	dt profile --no-limit -F 500 -o p.dt -- ask burn 300; DT_DTD=/nonexistent \
	dt report -j --profile p.dt | jq -es '(map(.count // 0) | add) ==
	.[-1].ledger.read and (.[1].comm == "ask") and .[1].count > 0';
	dt report --profile --top 1 p.dt
OUT	^true$
OUT	^   SELF  SAMPLES   TOTAL  SAMPLES  FUNCTION +MODULE$
OUT	^[1-9][0-9]* samples$

# keys threads 4 makes 4 threads of one process; sh is another one.
NAME	-p selects events by process, number or name, in every view
NEEDS	root tp_btf jq
RUN	dt record -o f.dt syscall:getppid syscall:getuid -- sh -c 'keys threads 4; ask call getuid 3;
	keys threads 2' >o; a=$(dt report -j f.dt | jq -s '[.[] | select(.comm == "ask")][0].pid');
	n() { dt report -j "$@" f.dt | jq -s -c '[.[1:-1][].comm] | group_by(.) | map([.[0], length])'; };
	dt report -j f.dt | jq -s '[.[1:-1][] | select(.comm == "keys" or .comm == "ask")] | length' >all;
	n -p ask; n -p $a; n -p ask,ke -p 1; n -p keys,$a | jq 'map(.[1]) | add' | diff - all && echo all;
	dt report --stat -p $a --by comm f.dt; dt report --profile -p $a f.dt; dt report -p ask f.dt >o;
	dt report -p , f.dt
STATUS	2
OUT	^\[\["ask",6\]\]$
OUT	^all$
OUT	^ +3 .* ask$
OUT	^[36] samples$
ERR	^dt: [0-9]+ events \(6 shown\), none lost$
ERR	-p ,: should be processes, for example 812,nginx

NAME	-d selects the first events, -o writes text and JSON to a file
NEEDS	root tp_btf jq
RUN	dt record -o f.dt syscall:getppid -- sh -c 'keys threads 2; sleep 0.5; keys threads 2' >o;
	dt report -j f.dt >j; dt report -d 400ms -j f.dt >k; t() { jq -s '[.[1:-1][].time] |
	(.[-1] - .[0]) < 400000000' $1; }; t j; t k; jq -s 'length > 3' k; echo old >x;
	dt report -o x f.dt; dt report f.dt | diff - x && cat x.old; dt report -j -o x.json f.dt && cmp j x.json && echo same;
	dt report --stat -o y f.dt; grep -c getppid y; stat -c %a y; dt report -o /nonexistent/x f.dt
STATUS	1
OUT	^false$
OUT	^true$
OUT	^old$
OUT	^same$
OUT	^600$
ERR	^dt: /nonexistent/x: No such file
