/* SPDX-License-Identifier: ISC */
/*
 * Loads the programs of the kprobe provider and creates the table that they
 * share.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_KPROBE_LOAD_H
#define DAEMON_DT_PROV_DT_PROV_KPROBE_LOAD_H

#include <stdint.h>

#include "daemon/kernel/attach.h"

struct bpf_map;
struct bpf_object_skeleton;
struct run_table;

/* w: creates the table and the map of disabled probes, once. An errno. */
int kprobe_load_init(void);
extern struct run_table kprobe_table;

/*
 * w: loads a program, once; its cost is charged to all sessions with a probe of
 * it. The table and the map must exist. An errno.
 */
int kprobe_load_get(const struct attach_method *, enum attach_kind);
int kprobe_load_fd(enum attach_kind); /* -1: not loaded */
/* Returns the hits that the kernel skipped since the program was loaded. */
uint64_t kprobe_load_missed(enum attach_kind);

/*
 * Lets an object that is open and not loaded use both maps, and the maps that
 * all programs share. Under kprobe_load_lock().
 */
int kprobe_load_share(const struct bpf_object_skeleton *, struct bpf_map *table,
    struct bpf_map *holes);
void kprobe_load_lock(void);
void kprobe_load_unlock(void);

/*
 * dt_prov_kprobe_fentry.c: programs loaded for one function each.
 */
extern const struct attach_loader kfentry_loader; /* w */

#endif /* DAEMON_DT_PROV_DT_PROV_KPROBE_LOAD_H */
