#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Prints the table of system calls of an architecture, for the maintainer to
# commit:
#
#	daemon/kernel/tables/syscalls_gen.sh x86_64 > daemon/kernel/tables/syscalls_x86_64.h
#	daemon/kernel/tables/syscalls_gen.sh aarch64 > daemon/kernel/tables/syscalls_aarch64.h
#	daemon/kernel/tables/syscalls_gen.sh i386 > daemon/kernel/tables/syscalls_i386.h
#	daemon/kernel/tables/syscalls_gen.sh arm > daemon/kernel/tables/syscalls_arm.h
#
# The last two, of 32 bits, on x86_64: the metadata knows 64-bit calls only,
# and of those x86_64 has more that 32-bit programs have, too.
#
# Names and numbers are libseccomp's, arguments those that the running kernel
# tells in tracefs, the rest is in syscalls_extra.txt.  It isn't part of a
# build: it needs root, tracefs, libseccomp's headers, and a kernel as new as
# the table.  A call about which it knows too little ends it with status 1;
# no row is guessed or left out.  Differences between the kernel and
# syscalls_extra.txt are told on stderr; the kernel's word counts.

set -eu
export LC_ALL=C			# the order of files is that of their bytes

host=$(uname -m)
arch=${1:-$host}
tracefs=${TRACEFS:-/sys/kernel/tracing}
extra=$(dirname "$0")/syscalls_extra.txt

case $arch in
x86_64)		token=SCMP_ARCH_X86_64 ;;
aarch64)	token=SCMP_ARCH_AARCH64 ;;
i386)		token=SCMP_ARCH_X86 ;;
arm)		token=SCMP_ARCH_ARM ;;
*)		echo "usage: ${0##*/} [x86_64 | aarch64 | i386 | arm]" >&2; exit 1 ;;
esac
bits=64
case $arch in
i386 | arm)	bits=32 ;;
esac
if [ ! -r "$tracefs/events/syscalls/sys_enter_read/format" ]; then
	echo "${0##*/}: $tracefs/events/syscalls: not readable;" \
	    "as root, mount -t tracefs nodev $tracefs" >&2
	exit 1
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# scmp_sys_resolver answers one number a run, and is a package of its own.
cat > "$tmp/names.c" <<'EOF'
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>

int
main(void)
{
	char *name;
	int nr;

	/* Pseudo numbers are negative, private ones of arm above. */
	for (nr = 0; nr < 4096; nr++) {
		name = seccomp_syscall_resolve_num_arch(TOKEN, nr);
		if (name != NULL)
			printf("%d %s\n", nr, name);
		free(name);
	}
	return 0;
}
EOF
${CC:-cc} -DTOKEN="$token" -o "$tmp/names" "$tmp/names.c" -lseccomp
"$tmp/names" > "$tmp/names.txt"

# Three kinds of input, told apart by "what".  The table goes to a file first:
# it is printed whole or not at all.
release=$(uname -r)
awk -v arch="$arch" -v bits="$bits" -v host="$host" \
    -v release="${release%%-*}" '
function fail(msg)
{
	printf("syscalls_gen.sh: %s\n", msg) > "/dev/stderr"
	failed = 1
}

function trim(s)
{
	sub(/^[ \t]+/, "", s)
	sub(/[ \t]+$/, "", s)
	return s
}

# The last word of an argument is its name, what is before it the type.
function argname(s)
{
	sub(/^.*[ \t]/, "", s)
	return s
}

function argtype(s)
{
	sub(/[ \t]+[^ \t]+$/, "", s)
	return s
}

# libseccomp and the supplement may both know a number.
function addnumber(nr, name)
{
	if (nr > last)
		return
	if (nr in names && names[nr] != name)
		fail(nr ": " names[nr] " and " name)
	else if (name in numbers && numbers[name] != nr)
		fail(name ": " numbers[name] " and " nr)
	names[nr] = name
	numbers[name] = nr
}

# The name that the metadata has for a call.
function metaname(name,	base)
{
	if (name in alias && alias[name] in kernel)
		return alias[name]
	base = name
	if (bits == 32 && !(name in kernel))
		sub(/(_time64|64|32)$/, "", base)
	return base in kernel ? base : name
}

# The arguments of a 64-bit call as those of the 32-bit call nr.
function narrow(nr, a)
{
	if (nr < time64) {
		gsub(/struct __kernel_timespec /, "struct old_timespec32 ", a)
		gsub(/struct __kernel_itimerspec /,
		    "struct old_itimerspec32 ", a)
		gsub(/struct __kernel_old_timeval /, "struct old_timeval32 ", a)
		gsub(/struct __kernel_old_itimerval /,
		    "struct old_itimerval32 ", a)
		gsub(/struct __kernel_timex /, "struct old_timex32 ", a)
		gsub(/__kernel_old_time_t /, "old_time32_t ", a)
	}
	a = ", " a
	gsub(/, long /, ", compat_long_t ", a)
	gsub(/, off_t /, ", compat_off_t ", a)
	if (a ~ /, (const )?(loff_t|__?[su]64|[su]64|time_t|ssize_t) [^*]/)
		fail(nr ": 64 bits are two arguments (" a ")")
	return substr(a, 3)
}

# Arguments of a call, separated by ", ".
function args(nr, name,	meta, own, a)
{
	meta = metaname(name)
	own = (name in archargs)
	if (own || name in anyargs)
		a = own ? archargs[name] : anyargs[name]
	else if (!(meta in kernel))
		fail(name ": no metadata in this kernel, no supplement")
	if (!(meta in kernel) || (own && arch != host))
		return a
	used[meta] = 1
	if ((own || name in anyargs) && a != kernel[meta])
		printf("syscalls_gen.sh: %s: kernel (%s), supplement (%s)\n",
		    name, kernel[meta], a) > "/dev/stderr"
	return bits == 32 ? narrow(nr, kernel[meta]) : kernel[meta]
}

function ispath(call, type, name)
{
	if (type != "const char *" && type != "char *")
		return 0
	if ((call, name) in path) {
		wanted[call, name] = 1
		return 1
	}
	return ("*", name) in path
}

function row(nr, name,	a, n, i, s, type, arg)
{
	a = args(nr, name)
	n = split(a, list, /, /)
	if (n > 6)
		fail(name ": " n " arguments")
	for (i = 1; i <= n; i++) {
		type = argtype(list[i])
		arg = argname(list[i])
		s = s (i > 1 ? ", " : "") \
		    (ispath(name, type, arg) ? "P" : "A") \
		    "(\"" type "\", \"" arg "\")"
	}
	printf("[%d] = { \"%s\", %d, { %s } },\n", nr, name, n,
	    n > 0 ? s : "NOARGS")
}

BEGIN { last = -1 }

what == "extra" && (/^#/ || NF == 0) { next }
what == "extra" && $1 == "last" { last = $2 + 0; next }
what == "extra" && $1 == "path" { path[$2, $3] = 1; next }
what == "extra" && $1 == "time64" { time64 = $2 + 0; next }
what == "extra" && $2 !~ /^(\*|32|64|x86_64|aarch64|i386|arm)$/ {
	fail("supplement, line " FNR ": no architecture")
	next
}
what == "extra" && $2 != "*" && $2 != bits && $2 != arch { next }
what == "extra" && $1 == "number" { addnumber($3 + 0, $4); next }
what == "extra" && $1 == "meta" { alias[$3] = $4; next }
what == "extra" && $1 == "args" {
	name = $3
	own = ($2 == arch || $2 == "32")
	sub(/^args[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
	a = trim($0)
	if (a == "void")
		a = ""
	if (own)
		archargs[name] = a
	else
		anyargs[name] = a
	next
}
what == "extra" { fail("supplement, line " FNR ": not understood"); next }

what == "names" { addnumber($1 + 0, $2); next }

# "	field:const char * filename;	offset:24;	size:8;	signed:0;"
# Kernels from 6.19 add fields of their own (__data_loc) behind the arguments.
/^name: sys_enter_/ {
	call = substr($2, length("sys_enter_") + 1)
	kernel[call] = ""
	next
}
/^\tfield:/ && $0 !~ /[ \t](common_[a-z_]+|__syscall_nr);/ &&
    $0 !~ /^\tfield:__data_loc/ {
	sub(/^\tfield:/, "")
	sub(/;.*/, "")
	kernel[call] = kernel[call] (kernel[call] == "" ? "" : ", ") trim($0)
}

END {
	print "/* SPDX-License-Identifier: ISC */"
	print "/*"
	print " * System calls of " arch ": generated by" \
	    " daemon/kernel/tables/syscalls_gen.sh, not to be"
	print " * edited.  Names and numbers are libseccomp\047s, arguments" \
	    " are from the metadata of"
	print " * Linux " release ", the rest is from" \
	    " daemon/kernel/tables/syscalls_extra.txt.  To check it,"
	print " * as root, with tracefs mounted, on a kernel of that release:"
	print " *"
	print " *	daemon/kernel/tables/syscalls_gen.sh " arch " |"
	print " *	    diff - daemon/kernel/tables/syscalls_" arch ".h"
	print " *"
	print " * tests/unit/test_syscalls.c compares it with the running" \
	    " kernel, row by row."
	print " *"
	print " * Included inside of an initializer.  The includer defines" \
	    " A(type, name) for an"
	print " * argument, P(type, name) for one that is a path, and NOARGS" \
	    " for no argument."
	print " */"
	print "/* clang-format off */"
	split(release, r, /\./)
	print "#define SYSCALLS_RELEASE \"" r[1] "." r[2] "\""
	for (nr = 0; nr <= last; nr++)
		if (nr in names)
			row(nr, names[nr])

	# What was not used is out of date, or a name is misspelt.
	for (k in path) {
		split(k, p, SUBSEP)
		if (p[1] != "*" && p[1] in numbers && !(k in wanted))
			fail("path " p[1] " " p[2] ": no such argument")
	}
	if (arch == host)
		for (k in kernel)
			if (!(k in used))
				fail(k ": the kernel has it, no number here")
	exit failed
}' what=extra "$extra" what=names "$tmp/names.txt" \
    what=format "$tracefs"/events/syscalls/sys_enter_*/format > "$tmp/table"
cat "$tmp/table"
