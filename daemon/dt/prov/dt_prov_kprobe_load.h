/* SPDX-License-Identifier: ISC */
/* The programs of the kprobe provider, and the table that they share. */
#ifndef DAEMON_DT_PROV_DT_PROV_KPROBE_LOAD_H
#define DAEMON_DT_PROV_DT_PROV_KPROBE_LOAD_H

#include <stdint.h>

#include "daemon/kernel/attach.h"

struct bpf_map;
struct bpf_object_skeleton;
struct dt_kprobe_table;

/* w: makes the table and the map of what is disabled, once.  An errno. */
int kprobe_load_init(void);
struct dt_kprobe_table *kprobe_load_table(void);
int kprobe_load_holesfd(void);

/* w: loads a program, once; whoever has a probe is charged with it.  Both have
 * to be there.  An errno. */
int kprobe_load_get(const struct attach_method *, enum attach_kind);
int kprobe_load_fd(enum attach_kind); /* -1: it is not loaded */
/* Hits that the kernel skipped since the program was loaded. */
uint64_t kprobe_load_missed(enum attach_kind);

/* Gives both, and what all programs have, to an object that is open and not
 * loaded.  Under kprobe_load_lock(). */
int kprobe_load_share(const struct bpf_object_skeleton *, struct bpf_map *table,
    struct bpf_map *holes);
void kprobe_load_lock(void);
void kprobe_load_unlock(void);

/*
 * dt_prov_kprobe_fentry.c: programs that are loaded for one function each.
 */
extern const struct attach_loader kfentry_loader; /* w */

#endif /* DAEMON_DT_PROV_DT_PROV_KPROBE_LOAD_H */
