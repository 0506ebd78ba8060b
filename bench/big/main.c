/* SPDX-License-Identifier: ISC */
/*
 * A program of about 200 MB, mostly DWARF, that reports addresses and sleeps.
 * Used by bench/running.c, built by bench/big/make.
 */
#include <stdlib.h>
#include <unistd.h>

#include "bench/running.h"

extern void (*const big_functions[RUNNING_NPCS])(void);

int
main(int argc, char **argv)
{
	struct running ru = { .ru_pid = getpid(), .ru_n = RUNNING_NPCS };
	uint32_t i;

	for (i = 0; i < ru.ru_n; i++)
		ru.ru_pcs[i] = (uintptr_t)big_functions[i];
	if (argc != 2 || write(atoi(argv[1]), &ru, sizeof(ru)) != sizeof(ru))
		return 1;
	for (;;)
		pause();
}
