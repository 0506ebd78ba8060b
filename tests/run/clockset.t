# SPDX-License-Identifier: ISC
# The clock is set forward and back by hours during a recording.  Guests only,
# because the test may not change the host's clock.

NAME	an event has the time that the clock showed when it happened
NEEDS	root tp_btf guest
RUN	clockset live
OUT	^ordered: 6 times, a new event after [0-9.]+ ms at most$
OUT	^live: 6 times, a new event after [0-9.]+ ms at most$

NAME	times in a recording and its report are the clock's at the time, too
NEEDS	root tp_btf guest
RUN	dt record -o f syscall:getppid:entry -- clockset hits h &&
	dt report -j f >j && clockset compare h j
OUT	^compare: 12 events$
