# SPDX-License-Identifier: ISC
# Completeness: a record shows exactly what a program did.

NAME	threads on a CPU each: each call with its arguments and its error, in
	order
CORE
NEEDS	root tp_btf
RUN	complete pinned -n 4000 -r 1
OUT	^complete pinned: 1 times the same$

NAME	threads that wander over the CPUs: the same, in the order of time
NEEDS	root tp_btf
RUN	complete moving -n 4000 -r 1
OUT	^complete moving: 1 times the same$

NAME	32-bit calls are not mistaken for others, and are counted
NEEDS	root tp_btf int80
RUN	complete int80 -n 4000 -r 1
OUT	^complete int80: 1 times the same$

NAME	the same with more calls, and several times
NEEDS	root tp_btf int80 full
TIMEOUT	600
RUN	n=5; [ -z "${DT_FULL:-}" ] || n=200; complete pinned -n 40000 -r $n &&
	complete moving -n 40000 -r $n && complete int80 -n 40000 -r $n
OUT	^complete pinned: (5|200) times the same$
OUT	^complete moving: (5|200) times the same$
OUT	^complete int80: (5|200) times the same$

NAME	of each system call there are as many as strace counts
CORE
NEEDS	root tp_btf strace
RUN	samecount -n 20
OUT	^samecount: [1-9][0-9]* system calls as strace counts them$

NAME	the same for a longer run
NEEDS	root tp_btf strace full
TIMEOUT	300
RUN	n=500; [ -z "${DT_FULL:-}" ] || n=5000; samecount -n $n
OUT	^samecount: [1-9][0-9]* system calls as strace counts them$
