# SPDX-License-Identifier: ISC
# The filter by cgroup: it covers one cgroup and its descendants.  in.sh makes a
# call in a given cgroup.

NAME	a cgroup and its descendants are recorded, siblings and the root are not
NEEDS	root tp_btf cgroup2
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	mkdir -p $d/$c/a/sub/deep $d/$c/b;
	echo "echo \$\$ >$d/$c/\$1/cgroup.procs; exec ask call getuid \$2" >in.sh;
	echo "sh in.sh a 1; sh in.sh a/sub 2; sh in.sh a/sub/deep 4;
	sh in.sh b 8; ask call getuid 16" >all.sh;
	for n in $d/$c/a /$c/a $c/a $d/$c/a/ $c/a/sub $c/b $c; do
	dt stat -j --cgroup $n --comm ask syscall:getuid:entry -- sh all.sh |
	jq -s 'map(.count // 0) | add'; done; dt stat -j --cgroup / --comm ask \
	syscall:getuid:entry -- sh all.sh | jq -s 'map(.count // 0) | add';
	rmdir $d/$c/a/sub/deep $d/$c/a/sub $d/$c/a $d/$c/b $d/$c
EXPECT	7 7 7 7 6 8 15 31

NAME	a cgroup filter combines with other filters and with pairs
CORE
NEEDS	root tp_btf cgroup2 jq quick
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	mkdir -p $d/$c/a $d/$c/b;
	echo "echo \$\$ >$d/$c/\$1/cgroup.procs; exec ask call getuid \$2" >in.sh;
	dt record -j --cgroup $c/a --comm ask --slower 0ns syscall:getuid -- \
	sh -c 'sh in.sh a 3; sh in.sh b 5' |
	jq -s 'map(select(.duration >= 0)) | length';
	dt stat -j --cgroup $c/a --comm sh syscall:getuid:entry -- \
	sh in.sh a 3 | jq -s 'map(select(.comm == "ask")) | length';
	rmdir $d/$c/a $d/$c/b $d/$c
EXPECT	3 0

NAME	a unit and a container are found by name at any level of the hierarchy
NEEDS	root tp_btf cgroup2 jq
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	id=$(printf '%064x' $$$$$$); u=dtu$$.service;
	mkdir -p $d/$c/x.slice/$u $d/$c/docker-$id.scope/init $d/$c/other;
	echo "echo \$\$ >\$1/cgroup.procs; exec ask call getuid \$2" >in.sh;
	echo "sh in.sh $d/$c/x.slice/$u 1; sh in.sh $d/$c/docker-$id.scope 2;
	sh in.sh $d/$c/docker-$id.scope/init 4; sh in.sh $d/$c/other 8" >all.sh;
	for n in $u ${u%.service} $id docker:$id docker-$id.scope; do
	dt stat -j --cgroup $n --comm ask syscall:getuid:entry -- sh all.sh |
	jq -s 'map(.count // 0) | add'; done;
	rmdir $d/$c/x.slice/$u $d/$c/x.slice $d/$c/docker-$id.scope/init \
	$d/$c/docker-$id.scope $d/$c/other $d/$c
EXPECT	1 1 6 6 6

NAME	a container can be named by the beginning of its id
NEEDS	root tp_btf cgroup2 jq
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	p=$(printf 'ab%010x' $$); i=${p}cdef0123456789abcdef; mkdir -p \
	$d/$c/libpod-$i.scope; dt stat --cgroup $p syscall:getuid -- true;
	dt stat --cgroup libpod:$p syscall:getuid -- true;
	dt stat --cgroup docker:$p syscall:getuid -- true || echo none;
	mkdir $d/$c/docker-$i.scope; dt stat --cgroup $p syscall:getuid -- true;
	dt stat --cgroup docker:$p syscall:getuid -- true && echo one;
	rmdir $d/$c/*.scope $d/$c
ERR	--cgroup docker:ab[0-9a-f]+: there is no such cgroup, unit or container
ERR	--cgroup ab[0-9a-f]+: matches 2 cgroups: /dtg[0-9]+/(docker|libpod)-.*, /
OUT	^none$
OUT	^one$

NAME	a name without a cgroup is reported with the folder that was searched
NEEDS	root tp_btf cgroup2
RUN	dt stat --cgroup /no/such syscall:getuid -- true
STATUS	1
ERR	^dt: --cgroup /no/such: looked for /.*/no/such: No such file or directory$
RUN	dt stat --cgroup nosuchunit syscall:getuid -- true
STATUS	1
ERR	^dt: --cgroup nosuchunit: there is no such cgroup, unit or container below /
RUN	dt stat --cgroup /cgroup.procs syscall:getuid -- true
STATUS	1
ERR	is a file, not a cgroup$

NAME	a profile of a cgroup has the clock samples of that cgroup
NEEDS	root tp_btf cgroup2 perf_event jq
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	mkdir -p $d/$c/a $d/$c/b;
	echo "echo \$\$ >$d/$c/\$1/cgroup.procs; i=0;
	while [ \$i -lt 300000 ]; do i=\$((i + 1)); done" >in.sh;
	dt stat -j --cgroup $c/a -F 997 --by pid profile:hz:99 -- sh in.sh b |
	jq -s 'map(.count // 0) | add';
	dt stat -j --cgroup $c/a -F 997 --by comm profile:hz:99 -- sh in.sh a |
	jq -s 'map(.count // 0) | add > 20';
	dt profile --no-limit -j --cgroup $c/a -F 997 -- sh in.sh a |
	jq -s 'map(.count // 0) | add > 20';
	rmdir $d/$c/a $d/$c/b $d/$c
EXPECT	0 true true

NAME	in a cgroup namespace a path is relative to the namespace's root
NEEDS	root tp_btf cgroup2 unshare jq
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	mkdir -p $d/$c/ns/a/sub $d/$c/ns/b; echo "mkdir m; mount -t cgroup2 none m;
	umount -l $d; cat >in.sh <<'X'
	echo \$\$ >m/\$1/cgroup.procs; exec ask call getuid \$2
	X
	echo 'sh in.sh a 1; sh in.sh a/sub 2; sh in.sh b 4' >all.sh
	dt stat -j --cgroup /a --comm ask syscall:getuid:entry -- sh all.sh |
	jq -s 'map(.count // 0) | add';
	dt stat -j --cgroup a/sub --comm ask syscall:getuid:entry -- sh all.sh |
	jq -s 'map(.count // 0) | add'; umount m; rmdir m" >ns.sh;
	sed -i 's/^	//' ns.sh; sh -c "echo \$\$ >$d/$c/ns/cgroup.procs;
	exec unshare -Cm sh ns.sh"; while grep -q . $d/$c/ns/cgroup.procs; do sleep 0.1; done;
	rmdir $d/$c/ns/a/sub $d/$c/ns/a $d/$c/ns/b $d/$c/ns $d/$c
EXPECT	3 2

NAME	the device takes the id of a cgroup and its level, or an unknown level
NEEDS	root tp_btf cgroup2
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts); c=dtg$$;
	mkdir -p $d/$c/a; i=$(stat -c %i $d/$c/a);
	echo "echo \$\$ >$d/$c/a/cgroup.procs; exec ask" >in.sh;
	for l in 2 1 3 4294967295; do echo "open; self on;
	filter comm=ask cgroup=$i level=$l; enable syscall:getuid:entry;
	record on; do call getuid 9; record off; readall" | tr '\n' ' ' |
	sh in.sh | sed 's/.* //'; done;
	echo "open; filter cgroup=0" | ask; rmdir $d/$c/a $d/$c
EXPECT	9 0 0 9 0 EINVAL
