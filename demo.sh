#!/bin/sh
# SPDX-License-Identifier: ISC
# Shows what dt reports about a real workload: a search through the system's
# header files.  Called by `make demo` with the folder of the programs.
set -eu
b=$1
workload="grep -rlF printf /usr/include"

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || {
		echo "demo.sh: tracing a machine takes root, or sudo" >&2
		exit 1
	}
	as_root=sudo
fi

# Shows a command as one would type it, then runs it; the workload's own
# output is of no interest here.
show() {
	printf '\n$ dt'
	for word in "$@"; do
		case $word in
		*[*]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	out=$(mktemp)
	$as_root "$b/dt" "$@" >"$out"
	grep -v '^/usr/include/' "$out" || :
	rm -f "$out"
}

echo "What does \"$workload\" do?"
echo
echo "1. Its busiest system calls"
show stat 'syscall:*:entry' -- $workload
echo
echo "2. Some of them, line by line"
show record -n 12 'syscall:openat:*' 'syscall:read:*' 'syscall:close:*' \
    -- $workload
echo
echo "3. Where the time goes: functions, and the calls that lead to them"
show profile -F 997 --top 5 -- $workload
