# SPDX-License-Identifier: ISC
# Makes the table of bench/growth.sh from its points: panel, series, label, x,
# median, lower and upper quartile (growth_point() in growth.c).  A row has all
# values of a series at one x.

BEGIN {
	FS = "\t"
}

function digits(x) {
	return x >= 100 || x == 0 ? sprintf("%.0f", x) : sprintf("%.3g", x)
}

{
	split($1, p, "-")
	key = p[1] SUBSEP $2 SUBSEP $3
	if (!(key in seen)) {
		seen[key] = 1
		keys[++nkeys] = key
	}
	value[key, p[2]] = digits($5)
	spread[key, p[2]] = digits($6) " .. " digits($7)
}

function title(text) {
	printf "\n%s\n\n", text
}

# Prints the rows of a part: a cost with its quartiles, then the other values.
function rows(part, first, others,    i, j, k, n, o, s) {
	n = split(others, o, " ")
	for (i = 1; i <= nkeys; i++) {
		split(keys[i], k, SUBSEP)
		if (k[1] != part || !((keys[i], first) in value))
			continue
		s = sprintf("%-28s %-18s %8s %16s", k[2], k[3],
		    value[keys[i], first], spread[keys[i], first])
		for (j = 1; j <= n; j++)
			s = s sprintf(" %10s", value[keys[i], o[j]])
		print s
	}
}

function head(series, label, first, c1, c2, c3,    s) {
	s = sprintf("%-28s %-18s %8s %16s", series, label, first, "quartiles")
	s = s sprintf(" %10s %10s %10s", c1, c2, c3)
	sub(/ +$/, "", s)
	print s
}

END {
	print "How dt grows: make bench-growth"
	print about
	print "load average before; after: " load
	if (quick != "")
		print "A quick run: the figures mean nothing."
	print "\nMedians of interleaved rounds. Added: CPU time of a system" \
	    " call less that without\ntracing. The load is a loop on one" \
	    " CPU; dtd and one reader have what is left.\nEvents are those" \
	    " of all opens together."
	title("1. Opens that record getppid, heads only")
	head("", "opens", "added ns", "M events/s", "lost %")
	rows("opens", "ns", "rate lost")
	title("2. Probes of one open (the last: entries and returns)")
	head("", "probes", "added ns", "")
	rows("probes", "ns", "")
	print ""
	head("", "probes", "ms", "")
	rows("probes", "ms", "")
	title("3. Size of the record")
	head("", "record", "added ns", "ring bytes", "M events/s", "lost %")
	rows("size", "ns", "bytes rate lost")
}
