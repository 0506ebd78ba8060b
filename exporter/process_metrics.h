/* SPDX-License-Identifier: ISC */
/* Resources of this process, by the usual names of Prometheus clients. */
#ifndef EXPORTER_PROCESS_METRICS_H
#define EXPORTER_PROCESS_METRICS_H

#include <stdio.h>

void process_metrics_print(FILE *);

#endif /* EXPORTER_PROCESS_METRICS_H */
