/* SPDX-License-Identifier: ISC */
/*
 * Structs, arrays and data that arguments point to, by call: rows of
 * daemon/dt/syscalls_fetch.c, included inside of its table.
 */
/* clang-format off */
{ "read", "buf", DT_FETCH_RETLEN, DT_EVT_DATA, FETCH_RETURN,
    FETCH_BOTH, NULL, 1, DT_REC_MAXDATA },
{ "write", "buf", DT_FETCH_ARGLEN, DT_EVT_DATA, FETCH_ENTRY,
    FETCH_BOTH, "count", 1, DT_REC_MAXDATA },
{ "nanosleep", "rqtp", DT_FETCH_FIXED, DT_EVT_MEMORY, FETCH_ENTRY,
    FETCH_ONLY64, NULL, 0, 16 },
{ "nanosleep", "rqtp", DT_FETCH_FIXED, DT_EVT_MEMORY, FETCH_ENTRY,
    FETCH_ONLY32, NULL, 0, 8 },
{ "nanosleep", "rmtp", DT_FETCH_FIXED, DT_EVT_MEMORY, FETCH_FAILED,
    FETCH_ONLY64, NULL, 0, 16 },
{ "nanosleep", "rmtp", DT_FETCH_FIXED, DT_EVT_MEMORY, FETCH_FAILED,
    FETCH_ONLY32, NULL, 0, 8 },
{ "poll", "ufds", DT_FETCH_ARGLEN, DT_EVT_MEMORY, FETCH_ALWAYS,
    FETCH_BOTH, "nfds", 8, DT_REC_MAXMEMORY },
{ "connect", "uservaddr", DT_FETCH_ARGLEN, DT_EVT_MEMORY, FETCH_ENTRY,
    FETCH_BOTH, "addrlen", 1, 128 },
{ "getsockname", "usockaddr", DT_FETCH_PTRLEN, DT_EVT_MEMORY, FETCH_RETURN,
    FETCH_BOTH, "usockaddr_len", 1, 128 },
{ "pipe2", "fildes", DT_FETCH_FIXED, DT_EVT_MEMORY, FETCH_RETURN,
    FETCH_BOTH, NULL, 0, 8 },
