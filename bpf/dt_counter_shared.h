/* SPDX-License-Identifier: ISC */
/* Shared by the counter provider and its program. */
#ifndef BPF_DT_COUNTER_SHARED_H
#define BPF_DT_COUNTER_SHARED_H

#define DT_NCOUNTER 32 /* probes at most, a power of two */

#endif /* BPF_DT_COUNTER_SHARED_H */
