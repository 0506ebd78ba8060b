# SPDX-License-Identifier: ISC
# dt profile

NAME	the functions and stacks of a command are listed by share
NEEDS	root perf_event
RUN	dt profile --stacks --no-limit -F 500 -- dd if=/dev/zero of=/dev/null bs=1M \
	count=3000 2>e; cat e >&2
OUT	^   SELF  SAMPLES   TOTAL  SAMPLES  FUNCTION +MODULE$
OUT	^ *[0-9.]+% +[0-9]+ +[0-9.]+% +[0-9]+  [a-z0-9_.]+ +\[kernel\]$
OUT	^ *[1-9][0-9]*\.[0-9]+% +[1-9][0-9]*  dd \([0-9]+\)$
OUT	^        (read_zero|rep_stos_alternative|__clear_user|clear_user_.*|iov_iter_zero|vfs_read|ksys_read)
OUT	^[1-9][0-9]* samples
OUT	^[0-9]+ % of [1-9][0-9,]* user stacks complete
ERR	^dt: [0-9]+ events, none lost$

# share's own functions in the tree: a callee is below its caller, only a branch
# is indented, and nothing weighs less than 1 %.
NAME	the tree of calls has callers above callees, the heaviest first
NEEDS	root perf_event
RUN	dt profile --no-limit -F 997 -- share 1000 2>/dev/null >o; sed -n '/^$/,$p' o |
	awk '$1 + 0 < 1 && / (one|two|outer|share_start) / { print "light", $0 }
	/  share$/ { print "comm" } / _start / { print "start" }
	/ outer / && !seen { print "outer"; seen = 1; o = index($0, "outer") }
	/ (one|two) \(share\)/ { w[++n] = $1 + 0; print (index($0, $3) > o) }
	END { print (n >= 2), (w[1] >= w[2]) }'; dt profile --tree --stacks -j -- true |
	tail -n 1 | cut -c1-9
OUT	^comm$
OUT	^outer$
OUT	^1 1$
NOOUT	^light
NOOUT	^0$

# Folded stacks have the weight of each call: truth has a line per percentage, with
# the number of calls of so much, and of those of less.  Two functions of one name,
# in different files, are one call there.
NAME	the tree has 60 lines at most, or the calls of 10 %, and states what it omits; --tree has those of 1 %
NEEDS	root tp_btf
RUN	dt record -g -o r.dt 'syscall:*:entry' -- sh -c 'ls -lR /etc/ssl >o; find /usr/bin >o; id >o; cat o >p; wc p >o' 2>/dev/null;
	dt report --profile -f r.dt 2>/dev/null | awk -F';' '{ w = $NF; sub(/.* /, "", w); sum += w; sub(/ [0-9]*$/, "", $NF); k = "";
	for (i = 1; i <= NF; i++) { k = k ";" $i; all += !(k in n); n[k] += w } } END { for (p = 1; p <= 10; p++) {
	c = 0; for (k in n) c += n[k] * 100 >= p * sum; print p, c, all - c } }' >truth; cat truth >&2;
	for o in '' --tree; do dt report --profile $o r.dt 2>/dev/null | sed '1,/^$/d' | awk '/^ *[0-9.]+% +[0-9]+  / { n++ }
	/^ +and / { sub(/%.*/, ""); print $NF, n, $2 }' >t$o; cat t$o >&2;
	awk 'NR == FNR { p = $1; n = $2; less = $3; next } $1 == p { print ($2 == n), (less >= $3 && less <= $3 * 1.01) }' t$o truth; done;
	awk 'NR == FNR { p = $1; n = $2; next } $1 == p - 1 { before = $2 } END { print (p > 1), (p == 10 || n <= 60), (before > 60) }' t truth;
	awk '{ print $1 }' t--tree; dt report --profile r.dt 2>/dev/null | grep -c 'more of less than [2-9]* % (--tree prints all of 1 % or more)';
	dt report --profile --tree r.dt 2>/dev/null | grep -c 'more of less than 1 % (-f prints all)$'
EXPECT	1 1 1 1 1 1 1 1 1 1

# share prints the time that one() and two() took; outer() calls both.  It has
# its own _start, so its stacks are complete.
NAME	a program's functions have self and total shares, and complete stacks
NEEDS	root perf_event
RUN	dt profile --stacks --no-limit -F 997 --top 200 -- share 1000 2 truth >o 2>e;
	awk '$5 ~ /^(one|two|outer)$/ {
	self[$5] = $1 + 0; total[$5] = $3 + 0; module[$6]++; n[$5] = $2 }
	END { for (f in n) print "share;outer;" f, n[f] >"f";
	print (total["outer"] > 90 && total["outer"] <= 100), (self["outer"] < 5),
	(total["two"] >= self["two"]), module["share"] }' o;
	grep -c '^        _start (share)$' o; tail -n 1 o | awk '{ print ($1 >= 80) }';
	"$S"/tests/run/sym_check f e share
EXPECT	1 1 1 3 >=2 1 ok >=30 samples

NAME	processes that lived for a few milliseconds have symbols
NEEDS	root perf_event
RUN	dt profile --no-limit -f -F 997 -- sh -c 'i=0; while [ $i -lt 60 ]; do
	i=$((i+1)); share 4; done' >f; awk -F'[; ]' '/^share;/ {
	if (/;_start;share_start;outer;(one|two)/) named += $NF;
	all += $NF } /^share;.*\[[0-9]+: / { lost += $NF }
	END { print named, (lost <= all / 10) }' f
EXPECT	>=30 1

NAME	a command has about one sample per period of its CPU time
NEEDS	root perf_event jq
RUN	dt profile --no-limit -j -F 1000 -- ask burn 500 >j; jq -s 'map(.count |
	select(. != null)) | add' j
EXPECT	200..800

NAME	-j prints valid JSON, the ledger last
NEEDS	root perf_event jq
RUN	dt profile --no-limit -j -F 500 -- ask burn 300 >j; jq -es '(.[-1].ledger |
	.fired == .read + .dropped + .recursed and .missed == null) and
	(.[:-1] | length > 0 and all(.[]; .count > 0 and .pid > 0 and
	.comm != "" and (.kstack | type) == "array" and (.ustack | type) ==
	"array" and (.complete | type) == "boolean" and
	.complete == (.incomplete == null) and
	(.ustack | length) == (.uframes | length))) and (.[:-1] | map(.count) | . == (sort | reverse))' j
EXPECT	true

NAME	-f prints folded stacks: name, frames from the outermost, count
NEEDS	root perf_event
RUN	dt profile --no-limit -f -F 997 -- share 500 >f 2>e; grep -vcE '^[^;]+(;[^;]+)* [0-9]+$' f;
	grep -cE '^share;_start;share_start;outer;(one|two) [1-9]' f;
	grep -cE '^dt: (9[0-9]|100) % of [0-9,]+ user stacks complete' e
STATUS	0
EXPECT	0 2 1

NAME	a stack ends at an address in no mapped code, live and in a report
NEEDS	root perf_event sym_stray
RUN	dt profile --no-limit -f -F 997 -- $B/sym/sym_stray 300 >f 2>e;
	dt profile --no-limit -F 997 -o f.dt -- $B/sym/sym_stray 300 2>/dev/null;
	dt report --profile -f f.dt >r 2>re; dt report --profile --stacks f.dt >t 2>/dev/null;
	for i in f r; do
	n=$(grep -c 'there\];stray_leaf\|\];main;\|_stray;main;' $i);
	grep -q '^sym_stray;\[incomplete: address in no code mapping\];stray_leaf [1-9]' $i &&
	echo "$i $n"; done; dt report --profile -j f.dt 2>/dev/null |
	grep '"ustack":\["stray_leaf"\].*"incomplete":"address in no code mapping"' | head -n 1 |
	sed 's/.*/json/'; grep complete e re t
OUT	^f 0$
OUT	^r 0$
OUT	^json$
OUT	^e:dt: [0-9]+ % of [0-9,]+ user stacks complete, by [a-z ]+; [0-9,]+: address in no code mapping
OUT	^re:dt: [0-9]+ % of [0-9,]+ user stacks complete, by [a-z ]+; [0-9,]+: address in no code mapping
OUT	^t: +\[incomplete: address in no code mapping\]$

# Debian's libc has no frame pointers: a stack ends where libc calls main().
# That caller has a symbol in a statically linked program, or with libc's debug
# file.
NAME	a program with frame pointers has complete stacks, whatever libc has
NEEDS	root perf_event sym_burn unshare mounts
RUN	for i in static burn; do unshare -m sh -c 'mount -t tmpfs none /usr/lib/debug;
	    dt profile --no-limit -f -F 997 -- "$B/sym/sym_'$i'" 300' >f 2>e;
	awk '/burn_leaf [0-9]+$/ { all += $NF }
	/^sym_[a-z]*;[^[][^;]*;(.*;)?main;burn_top;burn_middle;burn_leaf / { ok += $NF }
	END { print (all > 50 && ok > 0.9 * all ? "all" : ok " of " all) }' f;
	sed -n 's/ %.*//p' e | sed -n 1p; cat f >&2; done
OUT	^all$
NOOUT	 of 
OUT	^dt: (9[0-9]|100)$
NOOUT	^dt: [0-8]?[0-9]$

# A function called by a library without frame pointers has no path to _start.
NAME	incomplete stacks are marked in every kind of output
NEEDS	root perf_event jq
RUN	dt profile --no-limit --call-graph fp -f -F 997 -- sh -c 'i=0; while [ $i -lt 9000 ]; do
	i=$((i+1)); done' >f; awk -F'[; ]' '/^sh;/ { all += $NF;
	if (/^sh;\[incomplete: [a-zA-Z0-9 ?:]+\];/) bad += $NF;
	else if (/^sh;(_start|[^;]*start|clone)/) good += $NF }
	END { print (all > 0), (bad > 0), (all == bad + good) }' f;
	dt profile --no-limit --call-graph fp -j -F 997 -- sh -c 'i=0; while [ $i -lt 9000 ]; do
	i=$((i+1)); done' | jq -se '.[:-1] | all(.[]; .complete or
	(.incomplete | length) > 0)'
EXPECT	1 1 1 true

# The program's names try to run a script or to rotate a terminal.
NAME	hostile names do no harm in drawings, and none is missing
NEEDS	root perf_event objcopy xmllint
RUN	objcopy --redefine-sym one='<script>alert("1")</script>' --redefine-sym \
	two="$(printf 'a&b\033[31m\377;\047')" $B/tests/share share && for o in x.folded x.svg x.html; do
	dt profile --no-limit -F 997 -o $o -- ./share 400; done 2>&1 | grep -vc '^dt: ';
	grep -c '^share;_start;share_start;outer;<script>alert("1")</script> [1-9]' x.folded;
	grep -c '^share;_start;share_start;outer;a&b.x1b.31m.xff:. [1-9]' x.folded;
	xmllint --noout x.svg && echo xml; grep -c '<script' x.svg x.html;
	grep -c '<title>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;$' x.svg;
	grep -c '"a&b.u001b\[31m' x.html;
	LC_ALL=C grep -c "$(printf '[\033\377]')" x.svg x.html x.folded;
	grep -oE '(src|href)="[^#"]*"|https?://[^ "]*' x.svg x.html | sort -u
EXPECT	0 1 1 xml x.svg:1 x.html:3 >=1 >=1 x.svg:0 x.html:0 x.folded:0 x.svg:http://www.w3.org/1999/xhtml', x.svg:http://www.w3.org/2000/svg x.svg:http://www.w3.org/2000/svg',

NAME	in a flame graph each frame is as wide as its samples
NEEDS	root perf_event xmllint
RUN	dt profile --no-limit -F 997 -o x.svg -- share 700 0 truth 2>e; cat e >&2;
	xmllint --xpath '//*[local-name()="g"]/@data-s' x.svg | tr -d '"' |
	sed 's/.*=//' >s; awk '$3 == 0 { all = $2 } $1 + $2 > all { bad++ }
	$3 == 1 { comms += $2 } END { print (all > 0), bad + 0, (comms == all) }' s;
	g() { xmllint --xpath "//*[local-name()='g'][starts-with(
	*[local-name()='title'], '$1')]/$2" x.svg | tr -d '"' | sed 's/.*=//'; };
	for f in two one; do g $f @data-s | sort -rn -k 2 | head -n 1;
	g $f '*[local-name()="rect"]/@width' | sort -rn | head -n 1; done |
	paste -s -d ' ' | awk '{ print "share;outer;two", $2 >"f";
	print "share;outer;one", $6 >"f"; r = $4 / $2 * $6 / $8;
	print (r > 0.99 && r < 1.01), ($4 + $8 > 1000), ($4 + $8 <= 1200) }';
	"$S"/tests/run/sym_check f e share
EXPECT	1 0 1 1 1 1 ok >=30 samples
ERR	^dt: [0-9]+ % of [0-9,]+ user stacks complete
ERR	^dt: [0-9]+ events, none lost$

NAME	pprof reads the functions, labels and mappings that dt writes
NEEDS	root perf_event go full
TIMEOUT	120
RUN	export HOME=$PWD; dt profile --no-limit -F 997 -o x.pb.gz -- share 700 0 truth 2>e;
	go tool pprof -raw x.pb.gz >raw; grep -cE '^ *[0-9]+: 0x[0-9a-f]*/0x[0-9a-f]*/0x0 .*/share [0-9a-f]{40} \[FN\]' raw;
	grep -c 'comm:\[share\] complete:\[yes\]' raw | sed 's/[1-9][0-9]*/some/';
	grep -c '^Period: 1003009$' raw; grep -cE '^samples/count cpu/nanoseconds' raw;
	go tool pprof -sample_index=samples -top x.pb.gz 2>/dev/null |
	awk '$6 == "two" || $6 == "one" { n += $2; print "share;outer;" $6, $1 >"f" }
	END { print (n > 80) }'; "$S"/tests/run/sym_check f e share
EXPECT	1 some 1 1 1 ok >=30 samples

NAME	pprof reads hostile names
NEEDS	root perf_event go objcopy full
TIMEOUT	120
RUN	export HOME=$PWD; objcopy --redefine-sym \
	two="$(printf 'a&b\033[31m\377;"')" $B/tests/share share;
	dt profile --no-limit -F 997 -o x.pb.gz -- ./share 400;
	go tool pprof -top x.pb.gz 2>/dev/null | grep -cF 'a&b\x1b[31m\xff;"'
EXPECT	1

NAME	-o selects the format by its suffix, and an error lists all suffixes
RUN	dt profile -o x.png -- true
STATUS	2
ERR	-o x.png: should end in .dt \(recording\), .folded \(folded stacks\), .svg or .html \(flame graph\), .pb.gz \(pprof\), .json \(speedscope\) or .firefox.json \(Firefox profiler\)
RUN	dt profile -f -o x.svg -- true
STATUS	2
ERR	-f prints to stdout
RUN	dt profile --rotate 3 -o x.svg -- true
STATUS	2
ERR	--rotate needs the name of a file: -o FILE.dt
RUN	dt report -o x.svg f.dt
STATUS	2
ERR	-f and -o of a drawing need --profile or --offcpu
RUN	dt report --profile -o x.dt f.dt
STATUS	2
ERR	-o x.dt: is the name of a recording, which dt report reads
RUN	dt report --profile -o x.png f.dt
STATUS	2
ERR	should end in .folded

NAME	-o FILE.json is speedscope's format, with the weights of the folded stacks
NEEDS	root perf_event jq
RUN	dt profile --no-limit -F 997 -o r.dt -- share 500 2>/dev/null;
	dt report --profile -o p.json r.dt 2>e; cat e; dt report --profile -f r.dt 2>/dev/null |
	awk '{ n += $NF } END { print n }' >n; jq -e --argjson n "$(cat n)" '
	.shared.frames as $f | .profiles[0] | .type == "sampled" and
	.unit == "nanoseconds" and (.samples | length) == (.weights | length) and
	(.weights | add) == .endValue and
	(.weights | add) / 1000000000 * 997 - $n | fabs < 1' p.json;
	jq -e '.shared.frames as $f | .profiles[0].samples | all(.[]; all(.[];
	. >= 0 and . < ($f | length))) and (map(map($f[.].name)) | any(.[];
	.[0] == "share" and .[-1] == "one" and .[-2] == "outer"))' p.json;
	jq -r '."$schema"' p.json; dt offcpu --no-limit -o w.json -- waits turns 5 \
	2>/dev/null; jq -e '.shared.frames as $f | .profiles[0].samples |
	any(.[]; $f[.[1]].name == "voluntary")' w.json
OUT	^true$
NOOUT	^false$
OUT	^https://www.speedscope.app/file-format-schema.json$

NAME	a drawing that cannot be written is reported before the command runs
NEEDS	root perf_event
RUN	dt profile -o nosuch/x.svg -- touch ran
STATUS	1
ERR	^dt: nosuch/x.svg: No such file or directory$
RUN	ls
NOOUT	ran

NAME	a drawing replaces an older file, which is kept as .old
NEEDS	root perf_event
RUN	echo old >x.svg; dt profile -o x.svg -- share 50 2>/dev/null;
	cat x.svg.old; head -c 5 x.svg; stat -c ' %a' x.svg
EXPECT	old <?xml 600

NAME	without a command the whole machine is profiled, without idle CPUs
NEEDS	root perf_event
RUN	ask burn 2000 & dt profile -d 1 --top 3; wait
OUT	^[1-9][0-9]* samples
NOOUT	^        (default_idle|cpu_idle_poll|acpi_idle_enter|intel_idle)$

NAME	--top shows N functions and reports how many more there are
NEEDS	root perf_event
RUN	dt profile --no-limit -F 2000 --top 1 -- sh -c 'i=0; while [ $i -lt 300 ]; do
	i=$((i+1)); : >x; done'
OUT	and [0-9]+ more \(--top prints more\)

NAME	the exit status is the command's
NEEDS	root perf_event
RUN	dt profile -- sh -c 'exit 6'
STATUS	6
RUN	dt profile -- nosuchcommand
STATUS	127

NAME	Ctrl-C ends a profile and prints it
NEEDS	root perf_event
RUN	env --default-signal=INT dt profile --no-limit -F 1000 >o 2>e & d=$!;
	until grep -q '^SigCgt:.*[2367abef]$' /proc/$d/status; do sleep 0.02;
	done; ask burn 300; kill -INT $d; wait $d; echo "status $?"; cat o e
OUT	^status 0$
OUT	^[1-9][0-9]* samples
OUT	^dt: [0-9]+ events, none lost$

NAME	--on profiles the hits of a probe, and --sum weighs them
NEEDS	root tp_btf jq
RUN	dt profile -j --on syscall:getsid:entry -- callmix >j; jq -es '
	map(select(.weight)) | (map(.count) | add) == 3000 and
	all(.[]; .weight == .count and .type == "hits" and .unit == "count" and
	(.kstack[0] | test("bpf_trace|traceiter") | not))' j;
	dt profile -j --on syscall:read:return --sum retval --if 'retval == 512' \
	-- dd if=/dev/zero of=/dev/null bs=512 count=300 >j; jq -es '
	map(select(.weight)) | (map(.weight) | add) == 153600 and
	(map(.count) | add) == 300 and
	all(.[]; .type == "sum" and .unit == "bytes")' j;
	dt profile --stacks --on syscall:read:return --sum retval --if 'retval == 512' \
	-- dd if=/dev/zero of=/dev/null bs=512 count=300
OUT	^true$
NOOUT	^false$
OUT	^   SELF    BYTES   TOTAL    BYTES  FUNCTION +MODULE$
OUT	^ *[0-9.]+% +[0-9.]+k?B  dd \([0-9]+\), [0-9]+ hits?, mean 512B$
OUT	^sum of retval: 150.0kB in 300 hits$

NAME	durations of a call or of a pair are weights, and negative values are not
NEEDS	root tp_btf jq
RUN	for o in '--on syscall:nanosleep --sum duration' '--slower 1ms --on syscall:nanosleep' \
	'--from syscall:nanosleep:entry --to syscall:nanosleep:return --key tid'; do
	dt profile -j $o -- ask call nanosleep 6 args=@nsecs:20000000 >j; jq -es '
	map(select(.weight)) | (map(.count) | add) == 6 and
	(map(.weight) | add) >= 120e6 and (map(.weight) | add) < 6e9 and
	all(.[]; .type == "duration" and .unit == "nanoseconds")' j || cat j; done
EXPECT	true true true
RUN	dt profile --on syscall:lseek:entry --if 'fd == -1' --sum offset -- \
	sh -c 'ask call lseek 4 args=-1,7,0; exec ask call lseek 2 args=-1,-3,0'
OUT	^sum of offset: 28 in 4 hits; without a value: 2 hits$

NAME	the last frame of a call is the call, in each format, and no hook of the kernel
NEEDS	root tp_btf perf_event jq
RUN	o='--slower 0ns --on syscall:getuid'; c='ask call getuid 5'; dt profile -f $o -- $c |
	sed 's/.*;\([a-z0-9_]*;[a-z_]*\) .*/\1/'; dt profile $o -- $c >t; cat t;
	{ dt profile -j $o -- $c | jq -r 'select(.kstack) | .kstack[0]';
	dt profile -o p.json $o -- $c; jq -r '.shared.frames as $f | .profiles[].samples[] |
	$f[.[-1]].name' p.json | sort -u; dt profile -o p.pb.gz $o -- $c;
	gzip -dc p.pb.gz | tr -c 'a-z_\n' '\n' | grep -x getuid | sort -u; dt profile -o p.folded \
	--on syscall:getuid:entry -- $c; grep -c ';getuid 5$' p.folded;
	dt record -g -o r.dt syscall:getuid -- $c; dt report --profile -o r.firefox.json r.dt;
	grep -o '"getuid"' r.firefox.json | sort -u; } >all; echo $(cat all)
OUT	^[a-z_0-9]*(syscall|svc)[a-z_0-9]*;getuid$
OUT	^100\.00% +[0-9.]+[num]?s +100\.00% +[0-9.]+[num]?s  getuid +\[kernel\]$
OUT	^ *100\.00% .* getuid$
OUT	^getuid getuid getuid 1 "getuid"$
NOOUT	syscall_(exit|trace|enter)

NAME	the last frame of a function's return is the function
NEEDS	root uprobe full
RUN	dt profile --on uprobe:called:called_add:return -- called calls 50 >p; cat p
OUT	^100\.00% +50 +100\.00% +50  called_add +called$

NAME	the table of a profile fits into a terminal of 80 columns, and is whole in a pipe
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; cp $B/tests/ask a-program-with-a-long-name;
	$T start 80 60 "dt --no-pager profile --on syscall:getuid:entry -- ./a-program-with-a-long-name call getuid 3";
	$T wait '3 events, none lost' && $T show | grep -E 'FUNCTION|getuid +.kernel|main.*a-prog.*[.]{3}$' | tr -s ' ';
	dt profile --on syscall:getuid:entry -- ./a-program-with-a-long-name call getuid 3 | grep -c 'main  *a-program-with-a-long-name$'
EXPECT	SELF HITS TOTAL HITS FUNCTION MODULE
	100.00% 3 100.00% 3 getuid [kernel]
	0.00% 0 100.00% 3 main a-program-wit... 1

NAME	a recording has the same weights
NEEDS	root tp_btf jq
RUN	dt profile --from syscall:nanosleep:entry --to syscall:nanosleep:return \
	--key tid -o d.dt -- ask call nanosleep 6 args=@nsecs:20000000;
	dt report --profile --sum duration -j d.dt >j; jq -es 'map(select(.weight)) |
	(map(.count) | add) == 6 and (map(.weight) | add) >= 120e6 and
	all(.[]; .unit == "nanoseconds")' j;
	dt record -g -o r.dt syscall:getsid:entry syscall:fchdir:entry -- callmix \
	>own; for p in syscall:getsid 'syscall:*:entry' :fch '::entry' kprobe; do
	dt report --profile --on "$p" -j r.dt | jq -s 'map(.count // 0) | add';
	done; dt report --profile --on syscall:fchdir --sum fd -j r.dt |
	jq -es 'map(select(.weight)) | all(.[]; .unit == "fd" and
	.weight > 0) and length > 0'
EXPECT	true 3000 3054 0 3054 0 true
RUN	dt report --profile --sum nosuch r.dt
STATUS	1
ERR	--sum nosuch: these probes have no such argument
RUN	dt report --on syscall:getsid r.dt
STATUS	2
ERR	--idle and --on need --profile

NAME	options of hits are refused without a probe, and those of samples with one
RUN	dt profile --sum retval
STATUS	2
ERR	--sum and --slower need a probe: --on PROBE
RUN	dt profile --slower 1ms
STATUS	2
ERR	--sum and --slower need a probe: --on PROBE
RUN	dt profile --on syscall:read -F 99
STATUS	2
ERR	-F and --idle are for samples
RUN	dt profile --on syscall:read --on syscall:write
STATUS	2
ERR	--on syscall:write: may be given only once
RUN	dt profile --on a --from b --to c --key tid
STATUS	2
ERR	--on and --from exclude each other
RUN	dt profile --from a --to b
STATUS	2
ERR	--from and --to need --key

NAME	an unknown value or probe of --on is reported
NEEDS	root tp_btf
RUN	dt profile --on syscall:read:return --sum nosuch -- true
STATUS	1
ERR	--sum nosuch: these probes have no such argument
RUN	dt profile --on syscall:nosuch -- true
STATUS	1
ERR	no probe matches

NAME	stacks that the kernel counts are those of a recording of the same hits
NEEDS	root tp_btf jq
SERVICE	allowdt = yes
RUN	cp "$(command -v callmix)" mixed; sums() {
	jq -cs '[map(.count // 0), map(.weight // 0) | add]'; };
	both() { sum=$1; shift; dt profile -v -j --comm mixed "$@" $sum -- \
	dt profile --comm mixed "$@" $sum -o r.dt -- ./mixed 2>err >all;
	grep -o 'hits are counted.*' err; grep '^{' all >j; sums <j >a;
	dt report --profile -j "$@" $sum r.dt 2>/dev/null | sums | cmp - a;
	jq -s '.[-1].ledger.counted > 10' j; }; both "" --on syscall:getsid:entry;
	both "--sum duration" --on syscall:getsid; both "--sum fd" \
	--on syscall:fchdir:entry
OUT	^hits are counted in the kernel$
OUT	^true$
NOOUT	differ
NOOUT	false

NAME	profiles that the kernel cannot count are counted by dt, with the reason
NEEDS	root tp_btf
RUN	o() { dt profile -v "$@" -- true 2>&1 | grep -o 'counted by.*'; };
	o --on syscall:read:entry --sum buf; o --on syscall:read:entry --until \
	syscall:write:entry; dt offcpu -v -- true 2>&1 | grep -o 'counted in.*'
EXPECT	counted by dt: a sum may be larger than 63 bits counted by dt: --until
	needs events counted in the kernel

NAME	pprof reads the weights
NEEDS	root tp_btf go full
TIMEOUT	120
RUN	export HOME=$PWD; dt profile --on syscall:read:return --sum retval \
	--if 'retval == 512' -o x.pb.gz -- dd if=/dev/zero of=/dev/null bs=512 \
	count=300 2>e; go tool pprof -raw x.pb.gz | grep -cE '^hits/count sum/bytes';
	go tool pprof -raw x.pb.gz |
	awk '/^ +[0-9]+ +[0-9]+: / { n += $1; sum += $2 } END { print n, sum }'
EXPECT	1 300 153600

NAME	a user who may load programs but has no clock gets the reason
CORE
NEEDS	root nonroot setpriv tp_btf perf_event paranoid
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon \
	dt profile -- true
STATUS	1
ERR	^dt: recording: cannot attach profile:hz:97: Permission denied$
ERR	^dt: sysctl kernel.perf_event_paranoid=2, or run dt as root
NOERR	right
