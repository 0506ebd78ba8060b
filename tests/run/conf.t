# SPDX-License-Identifier: ISC
# Configuration files: how mistakes are reported, and which file is read.

NAME	each mistake is reported with line, column and the nearest valid word
RUN	printf '# one\nallowdt = perhaps\n\tring-bytes =  1T # x\nring-bytes=-1\n' >c;
	printf 'directory = here\nnosuch = 1\nring-byts = 1M\n allowdt\nring-bytes =\n' >>c;
	dtd -n -c c
STATUS	1
ERR	^dtd: c:2:11: allowdt requires yes or no, not 'perhaps'$
ERR	^dtd: c:3:16: ring-bytes requires .*, not '1T'$
ERR	^dtd: c:4:12: ring-bytes requires .*, not '-1'$
ERR	^dtd: c:5:13: directory requires an absolute path.*, not 'here'$
ERR	^dtd: c:6:1: unknown setting 'nosuch'$
ERR	^dtd: c:7:1: unknown setting 'ring-byts'; did you mean ring-bytes\?$
ERR	^dtd: c:8:2: expected 'key = value'$
ERR	^dtd: c:9:13: ring-bytes requires .*, not ''$

NAME	a line that is too long is reported, and later lines are read
RUN	{ printf 'allowdt = %600s\n' yes; echo 'nosuch = 1'; } >c; dtd -n -c c
STATUS	1
ERR	^dtd: c:1:511: line is longer than 510 characters$
ERR	^dtd: c:2:1: unknown setting 'nosuch'$

NAME	a zero byte is reported with its position, too
RUN	printf 'allowdt = yes\nallow\0dt = no\n' >c; dtd -n -c c
STATUS	1
ERR	^dtd: c:2:6: a zero byte: the rest is not read$

NAME	dtd does not start with a mistake in its configuration
RUN	echo 'allowdt = perhaps' >c; dtd -c c
STATUS	1
ERR	^dtd: c:1:11: allowdt requires

NAME	the example has no mistake, with or without its comment signs
RUN	dtd -n -c $S/systemd/dtd.conf && sed -n 's/^#\([a-z-]* = \)/\1/p' \
	$S/systemd/dtd.conf >c && dtd -n -c c && grep -c = c
OUT	^[1-9][0-9]*$

NAME	without -c the system's file is read, if it exists
NEEDS	root mounts unshare
RUN	unshare -m sh -c 'mount -t tmpfs none /etc && dtd -n && echo none;
	mkdir /etc/dt; echo "nosuch = 1" >/etc/dt/dtd.conf; dtd -n || echo one;
	dtd -n -c /dev/null && echo other' 2>&1
OUT	^none$
OUT	^dtd: /etc/dt/dtd.conf:1:1: unknown setting
OUT	^one$
OUT	^other$
