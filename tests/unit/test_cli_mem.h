/* SPDX-License-Identifier: ISC */
/*
 * Calls with memory, to test dt(1)'s text of their arguments: any call of the
 * table, with bytes that the entry or the return has read.
 */
#ifndef TEST_CLI_MEM_H
#define TEST_CLI_MEM_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/decode/args.h"
#include "cli/decode/kind.h"
#include "daemon/kernel/syscalls.h"
#include <dt/evt.h>

#define CALL_MAXSTRINGS 8

/* An event and the section that it points to. */
struct call_event {
	struct dt_rec ce_rec;
	struct dt_rec_ret ce_ret;
	struct dt_event ce_ev;
	struct dt_rec_strings *ce_strings; /* of its exact length */
};

struct mem_call {
	struct probe ca_probe;
	uint64_t ca_args[SYSCALL_MAXARGS];
	struct call_event ca_entry, ca_return;
	struct arg_call ca_call;
};

static inline void
call_event_init(struct call_event *ce)
{
	memset(ce, 0, sizeof(*ce));
	ce->ce_rec.dr_pid = 1;
	ce->ce_ev.ev_rec = &ce->ce_rec;
}

/* x86-64 calls that are missing on some machines; their meaning is the same. */
static inline const struct syscall_desc *
call_elsewhere(const char *name)
{
	static const struct syscall_desc descs[] = {
		{ .name = "poll",
		    .nargs = 3,
		    .args = { { "struct pollfd *", "ufds", 0 },
			{ "unsigned int", "nfds", 0 },
			{ "int", "timeout_msecs", 0 } } },
		{ .name = "select",
		    .nargs = 5,
		    .args = { { "int", "n", 0 }, { "fd_set *", "inp", 0 },
			{ "fd_set *", "outp", 0 }, { "fd_set *", "exp", 0 },
			{ "struct __kernel_old_timeval *", "tvp", 0 } } },
		{ .name = "epoll_wait",
		    .nargs = 4,
		    .args = { { "int", "epfd", 0 },
			{ "struct epoll_event *", "events", 0 },
			{ "int", "maxevents", 0 }, { "int", "timeout", 0 } } },
	};
	size_t i;

	for (i = 0; i < sizeof(descs) / sizeof(descs[0]); i++)
		if (strcmp(descs[i].name, name) == 0)
			return &descs[i];
	return NULL;
}

/* A call that returned retval; its kinds are those of the entry's probe. */
static inline void
call_init(struct mem_call *ca, const char *prov, const char *name,
    int64_t retval)
{
	int is32 = strcmp(prov, "syscall32") == 0;
	enum syscall_abi abi = is32 ? SYSCALL_ABI_32 : SYSCALL_ABI_64;
	const struct syscall_desc *sd = syscall_desc(abi,
	    syscall_lookup(abi, name));
	unsigned int i;

	memset(ca, 0, sizeof(*ca));
	if (sd == NULL)
		sd = call_elsewhere(name);
	if (sd == NULL)
		abort();
	for (i = 0; i < sd->nargs; i++) {
		ca->ca_args[i] = 0x7f0000001000 + i;
		ca->ca_probe.pr_args[i] = val_classify(sd->args[i].type,
		    sd->args[i].name);
		ca->ca_probe.pr_kinds[i] = arg_find(name, sd->args[i].name,
		    sd->args[i].type);
	}
	ca->ca_probe.pr_desc.pd_info.dtpi_nargs = sd->nargs;
	ca->ca_probe.pr_desc.pd_info.dtpi_flags = DTPI_CALL |
	    (is32 ? DTPI_COMPAT : 0);
	ca->ca_probe.pr_ret = val_classify_ret(name);
	ca->ca_probe.pr_retkind = arg_find(name, "=", "");
	call_event_init(&ca->ca_entry);
	call_event_init(&ca->ca_return);
	ca->ca_entry.ce_ev.ev_nargs = sd->nargs;
	ca->ca_entry.ce_ev.ev_args = ca->ca_args;
	ca->ca_return.ce_ret.drr_retval = retval;
	ca->ca_return.ce_ev.ev_ret = &ca->ca_return.ce_ret;
	ca->ca_call = (struct arg_call){ .ac_probe = &ca->ca_probe,
		.ac_entry = &ca->ca_entry.ce_ev,
		.ac_ret = &ca->ca_return.ce_ev };
}

/*
 * Appends memory (flags: DT_STR_*).  The section ends at the end of its
 * allocation, so that a sanitizer detects reads past it.
 */
static inline void
call_add(struct mem_call *ca, unsigned int argn, unsigned int flags,
    const void *bytes, size_t len, size_t truelen)
{
	struct call_event *ce = flags & DT_STR_RETURN ? &ca->ca_return
						      : &ca->ca_entry;
	struct dt_rec_string s = { .drt_argn = argn,
		.drt_flags = flags,
		.drt_length = len,
		.drt_truelen = truelen };
	size_t padded = (len + 7) & ~(size_t)7, before = 0;
	uint8_t *p;

	if (ce->ce_strings != NULL)
		before = ce->ce_strings->drz_nbytes;
	p = calloc(1, sizeof(*ce->ce_strings) + before + sizeof(s) + padded);
	if (p == NULL)
		abort();
	if (ce->ce_strings != NULL)
		memcpy(p, ce->ce_strings, sizeof(*ce->ce_strings) + before);
	memcpy(p + sizeof(*ce->ce_strings) + before, &s, sizeof(s));
	if (len > 0)
		memcpy(p + sizeof(*ce->ce_strings) + before + sizeof(s), bytes,
		    len);
	free(ce->ce_strings);
	ce->ce_strings = (struct dt_rec_strings *)p;
	ce->ce_strings->drz_count++;
	ce->ce_strings->drz_nbytes = before + sizeof(s) + padded;
	ce->ce_ev.ev_strings = ce->ce_strings;
}

static inline void
call_free(struct mem_call *ca)
{
	free(ca->ca_entry.ce_strings);
	free(ca->ca_return.ce_strings);
}

#endif /* TEST_CLI_MEM_H */
