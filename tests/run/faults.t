# SPDX-License-Identifier: ISC
# What the daemon asks of the kernel fails, call by call, or is limited: the
# client is told where and why, nothing is left, and the next one is served.

NAME	each call that the daemon makes for a client fails once, or from then on
NEEDS	root tp_btf perf_event preload
TIMEOUT	300
RUN	n=5; [ -z "${DT_FULL:-}" ] || n=1; faults service -n $n
OUT	^bpf, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^mmap, on: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^perf-access, on: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^accept, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^alloc, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^faults service: nothing is left$

NAME	the same where the daemon starts and loads its programs
NEEDS	root tp_btf perf_event preload full
TIMEOUT	900
RUN	n=23 kinds="mmap fd"; [ -z "${DT_FULL:-}" ] ||
	n=1 kinds="mmap epoll_ctl thread fd socketpair";
	faults private -n $n -k bpf && for k in $kinds; do
	faults private -n $((n / 10 + 1)) -k $k || exit; done
OUT	^bpf, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^fd, on: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^faults private: nothing is left$

NAME	a daemon that may have no more descriptors tells its clients, step by step
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	limits nofile
OUT	^nofile [0-9]+: open: EMFILE: the daemon has no descriptor for this$
OUT	^nofile [0-9]+: enable: EMFILE: cannot make rings: 
OUT	^nofile [0-9]+: record: EMFILE: cannot attach 
OUT	^limits nofile: nothing is left$

NAME	a daemon that may have no more memory tells its clients
NEEDS	root tp_btf perf_event preload
TIMEOUT	120
RUN	limits memory
OUT	^memory [0-9]+: enable: ENOMEM: cannot make rings: 
OUT	^limits memory: nothing is left$

NAME	the limit of locked memory does not matter
NEEDS	root tp_btf perf_event
RUN	limits memlock
OUT	^limits memlock: nothing is left$

NAME	who connects while there is no descriptor is told, and nobody spins
NEEDS	root tp_btf perf_event
RUN	limits queue
OUT	^queue: 40 clients told, 
OUT	^limits queue: nothing is left$

NAME	each call about a process or file of others hangs for ever, one after another
NEEDS	root tp_btf perf_event preload
TIMEOUT	900
RUN	n=4; [ -z "${DT_FULL:-}" ] || n=1; hangs -n $n
OUT	^([1-9][0-9]*) of \1 calls hang$
OUT	^most: client [0-9]+ ms, other client [0-9]+ ms, end [0-9]+ ms$
