# SPDX-License-Identifier: ISC
# Clocks and CPUs: all time of each clock is accounted for, by another clock;
# CPUs come and go, and nothing is lost.

NAME	profile accounts for all time: no load, CPUs busy, ticks that vanish
NEEDS	root perf_event
RUN	clocks none && clocks busy && clocks update
OUT	^clocks none: all time is accounted for$
OUT	^clocks busy: all time is accounted for$
OUT	^clocks update: all time is accounted for$

NAME	profile ticks on while the daemon is stopped
NEEDS	root perf_event
RUN	clocks stop
OUT	^stop: .* [0-9]+ skipped
OUT	^clocks stop: all time is accounted for$

NAME	profile at its highest rate accounts for all time
NEEDS	root perf_event full
RUN	clocks none -p 200 && clocks busy -p 200 && clocks update -p 200
OUT	^clocks update: all time is accounted for$

NAME	interval accounts for all time: no load, CPUs busy, at two rates
NEEDS	root full
RUN	clocks none -i && clocks busy -i && clocks busy -i -p 200
OUT	^clocks none: all time is accounted for$
OUT	^clocks busy: all time is accounted for$

NAME	periods of interval that pass while the daemon is stopped are skipped
CORE
NEEDS	root
RUN	clocks stop -i
OUT	^clocks stop: all time is accounted for$

NAME	a CPU that comes back ticks again, and the time without it is no loss
CORE
NEEDS	root perf_event hotplug
TIMEOUT	60
RUN	hotplug profile
OUT	^hotplug profile: nothing is lost$

NAME	a CPU that was offline at the start ticks when it comes
CORE
NEEDS	root perf_event hotplug
RUN	hotplug late
OUT	^hotplug late: nothing is lost$

NAME	system calls are all recorded while a CPU comes and goes
CORE
NEEDS	root tp_btf hotplug
TIMEOUT	60
RUN	hotplug calls
OUT	^hotplug calls: nothing is lost$

NAME	what is in the ring of a CPU that goes arrives
CORE
NEEDS	root tp_btf hotplug
RUN	hotplug ring
OUT	^hotplug ring: nothing is lost$

NAME	interval goes on when its CPU goes offline
CORE
NEEDS	root hotplug
RUN	hotplug interval
OUT	^hotplug interval: nothing is lost$

NAME	CPUs that change while recordings start and end, and messages lost
NEEDS	root perf_event full
TIMEOUT	60
RUN	hotplug told
OUT	^hotplug told: nothing is lost$

NAME	who is not the kernel does not make CPUs change
CORE
NEEDS	root
RUN	hotplug forged
OUT	^hotplug forged: nothing is lost$
