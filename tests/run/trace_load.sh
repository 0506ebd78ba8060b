# SPDX-License-Identifier: ISC
# The program of trace_lines: a shell that runs commands one after the other, with
# signals, exits and errors.  Its argument is an empty folder.
cd "$1" || exit 9
umask 022
mkdir a b; rmdir b
printf 'one\ntwo\nthree\n' >f
cat f >g
ln f h; ln -s f s; mv g a/g; rm h
ls -a . >/dev/null
wc -l <f >/dev/null
(exit 3)
sh -c 'kill -TERM $$'
sh -c 'kill -KILL $$'
sh -c 'trap "exit 4" INT; kill -INT $$'
trap ':' USR1
kill -USR1 $$
cat missing 2>/dev/null
test -e f && chmod 600 f
exit 5
