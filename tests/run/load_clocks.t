# SPDX-License-Identifier: ISC
# Clocks and CPUs: each clock accounts for all time, measured by another clock.
# CPUs go offline and online, and nothing is lost.

NAME	profile accounts for all time: idle, busy, and while ticks are missed
NEEDS	root perf_event full
RUN	clocks none && clocks busy && clocks update
OUT	^clocks none: all time is accounted for$
OUT	^clocks busy: all time is accounted for$
OUT	^clocks update: all time is accounted for$

NAME	profile keeps ticking while the daemon is stopped
NEEDS	root perf_event
RUN	clocks stop
OUT	^stop: .* [0-9]+ skipped
OUT	^clocks stop: all time is accounted for$

NAME	profile at its highest rate accounts for all time
NEEDS	root perf_event full
RUN	clocks none -p 200 && clocks busy -p 200 && clocks update -p 200
OUT	^clocks update: all time is accounted for$

NAME	interval accounts for all time, idle and busy, at two rates
NEEDS	root full
RUN	clocks none -i && clocks busy -i && clocks busy -i -p 200
OUT	^clocks none: all time is accounted for$
OUT	^clocks busy: all time is accounted for$

NAME	periods of interval that pass while the daemon is stopped are skipped
CORE
NEEDS	root quick
RUN	clocks stop -i
OUT	^clocks stop: all time is accounted for$

NAME	a CPU that comes online again ticks, and its time offline is not a loss
CORE
NEEDS	root perf_event hotplug
TIMEOUT	60
RUN	hotplug profile
OUT	^hotplug profile: nothing is lost$

NAME	a CPU that was offline at the start ticks when it comes online
CORE
NEEDS	root perf_event hotplug
RUN	hotplug late
OUT	^hotplug late: nothing is lost$

NAME	all system calls are recorded while a CPU goes offline and online
CORE
NEEDS	root tp_btf hotplug
TIMEOUT	60
RUN	hotplug calls
OUT	^hotplug calls: nothing is lost$

NAME	records in the ring of a CPU that goes offline arrive
CORE
NEEDS	root tp_btf hotplug
RUN	hotplug ring
OUT	^hotplug ring: nothing is lost$

NAME	interval continues when its CPU goes offline
CORE
NEEDS	root hotplug
RUN	hotplug interval
OUT	^hotplug interval: nothing is lost$

NAME	CPU changes during start and end, and lost notifications, lose nothing
NEEDS	root perf_event full
TIMEOUT	60
RUN	hotplug told
OUT	^hotplug told: nothing is lost$

NAME	notifications not sent by the kernel do not change CPUs
CORE
NEEDS	root
RUN	hotplug forged
OUT	^hotplug forged: nothing is lost$
