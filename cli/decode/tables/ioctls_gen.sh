#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Prints the table of ioctl numbers, for the maintainer to commit:
#
#	cli/decode/tables/ioctls_gen.sh > cli/decode/tables/ioctls.h
#
# It asks the compiler what each macro of the kernel's headers for programs
# is, where it is made by _IO() and its like; and of the numbers that are
# older than these, those in the headers named below.  It isn't part of a
# build.  DRM is the folder of libdrm's headers, where the kernel's of graphics
# cards are; without them their names are missing.  CC may be a cross compiler: the numbers of x86_64 and aarch64 are
# the same but for a few that have a struct with other sizes in them.
# Headers that can't be compiled alone are told on stderr and left out.

set -eu
export LC_ALL=C

cc=${CC:-cc}
include=${INCLUDE:-/usr/include}
drm=${DRM:-$include/libdrm}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Old numbers: header, their second byte, and the beginnings of names.
old="asm-generic/ioctls.h 54 T[A-Z]|FIO
asm-generic/sockios.h 89 SIOC|FIO
linux/sockios.h 89 SIOC
linux/wireless.h 8B SIOC
linux/kd.h 4B K|GIO_|PIO_
linux/vt.h 56 VT_
linux/cdrom.h 53 CDROM|DVD_
linux/hdreg.h 03 HDIO_
linux/lp.h 06 LP
linux/loop.h 4C LOOP_
linux/i2c-dev.h 07 I2C_
scsi/sg.h 22 SG_(EMUL|SET_|GET_|NEXT_|SCSI_RESET|IO$)
linux/fb.h 46 FBIO
scsi/scsi.h 53 SCSI_IOCTL_
scsi/scsi_ioctl.h 53 SCSI_IOCTL_"

# Names of macros that are requests and not just another name of one, of a header that is in $tmp/macros:
# their own text, or that of a macro they are made of, has _IO in it.
requests()
{
	awk -v old="${1#* }" '
	/^#define [A-Za-z_][A-Za-z_0-9]* / {
		text[$2] = substr($0, length($1) + length($2) + 3)
	}
	/^#define [A-Za-z_][A-Za-z_0-9]*\(/ {
		name = $2
		sub(/\(.*/, "", name)
		func_[name] = $0
		sub(/^[^)]*\)/, "", func_[name])
	}
	function made(t, depth,	word, rest) {
		if (t ~ /(^|[^A-Za-z0-9_])_(IO|IOR|IOW|IOWR|IOC|SIO|SIOR|SIOW|SIOWR|IOR_BAD|IOW_BAD|IOWR_BAD)[ \t]*\(/)
			return 1
		if (depth > 3)
			return 0
		for (rest = t; match(rest, /[A-Za-z_][A-Za-z_0-9]*/); ) {
			word = substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			if (word in func_ && made(func_[word], depth + 1))
				return 1
			if (depth == 0 && word in text && word != t &&
			    made(text[word], depth + 1))
				return 1
		}
		return 0
	}
	END {
		for (name in text)
			if (name !~ /^_/ && !(text[name] in text) &&
			    (made(text[name], 0) ||
			    (old != "" && name ~ "^(" old ")")))
				print name
	}' "$tmp/macros"
}

# The headers' own types need these; tty's structs come with <asm/termbits.h>.
prelude='#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <linux/types.h>
#include <linux/major.h>
#include <linux/ioctl.h>
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <linux/socket.h>
#include <linux/time_types.h>
#include <linux/atm.h>
#include <linux/atmapi.h>
#include <linux/atmioc.h>
#include <linux/blktrace_api.h>
#include <linux/fiemap.h>
#include <linux/filter.h>
#include <linux/serial.h>
#include <linux/videodev2.h>
'

: > "$tmp/all"
(cd "$include" && find -L linux asm-generic scsi sound rdma misc mtd xen \
    video -name '*.h' 2>/dev/null | sort) > "$tmp/headers"
[ ! -d "$drm" ] || (cd "$drm" && find . -name '*drm.h') | sed 's|^\./||' |
    sort >> "$tmp/headers"
while read -r header; do
	case $header in
	linux/libc-compat.h) continue ;;
	esac
	printf '%s#include <%s>\n' "$prelude" "$header" > "$tmp/in.c"
	if ! $cc -I"$drm" -E -dM "$tmp/in.c" > "$tmp/macros" 2> /dev/null; then
		echo "${0##*/}: $header: not understood" >&2
		continue
	fi
	$cc -I"$drm" -E -dD "$tmp/in.c" 2> /dev/null | awk -v want="/$header\"" '
	/^# [0-9]+ "/ { here = (index($3, want) > 0) }
	here && /^#define / { print $2 }' | sed 's/(.*//' | sort -u \
	    > "$tmp/own"
	row=$(echo "$old" | sed -n "s|^$header ||p")
	requests "$row" | sort -u | comm -12 - "$tmp/own" > "$tmp/names"
	[ -s "$tmp/names" ] || continue
	# A macro that is no constant (its struct is missing) drops out alone.
	{
		printf '#include <stdio.h>\n%s#include <%s>\nint main(void){\n' \
		    "$prelude" "$header"
		while read -r name; do
			printf 'printf("%%u %s\\n",(unsigned)(%s));\n' \
			    "$name" "$name"
		done < "$tmp/names"
		echo 'return 0;}'
	} > "$tmp/out.c"
	while ! $cc -I"$drm" -w -o "$tmp/out" "$tmp/out.c" 2> "$tmp/err"; do
		bad=$(sed -n 's/^.*out\.c:\([0-9]*\):[0-9]*: error.*/\1d/p' \
		    "$tmp/err" | sort -u)
		if [ -z "$bad" ]; then
			bad=none
			break
		fi
		for line in ${bad}; do
			sed -n "${line%d}s/.*%u \\([A-Za-z0-9_]*\\).*/\\1/p" \
			    "$tmp/out.c"
		done | sed "s|^|${0##*/}: $header: no number: |" >&2
		printf '%s\n' "$bad" | sed -i -f - "$tmp/out.c"
	done
	if [ "${bad:-}" = none ]; then
		echo "${0##*/}: $header: does not compile alone" >&2
		bad=
		continue
	fi
	# Requests of old headers are in their range, or made by _IO().
	"$tmp/out" | awk -v range="${row%% *}" '
	$1 >= 65536 || range == "" ||
	    toupper(sprintf("%02x", int($1 / 256))) == range' >> "$tmp/all"
done < "$tmp/headers"

# What is only a part of a number, or a border of some.
grep -v -E ' (.*_(MAGIC|MASK|FIRST|LAST|MAX|MIN)|SIOCIW.*|SIOCGSTAMP(NS)?)$' \
    "$tmp/all" | sort -u | sort -k1,1n -k2,2 > "$tmp/sorted"

release=$(awk '$2 == "LINUX_VERSION_CODE" {
	printf("%d.%d\n", $3 / 65536, $3 / 256 % 256) }' \
    "$include/linux/version.h")
cat << END
/* SPDX-License-Identifier: ISC */
/*
 * Names of ioctl requests by number: generated by cli/decode/tables/ioctls_gen.sh from
 * the headers of Linux $release, not to be edited.  Sorted by number, then by
 * name.  Included inside of an initializer; the includer defines
 * I(number, name).
 */
/* clang-format off */
END
awk '{ printf("I(0x%08x, \"%s\")\n", $1, $2) }' "$tmp/sorted"
