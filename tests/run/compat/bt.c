/* SPDX-License-Identifier: ISC */
/*
 * A program as btrace(8) of OpenBSD is written: for /dev/dt, /dev/ksyms and the
 * headers of that system, without libdt.  For tests/run/compat.t.
 *
 *	bt list		checks the whole list of probes
 */
#include <sys/types.h>
#include <sys/ioctl.h>

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#define PATH_DEVDT "/dev/dt"

static struct dtioc_probe_info *probes; /* probes[pbn - 1] */
static size_t nprobes;
static int dtfd;

static void
probes_get(void)
{
	struct dtioc_probe dtpr;

	memset(&dtpr, 0, sizeof(dtpr));
	if (ioctl(dtfd, DTIOCGPLIST, &dtpr))
		err(1, "DTIOCGPLIST");
	nprobes = dtpr.dtpr_size / sizeof(*probes);
	probes = calloc(nprobes, sizeof(*probes));
	if (probes == NULL)
		err(1, "calloc");
	dtpr.dtpr_probes = probes;
	if (ioctl(dtfd, DTIOCGPLIST, &dtpr))
		err(1, "DTIOCGPLIST");
}

/* Returns the number of arguments that have a type. */
static size_t
probe_ntypes(const struct dtioc_probe_info *dtpi)
{
	struct dtioc_arg_info args[64];
	struct dtioc_arg dtar;

	memset(&dtar, 0, sizeof(dtar));
	dtar.dtar_pbn = dtpi->dtpi_pbn;
	dtar.dtar_size = sizeof(args);
	dtar.dtar_args = args;
	if (ioctl(dtfd, DTIOCGARGS, &dtar))
		err(1, "DTIOCGARGS of %u", dtpi->dtpi_pbn);
	return dtar.dtar_size / sizeof(args[0]);
}

static void
list(void)
{
	size_t i, holes = 0, wrong = 0, withargs = 0;

	for (i = 0; i < nprobes; i++) {
		holes += probes[i].dtpi_pbn != i + 1;
		withargs += probes[i].dtpi_nargs > 0 &&
		    strcmp(probes[i].dtpi_prov, "tracepoint") == 0;
		wrong += probes[i].dtpi_nargs != probe_ntypes(&probes[i]);
	}
	printf("%zu probes, %zu holes, %zu with a wrong number of arguments\n",
	    nprobes, holes, wrong);
	printf("tracepoints with arguments: %s\n", withargs > 0 ? "yes" : "no");
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		errx(1, "usage: bt list");
	dtfd = open(PATH_DEVDT, O_RDONLY);
	if (dtfd == -1)
		err(1, PATH_DEVDT);
	probes_get();
	if (strcmp(argv[1], "list") == 0)
		list();
	if (close(dtfd) == -1)
		err(1, "close");
	return 0;
}
