# SPDX-License-Identifier: ISC
# Profiles for the Firefox profiler, read by a checker of the types that its
# documentation requires.

NAME	the samples of a recording are those of the folded stacks
NEEDS	root perf_event python3
RUN	dt profile --no-limit -F 997 -o r.dt -- share 500 2>/dev/null;
	dt report --profile -o p.firefox.json r.dt; check="python3 $S/tests/run/firefox_check.py";
	$check p.firefox.json >o || cat o; grep -E '^(thread|leaf two|Events|cpu)' o;
	$check p.firefox.json folded | grep ';outer' | sort >a; wc -l <a;
	dt report --profile -f r.dt 2>/dev/null | grep ';outer' | sort | cmp - a && echo same
OUT	^thread share of share \(main\): [1-9][0-9]* samples, 0 markers$
OUT	^leaf two \(User\) [1-9]
OUT	^cpu [1-9][0-9]* ms$
OUT	^Events that were lost: 0$
OUT	^[1-9][0-9]*$
OUT	^same$
NOOUT	WRONG
ERR	^dt: wrote p\.firefox\.json; open it with https://profiler\.firefox\.com$

NAME	calls of a recording are markers with their arguments, duration and stack
NEEDS	root perf_event tp_btf python3
RUN	dt record -g -o m.dt profile:hz:997 syscall:clock_nanosleep syscall:openat \
	-- sh -c 'sleep 0.05; cat nosuch; $B/tests/share 100' 2>/dev/null;
	dt report --profile -o m.firefox.json m.dt 2>/dev/null;
	python3 $S/tests/run/firefox_check.py m.firefox.json | grep -v ld.so.cache
OUT	^thread sleep of sleep \(main\): [0-9]+ samples, [1-9][0-9]* markers$
OUT	^thread share of share \(main\): [1-9][0-9]* samples, 
OUT	^marker clock_nanosleep ([5-9][0-9]|[1-9][0-9][0-9]+)\.[0-9]+ ms: .*flags=.* = 0; in [a-zA-Z_]
OUT	^marker openat [0-9.]+ ms: .*filename="nosuch".* = -1 ENOENT; in 
OUT	^leaf two \(User\) [1-9]
NOOUT	WRONG

NAME	threads of a process are apart, and a live profile has times, too
NEEDS	root perf_event python3
RUN	dt profile --no-limit -F 997 -o t.firefox.json -- python3 -c 'import threading as t
	for i in range(2): t.Thread(target=lambda: sum(range(20000000))).start()' 2>e; cat e >&2;
	python3 $S/tests/run/firefox_check.py t.firefox.json >o || cat o; cat o;
	grep -cE '^thread .* of [^(]*: [1-9][0-9]* samples, 0 markers$' o
OUT	^thread .* \(main\): [1-9][0-9]* samples, 0 markers$
OUT	^2$
OUT	^interval [0-9.]+ ms$
NOOUT	WRONG

NAME	waits are markers, and samples that weigh their time
NEEDS	root tp_btf offcpu python3
RUN	dt offcpu --no-limit -o w.firefox.json -- waits turns 5 2>/dev/null;
	python3 $S/tests/run/firefox_check.py w.firefox.json; python3 \
	$S/tests/run/firefox_check.py w.firefox.json folded
OUT	^thread waits[a-z_]* of waits.*: [1-9][0-9]* samples, [1-9][0-9]* markers$
OUT	^marker wait [0-9.]+ ms: ; in 
OUT	^waits[a-z_]*;\[voluntary\];.* [0-9]+(\.[0-9]+)?$
NOOUT	WRONG

NAME	hostile names are text of the JSON
NEEDS	root perf_event python3 objcopy
RUN	objcopy --redefine-sym one="$(printf 'a"b\\\377\001;\047\xe2')" $B/tests/share share;
	dt profile --no-limit -F 997 -o h.firefox.json -- ./share 300 2>/dev/null;
	python3 $S/tests/run/firefox_check.py h.firefox.json
OUT	^leaf a"b
OUT	^leaf two 
NOOUT	WRONG
