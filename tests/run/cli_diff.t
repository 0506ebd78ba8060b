# SPDX-License-Identifier: ISC
# dt diff: two profiles, as folded stacks with known numbers and as recordings.

NAME	shares, changes and standard errors are those of the numbers
RUN	printf 'a;m;f 500\na;m;g 500\n' >a.folded; printf 'a;m;f 600\na;m;g 200\na;m;f;g 200\n' \
	>b.folded; dt diff a.folded b.folded; dt diff --stacks a.folded b.folded;
	dt diff -j --total a.folded b.folded; dt diff -f a.folded b.folded | sort
OUT	^  50\.00%   60\.00%  \+10\.00%   2\.21%  f$
OUT	^  50\.00%   40\.00%  -10\.00%   2\.21%  g$
OUT	^  50\.00%   20\.00%  -30\.00%   2\.02%  a;m;g$
OUT	^   0\.00%   20\.00%  \+20\.00%   1\.26%  a;m;f;g$
OUT	^\{"function":"f","before":0\.500000,"after":0\.800000,"change":0\.300000,"error":0\.02
OUT	^\{"function":"m","before":1\.000000,"after":1\.000000,"change":0\.000000,"error":0\.000000\}$
OUT	^a;m;f 500 600$
OUT	^a;m;f;g 0 200$

NAME	what may be chance is counted, not listed, and recursion counts once
RUN	printf 'a;m;f 50\na;m;g 50\n' >a.folded; printf 'a;m;f;f;f 54\na;m;g 46\n' >b.folded;
	dt diff a.folded b.folded; dt diff --total a.folded b.folded; dt diff a.folded a.folded
OUT	^2 functions changed by less than 2 standard errors$
OUT	^nothing changed$
NOOUT	CHANGE

NAME	notes of a stack are no functions
RUN	printf 'a;[incomplete: x];m 4\n' >a.folded; printf 'a;[voluntary];m 4\n' >b.folded;
	dt diff -j a.folded b.folded
OUT	^\{"function":"m","before":1\.000000,"after":1\.000000,"change":0\.000000
NOOUT	incomplete|voluntary

# share runs one() and two(), and burn a loop of its own.
NAME	of two recordings, functions of one of them are listed with their shares
NEEDS	root perf_event jq
RUN	for i in 1 2; do dt profile --no-limit -F 997 -o $i.dt -- sh -c "share 300; [ $i = 1 ] ||
	ask burn 300" 2>/dev/null; done; dt diff -j --total 1.dt 2.dt 2>e | jq -s '
	map(select(.function == "outer")) | .[0] | .before > 0.5 and
	.change < -0.1 and .change > -0.9 and .error > 0 and .error < 0.1';
	dt diff --total 1.dt 2.dt 2>e | grep -c ' outer$'; dt diff 1.dt 1.dt
OUT	^true$
OUT	^1$
OUT	^nothing changed$

NAME	waits are compared with --offcpu
NEEDS	root tp_btf offcpu
RUN	for i in 20 60; do dt offcpu --no-limit -o $i.dt -- waits turns $i >o 2>&1; done;
	dt diff --offcpu --total --top 3 20.dt 60.dt && echo done; : >x.folded; dt diff x.folded x.folded
STATUS	1
OUT	^done$
NOOUT	ERROR
NOERR	complete
ERR	x.folded: has no samples; --offcpu compares waits$

NAME	files that are no profiles are refused with their line
RUN	printf 'a;m 1\nx\n' >c.folded; printf 'a;m 1\n' >a.folded; for f in c.folded none.folded \
	/etc/hostname ./-x; do dt diff a.folded $f; done; dt diff a.folded;
	dt diff --total --stacks a.folded a.folded; dt diff -o x.svg a.folded a.folded;
	dt diff -o x.html -j a.folded a.folded
STATUS	2
ERR	^dt: c\.folded: line 2 is no folded stack, such as main;run 12$
ERR	^dt: none\.folded: No such file or directory$
ERR	^dt: .*/etc/hostname
ERR	^dt diff: needs two profiles: BEFORE\.dt AFTER\.dt, or \.folded$
ERR	^dt diff: --total is for functions, not for stacks$
ERR	^dt diff: -o should be a FILE\.html$
ERR	^dt diff: -o writes a page: it excludes --stacks, -f and -j$
