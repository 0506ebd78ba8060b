/* SPDX-License-Identifier: ISC */
/*
 * early ROUNDS MS
 *
 * Ends a service while it loads its programs: each round a bit later, up to MS
 * milliseconds after it listens.  It must end cleanly, whatever its threads are
 * doing.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

int
main(int argc, char **argv)
{
	struct prog_dtd pd;
	int i, nrounds, ms;

	if (argc != 3)
		errx(2, "usage: early ROUNDS MS");
	nrounds = atoi(argv[1]);
	ms = atoi(argv[2]);
	for (i = 0; i < nrounds; i++) {
		prog_dtd_start(&pd, NULL);
		usleep((useconds_t)ms * 1000 / nrounds * i);
		prog_dtd_stop(&pd);
	}
	printf("%d times\n", i);
	return 0;
}
