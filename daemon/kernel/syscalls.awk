# SPDX-License-Identifier: ISC
# Prints the table of system calls of one architecture, for daemon/kernel/
# syscalls.c: awk -v arch=x86_64 -f syscalls.awk syscalls.tbl
# With -v zero=N only the names from 0 to N + 1, for lib/compat_syscalls.c; the
# call 0 has the number N, and "#" is a number without a call.

function fail(text)
{
	printf("%s:%d: %s\n", FILENAME, FNR, text) > "/dev/stderr"
	failed = 1
	exit 1
}

# "const char * /filename": the last word is the name, / marks a path.
function argument(s,	name, path)
{
	name = s
	sub(/^.* /, "", name)
	sub(/ [^ ]*$/, "", s)
	path = sub(/^\//, "", name)
	return sprintf("{ \"%s\", \"%s\", %d }", s, name, path)
}

BEGIN { FS = "\t+" }

/^#/ || NF == 0 { next }

$1 == "name" {
	for (i = 2; i < NF; i++)
		if ($i == arch)
			column = i
	if (!column)
		fail("no column " arch)
	next
}

$1 == "release" {
	if (!zero)
		printf("#define SYSCALLS_RELEASE \"%s\"\n", $2)
	next
}

NF < 5 || NF > 6 || !column { fail("not a row: " $0) }

$column == "-" { next }

{
	if ($column !~ /^[0-9]+$/ || $column in seen)
		fail($1 ": number " $column)
	seen[$column] = 1
	if (zero) {
		names[$column ? $column : zero] = $1
		next
	}
	n = split(NF == 6 ? $6 : "", args, ", ")
	if (n > 6)
		fail($1 ": " n " arguments")
	list = n > 0 ? argument(args[1]) : "{ NULL, NULL, 0 }"
	for (i = 2; i <= n; i++)
		list = list ", " argument(args[i])
	printf("[%d] = { \"%s\", %d, { %s } },\n", $column, $1, n, list)
}

END {
	for (n = 0; n <= zero + 1 && zero && !failed; n++)
		printf("\"%s\",\n", n in names ? names[n] : "#")
	exit failed
}
