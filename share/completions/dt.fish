# SPDX-License-Identifier: ISC
# Completion of dt for fish: dt prints the candidates itself.

function __dt_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete $words[2..] 2>/dev/null
end

complete -c dt -n 'test -n "$(__dt_complete)"' -f -a '(__dt_complete)'
