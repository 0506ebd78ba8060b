-- SPDX-License-Identifier: ISC
-- Tables of ClickHouse for the lines of dt report -j, from many machines.
-- clickhouse-load fills dt_lines, which keeps nothing; two views split its rows
-- into events and ledgers.  docs/fleet.md has the steps and queries.
--
-- visitParamExtract... is in every version since 2018.  It finds the first key of
-- a name, wherever that is in the line: dt's own keys precede "args", except for
-- the result of a call.

CREATE TABLE dt_lines (
	host String,
	boot_id String,
	line String
) ENGINE = Null;

CREATE TABLE dt_events (
	host String,
	boot_id String,
	time UInt64,	-- ns since the epoch
	probe String,
	cpu UInt32,
	pid UInt32,
	tid UInt32,
	comm String,
	duration UInt64,	-- ns, of a pair; otherwise 0
	retval Int64,		-- of a return; otherwise 0
	errno UInt16,		-- of a failed call; otherwise 0
	fields String	-- the whole line
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(time, 1000000000)))
ORDER BY (host, probe, time);

CREATE MATERIALIZED VIEW dt_to_events TO dt_events AS SELECT
	host,
	boot_id,
	visitParamExtractUInt(line, 'time') AS time,
	visitParamExtractString(line, 'probe') AS probe,
	toUInt32(visitParamExtractUInt(line, 'cpu')) AS cpu,
	toUInt32(visitParamExtractUInt(line, 'pid')) AS pid,
	toUInt32(visitParamExtractUInt(line, 'tid')) AS tid,
	visitParamExtractString(line, 'comm') AS comm,
	visitParamExtractUInt(if(position(line, '"args":') = 0, line,
	    substring(line, 1, position(line, '"args":'))), 'duration')
	    AS duration,
	if(endsWith(probe, ':return'),
	    visitParamExtractInt(line, 'retval'), 0) AS retval,
	toUInt16(if(endsWith(probe, ':return'),
	    visitParamExtractUInt(line, 'errno'), 0)) AS errno,
	line AS fields
FROM dt_lines WHERE startsWith(line, '{"time":');

CREATE TABLE dt_ledgers (
	host String,
	boot_id String,
	loaded DateTime,
	fired UInt64,
	read UInt64,
	dropped UInt64,
	recursed UInt64,
	missed UInt64
) ENGINE = MergeTree ORDER BY (host, loaded);

CREATE MATERIALIZED VIEW dt_to_ledgers TO dt_ledgers AS SELECT
	host,
	boot_id,
	now() AS loaded,
	visitParamExtractUInt(line, 'fired') AS fired,
	visitParamExtractUInt(line, 'read') AS read,
	visitParamExtractUInt(line, 'dropped') AS dropped,
	visitParamExtractUInt(line, 'recursed') AS recursed,
	visitParamExtractUInt(line, 'missed') AS missed
FROM dt_lines WHERE startsWith(line, '{"ledger":');
