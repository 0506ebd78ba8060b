# SPDX-License-Identifier: ISC
# Names that other users choose are escaped before they reach a terminal or log:
# control sequences, invisible characters and line breaks.  The name in these
# cases has ESC, BEL, a line break, C1 in both forms and bytes that are not
# UTF-8.

NAME	all commands escape wrong arguments and file names in messages
RUN	e=$(printf 'a\033]0;x\007\nEVIL\rEVIL\233\302\2331m\342\200\256\377');
	echo nothing >"$e.dt"; echo nothing >"$e"; {
	dt "$e"; dt "-$e"; dt help "$e"; dt list "$e"; dt list "syscall:$e[";
	dt record "--$e"; dt record "-$(printf '\033')"; dt record --if "$e" x true;
	dt record -o "$e/x" syscall:getuid -- true; dt record -- "$e";
	dt record -p "$e" x; dt record --cgroup "$e" x; dt record --until "$e" x;
	dt record --columns "$e" x; dt record -F "$e" profile; dt stat --by "$e" x;
	dt stat -d "$e" x; dt stat --sum "$e" x; dt stat --path "$e" x;
	dt profile -o "$e" -- true; dt profile -o "$e/x.svg" -- true;
	dt profile -p "$e"; dt profile -- "$e"; dt profile --uid "$e";
	dt report "$e.dt"; dt report "$e.no"; dt report -o "$e" x;
	dt tprof "$e"; dt tprof list "$e"; dt tprof monitor "-$(printf '\033')" true;
	dt tprof monitor -e "$e" true; dt tprof monitor -o "$e/x" true;
	dt tprof monitor "$e"; dt tprof count -e "cpu/$e/" true;
	dt tprof analyze "$e"; dt tprof analyze "$e.no"; dt tprof analyze -p "$e" x;
	dt tprof top -i "$e"; dt tprof top -n "$e"; dt kcov -f "$e" -- true;
	dt kcov --diff "$e" -- true; dt kcov --diff "$e.no" -- true;
	dt kcov -o "$e/x" -- true; dt kcov --user -- "$e"; dt kcov --top "$e" -- true;
	} >all 2>&1; LC_ALL=C tr -d '\t\n -~' <all | wc -c; grep -c '^EVIL' all;
	grep -cF 'a\x1b]0;x\x07\x0aEVIL\x0dEVIL\x9b' all >n;
	[ $(cat n) -ge 30 ] && echo escaped || cat n
EXPECT	0 0 escaped

NAME	the daemon and the exporter escape their own messages
RUN	e=$(printf 'a\033]0;x\007\nEVIL\rEVIL\233\302\2331m\342\200\256\377');
	printf 'directory = %s\n%s = 1\nallow = %s\n' "$e" "$e" "$e" >c; {
	$B/dtd -n -c "$e"; $B/dtd -n -c c; $B/dtd --device "$e"; $B/dtd "--$e";
	$B/dtd "-$(printf '\033')"; $B/dtd --private "$e"; $B/dt-symbolizer "$e";
	$B/dt-exporter "--$e"; $B/dt-exporter -l "$e:1"; $B/dt-exporter -l "$e";
	$B/dt-exporter -l none -u "$e/x"; $B/dt-exporter --pprof -u x -g "$e";
	$B/dt-exporter "-$(printf '\033')"; } >all 2>&1;
	LC_ALL=C tr -d '\t\n -~' <all | wc -c; grep -c '^EVIL' all;
	grep -cF 'a\x1b]0;x\x07\x0aEVIL\x0dEVIL\x9b' all >n;
	[ $(cat n) -ge 8 ] && echo escaped || cat n
EXPECT	0 0 escaped
