# SPDX-License-Identifier: ISC
# The usdt provider: static probes of user programs.

NAME	static probes are listed and found by glob; wrong names are reported
CORE
NEEDS	root uprobe
RUN	dt list usdt:called usdt:called:called:m* 'usdt:called:*:plain'
EXPECT	usdt:called:called:leaf usdt:called:called:ten
	usdt:called:called:mark usdt:called:called:plain
	usdt:called:called:mark usdt:called:called:plain
RUN	dt list usdt:called:called:marc
STATUS	1
ERR	^dt: usdt:called:called:marc: called has no static probe
RUN	dt list usdt:sleep:x:y
STATUS	1
ERR	sleep has no static probe

NAME	arguments and semaphores: the program sees that its probe is enabled
CORE
NEEDS	root uprobe
RUN	dt record usdt:called:called:mark -- called marks 2;
	until called marks 1 | grep 'semaphore 0'; do sleep 0.1; done # dt does not wait for the detach
OUT	usdt:called:called:mark\(arg0=0, arg1=0?x?[0-9a-f]+\)$
OUT	usdt:called:called:mark\(arg0=-1, arg1=0?x?[0-9a-f]+\)$
OUT	^semaphore 1$
OUT	^semaphore 0$
ERR	^dt: 2 events, none lost$

NAME	up to twelve arguments are recorded, and used by conditions, keys and sums
CORE
NEEDS	root uprobe quick
RUN	dt record usdt:called:called:ten uprobe:called:called_many:entry -- called many 2;
	dt list -v usdt:called:called:ten; dt record --slower 0ns \
	uprobe:called:called_many -- called many 1; dt stat \
	--if 'arg5 == 5 && arg0 == -1' usdt:called:called:ten -- called many 9
OUT	called_many\(a=1, b=2, c=3, d=4, e=5, f=6, g=-7, h=8796093022208, i=9\)$
OUT	ten\(arg0=0, arg1=1, arg2=2, arg3=3, arg4=0x4, arg5=5, arg6=6, arg7=0x7, arg8=-8, arg9=-3\)$
OUT	ten\(arg0=-1, arg1=1, .*, arg8=-8, arg9=-3\)$
OUT	^usdt:called:called:ten \(.* arg0, .* short arg9\)$
OUT	called_many\(a=1, b=2, c=3, d=4, e=5, f=6.*\) = [0-9]+ <
OUT	^ +1 .* usdt:called:called:ten$
RUN	dt list -v uprobe:called:called_most:entry;
	dt record --if 'l == -13' uprobe:called:called_most:entry -- called many 3;
	dt stat --by none --sum l uprobe:called:called_most:entry -- called many 2
OUT	^uprobe:called:called_most:entry \(int a, .*, int i, int j, char k, short.* l\)$
OUT	called_most\(a=1, .*, i=9, j=-10, k=11, l=-13\)$
OUT	^ +2 .* -25 
RUN	dt stat --if 'arg8 == -8 && arg9 == -3' usdt:called:called:ten -- called many 8;
	dt stat --if 'arg8 != -8' usdt:called:called:ten -- called many 7;
	dt record --if 'i == 11' uprobe:called:called_many:entry -- called many 9;
	dt stat --by g,i --if 'h == 8796093022208' uprobe:called:called_many:entry \
	-- called many 2; dt stat --by none --sum i uprobe:called:called_many:entry \
	-- called many 4; dt stat --if 'text == "third"' \
	uprobe:called:called_eight:entry -- called many 31
OUT	^ +8 .* usdt:called:called:ten$
OUT	called_many\(a=1, b=2, c=3, d=4, e=5, f=6, g=-7, h=8796093022208, i=11\)$
OUT	^ +1 .* -7 +9$
OUT	^ +1 .* -7 +10$
OUT	^ +4 .* 42 
OUT	^ +11 .* uprobe:called:called_eight:entry$
ERR	^dt: 0 events

NAME	pairs and recorded texts have all arguments, not only the first six
CORE
NEEDS	root uprobe tp_btf
RUN	dt record --slower 0ns uprobe:called:called_many -- called many 2;
	dt record --from uprobe:called:called_many:entry \
	--to uprobe:called:called_eight:entry --key tid -- called many 3;
	dt record --from usdt:called:called:ten --to syscall:exit_group:entry \
	--key pid -- called many 4
OUT	called_many\(a=1, .*, f=6, g=-7, h=8796093022208, i=10\) = [0-9]+ <
OUT	called_many\(a=1, .*, f=6, g=-7, h=8796093022208, i=11\) -> .*called_eight
OUT	ten\(arg0=-3, arg1=1, .*, arg7=0x7, arg8=-8, arg9=-3\) -> .*exit_group
RUN	dt record uprobe:called:called_eight:entry -- called many 1;
	dt record --str address uprobe:called:called_eight:entry -- called many 2;
	dt record --from uprobe:called:called_eight:entry \
	--to syscall:exit_group:entry --key pid -- called many 4
OUT	called_eight\(a=1, .*, f=6, text="third", address=[0-9]+\)$
OUT	called_eight\(a=1, .*, f=6, text="other", address="other"\)$
OUT	called_eight\(.*, text="third", address=[0-9]+\) -> .*exit_group
RUN	dt stat --slower 0ns --by g,i --sum h uprobe:called:called_many -- \
	called many 2; dt stat --by arg8 --from usdt:called:called:ten \
	--to uprobe:called:called_many:entry --key tid -- called many 6
OUT	^ +1 .* -7 +9$
OUT	^ +1 .* -7 +10$
OUT	^ +5 .* -8$

NAME	counts and conditions of static probes
NEEDS	root uprobe
RUN	dt stat 'usdt:called:called:*' -- called marks 1000
OUT	^ +1000 .* usdt:called:called:mark$
OUT	^ +1000 .* usdt:called:called:plain$
RUN	dt stat --if 'arg0 == -3' usdt:called:called:mark -- called marks 10
OUT	^ +1 .* usdt:called:called:mark$

# One that knows no semaphore is probed at the place of mark, so the kernel
# refuses another probe there that has one.
NAME	a place that the kernel refuses is left out and named; alone it is an error
CORE
NEEDS	root uprobe objcopy
RUN	p=$(command -v called); at=$(readelf -n "$p" |
	sed -n '/Name: mark/{n;s/.*Location: \(0x[0-9a-f]*\),.*/\1/p;}');
	echo 'dt record "usdt:$1:called:*" -- "$1" marks 2;
	dt stat "usdt:$1:called:*" -- "$1" marks 50;
	dt record "usdt:$1:called:mark" -- "$1" marks 1; echo "alone $?"' >inner;
	dt stat "uprobe:$p:$at" -- sh inner "$p"
OUT	^ *[0-9.:]* .*usdt:called:called:plain\(arg0=0, arg1=0x[0-9a-f]+\)$
OUT	^ +50 .* usdt:called:called:plain$
OUT	^alone 1$
NOOUT	usdt:called:called:mark
ERR	^dt: 1 probe cannot be enabled: the kernel refuses a breakpoint there, as if another tracer had one with a different semaphore: usdt:called:called:mark$
ERR	^dt: 2 events, none lost$
ERR	^dt: 50 events, none lost$
ERR	^dt: recording: cannot attach usdt:called:called:mark: the kernel refuses a breakpoint there
