#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs the examples on stdin, one per line, unchanged; prints each before it
# runs, so the last one printed is the one that hangs.  Each must return status
# 0, and print what the first argument names:
#
#	output	a text on stdout
#	ledger	the ledger on stderr
#	any	one of them
#
# Examples that trace the whole machine need events: one process starts another
# repeatedly, until the examples are over.

while sleep 0.05; do :; done &
activity=$!
trap 'kill $activity' EXIT

left() {
	case $1 in
	output)	[ -s o ] ;;
	ledger)	grep -q '^dt: [0-9]* event' err ;;
	any)	left output || left ledger ;;
	esac
}

n=0
while read -r example; do
	n=$((n + 1))
	echo "$example"
	sh -c "$example" >o 2>err </dev/null || {
		echo "WRONG: status $?"
		cat err
	}
	left "$1" || {
		echo "WRONG: no $1"
		cat err
	}
done
[ $n -gt 0 ] || echo "WRONG: no examples"
