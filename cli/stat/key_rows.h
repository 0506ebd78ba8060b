/* SPDX-License-Identifier: ISC */
/*
 * What the keys of stat are made of: functions of the rows in key_table.c.
 */
#ifndef CLI_STAT_KEY_ROWS_H
#define CLI_STAT_KEY_ROWS_H

#include "cli/stat/key_table.h"

/* key_event.c */
void by_set_num(struct by_val *v, uint64_t num);
void by_set_str(struct by_val *v, const char *s, size_t len);
void by_text_num(const struct by_val *v, struct buf *b);
void by_text_str(const struct by_val *v, struct buf *b);
/* As it is: a name may be empty. */
void by_text_comm(const struct by_val *v, struct buf *b);
void by_json_bytes(struct buf *b, const char *s, size_t len);
void by_json_str(const struct by_val *v, struct buf *b);
/* ,"key": and ,"key":"string", with the side of the key */
void by_json_member(const struct by_val *v, struct buf *b, const char *key);
void by_json_also(const struct by_val *v, struct buf *b, const char *key,
    const char *s);

void by_get_probe(const struct by_call *bc, struct by_val *v);
void by_json_probe(const struct by_val *v, struct buf *b);
void by_text_probe(const struct by_val *v, struct buf *b);

/* Between the two probes of a pair, or of the two events of a call. */
void by_get_duration(const struct by_call *bc, struct by_val *v);
void by_get_errno(const struct by_call *bc, struct by_val *v);
/* What a call returned reads as that call has it, -1 of one that has failed as
 * a number: the two are told apart. */
void by_get_retval(const struct by_call *bc, struct by_val *v);
void by_json_retval(const struct by_val *v, struct buf *b);
void by_text_errno(const struct by_val *v, struct buf *b);
void by_text_retval(const struct by_val *v, struct buf *b);

/* key_process.c */
void by_get_cgroup(const struct by_call *bc, struct by_val *v);
void by_get_comm(const struct by_call *bc, struct by_val *v);
void by_get_cpu(const struct by_call *bc, struct by_val *v);
void by_get_pid(const struct by_call *bc, struct by_val *v);
void by_get_ppid(const struct by_call *bc, struct by_val *v);
void by_get_tid(const struct by_call *bc, struct by_val *v);
void by_get_uid(const struct by_call *bc, struct by_val *v);
void by_json_cgroup(const struct by_val *v, struct buf *b);
void by_json_uid(const struct by_val *v, struct buf *b);
void by_keep_cgroup(const struct by_val *v);
void by_text_cgroup(const struct by_val *v, struct buf *b);
void by_text_uid(const struct by_val *v, struct buf *b);

/* key_arg.c */
void by_get_arg(const struct by_call *bc, struct by_val *v);
void by_get_path(const struct by_call *bc, struct by_val *v);
void by_json_arg(const struct by_val *v, struct buf *b);
/* In the words of the probe, which is asked about a call that has nothing but
 * this argument. */
void by_text_arg(const struct by_val *v, struct buf *b);

#endif /* CLI_STAT_KEY_ROWS_H */
