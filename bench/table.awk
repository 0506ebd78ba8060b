# SPDX-License-Identifier: ISC
# Makes the table and the JSON of bench/run.  First file: bench/goals; second
# file: output of the benchmark programs (bench_row() in bench.c).

function trim(s) {
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

# Returns whether a goal, for example "<= 0.25", holds for x.
function holds(x, cond,    a) {
	split(cond, a, " ")
	if (a[1] == "<=")
		return x <= a[2] + 0
	if (a[1] == ">=")
		return x >= a[2] + 0
	if (a[1] == "<")
		return x < a[2] + 0
	return x > a[2] + 0
}

function verdict(x, goal, fail) {
	if (goal == "-")
		return "-"
	if (holds(x, goal))
		return "goal met"
	return fail != "-" && holds(x, fail) ? "FAILED" : "missed"
}

# Four digits: more than the accuracy of the measurement.
function short(x) {
	if (x == "")
		return "-"
	x += 0
	return x >= 1000 || x == int(x) ? sprintf("%.0f", x) : \
	    sprintf("%.3g", x)
}

function quote(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}

function number(x) {
	return x == "" || x !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? "null" : x
}

function numbers(list,    a, i, n, s) {
	n = split(list, a, ",")
	for (i = 1; i <= n; i++)
		s = s (i > 1 ? ", " : "") number(a[i])
	return "[" s "]"
}

# Prints a row of the table and its JSON.
function row(name,    x, said, s) {
	x = judged[name] == "ratio" ? ratio[name] : value[name]
	said = verdict(x + 0, goal[name], fail[name])
	if (said == "FAILED")
		status = 1
	printf format, what[name], short(value[name]), short(peer[name]),
	    unit[name], short(ratio[name]), goal[name], fail[name], said

	s = "{\"name\": " quote(name) ", \"what\": " quote(what[name])
	s = s ", \"value\": " number(value[name])
	s = s ", \"unit\": " quote(unit[name])
	s = s ", \"peer\": " number(peer[name])
	s = s ", \"ratio\": " number(ratio[name])
	s = s ", \"judged\": " quote(judged[name])
	s = s ", \"goal\": " quote(goal[name])
	s = s ", \"fail\": " quote(fail[name])
	s = s ", \"verdict\": " quote(said)
	s = s ", \"rounds\": " numbers(rounds[name]) "}"
	rows = rows (rows == "" ? "" : ",\n") "    " s
}

FNR == NR {
	if ($0 ~ /^#/ || $0 ~ /^[ \t]*$/)
		next
	split($0, f, "|")
	f[1] = trim(f[1])
	names[++nnames] = f[1]
	unit[f[1]] = trim(f[2])
	judged[f[1]] = trim(f[3])
	goal[f[1]] = trim(f[4])
	fail[f[1]] = trim(f[5])
	what[f[1]] = trim(f[6])
	next
}

FNR == 1 {
	FS = "\t"
	$0 = $0
}

$1 == "load" {
	loads = loads (loads == "" ? "" : "; ") $2
}

$1 == "note" {
	notes[++nnotes] = $2
}

$1 == "row" {
	if (!($2 in what)) {
		print "bench: no goal for the row " $2 > "/dev/stderr"
		exit 2
	}
	value[$2] = $3
	peer[$2] = $4
	ratio[$2] = $5
	rounds[$2] = $6
}

END {
	format = "%-60s %8s %8s %-4s %8s  %-9s %-9s %s\n"
	printf format, "what", "dt", "peer", "unit", "ratio", "goal",
	    "failed if", "verdict"
	for (i = 1; i <= nnames; i++)
		if (names[i] in value)
			row(names[i])
	for (i = 1; i <= nnotes; i++) {
		print (i == 1 ? "\n" : "") notes[i]
		told = told (i == 1 ? "" : ",\n") "    " quote(notes[i])
	}
	print "load average before; after: " loads
	if (quick != "")
		print "A quick run: the figures mean nothing."
	printf "{\n  \"host\": %s,\n  \"kernel\": %s,\n", quote(host),
	    quote(kernel) > json
	printf "  \"date\": %s,\n  \"quick\": %s,\n", quote(date),
	    quick != "" ? "true" : "false" > json
	printf "  \"load\": %s,\n  \"rows\": [\n%s\n  ],\n", quote(loads),
	    rows > json
	printf "  \"notes\": [\n%s\n  ]\n}\n", told > json
	exit status
}
