# SPDX-License-Identifier: ISC
# Profile: the samples show where the time went, by the program's own clock.

NAME	samples times period are the CPU time of a busy thread
NEEDS	root perf_event
TIMEOUT	300
RUN	n=20000; [ -z "${DT_FULL:-}" ] || n=100000; shares clock -n $n
OUT	^CPU time, us: [0-9]+, should be [0-9]+: [-+][01]\.[0-9]+ %$
OUT	^shares clock: as they are$

NAME	three functions have the parts of the samples that they have of the CPU time
NEEDS	root perf_event full
TIMEOUT	300
RUN	n=20000; [ -z "${DT_FULL:-}" ] || n=100000; shares ratio -n $n
OUT	^shares ratio: as they are$

NAME	the same, roughly, and by the first address of the user stack
NEEDS	root perf_event full
RUN	shares clock -n 1000 -f 500 -e 30 && shares ratio -n 1000 -f 500 -e 30
OUT	^shares clock: as they are$
OUT	^shares ratio: as they are$
