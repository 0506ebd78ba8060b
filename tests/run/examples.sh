#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs the examples on stdin, a line each, as they stand; tells each before it
# runs, so that one which does not end is the last that was told.  Each has to
# be status 0, and to leave what the first argument says:
#
#	output	something on stdout
#	ledger	the ledger on stderr
#	any	one of them
#
# What traces the whole machine needs something that happens on it: one
# process starts another, again and again, until the examples are over.

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
