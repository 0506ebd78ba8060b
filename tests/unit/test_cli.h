/* SPDX-License-Identifier: ISC */
/*
 * Shared by the tests of cli/: cmocka, and a buffer to compare.
 */
#ifndef TEST_CLI_H
#define TEST_CLI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/base/buf.h"

/* Compares the appended text, and empties the buffer. */
#define assert_buf(b, want) \
	do { \
		buf_c(b, '\0'); \
		assert_string_equal((b)->b_data, want); \
		(b)->b_len = 0; \
	} while (0)

#endif /* TEST_CLI_H */
