# SPDX-License-Identifier: ISC
# What the cases of recipes.t make of dt's JSON and of bpftrace's.

# Entries and returns of an array of events as one object each.
def calls:
	reduce .[] as $e ({ open: {}, done: [] };
		($e.tid | tostring) as $t |
		($e.probe // "" | split(":")[2]) as $what |
		if $what == "entry" then .open[$t] = $e
		elif $what == "return" then .done += [(.open[$t] // {}) * $e]
		else . end) | .done[];

# A histogram as the logarithms of its values, in their order.
def values:
	[.[] | .count as $n |
	    (if (.min // 0) <= 0 then 0 else .min | log2 | floor end) as $b |
	    range($n) | $b] | sort;

# Both looked at the same, one behind the other: a value may be in the next
# bucket, and of those that happen all the time one may be seen by one alone.
def near($a; $b; $missing):
	($a | values) as $x | ($b | values) as $y |
	($x | length) > 0 and
	((($x | length) - ($y | length)) | fabs) <= $missing and
	([range([($x | length), ($y | length)] | min)] |
	    all($x[.] - $y[.] | fabs <= 1));
