# SPDX-License-Identifier: ISC
# Makes C tables of names from a list, for the file of the list's name:
# mount.in is included by mount.c as "mount_names.h".  A list has tables:
#
#	TABLE flags [zero=TEXT]
#		NAME [VALUE] [/MASK] [arm64:VALUE]
#		...
#	TABLE values
#		NAME [VALUE] [arm64:VALUE]
#
# Entries are indented by a tab.  VALUE is a constant expression without blanks;
# names without one are macros, which the headers of Linux 6.1 must define.  A
# flag with /MASK is one value of the field MASK.  struct arg_name states in which
# order flags are printed.  Tables named arg_names_* are not static.

function fail(text)
{
	printf("%s:%d: %s\n", FILENAME, FNR, text) > "/dev/stderr"
	failed = 1
	exit 1
}

# Prints the names with their values of one architecture, and the table of them.
function print_table(var, is_arm64, zero, other,	i, value, mask)
{
	printf("static const struct arg_name %s_list[] = {\n", var)
	for (i = 1; i <= n; i++) {
		value = is_arm64 && i in arm64 ? arm64[i] : values[i]
		mask = kind == "values" ? 0 : i in masks ? masks[i] : value
		printf("\tARG_NAME(%s, %s, \"%s\"),\n", mask, value, names[i])
	}
	printf("};\n%sconst struct arg_names %s =\n    ARG_NAMES(%s_list, %s, %s);\n",
	    var ~ /^arg_names_/ ? "" : "static ", var, var, zero, other)
}

function end_table(	i, other)
{
	if (table == "")
		return
	if (n == 0)
		fail(table ": empty")
	other = "NULL"
	for (i in arm64)
		other = "&arm64_" table
	if (other != "NULL")
		print_table(substr(other, 2), 1, zero, "NULL")
	print_table(table, 0, zero, other)
	table = ""
}

{ sub(/#.*/, "") }

NF == 0 { next }

/^[^\t]/ {
	end_table()
	table = $1
	kind = $2
	zero = "NULL"
	if (kind != "flags" && kind != "values")
		fail(table ": neither flags nor values")
	if (NF == 3 && sub(/^zero=/, "", $3))
		zero = "\"" $3 "\""
	else if (NF > 2)
		fail(table ": " $3)
	n = 0
	split("", masks)
	split("", arm64)
	next
}

{
	n++
	names[n] = $1
	values[n] = $1
	for (i = 2; i <= NF; i++) {
		if (sub(/^arm64:/, "", $i))
			arm64[n] = $i
		else if ($i ~ /^\// && kind == "flags")
			masks[n] = substr($i, 2)
		else if (i == 2)
			values[n] = $i
		else
			fail($1 ": " $i)
	}
}

END {
	if (!failed)
		end_table()
	exit failed
}
