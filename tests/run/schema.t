# SPDX-License-Identifier: ISC
# The JSON Schema of dt record -j and dt report -j, and the head of their
# streams.  schema_check accepts no key that the schema does not have.

NAME	the schema is printed by dt report --schema, without a file
RUN	dt report --schema | cmp - $S/cli/out/report.schema.json && echo same
EXPECT	same
RUN	dt report --schema f.dt
STATUS	2
ERR	^dt report: --schema takes no file$
RUN	dt report -j
STATUS	2
ERR	^dt report: needs one file$

NAME	the head has the machine, its boot and the start of the recording
NEEDS	root tp_btf jq
RUN	from=$(date +%s%N); dt record -j syscall:getuid -- ask call getuid 1 >live;
	dt record -o f.dt syscall:getuid -- ask call getuid 1; till=$(date +%s%N);
	dt report -j f.dt >file; dt report -j --stat f.dt >stat;
	boot=$(cat /proc/sys/kernel/random/boot_id);
	for f in live file stat; do head -n 1 $f | jq --arg host "$(uname -n)" \
	--arg boot $boot --arg release "$(uname -r)" --argjson from $from \
	--argjson till $till '.head | .schema == 1 and .host == $host and
	.boot_id == $boot and .kernel == $release and .start >= $from and
	.start <= $till and .cpus > 0 and .part == 0'; done;
	grep -c '"head"' live file stat
EXPECT	true true true live:1 file:1 stat:1

NAME	a recording that was made before the boot id has none
NEEDS	jq
RUN	for i in block report; do dt report -j $S/tests/fuzz/corpus/$i/all.dt \
	2>/dev/null | jq -c 'select(.head) | .head | [.host, .boot_id]'; done;
	$B/tests/forge all >new.dt; dt report -j new.dt 2>/dev/null |
	jq -c 'select(.head) | .head | [.host, .boot_id]'
EXPECT	["nowhere",null] ["nowhere",null]
	["nowhere","01234567-89ab-cdef-0123-456789abcdef"]

NAME	all files of a recording have the head of the whole
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	dt record --no-limit --max-size 1M --rotate 3 -o f.dt syscall:getuid -- \
	ask call getuid 60000 2>err; for f in f.dt f.dt.1 f.dt.2; do
	dt report -j $f 2>/dev/null | head -n 1; done | jq -s '(map(.head.boot_id,
	.head.start) | unique | length), (map(.head.part) | .[0] - .[2])'
EXPECT	2 2

NAME	an error before the recording prints no head
NEEDS	root tp_btf
RUN	dt record -j syscall:nosuch
STATUS	1
NOOUT	.

NAME	all lines of events conform to the schema
NEEDS	root tp_btf jsonschema
TIMEOUT	120
RUN	dt report --schema >schema; check() { "$S"/tests/run/schema_check schema "$@"; };
	dt record -gj --call-graph fp --lines --data --columns +uid 'syscall:*' -- \
	sh -c 'exec >/dev/null; ls -l / $(printf %04500d 0); share 20' 2>err >live; check live;
	dt record -g --data --embed-symbols --columns +uid -o f.dt 'syscall:*' -- \
	sh -c 'exec >/dev/null; ls -l / $(printf %04500d 0); share 20' 2>err;
	dt report -j f.dt >j; check j; dt report -j --path / f.dt >j; check j;
	for i in cgroup args strings data path retval text cut kstack ustack \
	inlined incomplete user; do grep -q "\"$i\":" live j || echo "no $i"; done;
	dt trace -j true | check
EXPECT	event head ledger event head ledger event head ledger event head ledger
RUN	dt report --schema >schema; check() { "$S"/tests/run/schema_check schema "$@"; };
	dt record -j --slower 0ns syscall:openat -- true | check;
	dt record -j --columns +uid --from syscall:openat:entry \
	--to syscall:close:entry --key pid -- true >j; check j; grep -c '"from.pid"' j;
	dt record -j -d 0.1 profile:hz:97 | check
EXPECT	event head ledger event head ledger >=1 event head ledger

NAME	all lines of counts conform to the schema
NEEDS	root tp_btf jsonschema
TIMEOUT	120
RUN	dt report --schema >schema; check() { "$S"/tests/run/schema_check schema "$@"; };
	dt record -g --columns +uid -o f.dt syscall:openat syscall:read -- keys calls;
	for i in probe,pid,tid,comm uid,ppid,cpu cgroup,unit errno,retval path \
	kstack,ustack filename,errno; do
	dt report -j --stat --by $i f.dt; done >j; check j;
	dt report -j --stat --by comm --sum retval --hist --avg f.dt | check;
	dt report -j --stat --max-keys 1 --by retval f.dt >j; check j;
	grep -o '"other":true' j | uniq;
	dt record -o p.dt --columns +uid --from syscall:openat:entry \
	--to syscall:close:entry --key pid -- true; dt report -j --stat --by \
	from.comm,to.comm,from.cpu,to.tid --sum duration --quantiles p.dt | check
EXPECT	count head ledger count head ledger count head ledger "other":true
	count head ledger

NAME	all lines of profiles and of kcov conform to the schema
NEEDS	root perf_event tp_btf jsonschema
TIMEOUT	120
RUN	dt report --schema >schema; check() { "$S"/tests/run/schema_check schema "$@"; };
	dt profile --no-limit -F 500 -o p.dt -- share 200; dt report -j --profile \
	--lines p.dt | check; dt report -j p.dt | check; dt offcpu -o o.dt -- \
	sh -c 'sleep 0.1; ls >/dev/null'; dt report -j --offcpu o.dt >j; check j;
	grep -o '"wait":"voluntary"' j | uniq; dt record -g -o r.dt \
	syscall:read -- sh -c 'ls >/dev/null'; dt report -j --profile --on \
	syscall:read --sum count r.dt | check; for i in $S/tests/fuzz/corpus/kcov/*; do
	dt report -j $i | check; done | uniq
EXPECT	head ledger stack event head ledger head ledger stack
	"wait":"voluntary" head ledger stack head kcov place
