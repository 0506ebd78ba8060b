# SPDX-License-Identifier: ISC
# dt stat: hits that the kernel counts, and the same hits counted by dt

NAME	-v reports where hits are counted, and why
NEEDS	root tp_btf
RUN	o() { dt stat -v "$@" -- true 2>&1 | grep counted; };
	o syscall:getuid; o --by path syscall:openat; o --by ppid syscall:getuid;
	o --by fd,errno syscall:read; o --by from.pid --from syscall:read \
	--to syscall:write --key tid; o --path / syscall:openat;
	o --until syscall:openat syscall:read; o --by rqtp syscall:clock_nanosleep:entry;
	o --by pid,tid,uid,cpu,cgroup syscall:read; o profile:hz:99;
	o --count-in client syscall:getuid; o --by fd,errno --slower 0us syscall:read
EXPECT	dt: hits are counted in the kernel
	dt: hits are counted in the kernel
	dt: hits are counted in the kernel
	dt: hits are counted by dt: calls are joined from their entry and return
	dt: hits are counted in the kernel
	dt: hits are counted by dt: --path needs events
	dt: hits are counted by dt: --until needs events
	dt: hits are counted by dt: rqtp may be a struct
	dt: hits are counted by dt: the kernel counts by fewer keys
	dt: hits are counted in the kernel
	dt: hits are counted by dt: --count-in client
	dt: hits are counted in the kernel

NAME	--count-in kernel fails with the reason if only dt can count
NEEDS	root tp_btf
RUN	dt stat --count-in kernel --path / syscall:openat -- true
STATUS	1
ERR	^dt: --count-in kernel: --path needs events$
RUN	dt stat --count-in here syscall:openat -- true
STATUS	2
ERR	^dt stat: --count-in here: should be kernel or client$

# count_compare counts the same calls both ways at once.
NAME	kernel and client count the same by each key, value and condition
CORE
NEEDS	root tp_btf perl full
SERVICE	allowdt = yes
TIMEOUT	240
RUN	"$S/tests/run/count_compare" "$B/tests/keys" <<E
	syscall:*
	syscall:*:entry --by pid,comm
	syscall:read:entry tracepoint:sched:sched_switch --by tid,uid
	syscall:*:return --by probe,errno
	syscall:*:return --by retval --sum retval
	syscall:read:return --by errno,pid,cpu --sum retval
	syscall:read --by comm,cpu --sum retval
	syscall:write:entry --by count,fd
	syscall:write:entry --by args.fd,tid --sum count --if fd%!=%-1
	syscall:lseek:entry --by whence --sum offset
	syscall:lseek:entry --by offset
	syscall:lseek:entry syscall:read:entry --by fd
	syscall:lseek:return --by uid,errno --sum retval --if retval%>%4k
	--slower 0us syscall:*
	--slower 0us syscall:read --by fd --sum duration
	--slower 30us syscall:read syscall:write --by errno,fd --sum retval
	--slower 0us syscall:lseek --by duration,retval
	--slower 0us syscall:lseek --by tid,offset --sum fd --if retval%==%0
	--from syscall:lseek --to syscall:getppid --key tid --by tid,offset
	tracepoint:sched:sched_switch --by next_pid,prev_state --sum next_prio
	syscall:read --by probe,tid --max-keys 3
	--hist syscall:read syscall:write
	--hist --by fd,errno syscall:*
	--hist --by fd --sum offset syscall:lseek:entry
	--quantiles --avg --by fd --sum offset syscall:lseek:entry
	--quantiles --min syscall:lseek --by tid --sum retval --slower 0us
	--min --max --avg --sum count --by fd syscall:read:entry
	--min --max --sum retval --by comm syscall:*:return
	syscall:openat:entry --by filename
	syscall:openat:entry --by path,ppid,tid --if tid%&%1
	--slower 0us syscall:openat --by path,errno --sum duration
	--slower 0us syscall:* --by filename,comm --max --sum retval
	--hist syscall:openat --by filename
	syscall:*:entry --by kstack,comm
	--slower 0us syscall:read --by kstack,fd --sum retval
	--from syscall:openat --to syscall:read --key tid --by filename,from.comm
	--from syscall:read --to syscall:read --key tid --by from.cpu,to.cpu
	tracepoint:sched:sched_switch --by kstack,prev_comm --sum next_prio
	syscall:openat:entry --by filename,tid --max-keys 3
	E
OUT	^all are the same$
RUN	"$S/tests/run/count_compare" "$B/tests/keys" 1 500 5
OUT	^all are the same$

NAME	kernel and client count the same for random combinations
CORE
NEEDS	root tp_btf perl full
SERVICE	allowdt = yes
TIMEOUT	1800
RUN	n=50; seed=2; [ -z "${DT_LARGE:-}" ] || n=500;
	[ ! -e /run/vm.guest ] || { n=250; seed=$(uname -r | tr -dc 0-9); };
	"$S/tests/run/count_compare" "$B/tests/keys" $seed $n
OUT	^all are the same$

NAME	percentiles of the kernel's buckets are within 6 % of the values
NEEDS	root tp_btf jq perl
RUN	dt stat -j --quantiles --avg --min --by comm --sum count \
	syscall:write:entry -- sh -c 'exec >/dev/null; i=0;
	while [ $((i += 1)) -le 1000 ]; do printf "%0*d" $((i * 387 % 1000 + 1)) 0;
	done' | jq -es '.[0] | .comm == "sh" and .count == 1000 and .sum == 500500 and
	.avg == 501 and .min == 1 and .max == 1000 and
	(.p50 - 500 | fabs) < 30 and (.p90 - 900 | fabs) < 54 and
	(.p99 - 990 | fabs) < 60'
OUT	^true$

NAME	columns of values, and the line below a histogram
NEEDS	root tp_btf
RUN	dt stat --quantiles --avg --min --by fd --sum retval syscall:read:return \
	--slower 0us -- keys calls
OUT	^ +COUNT +SUM +SUM/s +AVG +MIN +P50 +P90 +P99 +MAX  FD$
OUT	^ +2 +0B +0B +- +- +- +- +- +-  -1$
RUN	dt stat --hist syscall:getppid -- keys calls
OUT	^  p50 [0-9.]+[nu]s, p90 [0-9.]+[num]s, p99 [0-9.]+[num]s, max [0-9.]+[num]s$
