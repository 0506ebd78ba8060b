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
	two="$(printf 'a&b\377;\047\xe2')" $B/tests/share share;
	dt profile -F 997 -o p.html -- ./share 700 2>e;
	python3 $S/tests/run/page_check.py p.html functions
OUT	 </script><script>alert\("1"\)</script> 
OUT	 a&b.*;'
OUT	^2 scripts$

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
