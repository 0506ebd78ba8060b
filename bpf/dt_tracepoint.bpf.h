/* SPDX-License-Identifier: ISC */
/*
 * The table of tracepoints, and extraction of a field's value from a record's
 * words.  Used by all tracepoint and raw_tp programs; written by dtd.
 */
#ifndef BPF_DT_TRACEPOINT_BPF_H
#define BPF_DT_TRACEPOINT_BPF_H

#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "bpf/dt_tracepoint_table.h"

struct dt_tp_table dt_tptable;

static __always_inline struct dt_tp_entry *
tp_line(__u32 line)
{
	return &dt_tptable.tpt_entry[line & (DT_TP_ENTRIES - 1)];
}

/* Extracts a value from a word, without a branch because there are six. */
static __always_inline __u64
tp_cut(__u64 word, const struct dt_tpfast *ft)
{
	__u64 v = word << (ft->ft_up & 63);
	__u64 isigned = -(__u64)(ft->ft_bits & DT_TP_SIGNED);
	__u64 isvalue = -(__u64)(ft->ft_bits >> 1 & 1);
	__u64 plain = v >> (ft->ft_down & 63);
	__u64 extended = (__s64)v >> (ft->ft_down & 63);

	return (plain | (extended & isigned)) & isvalue;
}

#endif /* BPF_DT_TRACEPOINT_BPF_H */
