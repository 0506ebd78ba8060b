# SPDX-License-Identifier: ISC
# Completion of dt for bash: dt prints the candidates itself.

_dt()
{
	local line=${COMP_LINE:0:COMP_POINT} word keep
	local -a words

	# bash splits words at colons and equals signs; dt needs whole words
	read -r -a words <<<"$line"
	[[ $line == *[[:blank:]] ]] && words+=("")
	word=${words[-1]}
	mapfile -t COMPREPLY < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
	keep=${word%"${word##*[:=]}"}
	COMPREPLY=("${COMPREPLY[@]#"$keep"}")
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] &&
		compopt -o nospace 2>/dev/null
	return 0
}

complete -o bashdefault -o default -F _dt dt
