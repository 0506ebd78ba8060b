# SPDX-License-Identifier: ISC
# dt stat --prometheus: totals in the text format of Prometheus, at each line of
# the input and at its end.

NAME	totals are printed at each line of the input, and at its end
NEEDS	root tp_btf
RUN	mkfifo p; dt stat --prometheus x --by offset --if 'whence == 77' \
	syscall:lseek:entry <p >o 2>e & d=$!; exec 3>p
	replies() { timeout 60 sh -c 'until [ $(grep -c EOF o) = '$1' ]; do sleep 0.02; done'; }
	go() { ask call lseek $1 args=-1,$2,77 >/dev/null; }
	echo >&3; replies 1; go 3 5; echo >&3; replies 2; go 4 6; go 1 5; echo >&3;
	replies 3; exec 3>&-; wait $d; echo $?; cat o
EXPECT	0
	# TYPE x_total counter
	# EOF
	# TYPE x_total counter
	x_total{offset="5"} 3
	# EOF
	# TYPE x_total counter
	x_total{offset="5"} 4
	x_total{offset="6"} 4
	# EOF
	# TYPE x_total counter
	x_total{offset="5"} 4
	x_total{offset="6"} 4
	# EOF

NAME	a histogram has exact buckets, in which the sums of all rows agree
NEEDS	root tp_btf
RUN	mkfifo p; dt stat --count-in kernel --prometheus x --hist --sum offset --by whence \
	--if 'whence == 77' syscall:lseek:entry <p >o 2>e & d=$!; exec 3>p
	echo >&3; timeout 60 sh -c 'until grep -q EOF o; do sleep 0.02; done'
	for v in 0 1 1023 1024 1024 4294967296 -5; do ask call lseek 2 args=-1,$v,77 >/dev/null; done
	exec 3>&-; wait $d; grep -E 'TYPE|le="(0|1|3|511|1023|2047|4294967295|.Inf)"|sum|count{' o | tail -n 11
EXPECT	# TYPE x histogram
	x_bucket{whence="0x4d",le="0"} 4
	x_bucket{whence="0x4d",le="1"} 6
	x_bucket{whence="0x4d",le="3"} 6
	x_bucket{whence="0x4d",le="511"} 6
	x_bucket{whence="0x4d",le="1023"} 8
	x_bucket{whence="0x4d",le="2047"} 12
	x_bucket{whence="0x4d",le="4294967295"} 12
	x_bucket{whence="0x4d",le="+Inf"} 14
	x_sum{whence="0x4d"} 8589940726
	x_count{whence="0x4d"} 14

NAME	rows beyond --max-keys are one series, with their buckets
NEEDS	root tp_btf
RUN	for h in "" "--hist --sum fd"; do rm -f p; mkfifo p; dt stat --count-in kernel \
	--prometheus x $h --by offset --max-keys 2 --if 'whence == 77' syscall:lseek:entry \
	<p >o 2>e & d=$!; exec 3>p
	echo >&3; timeout 60 sh -c 'until grep -q EOF o; do sleep 0.02; done'
	for v in 1 2; do ask call lseek $v args=-1,$v,77 >/dev/null; done; echo >&3
	timeout 60 sh -c 'until [ $(grep -c EOF o) = 2 ]; do sleep 0.02; done'
	for v in 3 4 5; do ask call lseek $v args=1,$v,77 >/dev/null; done
	exec 3>&-; wait $d; tail -n +$(grep -n TYPE o | tail -n 1 | cut -d : -f 1) o | grep -E '_total|le="(0|1|.Inf)"|sum|count{' |
	grep -v TYPE; done
EXPECT	x_total{offset="1"} 1 x_total{offset="2"} 2 x_total{offset="other"} 12
	x_bucket{offset="1",le="0"} 1 x_bucket{offset="1",le="1"} 1
	x_bucket{offset="1",le="+Inf"} 1 x_sum{offset="1"} -1 x_count{offset="1"} 1
	x_bucket{offset="2",le="0"} 2 x_bucket{offset="2",le="1"} 2
	x_bucket{offset="2",le="+Inf"} 2 x_sum{offset="2"} -2 x_count{offset="2"} 2
	x_bucket{offset="other",le="0"} 0 x_bucket{offset="other",le="1"} 12
	x_bucket{offset="other",le="+Inf"} 12 x_sum{offset="other"} 12 x_count{offset="other"} 12

NAME	a label has the characters of the key, escaped, and cannot end the sample
NEEDS	root tp_btf
RUN	cp "$(command -v ask)" 'a"b\c'; mkfifo p; dt stat --prometheus x --by comm \
	--if 'whence == 77' syscall:lseek:entry <p >o 2>e & d=$!; exec 3>p
	echo >&3; timeout 60 sh -c 'until grep -q EOF o; do sleep 0.02; done'
	PATH=$PWD:$PATH 'a"b\c' call lseek 3 args=-1,5,77 >/dev/null
	exec 3>&-; wait $d; grep comm o
NOOUT	ask
EXPECT	x_total{comm="a\"b\\c"} 3

NAME	a unit is the name of the cgroup, also of another cgroup of that name
NEEDS	root tp_btf cgroup2
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/dtp$$; mkdir $d
	mkfifo p; dt stat --count-in kernel --prometheus x --by unit --if 'whence == 77' \
	syscall:lseek:entry <p >o 2>e & d1=$!; exec 3>p
	echo >&3; timeout 60 sh -c 'until grep -q EOF o; do sleep 0.02; done'
	for i in 2 3; do mkdir $d/web.service; sh -c "echo \$\$ >$d/web.service/cgroup.procs
	exec ask call lseek 3 args=-1,5,77 >/dev/null"; echo >&3
	timeout 60 sh -c 'until [ $(grep -c EOF o) = '$i' ]; do sleep 0.02; done'
	rmdir $d/web.service; done; exec 3>&-; wait $d1; rmdir $d; tail -n 2 o
EXPECT	x_total{unit="web.service"} 6 # EOF

NAME	--by none counts all hits in one row
NEEDS	root tp_btf jq
RUN	dt stat -j --by none --if 'whence == 77' syscall:lseek:entry -- \
	ask call lseek 4 args=-1,5,77 2>e | jq -c 'select(.count).count'
EXPECT	4

NAME	options that contradict --prometheus are refused
RUN	for o in "-j" "-i 1" "--avg" "--quantiles"; do
	dt stat --prometheus x $o syscall:lseek:entry </dev/null 2>&1; echo $?; done
	dt stat --prometheus x syscall:lseek:entry -- true 2>&1; echo $?
	dt stat --prometheus 'a-b' syscall:lseek:entry 2>&1; echo $?
OUT	^dt stat: --prometheus excludes --json and --interval$
OUT	^dt stat: --prometheus prints a counter or, with --hist, a histogram$
OUT	^dt stat: --prometheus reads standard input, as COMMAND may$
OUT	^dt stat: --prometheus a-b: should be the name of a metric: letters, digits and _$
NOOUT	^[013-9]$

NAME	--socket connects to a service only, at this path
NEEDS	root tp_btf
RUN	dt stat --socket $PWD/none --prometheus x syscall:lseek:entry </dev/null
STATUS	1
ERR	^dt: cannot open dt: .*/none: No such file or directory$
