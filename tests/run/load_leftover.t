# SPDX-License-Identifier: ISC
# Leftovers in the kernel and in the daemon: ids of programs, maps and links,
# descriptors.

NAME	sessions leave nothing however they end, and attach only while recording
CORE
NEEDS	root tp_btf perf_event quick
TIMEOUT	600
RUN	n=2; [ -z "${DT_LARGE:-}" ] || n=100; leftover closed -r $n
OUT	^stopped: [0-9]+ programs, [0-9]+ maps, 0 links,
OUT	^leftover closed: nothing$

NAME	a daemon that ends leaves nothing, and clients are notified
CORE
NEEDS	root tp_btf perf_event quick
RUN	leftover ended
OUT	^leftover ended: nothing$

NAME	a daemon killed by kill -9 leaves nothing
NEEDS	root tp_btf perf_event
RUN	leftover killed
OUT	^leftover killed: nothing$

NAME	a private daemon ends with its killed client and leaves nothing
NEEDS	root tp_btf perf_event
RUN	leftover private
OUT	^leftover private: nothing$
