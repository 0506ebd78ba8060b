/* SPDX-License-Identifier: ISC */
/*
 * Lists functions that are never probed, and why: functions that dtd's programs
 * call, where a probe would count its own work; functions that have hung
 * machines; and the kernel's own list, which the kernel enforces for single
 * kprobes only, not for kprobe.multi.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/func_deny.h"
#include "daemon/kernel/func_read.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* Addresses that the kernel does not permit to probe, ascending. */
static struct deny_range {
	uint64_t dg_begin, dg_end;
} * ranges;
static size_t nranges, maxranges;

static const char tracer[] = "is the tracer's own way into the ring";
static const char tracing[] = "is part of the kernel's tracing itself";
static const char rcu[] = "runs at each entry of a program (RCU)";
static const char counts[] = "runs at each entry of a program (preemption)";
static const char clocks[] = "is the clock that a program reads";
static const char nmi[] = "runs where nothing may interrupt (NMI, traps)";
static const char patching[] = "rewrites the code that probes rewrite";
static const char locks[] = "is a lock that programs take";
static const char copying[] = "reads memory for programs";
static const char blacklisted[] = "is on the kernel's own list of functions "
				  "that may not be probed";

/*
 * A * matches any text, at the end or in the middle of a name; at most one in
 * each name.
 */
static const struct {
	const char *name, *why;
} denied[] = {
	{ "__bpf_*", tracer },
	{ "bpf_*", tracer },
	{ "___bpf_prog_run*", tracer },
	{ "array_map_*", tracer },
	{ "array_of_map_*", tracer },
	{ "__htab_map_*", tracer },
	{ "htab_map_*", tracer },
	{ "htab_of_map_*", tracer },
	{ "lookup_nulls_elem_raw", tracer },
	{ "lookup_elem_raw", tracer },
	{ "ringbuf_*", tracer },
	{ "irq_work_*", tracer },
	{ "__irq_work_*", tracer },
	{ "migrate_disable", tracer },
	{ "migrate_enable", tracer },
	{ "trace_call_bpf*", tracing },
	{ "perf_trace_*", tracing },
	{ "perf_tp_*", tracing },
	{ "perf_swevent_*", tracing },
	{ "perf_callchain*", tracing },
	{ "get_perf_callchain", tracing },
	{ "get_callchain_*", tracing },
	{ "put_callchain_*", tracing },
	{ "trace_event_raw_*", tracing },
	{ "__traceiter_*", tracing },
	{ "__probestub_*", tracing },
	{ "trace_*", tracing },
	{ "ftrace_*", tracing },
	{ "__ftrace_*", tracing },
	{ "function_trace_*", tracing },
	{ "function_graph_*", tracing },
	{ "ring_buffer_*", tracing },
	{ "fprobe_*", tracing },
	{ "rethook_*", tracing },
	{ "arch_rethook_*", tracing },
	{ "kprobe_*", tracing },
	{ "kretprobe_*", tracing },
	{ "__kretprobe_*", tracing },
	{ "aggr_*_handler", tracing },
	{ "unwind_*", tracing },
	{ "__unwind_*", tracing },
	{ "orc_*", tracing },
	{ "stack_access_ok", tracing },
	{ "get_stack_info*", tracing },
	{ "in_task_stack", tracing },
	{ "in_entry_stack", tracing },
	{ "rcu_*", rcu },
	{ "__rcu_*", rcu },
	{ "preempt_count_*", counts },
	{ "preempt_schedule*", counts },
	{ "__preempt_*", counts },
	{ "local_bh_*", counts },
	{ "__local_bh_*", counts },
	{ "ktime_get_mono_fast_ns", clocks },
	{ "ktime_get_*fast_ns", clocks },
	{ "sched_clock*", clocks },
	{ "local_clock*", clocks },
	{ "native_sched_clock*", clocks },
	{ "exc_*", nmi },
	{ "asm_exc_*", nmi },
	{ "nmi_*", nmi },
	{ "default_do_nmi", nmi },
	{ "do_int3*", nmi },
	{ "perf_ibs_*", nmi },
	{ "perf_event_nmi_*", nmi },
	{ "irqentry_*", nmi },
	{ "ct_irq_*", nmi },
	{ "ct_nmi_*", nmi },
	{ "ct_kernel_*", nmi },
	{ "ct_user_*", nmi },
	{ "ct_idle_*", nmi },
	{ "text_poke*", patching },
	{ "__text_poke*", patching },
	{ "smp_text_poke*", patching },
	{ "poke_int3_*", patching },
	{ "arch_ftrace_*", patching },
	{ "arch_static_call_*", patching },
	{ "arch_jump_label_*", patching },
	{ "_raw_spin_lock_irqsave", locks },
	{ "_raw_spin_unlock_irqrestore", locks },
	{ "queued_spin_*", locks },
	{ "native_queued_spin_*", locks },
	{ "__pv_queued_spin_*", locks },
	{ "copy_from_kernel_nofault*", copying },
	{ "copy_from_user_nofault", copying },
	{ "strncpy_from_kernel_nofault", copying },
	{ "strncpy_from_user_nofault", copying },
	{ "__copy_user_*", copying },
	{ "fixup_exception", copying },
	{ "search_exception_tables", copying },
};

static int
denies(const char *pattern, const char *symbol)
{
	size_t n = strcspn(pattern, "*"), tail, len;

	if (strncmp(pattern, symbol, n) != 0)
		return 0;
	if (pattern[n] == '\0')
		return symbol[n] == '\0';
	tail = strlen(pattern + n + 1);
	len = strlen(symbol + n);
	return len >= tail &&
	    strcmp(symbol + n + len - tail, pattern + n + 1) == 0;
}

const char *
func_deny_name(const char *symbol)
{
	size_t i;

	for (i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)
		if (denied[i].name[0] == symbol[0] &&
		    denies(denied[i].name, symbol))
			return denied[i].why;
	return NULL;
}

static int
range_cmp(const void *a, const void *b)
{
	const struct deny_range *x = a, *y = b;

	return x->dg_begin < y->dg_begin ? -1 : x->dg_begin > y->dg_begin;
}

/*
 * "0xBEGIN-0xEND\tNAME".  If the list cannot be read, the kernel itself refuses
 * these functions.
 */
void
func_deny_read(void)
{
	unsigned long long begin, end;
	char line[512];
	FILE *f;

	nranges = 0;
	if ((f = fopen(BLACKLIST, "re")) == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "0x%llx-0x%llx", &begin, &end) != 2 ||
		    func_read_grow(&ranges, nranges + 1, &maxranges,
			sizeof(*ranges)) != 0)
			continue;
		ranges[nranges++] = (struct deny_range){ begin, end };
	}
	fclose(f);
	if (nranges > 0)
		qsort(ranges, nranges, sizeof(*ranges), range_cmp);
}

const char *
func_deny_addr(uint64_t addr)
{
	size_t lo = 0, hi = nranges, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ranges[mid].dg_begin <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && addr < ranges[lo - 1].dg_end ? blacklisted : NULL;
}
