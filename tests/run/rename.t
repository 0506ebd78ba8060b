# SPDX-License-Identifier: ISC
# Threads that change their name, and processes that execute another program.

NAME	each event has the name that its thread had at the hit
CORE
NEEDS	root tp_btf
RUN	rename names
OUT	^names: fired 2000, read 2000, dropped 0, recursed 0$

NAME	a filter by name applies a changed name at once
CORE
NEEDS	root tp_btf
RUN	rename filter
OUT	^filter: fired 500, read 500, dropped 0, recursed 0$

NAME	a filter by process survives exec, also by another thread
NEEDS	root tp_btf
RUN	rename exec
OUT	^exec: fired 80, read 80, dropped 0, recursed 0$
OUT	^exec by a thread: fired 80, read 80, dropped 0, recursed 0$
