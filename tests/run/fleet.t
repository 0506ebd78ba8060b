# SPDX-License-Identifier: ISC
# The commands of docs/fleet.md, as the page has them, with the real programs.

NAME	each machine's stream begins with a head, and its lines fit the schema
NEEDS	root tp_btf jq jsonschema
RUN	$S/tests/fleet/steps 'The head' >s; sh -e s >o;
	sed -n '/^{/,/^}/p' o | jq -e '.host == $h' \
	--arg h "$(uname -n)"; wc -l <s; wc -l <here.json
EXPECT	true 7 >=5

NAME	several machines answer one question
NEEDS	root tp_btf perf_event sshd jq
TIMEOUT	120
RUN	$S/tests/fleet/steps 'One question' | sed 's/-d 10/-d 2/; s/^dt top/& -b -n 2/' >s;
	(until [ -e end ]; do /bin/true; done) & $S/tests/run/with_sshd sh -e s >o;
	echo $?; touch end; wait; jq -r 'select(.probe) | .host' o | sort -u;
	ls fleet.html; wc -l <s;
	grep -Eo '^web[12] +[0-9]+ ' o | cut -d' ' -f1 | sort -u
EXPECT	0 web1 web2 fleet.html 4 web1 web2
ERR	^dt: root@db1: [0-9]+ events.* none lost$

NAME	the recording rules are valid, and have the sums of the machines
NEEDS	prometheus full
RUN	p=$("$S"/tests/prometheus/fetch -n)/promtool; cd "$S"/exporter;
	$p check rules rules.yml >/dev/null && echo rules;
	$p test rules rules_test.yml >/dev/null && echo tests;
	sed -n 's/^ *- record: //p' rules.yml | while read r; do
	grep -c "^| .$r. |" "$S"/docs/fleet.md; done
EXPECT	rules tests 1 1 1 1 1

# The forged recording is from another machine and has backslashes and quotes.
NAME	ClickHouse has the events of all machines, and their ledgers
NEEDS	root tp_btf jq python3 clickhouse full
TIMEOUT	180
RUN	cat >load <<'END'
	"$S"/tests/fleet/steps ClickHouse >s; sh -e s >o || exit; cat o >&2
	"$B"/tests/forge names >forged.dt; load=$S/share/dt/fleet/clickhouse-load
	dt report -j forged.dt | tee forged.json | "$load"
	grep -c "$(uname -n).syscall:openat:return" o
	grep -c '^cat.syscall:openat:return.2.1$' o
	q() { clickhouse-client --query "$*"; }
	q "SELECT host, boot_id FROM dt_events GROUP BY host, boot_id ORDER BY host" |
	sed "s/^$(uname -n).$(cat /proc/sys/kernel/random/boot_id)/here/" | sort
	q "SELECT count() FROM dt_events WHERE host != 'nowhere'"
	dt report -j here.dt | grep -c '"probe"'
	q "SELECT fields FROM dt_events WHERE host = 'nowhere' FORMAT TabSeparatedRaw" |
	sort >a; grep '"probe"' forged.json | sort | cmp - a && echo same
	dt report -j here.dt | "$S"/tests/fleet/tsv time probe cpu pid tid comm \
	duration retval errno | sort >b
	q "SELECT time, probe, cpu, pid, tid, comm, duration, retval, errno
	FROM dt_events WHERE host != 'nowhere'" | sort | cmp - b && echo columns
	q "SELECT sum(read) = $(dt report -j here.dt | jq 'select(.ledger) |
	.ledger.read') FROM dt_ledgers WHERE host != 'nowhere'"
	END
	"$S"/tests/fleet/with_clickhouse sh load >got; cat got
EXPECT	1 1 here nowhere	01234567-89ab-cdef-0123-456789abcdef >=20 >=20 same columns 1

NAME	DuckDB has the same events in a file
NEEDS	root tp_btf node python3 duckdb full
TIMEOUT	180
RUN	cat >load <<'END'
	ln -s "$("$S"/tests/fleet/fetch -n duckdb)"/node_modules .; mkdir events
	"$B"/tests/forge names >forged.dt; dt report -j forged.dt >events/forged.json
	"$S"/tests/fleet/steps DuckDB | grep -v '^npm ' >s; sh -e s >o || exit; cat o >&2
	grep -c "$(uname -n).syscall:openat:return" o
	grep -c '^cat.syscall:openat:return.2.1$' o
	q() { echo "$*" | node "$S"/share/dt/fleet/duckdb.mjs dt.db; }
	q "SELECT host, boot_id FROM dt_events GROUP BY ALL ORDER BY host" |
	sed "s/^$(uname -n).$(cat /proc/sys/kernel/random/boot_id)/here/" | sort
	"$S"/tests/fleet/tsv time probe cpu pid tid comm retval errno args.dfd \
	strings.filename <events/here.json | sort >b; wc -l <b
	q "SELECT epoch_ns(time), probe, cpu, pid, tid, comm, coalesce(retval, 0),
	coalesce(errno, 0), coalesce(args->>'dfd', '0'),
	coalesce(strings->>'filename', '0') FROM dt_events WHERE host != 'nowhere'" |
	sort | cmp - b && echo columns
	END
	sh load >got; cat got
EXPECT	1 1 here nowhere	01234567-89ab-cdef-0123-456789abcdef >=20 columns

NAME	profiles of a machine are merged and compared by go tool pprof
NEEDS	root perf_event go full
TIMEOUT	120
RUN	ask until done call getuid 1000 & a=$!; "$S"/tests/fleet/steps pprof >s;
	sed -i 's/^dt profile.*/&; &/' s; sh -e s >o; touch done; wait $a;
	ls profiles | grep -c "^$(uname -n)[.].*[.]pb[.]gz$";
	grep -c '^Showing nodes accounting' o; grep -c '%.* syscall$' o
EXPECT	2 2 2
