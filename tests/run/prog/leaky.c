/* SPDX-License-Identifier: ISC */
/*
 * leaky: allocates memory in several functions, frees a part of it, and prints
 * for each function its name, and the bytes and blocks that it has not freed.
 * If MALLOC_TRACE is set and libc_malloc_debug.so is preloaded, mtrace(3) writes
 * what the C library has seen.
 */
#include <err.h>
#include <mcheck.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAKY	     __attribute__((noinline, visibility("default")))
#define LEAKY_BLOCKS 64

/* Memory that a function has allocated and not freed. */
struct leaky_sum {
	size_t nbytes;
	unsigned int nblocks;
};

/* Volatile, so that the compiler keeps each call. */
static void *volatile leaky_kept[LEAKY_BLOCKS];
static unsigned int leaky_nkept;
static volatile size_t leaky_zero, leaky_too_much = (size_t)-1 / 4;

void leaky_malloc(struct leaky_sum *), leaky_calloc(struct leaky_sum *);
void leaky_realloc(struct leaky_sum *), leaky_aligned(struct leaky_sum *);
void leaky_thread(struct leaky_sum *), leaky_freed(struct leaky_sum *);

static void
leaky_keep(struct leaky_sum *ls, void *p, size_t nbytes)
{
	if (p == NULL || leaky_nkept == LEAKY_BLOCKS)
		errx(1, "no memory");
	leaky_kept[leaky_nkept++] = p;
	ls->nbytes += nbytes;
	ls->nblocks++;
}

/* Frees the block that was kept last. */
static void
leaky_free(struct leaky_sum *ls, size_t nbytes)
{
	free(leaky_kept[--leaky_nkept]);
	ls->nbytes -= nbytes;
	ls->nblocks--;
}

LEAKY void
leaky_malloc(struct leaky_sum *ls)
{
	size_t i;

	for (i = 0; i < 10; i++)
		leaky_keep(ls, malloc(1000 + i), 1000 + i);
	for (; i > 7; i--)
		leaky_free(ls, 1000 + i - 1);
}

LEAKY void
leaky_calloc(struct leaky_sum *ls)
{
	int i;

	for (i = 0; i < 5; i++)
		leaky_keep(ls, calloc(13, 17), 13 * 17);
}

/* The last call fails, and its block remains. */
LEAKY void
leaky_realloc(struct leaky_sum *ls)
{
	static const size_t sizes[] = { 10, 5000, 200000, 300000, 40000 };
	void *p = NULL;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if ((p = realloc(p, sizes[i])) == NULL)
			errx(1, "no memory");
	if (realloc(p, leaky_too_much) != NULL)
		errx(1, "too much memory");
	leaky_keep(ls, p, 40000);
}

LEAKY void
leaky_aligned(struct leaky_sum *ls)
{
	int i;

	for (i = 0; i < 3; i++)
		leaky_keep(ls, aligned_alloc(64, 640), 640);
}

static void *
leaky_thread_run(void *arg)
{
	leaky_free(arg, 3000);
	leaky_free(arg, 3000);
	return NULL;
}

LEAKY void
leaky_thread(struct leaky_sum *ls)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 6; i++)
		leaky_keep(ls, malloc(3000), 3000);
	if (pthread_create(&thread, NULL, leaky_thread_run, ls) != 0)
		errx(1, "no thread");
	pthread_join(thread, NULL);
}

LEAKY void
leaky_freed(struct leaky_sum *ls)
{
	void *p;
	int i;

	for (i = 0; i < 100; i++) {
		leaky_keep(ls, malloc(100), 100);
		leaky_free(ls, 100);
		leaky_keep(ls, calloc(3, 100), 300);
		leaky_free(ls, 300);
		if ((p = realloc(malloc(7), 7000)) == NULL)
			errx(1, "no memory");
		/* the same as free() */
		if (realloc(p, leaky_zero) != NULL)
			errx(1, "too much memory");
	}
}

static const struct {
	const char *name;
	void (*fn)(struct leaky_sum *);
} leaky_fns[] = {
	{ "leaky_malloc", leaky_malloc },
	{ "leaky_calloc", leaky_calloc },
	{ "leaky_realloc", leaky_realloc },
	{ "leaky_aligned", leaky_aligned },
	{ "leaky_thread", leaky_thread },
	{ "leaky_freed", leaky_freed },
};

#define LEAKY_NFNS (sizeof(leaky_fns) / sizeof(leaky_fns[0]))

int
main(void)
{
	struct leaky_sum sums[LEAKY_NFNS] = { { 0 } };
	size_t i;

	mtrace();
	for (i = 0; i < LEAKY_NFNS; i++)
		leaky_fns[i].fn(&sums[i]);
	/* the output has a buffer, which is also allocated */
	for (i = 0; i < LEAKY_NFNS; i++)
		printf("%s %zu %u\n", leaky_fns[i].name, sums[i].nbytes,
		    sums[i].nblocks);
	return 0;
}
