# SPDX-License-Identifier: ISC
# profile: samples show where time went, measured by the program's own clock.

NAME	samples times period equal the CPU time of a busy thread
NEEDS	root perf_event full
TIMEOUT	300
RUN	n=8000; [ -z "${DT_LARGE:-}" ] || n=100000; shares clock -n $n
OUT	^CPU time, us: [0-9]+, should be [0-9]+: [-+][01]\.[0-9]+ %$
OUT	^shares clock: as they are$

NAME	three functions have shares of samples equal to their CPU time
NEEDS	root perf_event full
TIMEOUT	300
RUN	n=20000; [ -z "${DT_LARGE:-}" ] || n=100000; shares ratio -n $n
OUT	^shares ratio: as they are$

NAME	a short run has about the same shares, by the first user stack address
NEEDS	root perf_event full
RUN	shares clock -n 1000 -f 500 -e 30 && shares ratio -n 1000 -f 500 -e 30
OUT	^shares clock: as they are$
OUT	^shares ratio: as they are$
