# SPDX-License-Identifier: ISC
# Symbols of user frames, checked with programs whose stacks are known
# (prog/sym).  A missing symbol fails, and so does one that covers too much
# (sym_check).

NAME	PIE, non-PIE, static and static PIE programs have symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 -- sh -c 'for p in burn nopie static staticpie; do
	$B/sym/sym_$p 200 2>truth.$p; done' >f; for p in burn nopie static staticpie;
	do "$S"/tests/run/sym_check f truth.$p sym_$p || exit; done

NAME	a thousand processes of a millisecond have symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	n=300; [ -z "${DT_LARGE:-}" ] || n=1000;
	dt profile --no-limit -f -F 4000 -- $B/sym/sym_many $n >f 2>e;
	"$S"/tests/run/sym_check f e sym_tiny tiny_top;
	awk '/^truth tiny_top / { n += $4 * 4000 / 1e9 }
	/^sym_tiny.*tiny_top/ { t += $NF }
	END { print (t > n / 2 ? "named" : "named " t " of " n) }' e f
OUT	^ok
OUT	^named$

NAME	two libraries that alternate at one address have their own symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_dl 400 >f 2>e;
	grep -q '^same 1' e || exit 3; "$S"/tests/run/sym_check f e sym_dl
OUT	^ok

NAME	another program at the same addresses has its own symbols after exec
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_exec 400 >f 2>e;
	"$S"/tests/run/sym_check f e 'sym_exec|sym_after';
	grep -e '^sym_exec;.*;after_' -e '^sym_after;.*;before_' f; :
OUT	^ok
NOOUT	;

NAME	a deleted program has symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	cp $B/sym/sym_burn sym_gone;
	dt profile --no-limit -f -F 1997 -- ./sym_gone 300 - >f 2>e;
	[ ! -e sym_gone ] && "$S"/tests/run/sym_check f e sym_gone
OUT	^ok

NAME	a program replaced while it runs has its own symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	cp $B/sym/sym_burn sym_old; cp $B/sym/sym_other new;
	dt profile --no-limit -f -F 1997 -- ./sym_old 300 $PWD/new >f 2>e;
	[ ! -e new ] && "$S"/tests/run/sym_check f e sym_old; cat f
OUT	^ok
NOOUT	other_

NAME	a program copied into a container has symbols
NEEDS	root perf_event tp_btf sym_burn unshare
RUN	mkdir box; cat >in_box <<'END'
	mount -t tmpfs none box; mkdir box/in; cp $B/sym/sym_static box/in/sym_box;
	cp $B/sym/sym_burn box/in/sym_boxdyn;
	for l in $(ldd $B/sym/sym_burn | grep -o '/[^ ]*'); do
	mkdir -p box/${l%/*}; cp $l box/$l; done;
	chroot box /in/sym_box 300 2>truth.box; chroot box /in/sym_boxdyn 300 2>truth.boxdyn
	END
	dt profile --no-limit -f -F 1997 -- unshare -m -p -f sh in_box >f;
	"$S"/tests/run/sym_check f truth.box sym_box &&
	"$S"/tests/run/sym_check f truth.boxdyn sym_boxdyn
OUT	^ok

NAME	a stripped program has symbols by debug link and from .gnu_debugdata
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 -- sh -c '$B/sym/sym_debuglink 300;
	$B/sym/sym_mini 300' >f 2>e; grep -v mini_ e >link; grep -v debuglink_ e >mini;
	"$S"/tests/run/sym_check f link sym_debuglink &&
	"$S"/tests/run/sym_check f mini sym_mini
OUT	^ok

NAME	a stripped program has symbols by build id
NEEDS	root perf_event tp_btf sym_burn unshare
RUN	mkdir -p /usr/lib/debug; unshare -m sh -c '
	mount -t tmpfs none /usr/lib/debug;
	cp -r $B/sym/debug/.build-id /usr/lib/debug;
	dt profile --no-limit -f -F 1997 -- $B/sym/sym_buildid 300 >f 2>e';
	rmdir /usr/lib/debug 2>/dev/null; "$S"/tests/run/sym_check f e sym_buildid
OUT	^ok

NAME	inlined functions and their lines are shown only with --lines
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 --lines -- $B/sym/sym_inline 300 >f 2>e;
	"$S"/tests/run/sym_check f e sym_inline || exit;
	src=$S/tests/run/prog/sym/sym_inline.c;
	line() { grep -n "/\* $1 \*/" $src | cut -d: -f1; };
	t=$(line 'call middle') m=$(line 'call leaf') l=$(line leaf);
	grep -cE "inline_top [^;]*sym_inline.c:$t;inline_middle [^;]*sym_inline.c:$m;inline_leaf [^;]*sym_inline.c:$l [0-9]+$" f
OUT	^ok
OUT	^[1-9][0-9]*$
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_inline 300 2>e
OUT	;inline_top [0-9]+$
NOOUT	inline_(leaf|middle)

NAME	C++ is demangled: templates, operators, function pointers
NEEDS	root perf_event tp_btf sym_cxx
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_cxx 300 2>e
OUT	;burn::top::operator\(\);burn::middle<void \(\*\)\(std::.*\)>;burn::grow<int, 70>::leaf [0-9]+$
NOOUT	_ZN

NAME	Rust is demangled
NEEDS	root perf_event tp_btf sym_rust full
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_rust 300 2>e
OUT	;sym_rust::main;sym_rust::top;sym_rust::middle(::<.*>)?;<sym_rust::Rounds as sym_rust::Burn>::leaf [0-9]+$
NOOUT	_ZN|_RN|::h[0-9a-f]{16}

NAME	generated code has symbols from the map that its program writes
NEEDS	root perf_event tp_btf sym_jit
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_jit 300 >f 2>e;
	rm $(sed -n 's/^map //p' e); "$S"/tests/run/sym_check f e sym_jit
OUT	^ok
RUN	for k in link other; do dt profile --no-limit -f -F 1997 -- $B/sym/sym_jit 200 $k;
	done 2>e; rm $(sed -n 's/^map //p' e)
OUT	^sym_jit;
NOOUT	jit_(leaf|middle|top)

NAME	symbols work as Python 3.12 writes them into its map
NEEDS	root perf_event tp_btf sym_jit
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_jit 200 python >f 2>e;
	rm $(sed -n 's/^map //p' e); cat f
OUT	;py::jit_top:/srv/my app.py;py::jit_middle:/srv/my app.py;py::jit_leaf:/srv/my app.py [0-9]+$

NAME	JavaScript functions have symbols from the map that node writes
NEEDS	root perf_event tp_btf sym_burn node full
RUN	{ echo 'let sink = 0;'; for f in leaf:1 middle:leaf top:middle; do
	echo "function ${f%:*}(n) { for (let i = 0; i < n; i++) sink += i % 7;";
	[ ${f#*:} = 1 ] || echo "${f#*:}(n);"; echo '}'; done;
	echo 'console.error("map /tmp/perf-" + process.pid + ".map");';
	echo 'const end = Date.now() + 1500;';
	echo 'while (Date.now() < end) top(10000);'; } >app.js;
	dt profile --no-limit -f -F 1997 -- node --perf-basic-prof --no-turbo-inlining \
	app.js >f 2>e; rm $(sed -n 's/^map //p' e); cat f
OUT	;[A-Za-z]+:[*+^~]?top [^;]*app.js:[0-9:]+;[A-Za-z]+:[*+^~]?middle [^;]*app.js:[0-9:]+;[A-Za-z]+:[*+^~]?leaf [^;]*app.js:[0-9:]+ [0-9]+$

NAME	two processes with the maximum of mappings have symbols
NEEDS	root perf_event tp_btf sym_burn
TIMEOUT	120
RUN	n=10000; [ -z "${DT_LARGE:-}" ] || n=100000;
	dt profile --no-limit -f -F 1997 -- $B/sym/sym_maps 300 $n >f 2>e;
	"$S"/tests/run/sym_check f e sym_maps maps_top; cat e
OUT	^ok
OUT	none lost$

NAME	a process that remaps all the time does not disturb another's symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 -- sh -c '$B/sym/sym_churn 400 & $B/sym/sym_burn 400;
	wait' >f 2>e; grep -v burn_ e >churn; grep -v churn_ e >burn;
	"$S"/tests/run/sym_check f churn sym_churn churn_top &&
	"$S"/tests/run/sym_check f burn sym_burn
OUT	^ok

NAME	names with markup, escapes, separators or 3,000 letters print safely
NEEDS	root perf_event tp_btf sym_burn jq
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_names 300 >f 2>e;
	tr -d '\n -~' <f | wc -c; grep -vcE '^[^;]+(;[^;]+)* [0-9]+$' f;
	grep -c 'script>alert' f; grep -c 'five 6' f
EXPECT	0 0 >=1 >=1
RUN	dt profile --no-limit -j -F 1997 -- $B/sym/sym_names 200 2>e | tr -d '\n -~' | wc -c;
	dt profile --no-limit -j -F 1997 -- $B/sym/sym_names 200 2>e | jq -s '.[] |
	select(.ustack) | .ustack[] | select(test("script>alert")) | .' |
	sort -u | wc -l; dt profile --no-limit -F 1997 -- $B/sym/sym_names 200 2>e |
	tr -d '\n -~' | wc -c
EXPECT	0 1 0
RUN	for x in svg html; do
	dt profile --no-limit -o x.$x -F 1997 -- $B/sym/sym_names 200 >o 2>e;
	grep -c 'five 6' x.$x; grep -c '<script>alert' x.$x;
	tr -d '\n\t -~\200-\377' <x.$x | wc -c; done
EXPECT	>=1 0 0 >=1 0 0

NAME	functions of the vdso and their callers have symbols
NEEDS	root perf_event tp_btf sym_burn
RUN	dt profile --no-limit -f -F 1997 -- $B/sym/sym_vdso 300 2>e
OUT	;vdso_top;(vdso_caller;)?([^;]*clock_gettime[^;]*;)?(__vdso_|__kernel_)?clock_gettime [0-9]+$

NAME	complete stacks by frame pointers begin at _start, or where libc calls main
CORE
NEEDS	root perf_event tp_btf sym_burn quick
RUN	dt profile --no-limit --call-graph fp -f -F 997 -- sh -c '$B/sym/sym_whole 300; $B/sym/sym_burn 200' \
	>f 2>e; grep -v burn_ e >whole;
	"$S"/tests/run/sym_check f whole sym_whole;
	awk '/^sym_whole;_start;/ { c += $NF } /^sym_whole;.*whole_/ { n += $NF }
	END { print (c > n * 0.95 ? "complete" : c " of " n) }' f;
	grep ';main;burn_top' f >tops; wc -l <tops;
	grep -vE '^sym_burn;(__libc_start_call_main|libc\.so\.6\+0x[0-9a-f]+);main;burn_top' tops; :
OUT	^ok
OUT	^complete$
OUT	^[1-9][0-9]*$
NOOUT	main;burn_top

NAME	perf's symbols agree at the same addresses of the same run
NEEDS	root perf_event tp_btf sym_burn perf full
TIMEOUT	300
RUN	"$S"/tests/run/perf_stacks -v
OUT	^all agree$
