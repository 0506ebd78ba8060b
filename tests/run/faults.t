# SPDX-License-Identifier: ISC
# Kernel requests of the daemon fail one by one, or are limited: the client gets
# the errno and the reason, nothing is left behind, and the next client is
# served.

NAME	each system call for a client fails once, or from then on
NEEDS	root tp_btf perf_event preload
TIMEOUT	300
RUN	n=5; [ -z "${DT_LARGE:-}" ] || n=1; faults service -n $n
OUT	^bpf, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^mmap, on: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^perf-access, on: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^accept, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^alloc, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^faults service: nothing is left$

NAME	each system call fails while the daemon starts and loads its programs
NEEDS	root tp_btf perf_event preload full
TIMEOUT	900
RUN	n=23 kinds="mmap fd"; [ -z "${DT_LARGE:-}" ] ||
	n=1 kinds="mmap epoll_ctl thread fd socketpair";
	faults private -n $n -k bpf && for k in $kinds; do
	faults private -n $((n / 10 + 1)) -k $k || exit; done
OUT	^bpf, once: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^fd, on: [1-9][0-9]* faults, [1-9][0-9]* told$
OUT	^faults private: nothing is left$

NAME	a service exits although its calls for maps never return
NEEDS	root tp_btf preload
RUN	faults exit

NAME	programs with unwind tables that were refused are loaded later
NEEDS	root tp_btf preload
RUN	faults tables

NAME	a daemon out of descriptors refuses clients with the reason at each step
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	limits nofile
OUT	^nofile [0-9]+: open: EMFILE: the daemon is out of descriptors$
OUT	^nofile [0-9]+: enable: EMFILE: cannot make rings: 
OUT	^nofile [0-9]+: record: EMFILE: cannot attach 
OUT	^limits nofile: nothing is left$

NAME	a daemon out of memory refuses clients with the reason
NEEDS	root tp_btf perf_event preload
TIMEOUT	120
RUN	limits memory
OUT	^memory [0-9]+: enable: ENOMEM: cannot make rings: 
OUT	^limits memory: nothing is left$

NAME	the limit of locked memory has no effect
NEEDS	root tp_btf perf_event
RUN	limits memlock
OUT	^limits memlock: nothing is left$

NAME	a connection without a free descriptor is refused, and no thread spins
NEEDS	root tp_btf perf_event
RUN	limits queue
OUT	^queue: 40 clients told, 
OUT	^limits queue: nothing is left$

NAME	each access to a foreign process or file hangs for ever, one by one
NEEDS	root tp_btf perf_event preload full
TIMEOUT	900
RUN	n=8; [ -z "${DT_LARGE:-}" ] || n=1; hangs -n $n
OUT	^([1-9][0-9]*) of \1 calls hang$
OUT	^most: client [0-9]+ ms, other client [0-9]+ ms, end [0-9]+ ms$
