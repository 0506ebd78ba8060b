# SPDX-License-Identifier: ISC
# dt record --columns, and dt report --columns

NAME	columns are printed in the given order, each with its header
NEEDS	root nonroot tp_btf setpriv
RUN	echo 'echo $$ >parent; setpriv --reuid 65534 --clear-groups "$1" threads 1;
	:' >s; dt record --columns comm,uid,ppid,tid syscall:getppid:entry -- \
	sh s "$B/tests/keys" >o; cat o; p=$(cat parent);
	sed -n "s/^keys  *[a-z0-9]*  *$p  *\([0-9]*\)  *getppid()\$/found/p" o
OUT	^COMM            UID      PPID    TID     CALL$
OUT	^found$

NAME	columns after a + are added to the default ones
NEEDS	root tp_btf
RUN	dt record --columns +uid syscall:getppid -- keys threads 1
OUT	^TIME            CPU COMM            PID/TID       UID      CALL$
OUT	^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{6} [0-9]{3} keys            [0-9]+/[0-9]+ +root     getppid\(\) = [0-9]+
RUN	dt record syscall:getppid -- keys threads 1
NOOUT	COMM

NAME	JSON has the owner only if a column needs it
NEEDS	root tp_btf jq
RUN	dt record -j --columns +uid syscall:getppid:entry -- keys threads 1 |
	jq -es '.[1] | .uid == 0 and .user == "root" and .ppid > 0 and
	.cgroup_id > 0 and has("cgroup")';
	dt record -j --columns +tid syscall:getppid:entry -- keys threads 1 |
	jq -es '.[1] | has("uid") or has("cgroup_id")'
STATUS	1
EXPECT	true false

NAME	a recording keeps the paths of cgroups that were removed later
CORE
NEEDS	root tp_btf cgroup2
RUN	d=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts);
	c=dtc$$.service; mkdir $d/$c;
	echo "echo \$\$ >$d/$c/cgroup.procs; exec keys threads 1" >s;
	dt record --columns +cgroup -o f.dt syscall:getppid:entry -- sh s;
	rmdir $d/$c; DT_DTD=/nonexistent dt report --columns cgroup,uid f.dt |
	sed -n "s/^dtc$$.service  *root  *getppid.*/found/p";
	dt report --stat --by cgroup f.dt | sed -n "s/.*  dtc$$.service\$/counted/p"
EXPECT	found counted

NAME	a column that the recording has no data for prints -
NEEDS	root tp_btf
RUN	dt record -o f.dt syscall:getppid:entry -- keys threads 1;
	dt report --columns comm,uid,ppid,cgroup f.dt
OUT	^keys            -        -       -                        getppid\(\)

NAME	a cgroup or user of another machine is printed as its number
NEEDS	root tp_btf unshare cgroup2
RUN	dt record --columns +cgroup -o f.dt syscall:getppid:entry -- \
	keys threads 1; unshare -u sh -c 'echo elsewhere \
	>/proc/sys/kernel/hostname; dt report --columns comm,uid f.dt'
OUT	^keys            0        getppid\(\)

NAME	an unknown column is reported with the nearest name and a list of all
RUN	dt record --columns time,comn syscall:getppid
STATUS	2
ERR	there is no column 'comn', did you mean comm\?; columns are time, cpu, comm, pid/tid, pid, tid, ppid, uid, cgroup
RUN	dt record --columns + syscall:getppid
STATUS	2

NAME	a terminal gets lines broken between words, a file whole lines
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap '$T stop' EXIT; echo x >some-file;
	$T start 60 24 "clear; dt record -n 1 syscall:openat:entry -- cat some-file" &&
	$T wait '^dt: ' && $T show >s && awk 'length > 60 { long = 1 }
	/^        [a-z]/ { cut = 1 } END { print long + 0, cut }' s;
	dt record -n 1 syscall:openat:entry -- cat some-file | grep -c '^[0-9:.]* .*openat.*)$'
EXPECT	0 1 1

NAME	messages, losses and errors of calls fit a terminal of 80 columns
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap '$T stop' EXIT;
	$T start 80 24 'clear; dt stat --by com syscall:read; dt record -o x.dt syscall:read -- true' &&
	$T wait '^dt: [0-9]* events' && $T show >s; grep -c '^dt: --by com: .* did you mean$' s;
	grep -A1 'did you mean$' s | grep -c '^    comm?'; grep -c "^dt: wrote x.dt; 'dt report x.dt' prints it$" s;
	$T press 'clear; dt syscalls -- cat nosuch' Enter; $T wait 'openat  *ENOENT' && $T show >s;
	grep -c 'P99 *MAX  SYSCALL  *ERRORS$' s; grep -c ' openat  *ENOENT [0-9]*$' s
EXPECT	1 1 1 1 1
