// SPDX-License-Identifier: ISC
// duckdb.mjs FILE.db <SQL: runs SQL on a database of DuckDB and prints the rows of
// the last statement, separated by tabs.  Finds the package @duckdb/node-api
// below the current directory, where npm has installed it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } =
    createRequire(process.cwd() + '/')('@duckdb/node-api');
const db = await DuckDBInstance.create(process.argv[2]);
const connection = await db.connect();
const reader = await connection.runAndReadAll(readFileSync(0, 'utf8'));
for (const row of reader.getRows())
	console.log(row.map(String).join('\t'));
connection.closeSync();
db.closeSync();
