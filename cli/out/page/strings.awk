# SPDX-License-Identifier: ISC
# Makes a C string of each file: page_NAME of NAME.EXTENSION.  Comment lines of
# CSS and JavaScript, and their indentation, are left out.

FNR == 1 {
	if (NR > 1)
		print ";\n"
	name = FILENAME
	gsub(/.*\/|\..*/, "", name)
	printf("static const char page_%s[] =", name)
}

{
	sub(/^[ \t]+/, "")
	if ($0 == "" || /^\/\/ / || /^\/\*.*\*\/$/)
		next
	gsub(/[\\"]/, "\\\\&")
	printf("\n    \"%s\\n\"", $0)
}

END {
	print ";"
}
