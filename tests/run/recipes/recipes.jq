# SPDX-License-Identifier: ISC
# Converts the JSON of dt and of bpftrace for the cases of recipes.t.

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

# Compares two histograms of the same events: $percent of the values in order
# must be at most $buckets apart.  The tools run for different times, so up to
# $missing values may be in one histogram only.
def near($a; $b; $missing; $buckets; $percent):
	($a | values) as $x | ($b | values) as $y |
	([($x | length), ($y | length)] | min) as $n |
	$n > 0 and
	((($x | length) - ($y | length)) | fabs) <= $missing and
	([range($n) | select($x[.] - $y[.] | fabs <= $buckets)] | length) * 100
	    >= $n * $percent;

# Returns whether a histogram of n to n2 values can have a sum from sum to sum2.
def fits($h; $n; $sum; $n2; $sum2):
	([$h[].count] | add) as $count | $count >= $n and $count <= $n2 and
	([$h[] | .min * .count] | add) <= $sum2 and
	([$h[] | (.max + 1) * .count] | add) >= $sum;
