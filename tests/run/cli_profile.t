# SPDX-License-Identifier: ISC
# dt profile

NAME	the functions and stacks of a command, by their share
NEEDS	root perf_event
RUN	dt profile -F 500 -- dd if=/dev/zero of=/dev/null bs=1M count=3000 2>e;
	cat e >&2
OUT	^PERCENT  SAMPLES  FUNCTION +COMM$
OUT	^ *[0-9.]+% +[0-9]+  [a-z0-9_.\[][^ ]*.*  dd$
OUT	^ *[1-9][0-9]*\.[0-9]+% +[1-9][0-9]*  dd \([0-9]+\)$
OUT	^        (read_zero|rep_stos_alternative|__clear_user|clear_user_.*|iov_iter_zero|vfs_read|ksys_read)
OUT	^[1-9][0-9]* samples
ERR	^dt: [0-9]+ events, none lost$

NAME	samples of a command are about as many as its time has periods
NEEDS	root perf_event jq
RUN	dt profile -j -F 1000 -- ask burn 500 >j; jq -s 'map(.count |
	select(. != null)) | add' j
EXPECT	200..800

NAME	-j prints JSON that a parser takes, the ledger last
CORE
NEEDS	root perf_event jq
RUN	dt profile -j -F 500 -- ask burn 300 >j; jq -es '(.[-1].ledger |
	.fired == .read + .dropped + .recursed and .missed == null) and
	(.[:-1] | length > 0 and all(.[]; .count > 0 and .pid > 0 and
	.comm != "" and (.kstack | type) == "array" and (.ustack | type) ==
	"array")) and (.[:-1] | map(.count) | . == (sort | reverse))' j
EXPECT	true

NAME	-f prints folded stacks: name, frames from the outermost on, count
CORE
NEEDS	root perf_event
RUN	dt profile -f -F 500 -- ask burn 300 >f; grep -vcE '^[^;]+(;[^;]+)* [0-9]+$' f;
	grep -cE '^ask;0x[0-9a-f]+' f
STATUS	0
EXPECT	0 >=1

NAME	without a command it profiles the whole machine, idle CPUs left out
NEEDS	root perf_event
RUN	ask burn 2000 & dt profile -d 1 --top 3; wait
OUT	^[1-9][0-9]* samples
NOOUT	^        (default_idle|cpu_idle_poll|acpi_idle_enter|intel_idle)$

NAME	--top shows so many functions, and says how many more there are
NEEDS	root perf_event
RUN	dt profile -F 2000 --top 1 -- sh -c 'i=0; while [ $i -lt 300 ]; do
	i=$((i+1)); : >x; done'
OUT	and [0-9]+ more \(--top shows more\)

NAME	the exit status is the command's
NEEDS	root perf_event
RUN	dt profile -- sh -c 'exit 6'
STATUS	6
RUN	dt profile -- nosuchcommand
STATUS	127

NAME	Ctrl-C ends a profile, and prints it
NEEDS	root perf_event
RUN	env --default-signal=INT dt profile -F 1000 >o 2>e & d=$!;
	until grep -q '^SigCgt:.*[2367abef]$' /proc/$d/status; do sleep 0.02;
	done; ask burn 300; kill -INT $d; wait $d; echo "status $?"; cat o e
OUT	^status 0$
OUT	^[1-9][0-9]* samples
OUT	^dt: [0-9]+ events, none lost$

NAME	who may load programs and gets no clock is told what denies it
CORE
NEEDS	root nonroot setpriv tp_btf perf_event paranoid
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon \
	dt profile -- true
STATUS	1
ERR	^dt: recording: cannot attach profile:hz:97: Permission denied$
ERR	^dt: sysctl kernel.perf_event_paranoid=2, or run dt as root
NOERR	right
