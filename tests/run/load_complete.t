# SPDX-License-Identifier: ISC
# Completeness: a record shows exactly the calls that a program made.

NAME	threads on separate CPUs: calls are recorded in order, with their errors
CORE
NEEDS	root tp_btf quick
RUN	complete pinned -n 4000 -r 1
OUT	^complete pinned: 1 times the same$

NAME	threads that migrate between CPUs: calls are recorded in order of time
NEEDS	root tp_btf
RUN	complete moving -n 4000 -r 1
OUT	^complete moving: 1 times the same$

NAME	32-bit calls are counted and not taken for 64-bit calls
NEEDS	root tp_btf int80
RUN	complete int80 -n 4000 -r 1
OUT	^complete int80: 1 times the same$

NAME	a longer and repeated load is recorded completely
NEEDS	root tp_btf int80 full
TIMEOUT	600
RUN	n=5; [ -z "${DT_LARGE:-}" ] || n=200; complete pinned -n 40000 -r $n &&
	complete moving -n 40000 -r $n && complete int80 -n 40000 -r $n
OUT	^complete pinned: (5|200) times the same$
OUT	^complete moving: (5|200) times the same$
OUT	^complete int80: (5|200) times the same$

NAME	the number of each system call equals strace's count
CORE
NEEDS	root tp_btf strace quick
RUN	samecount -n 20
OUT	^samecount: [1-9][0-9]* system calls as strace counts them$

NAME	the number of each system call equals strace's count in a longer run
NEEDS	root tp_btf strace full
TIMEOUT	300
RUN	n=500; [ -z "${DT_LARGE:-}" ] || n=5000; samecount -n $n
OUT	^samecount: [1-9][0-9]* system calls as strace counts them$
