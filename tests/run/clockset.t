# SPDX-License-Identifier: ISC
# The clock is set forward and back by hours while somebody records.  In guests
# only: a machine's clock is not ours.

NAME	events have the time of the clock as it was when they were
NEEDS	root tp_btf guest
RUN	clockset live
OUT	^ordered: 6 times, a new event after [0-9.]+ ms at most$
OUT	^live: 6 times, a new event after [0-9.]+ ms at most$

NAME	so they have in a recording and its report
NEEDS	root tp_btf guest
RUN	dt record -o f syscall:getppid:entry -- clockset hits h &&
	dt report -j f >j && clockset compare h j
OUT	^compare: 12 events$
