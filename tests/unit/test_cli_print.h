/* SPDX-License-Identifier: ISC */
/* Shared by the tests of printing: an output into memory, and its symbols. */
#ifndef TEST_CLI_PRINT_H
#define TEST_CLI_PRINT_H

#include "tests/unit/test_cli.h"

#include "cli/out/out.h"

static struct opts opts;
static struct name_cache names;
static struct out out;

static inline void
print_open(const struct out_format *format)
{
	opts = (struct opts){ 0 };
	name_cache_init(&names, NULL);
	out = (struct out){ .out_opts = &opts,
		.out_names = &names,
		.out_format = format };
	buf_init(&out.out_buf, -1);
}

static inline void
print_close(void)
{
	buf_free(&out.out_buf);
	name_cache_free(&names);
}

#endif /* TEST_CLI_PRINT_H */
