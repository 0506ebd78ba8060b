/* SPDX-License-Identifier: ISC */
/* What this process takes, as Prometheus' clients tell it of theirs. */
#ifndef EXPORTER_SELF_H
#define EXPORTER_SELF_H

#include <stdio.h>

void self_print(FILE *);

#endif /* EXPORTER_SELF_H */
