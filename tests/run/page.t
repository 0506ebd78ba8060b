# SPDX-License-Identifier: ISC
# The HTML page of a profile, in headless Chromium.

NAME	each control of the page works, with no request and no error
NEEDS	root perf_event python3 chromedriver chromium
TIMEOUT	180
RUN	cp $B/tests/share other; dt profile -F 997 -o p.html -- sh -c \
	'$B/tests/share 700; ./other 700' 2>e;
	python3 $S/tests/run/page_check.py p.html
NOOUT	WRONG
OUT	^ok: nothing is requested from a network$

NAME	names with markup, quotes and invalid UTF-8 are text in the page
NEEDS	root perf_event python3 chromedriver chromium objcopy
TIMEOUT	180
RUN	objcopy --redefine-sym one='</script><script>alert("1")</script>' --redefine-sym \
	two="$(printf 'a&b\377;\n\047\xe2')" $B/tests/share share;
	dt profile -F 997 -o p.html -- ./share 700 2>e;
	python3 $S/tests/run/page_check.py p.html functions
OUT	 </script><script>alert\("1"\)</script> 
OUT	 a&b.*;.*'
OUT	^3 scripts$

NAME	a name of 100 kB does not hide the page
NEEDS	root python3 chromedriver chromium
TIMEOUT	180
RUN	l=long$(printf '%0100000d' 0); printf 'p;main;%s 60\n' $l >a.folded;
	printf 'p;main;%s 90\np;main;b 10\n' $l >b.folded;
	dt diff -o d.html a.folded b.folded &&
	python3 $S/tests/run/page_check.py d.html long
OUT	^info: [1-9] lines$
OUT	^functions: [12]?[0-9] lines$
OUT	^zoomed: [12]?[0-9] lines$
OUT	^search: 90\.00 % match$

NAME	the page of dt diff has the shares before and after
NEEDS	root python3 chromedriver chromium
TIMEOUT	180
RUN	printf 'p;main;<i>a 60\np;main;b 40\n' >a.folded;
	printf 'p;main;<i>a 30\np;main;b 60\np;main;c 10\n' >b.folded;
	dt diff -o d.html a.folded b.folded &&
	python3 $S/tests/run/page_check.py d.html functions
OUT	^60\.00 30\.00 -30\.00 <i>a *$
OUT	^40\.00 60\.00 \+20\.00 b *$
OUT	^0\.00 10\.00 \+10\.00 c *$
OUT	^main: 100\.00 %, before 100\.00 %$
OUT	^2 scripts$
ERR	^dt: wrote d\.html; open it with a browser$

NAME	a page has few bytes for each of many nodes
NEEDS	root
RUN	awk 'BEGIN { for (i = 0; i < 20000; i++) { s = "p"; for (d = 0; d < 10; d++)
	s = s ";f" ((i * (d + 1)) % 9973); print s " " i % 3 + 1 } }' >a.folded;
	sed 's/$/0/' a.folded >b.folded; dt diff -o d.html a.folded b.folded 2>/dev/null;
	n=$(sed 's/ [0-9]*$//' a.folded | awk -F ';' '{ s = ""; for (i = 1; i <= NF; i++) { s = s ";" $i;
	if (!(s in a)) n++; a[s] } } END { print n }'); echo $(($(wc -c <d.html) / n))
OUT	^[5-9]$

NAME	a recording with several kinds of events has a value for each
NEEDS	root perf_event tp_btf python3 chromedriver chromium
TIMEOUT	180
RUN	dt record -g -o v.dt profile:hz:997 syscall:clock_nanosleep \
	-- sh -c 'sleep 0.1; $B/tests/share 200' 2>/dev/null;
	dt report --profile -o v.html v.dt 2>/dev/null;
	python3 $S/tests/run/page_check.py v.html values
OUT	^CPU samples: all: 100\.00 %, [0-9,]+ samples, itself 0 samples$
OUT	^CPU samples: self % .*samples total % .*samples 
OUT	^CPU samples: .* two .*share$
OUT	^time of calls: all: 100\.00 %, ([1-9][0-9][0-9]\.[0-9] ms|[1-9].* s), itself 0
OUT	^time of calls: 1[0-9][0-9].*ms in 1 hit
OUT	^time of calls: self % .*duration total % .*duration 
OUT	^time of calls: .*nanosleep
NOOUT	^time of calls: .* two 

NAME	lines of the source are in the description, and do not split a function
NEEDS	root perf_event python3 chromedriver chromium
TIMEOUT	180
RUN	dt profile --no-limit --lines -F 997 -o l.html -- share 500 2>/dev/null;
	python3 $S/tests/run/page_check.py l.html lines
OUT	^outer: ([7-9][0-9]|100)\..*/share\.c:[0-9]+( and [0-9]+ other lines?)?$
OUT	^spin: .*inlined .*/share\.c:[0-9]+

NAME	axe-core finds nothing serious in a page
NEEDS	root perf_event python3 chromedriver chromium axe full
TIMEOUT	180
RUN	cp $B/tests/share other; dt profile -F 997 -o p.html -- sh -c \
	'$B/tests/share 300; ./other 300' 2>/dev/null; python3 $S/tests/run/page_check.py \
	p.html axe "$("$S"/tests/fleet/fetch -n axe)"/node_modules/axe-core/axe.min.js
OUT	^light: [1-9][0-9]+ rules passed$
OUT	^dark: [1-9][0-9]+ rules passed$
OUT	^zoomed: [1-9][0-9]+ rules passed$
OUT	^focus: [1-9][0-9]+ rules passed$
OUT	^keys: [1-9][0-9]* rules passed$
NOOUT	: (serious|critical) 
