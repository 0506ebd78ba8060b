/* SPDX-License-Identifier: ISC */
/* The keys of stat: functions for the rows in key_table.c. */
#ifndef CLI_STAT_KEY_ROWS_H
#define CLI_STAT_KEY_ROWS_H

#include "cli/stat/key_table.h"

/* key_event.c */
void key_set_num(struct key_val *v, uint64_t num);
void key_set_str(struct key_val *v, const char *s, size_t len);
void key_text_num(const struct key_val *v, struct buf *b);
void key_text_str(const struct key_val *v, struct buf *b);
/* Prints a name unchanged; it may be empty. */
void key_text_comm(const struct key_val *v, struct buf *b);
void key_json_bytes(struct buf *b, const char *s, size_t len);
void key_json_str(const struct key_val *v, struct buf *b);
/* ,"key": and ,"key":"string", with the side of the key */
void key_json_member(const struct key_val *v, struct buf *b, const char *key);
void key_json_also(const struct key_val *v, struct buf *b, const char *key,
    const char *s);

void key_get_probe(const struct key_call *bc, struct key_val *v);
void key_json_probe(const struct key_val *v, struct buf *b);
void key_text_probe(const struct key_val *v, struct buf *b);

/* Time between the two probes of a pair, or the two events of a call. */
void key_get_duration(const struct key_call *bc, struct key_val *v);
void key_get_errno(const struct key_call *bc, struct key_val *v);
/*
 * Returned value of a call, formatted as for that call; -1 of a failed call is
 * a number, which distinguishes the two.
 */
void key_get_retval(const struct key_call *bc, struct key_val *v);
void key_json_retval(const struct key_val *v, struct buf *b);
void key_text_errno(const struct key_val *v, struct buf *b);
void key_text_retval(const struct key_val *v, struct buf *b);

/* key_process.c */
void key_get_cgroup(const struct key_call *bc, struct key_val *v);
void key_get_comm(const struct key_call *bc, struct key_val *v);
void key_get_cpu(const struct key_call *bc, struct key_val *v);
void key_get_pid(const struct key_call *bc, struct key_val *v);
void key_get_ppid(const struct key_call *bc, struct key_val *v);
void key_get_tid(const struct key_call *bc, struct key_val *v);
void key_get_uid(const struct key_call *bc, struct key_val *v);
void key_json_cgroup(const struct key_val *v, struct buf *b);
void key_json_uid(const struct key_val *v, struct buf *b);
void key_keep_cgroup(const struct key_val *v);
void key_text_cgroup(const struct key_val *v, struct buf *b);
void key_text_uid(const struct key_val *v, struct buf *b);

/* key_arg.c */
void key_get_arg(const struct key_call *bc, struct key_val *v);
void key_get_path(const struct key_call *bc, struct key_val *v);
void key_json_arg(const struct key_val *v, struct buf *b);
/* Formatted by the probe, for a call with only this argument. */
void key_text_arg(const struct key_val *v, struct buf *b);

#endif /* CLI_STAT_KEY_ROWS_H */
