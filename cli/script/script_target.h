/* SPDX-License-Identifier: ISC */
/* Probes of scripts as probes of dt: names of bpftrace(8), btrace(8) and dt. */
#ifndef CLI_SCRIPT_SCRIPT_TARGET_H
#define CLI_SCRIPT_SCRIPT_TARGET_H

#include <stddef.h>
#include <stdint.h>

enum target_kind {
	TARGET_BEGIN,
	TARGET_END,
	TARGET_TIMER, /* by the clock of dt itself, unless it reads memory */
	TARGET_EVENT,
};

struct script_target {
	enum target_kind tg_kind;
	char tg_pattern[640]; /* of dt_lookup(), or a clock with its period */
	uint64_t tg_period;   /* of TIMER, ns */
	const char *tg_name;  /* as the script has it */
	int tg_isclock;	      /* or a counter: tg_name has its period */
	/*
	 * prefix of the function in the variable "probe"; NULL: the name of dt,
	 * or of a clock tg_name
	 */
	const char *tg_prefix;
	int tg_islinux; /* failed calls return -errno */
};

/* Returns 0, or -1 with the reason. */
int
script_target(const char *name, struct script_target *, char *why, size_t nwhy);

#endif /* CLI_SCRIPT_SCRIPT_TARGET_H */
