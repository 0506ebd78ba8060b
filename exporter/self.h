/* SPDX-License-Identifier: ISC */
/* Resources of this process, by the usual names of Prometheus clients. */
#ifndef EXPORTER_SELF_H
#define EXPORTER_SELF_H

#include <stdio.h>

void self_print(FILE *);

#endif /* EXPORTER_SELF_H */
