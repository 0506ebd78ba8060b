# SPDX-License-Identifier: ISC
# What stays in the kernel, and in the daemon: ids of programs, maps and
# links, descriptors.

NAME	opens that end in every way leave nothing, and none recording attaches
	nothing
CORE
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	n=2; [ -z "${DT_FULL:-}" ] || n=100; leftover closed -r $n
OUT	^stopped: [0-9]+ programs, [0-9]+ maps, 0 links,
OUT	^leftover closed: nothing$

NAME	after the daemon ended nothing at all is left, and clients are told
CORE
NEEDS	root tp_btf perf_event
RUN	leftover ended
OUT	^leftover ended: nothing$

NAME	the same after kill -9 of the daemon
NEEDS	root tp_btf perf_event
RUN	leftover killed
OUT	^leftover killed: nothing$

NAME	a private daemon ends with its client's kill -9, and nothing is left
NEEDS	root tp_btf perf_event
RUN	leftover private
OUT	^leftover private: nothing$
