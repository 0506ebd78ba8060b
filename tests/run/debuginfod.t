# SPDX-License-Identifier: ISC
# Debug files from a server, which dtd queries if its configuration names one.

NAME	a stripped program gets the server's symbols, with one request
NEEDS	root perf_event tp_btf sym_burn debuginfod-find python3
RUN	echo 'for i in 1 2; do dt profile --no-limit -f -F 1997 -- $B/sym/sym_buildid 300 \
	>f$i 2>e$i; done' >two;
	"$S"/tests/run/with_debuginfod serve sh two;
	for i in 1 2; do "$S"/tests/run/sym_check f$i e$i sym_buildid; done;
	id=$(readelf -n $B/sym/sym_buildid | sed -n 's/ *Build ID: //p');
	echo asked $(grep -c $id hits) kept $(ls cache); stat -c 'user %u' cache/*
EXPECT	ok >=30 samples ok >=30 samples asked 1 kept * user 0

NAME	debug files work without the capability to change owners
NEEDS	root perf_event tp_btf sym_burn debuginfod-find python3 setpriv
RUN	echo 'dt profile --no-limit -f -F 1997 -- $B/sym/sym_buildid 200 >f 2>e' >one;
	chmod 755 .; mkdir -m 755 cache;
	AS='setpriv --bounding-set=-chown,-dac_override,-fowner' \
	"$S"/tests/run/with_debuginfod serve sh one; grep -q buildid_leaf f && echo named;
	ls cache | sed 's/^[0-9a-f]*\.debug/ID/'
EXPECT	named ID

NAME	a debug file that the server lacks is requested once
NEEDS	root perf_event tp_btf sym_burn debuginfod-find python3
RUN	echo 'for i in 1 2; do dt profile --no-limit -f -F 1997 -- $B/sym/sym_buildid 100; done
	' >two; "$S"/tests/run/with_debuginfod lack sh two >f 2>e;
	id=$(readelf -n $B/sym/sym_buildid | sed -n 's/ *Build ID: //p');
	echo asked $(grep -c $id hits) kept $(ls cache); grep -c buildid_leaf f; :
EXPECT	asked 1 kept 0

NAME	a server that does not answer delays no other symbols
NEEDS	root perf_event tp_btf sym_burn debuginfod-find python3 full
RUN	cat >both <<'END'
	t=$(date +%s)
	dt profile --no-limit -f -F 1997 -- sh -c '$B/sym/sym_buildid 200; $B/sym/sym_burn 300' >f 2>e
	echo $(($(date +%s) - t))
	grep -l "^PPid:.$(cat daemon)$" /proc/[0-9]*/status 2>/dev/null |
	xargs grep -lx "Name:.debuginfod-find" >child
	for s in $(cat child); do
	sed -n 's/^Uid:.\([0-9]*\).*/\1/p; s/^CapBnd:./cap /p' $s; done | sort -u
	kill $(cat daemon)
	for s in $(cat child); do
	timeout 5 sh -c "while grep -qs ^State:.[^ZX] $s; do sleep 0.02; done" ||
	echo stays; done
	END
	"$S"/tests/run/with_debuginfod hang sh both; grep burn_ e >burn;
	"$S"/tests/run/sym_check f burn sym_burn; grep -c . hits;
	grep -c buildid_leaf f; :
EXPECT	0..12 65534 cap 0000000000000000 ok >=30 samples >=1 0

NAME	the longest unused file is removed; one that is too large is not kept
NEEDS	root perf_event tp_btf sym_burn debuginfod-find python3 full
RUN	mkdir -m 700 cache; for f in old new; do
	head -c 40000 /dev/zero >cache/$f.debug; done; touch -d yesterday cache/old.debug;
	echo 'dt profile --no-limit -f -F 1997 -- $B/sym/sym_buildid 100 >f 2>e' >one;
	SETTING='debuginfod-bytes = 80k' \
	"$S"/tests/run/with_debuginfod serve sh one; grep -q buildid_leaf f && echo named;
	ls cache | sed 's/^[0-9a-f]*\.debug/ID/'; rm -r cache;
	SETTING='debuginfod-bytes = 8k' \
	"$S"/tests/run/with_debuginfod serve sh one; cat e log >&2;
	grep -c buildid_leaf f; ls cache
EXPECT	named ID new.debug 0

NAME	a server named only in the environment is not used
NEEDS	root perf_event tp_btf sym_burn debuginfod-find python3
RUN	echo 'dt profile --no-limit -f -F 1997 -- $B/sym/sym_buildid 200 >f 2>e' >one;
	"$S"/tests/run/with_debuginfod unset sh one; grep -c . hits; ls -d cache;
	grep -c '^sym_buildid;' f
EXPECT	0 >=1

NAME	a server must be an http or https URL
NEEDS	root
RUN	for v in http://h 'https://h:1/x http://i' ''; do
	echo "debuginfod = $v" >c; dtd -n -c c || exit 8; done;
	for v in file:///etc h 'http://h ftp://h' "http://$(printf %0400d 0)"; do
	echo "debuginfod = $v" >c; dtd -n -c c; done;
	echo 'debuginfod-folder = cache' >c; dtd -n -c c
STATUS	1
ERR	debuginfod requires http or https URLs, .*'file:///etc'$
ERR	debuginfod requires .*'h'$
ERR	debuginfod requires .*'http://h ftp://h'$
ERR	debuginfod requires .*'http://000
ERR	debuginfod-folder requires an absolute path
