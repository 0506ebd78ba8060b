-- SPDX-License-Identifier: ISC
-- A table of DuckDB for the events in files of dt report -j, which are in the
-- folder events.  The head of each file has the host and the boot id.
-- docs/fleet.md has the steps and queries.

CREATE OR REPLACE TABLE dt_events AS
WITH lines AS (
	SELECT * FROM read_ndjson('events/*.json', filename = true, columns = {
		head: 'STRUCT(host VARCHAR, boot_id VARCHAR)',
		time: 'BIGINT', probe: 'VARCHAR', cpu: 'UINTEGER',
		pid: 'UINTEGER', tid: 'UINTEGER', comm: 'VARCHAR',
		duration: 'UBIGINT', retval: 'BIGINT', errno: 'USMALLINT',
		args: 'JSON', strings: 'JSON', "text": 'JSON'
	})
)
SELECT h.head.host AS host, h.head.boot_id AS boot_id,
    e.* EXCLUDE (head, time, filename), make_timestamp_ns(e.time) AS time
FROM lines e JOIN lines h ON h.filename = e.filename AND h.head IS NOT NULL
WHERE e.time IS NOT NULL;
