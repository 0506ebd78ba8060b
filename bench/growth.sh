#!/bin/sh
# SPDX-License-Identifier: ISC
# Measures cost and rate by the number of sessions and probes, and by the size of
# records.  Run as root:
#
#	bench/growth.sh [-q]
#
# Writes growth.tsv, growth.txt (a table) and growth.svg (curves) to $B; the
# table is also printed.  -q only checks that everything works.  Takes two
# minutes; run on an idle machine.
set -u

B=${B:-build}
export B
quick=${1:-}
case $quick in
''|-q) ;;
*) echo "usage: bench/growth.sh [-q]" >&2; exit 2 ;;
esac
here=$(dirname "$0")

[ "$(id -u)" -eq 0 ] || { echo "growth: needs root" >&2; exit 2; }
command -v gnuplot >/dev/null || {
	echo "growth: gnuplot is missing (./deps.sh bench)" >&2
	exit 2
}
tsv=$B/growth.tsv
load=$(cut -d' ' -f1-3 /proc/loadavg)
: >"$tsv"
for prog in growth_opens growth_probes growth_size; do
	[ ! -t 2 ] || printf '\rmeasuring: %-14s' "$prog" >&2
	"$B/bench/$prog" $quick >>"$tsv" || {
		echo "growth: $prog failed" >&2
		exit 2
	}
done
[ ! -t 2 ] || printf '\r%-28s\r' '' >&2
load="$load; $(cut -d' ' -f1-3 /proc/loadavg)"

about="Linux $(uname -r), $(nproc) CPUs, $(date -u +%Y-%m-%d)"
gnuplot -e "tsv='$tsv'; svg='$B/growth.svg'; about='$about'" \
    "$here/growth.gp" || exit 2
awk -v about="$about" -v load="$load" -v quick="$quick" \
    -f "$here/growth.awk" "$tsv" >"$B/growth.txt" || exit 2
cat "$B/growth.txt"
