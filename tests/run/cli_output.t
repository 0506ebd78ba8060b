# SPDX-License-Identifier: ISC
# Where results are written: -o, its formats, and what a command prints.

# The command prints a line on stdout, and makes 3 calls of writev(2).
NAME	-o FILE has the results as text or JSON, and stdout only what the command prints
NEEDS	root tp_btf jq
RUN	printf 'echo mine; exec ask call writev 3\n' >c; n=0; t() { n=$((n + 1)); "$@" -- sh c >own 2>err &&
	echo mine | cmp - own && grep -q 'none lost$' err || { echo "WRONG: $*"; cat own err; }; }; g=syscall:writev;
	t dt record -o r.txt $g; t dt record -o r.json $g; t dt record -j -o r $g; t dt trace -e writev -o t.txt;
	t dt trace -e writev -o t.json; t dt stat --by probe -o s.txt $g; t dt stat -o s.json $g;
	t dt stat -i 20ms --by probe -o i.txt $g; t dt syscalls -e writev -o c.txt;
	t dt syscalls -e writev -o c.json; t dt trace -c -e writev -o tc.txt; t dt trace -c -e writev -o tc.json;
	t dt run -o b.txt -e $g':entry { @[comm] = count(); }'; t dt run -o b.json -e $g':entry { @[comm] = count(); }';
	t dt profile --on $g:entry -o p.txt; t dt profile -j --on $g:entry -o p.json;
	t dt run opens -o n.txt; echo $n ran; grep -q 'openat(' n.txt || echo 'WRONG: opens';
	grep -c 'writev(fd=-1.*) = -1 EBADF' r.txt; jq -s 'map(select(.probe == "syscall:writev:return")) |
	length' r.json r; grep -c 'writev(' t.txt; jq -s 'map(select(.retval)) | length' t.json;
	sed -n 's/^ *\([0-9]*\) .* syscall:writev$/\1/p' s.txt; awk '$NF == "syscall:writev" { n += $1 } END { print n }' i.txt;
	awk '/writev/ { print "row", $1 }' c.txt tc.txt; for f in s c tc; do jq -s 'map(.count // 0) | add' $f.json; done;
	cat b.txt; jq -c 'select(.type == "map").data' b.json; grep -c '^100.00% .* writev ' p.txt;
	jq -s '(map(.count // 0) | add), (.[-1] | has("ledger"))' p.json
EXPECT	17 ran 3 6 3 3 3 3 row 3 row 3 3 3 3 @[ask]: 3 {"@":{"ask":3}} 1 3 true
RUN	dt stat -o s.txt --by probe syscall:getppid -- ask call getppid 2; stat -c '%a %n' s.txt s.txt.old r.txt p.json;
	grep -c getppid s.txt; grep -c writev s.txt.old
EXPECT	600 s.txt 600 s.txt.old 600 r.txt 600 p.json 1 1

NAME	a file has the header of columns, and all rows and no escapes on a terminal
NEEDS	root tp_btf script
RUN	dt record --columns comm,tid -o r.txt syscall:writev -- ask call writev 2; head -1 r.txt | tr -s ' ';
	dt record --columns comm,tid -o r.dt syscall:writev -- ask call writev 2;
	dt report --columns comm,tid -o p.txt r.dt; head -1 p.txt | tr -s ' ';
	dt report -o p.json r.dt; tail -1 p.json | grep -o '^{"ledger":{"fired":4'
OUT	^COMM TID CALL$
NOOUT	^ask
OUT	^\{"ledger":\{"fired":4$
RUN	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "ask call writev $i;"; done >c;
	TERM=xterm script -qec 'stty rows 8 cols 40; dt stat --by pid -o s.txt syscall:writev -- sh c; dt profile --on syscall:writev:entry -o p.txt -- sh c' \
	/dev/null </dev/null >screen; awk 'NR > 1' s.txt | wc -l; grep -c 'COUNT\|FUNCTION' screen;
	grep -c "$(printf '\033')" s.txt p.txt
STATUS	1
EXPECT	12 0 s.txt:0 p.txt:0

NAME	a terminal shows the progress of a recording whose events are in a file
NEEDS	root tp_btf script
RUN	ask until stop call writev 1 & p=$!; export p;
	script -qec 'dt record -d 2.5 -p $p -o r.txt syscall:writev' /dev/null </dev/null >a; : >stop; wait;
	tr '\r' '\n' <a | grep -c '^[12] s, [1-9][0-9]* events, none lost'; grep -c writev a;
	grep -q 'writev(' r.txt && echo events
STATUS	0
OUT	^[12]$
OUT	^0$
OUT	^events$

NAME	options of -o that contradict each other are refused, with what is right
RUN	for o in 'record -j -o x.dt' 'record -j -o -' 'record --last 1 -o x.txt' 'record --max-size 1M -o x.json' \
	'record -j --rotate 3 -o x' 'record -H a -o x.dt' 'stat -o -' 'stat -o x --prometheus y'; do
	dt $o syscall:writev 2>&1 | head -1; done; for o in 'profile -j -o x.svg' 'trace -o -' 'profile -o x' \
	'report -j --profile -o x.html r.dt' 'tprof count -e cpu-clock -d 1 -o -'; do dt $o 2>&1 | head -1; done; ls
OUT	^dt record: -j prints JSON, but -o FILE\.dt and -o - write a recording; dt report -j FILE\.dt prints it as JSON$
OUT	^dt record: --last needs the name of a file: -o FILE\.dt$
OUT	^dt record: --max-size needs a file: -o FILE\.dt$
OUT	^dt record: --rotate needs the name of a file: -o FILE\.dt$
OUT	^dt record: -o writes a recording of one machine; it excludes -H$
OUT	^dt stat: -o -: should be the name of a file; without -o, stdout is used$
OUT	^dt stat: --prometheus prints to standard output; it excludes -o$
OUT	^dt profile: -j writes JSON: -o should be a FILE\.json$
OUT	^dt trace: -o -: should be the name of a file; without -o, stderr is used$
OUT	^dt profile: -o x: should end in \.dt .*, or in \.txt \(text\), or be - 
OUT	^dt report: -j writes JSON: -o should be a FILE\.json$
OUT	^dt tprof count: -o -: should be the name of a file; without -o, stderr is used$
NOOUT	^x

NAME	on a full disk -o names the file, status 1
NEEDS	root tp_btf mounts
RUN	mkdir m; mount -t tmpfs -o size=64k nodev m; head -c 60k /dev/zero >m/z;
	for o in 'record -o m/r.txt' 'stat --by tid -i 1ms -o m/s.txt'; do
	dt $o syscall:writev -- ask call writev 2000 >own || echo "status $?"; cat own; done; rm m/*; umount m
OUT	^status 1$
ERR	^dt: m/r\.txt: No space left on device$
ERR	^dt: m/s\.txt: No space left on device$

NAME	other machines: the file is here, and each line has its host
NEEDS	root tp_btf sshd jq
RUN	cat >all <<'END'
	c='ask call writev 3'; dt record -H a,b -o r.txt syscall:writev -- $c; dt record -H a,b -o r.json syscall:writev -- $c
	dt stat -H a,b -o s.txt --by probe syscall:writev -- $c; dt stat -H a,b -o s.json syscall:writev -- $c
	dt profile -H a,b --on syscall:writev:entry -o p.txt -- $c
	END
	$S/tests/run/with_sshd sh all; sed -n 's/^\([ab]\):* .*writev(.*/\1/p' r.txt | sort | uniq -c;
	jq -r 'select(.probe == "syscall:writev:entry") | .host' r.json | sort | uniq -c; jq -r 'select(.count) | .host, .count' s.json |
	sort | paste -sd ' '; grep -c '^ *3 .* [ab] *syscall:writev$' s.txt; grep -c '^ *50.00% .* [ab]$' p.txt
EXPECT	3 a 3 b 3 a 3 b 3 3 a b 2 2
