# SPDX-License-Identifier: ISC
# Hits that the kernel counts by key, in place of events.

NAME	threads on all CPUs are counted exactly, through any number of snapshots
CORE
NEEDS	root tp_btf
RUN	aggs exact -n 20000 -s 10
STATUS	0
OUT	^aggs exact: exact$

NAME	100 million calls in a thousand snapshots are counted exactly
NEEDS	root tp_btf full
RUN	aggs exact -n 25000000 -t 4 -s 1000
STATUS	0
OUT	^aggs exact: exact$

NAME	hits whose key does not fit are counted apart
CORE
NEEDS	root tp_btf
RUN	aggs full -n 20000 -s 10 -r 1; aggs full -n 20000 -s 10 -r 3
STATUS	0
OUT	^aggs full: exact$

NAME	sums, extremes and buckets of all kinds are those of the values
CORE
NEEDS	root tp_btf
RUN	aggs values
STATUS	0
OUT	^aggs values: exact$

NAME	clients that count are killed, and the others' counts are exact
CORE
NEEDS	root tp_btf
RUN	aggs kill -n 20000 -s 10
STATUS	0
OUT	^aggs kill: exact$
