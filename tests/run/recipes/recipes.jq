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

# Both looked at the same, one behind the other: of a hundred values, so many
# are at most so many buckets apart.  Of what happens all the time some may be
# seen by one alone, as one looks longer.
def near($a; $b; $missing; $buckets; $percent):
	($a | values) as $x | ($b | values) as $y |
	([($x | length), ($y | length)] | min) as $n |
	$n > 0 and
	((($x | length) - ($y | length)) | fabs) <= $missing and
	([range($n) | select($x[.] - $y[.] | fabs <= $buckets)] | length) * 100
	    >= $n * $percent;

# A histogram of n to n2 values whose sum can be sum to sum2.
def fits($h; $n; $sum; $n2; $sum2):
	([$h[].count] | add) as $count | $count >= $n and $count <= $n2 and
	([$h[] | .min * .count] | add) <= $sum2 and
	([$h[] | (.max + 1) * .count] | add) >= $sum;
