/* SPDX-License-Identifier: ISC */
/* The message for dt_error(): why the last call on a handle failed. */
#ifndef LIB_FAIL_H
#define LIB_FAIL_H

#include <pthread.h>
#include <stddef.h>

#define DT_ERRLEN 512 /* bytes of a message, with its NUL */

struct dt;

struct dt_errtext {
	pthread_mutex_t et_lock;
	int et_errno;		 /* [et_lock] 0: no failure yet */
	char et_text[DT_ERRLEN]; /* [et_lock] "": strerror(et_errno) */
};

void dt_errtext_init(struct dt_errtext *);
void dt_errtext_free(struct dt_errtext *);

/*
 * Records a failure, sets errno and returns -1.  fmt NULL: no more than errno.
 */
int dt_fail(struct dt *, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a text of the peer: len bytes, not NUL terminated. */
int dt_fail_peer(struct dt *, int error, const void *text, size_t len);

/*
 * Copies the handle's message for dt_error(NULL), before the handle is freed.
 */
void dt_fail_open(const struct dt *);

/* The same before a handle exists. */
void dt_fail_early(int error, const char *text);

#endif /* LIB_FAIL_H */
