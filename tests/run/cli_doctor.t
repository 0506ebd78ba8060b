# SPDX-License-Identifier: ISC
# dt doctor: its findings are what the other commands encounter.

NAME	root can record everything: each test call was recorded
CORE
NEEDS	root tp_btf perf_event quick
RUN	dt doctor
OUT	^The daemon$
OUT	^  ok +program +/.*/dtd
OUT	^  ok +open +a private daemon, release [0-9.]+, after [0-9.]+ ms$
OUT	^  ok +CAP_BPF +effective$
OUT	^  ok +btf +/sys/kernel/btf/vmlinux$
OUT	^  ok +syscall +[1-9][0-9]* probes
OUT	^  ok +syscall +100 of 100 calls of getpid were recorded; .* [0-9.]+ ms
OUT	^  ok +names +[1-9][0-9]* of [1-9][0-9]* frames
OUT	^  ok +user-names +an address of this process is in [a-z_]*getpid, .* [1-9][0-9]* processes with [1-9][0-9]* files
OUT	^  ok +profile +[1-9][0-9]* ticks
OUT	^dt works here$
NOOUT	^  (warning|missing)
NOOUT	\[
NOERR	.

NAME	-v explains what each check is for
NEEDS	root tp_btf perf_event
RUN	dt doctor | grep -c ' for: '
STATUS	1
EXPECT	0
RUN	dt doctor -v | grep -c ' for: '
EXPECT	>=20

NAME	-j prints a valid JSON object with the same verdicts
NEEDS	root tp_btf perf_event jq
RUN	dt doctor -j >j; wc -l <j; jq -e '.works == true and
	(.release | length) > 0 and (.checks | length) > 20 and
	all(.checks[]; (.verdict | IN("ok", "fact")) and .found != "" and
	.advice == "") and (.trials | length) == 2 and
	all(.trials[]; .works and .read > 0 and .enable > 0 and .record > 0
	and .event > 0) and (.trials[0] | .probe == "syscall:getpid:entry"
	and .made == 100 and .read == 100)' j
EXPECT	1 true
RUN	dt doctor | sed -n 's/^  \([a-z-]*\) *\([^ ]*\).*/\1 \2/p' >text;
	jq -r '.checks[] | (if .verdict == "fact" then "-" else .verdict end) +
	" " + .check' j | diff text - && echo same
EXPECT	same

NAME	it reports whether this kernel has kprobes
NEEDS	root tp_btf perf_event
RUN	if [ -e /sys/bus/event_source/devices/kprobe ];
	then echo '^  ok  *kprobes  *yes$'; else echo '^  -  *kprobes  *no'; fi >re;
	dt doctor | grep -c -f re
EXPECT	1

NAME	a user without capabilities gets the list of them, status 1
NEEDS	root nonroot setpriv
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
	dt doctor
STATUS	1
OUT	^  - +user +65534
OUT	^  missing +CAP_BPF +no$
OUT	^  missing +CAP_PERFMON +no$
OUT	^  missing +syscall +.*Operation not permitted
OUT	^ +-> run dt as root .*, or have the administrator
OUT	^dt does not work here
NOERR	.

NAME	root without capabilities is advised which ones the container needs
NEEDS	root setpriv
RUN	setpriv --bounding-set=-all --inh-caps=-all dt doctor
STATUS	1
OUT	^  ok +user +0
OUT	^  missing +CAP_BPF +no$
OUT	^ +-> give the container what is missing \(docker run --cap-add BPF

NAME	CAP_BPF and CAP_PERFMON are enough for system calls
NEEDS	root nonroot setpriv tp_btf
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon \
	dt doctor >o; echo $?;
	if [ $(cat /proc/sys/kernel/perf_event_paranoid) -gt 2 ]; then
	grep -c '^ *-> sysctl kernel.perf_event_paranoid=2' o; else
	grep -c '^dt works here' o; fi; cat o
OUT	^1$
OUT	^  ok +CAP_PERFMON +effective$
OUT	^  ok +syscall +100 of 100

NAME	root of a user namespace is reported as unprivileged
NEEDS	root userns unshare
RUN	unshare -U -r dt doctor
STATUS	1
OUT	^  missing +user-namespace +not the initial one$
OUT	^  - +CAP_BPF +effective in its user namespace only$
OUT	^  missing +syscall +.*Operation not permitted
OUT	^ +-> capabilities of a user namespace do not count

NAME	a pid namespace is reported as a fact, and dt works in it
NEEDS	root tp_btf perf_event unshare
RUN	unshare -p -f --mount-proc dt doctor
OUT	^  - +pid-namespace +not the initial one
OUT	^  ok +syscall +100 of 100
OUT	^dt works here$

NAME	with the service, checks use it and require nothing of the user
NEEDS	root tp_btf perf_event mounts
SERVICE
RUN	DT_DTD=/nonexistent dt doctor
OUT	^  ok +service +/run/dt/dt: running, and dt uses it$
OUT	^  - +program +/nonexistent \(\$DT_DTD\): No such file
OUT	^  ok +open +the service, release
OUT	^  ok +rights +LIST STATS PROFILE TRACE_OWN TRACE_ALL ADMIN$
OUT	^  ok +syscall +100 of 100
OUT	^dt works here$
NOOUT	^  missing

NAME	a user without rights is advised to request them from the administrator
NEEDS	root nonroot setpriv mounts
SERVICE
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
	dt doctor
STATUS	1
OUT	^  missing +rights +LIST: may list probes, but not record$
OUT	^  - +CAP_BPF +no; only the service needs it$
OUT	^  missing +syscall +.*65534 lacks the right .*TRACE_ALL$
OUT	^ +-> request the right from the administrator: group dt, or 'allow = trace-own to user NAME' in .*; or run dt as root

NAME	a service that refuses is reported, and nothing else is tried
NEEDS	root mounts jq
SERVICE	allowdt = no
RUN	dt doctor -j >j; echo $?; dt doctor
STATUS	1
OUT	^1$
OUT	^  missing +open +the configuration has allowdt = no$
OUT	^ +-> the service must admit you \(setting allowdt\)
RUN	jq -e '.works == false and .trials == [] and (.checks[] |
	select(.check == "open") | .verdict == "missing" and .section ==
	"daemon" and .advice != "")' j
EXPECT	true

NAME	a socket left by a dead service is a warning
NEEDS	root tp_btf perf_event mounts
RUN	echo "directory = $T/run" >c; dtd -c c & pid=$!;
	until [ -S run/dt ]; do sleep 0.02; done; kill -9 $pid; wait $pid;
	dt doctor
OUT	^  warning +service +/run/dt/dt: a socket without a listener
OUT	^dt works here$

NAME	a $DT_DTD that does not exist, or is not dtd, is reported
RUN	DT_DTD=/nonexistent dt doctor
STATUS	1
OUT	^  missing +program +/nonexistent \(\$DT_DTD\): No such file
OUT	^  missing +open +.*/nonexistent: No such file
OUT	^ +-> \$DT_DTD must be the path of dtd: unset or correct it$
RUN	DT_DTD=/bin/false dt doctor
STATUS	1
OUT	^  missing +open +the private dtd ended at once, status 1$

NAME	a private daemon that hangs is reported and killed
NEEDS	root full
TIMEOUT	60
RUN	printf '#!/bin/sh\necho $$ >%s/pid\nexec sleep 1000\n' "$T" >d;
	chmod +x d; DT_DTD=./d dt doctor; echo $?; p=/proc/$(cat pid)/status;
	[ ! -e $p ] || grep '^State:.Z' $p
OUT	^  missing +open +no reply while opening the device$
OUT	^1$

NAME	a service that hangs is reported
NEEDS	root mounts full
TIMEOUT	60
SERVICE
RUN	kill -STOP $DTD_PID; dt doctor; s=$?; kill -CONT $DTD_PID; exit $s
STATUS	1
OUT	^  missing +open +no reply while opening the device$
OUT	^ +-> the service hangs

NAME	it leaves no service running and needs no writable folder
NEEDS	root tp_btf perf_event
RUN	mkdir d; cd d; dt doctor >/dev/null; ls -A; pgrep -P $$ dtd
STATUS	1
EXPECT	

NAME	colours are printed only to a terminal, and not with NO_COLOR
NEEDS	root tp_btf perf_event script
RUN	TERM=xterm script -qec 'dt doctor' /dev/null >t; grep -c "$(printf '\033')\[32mok" t
EXPECT	>=10
RUN	TERM=xterm NO_COLOR=1 script -qec 'dt doctor' /dev/null >t; grep -c "$(printf '\033')" t
STATUS	1
EXPECT	0

NAME	operands are refused, and failed output is an error
RUN	dt doctor nobody
STATUS	2
ERR	unexpected argument 'nobody'
RUN	dt doctor >/dev/full
STATUS	1
ERR	No space left on device
