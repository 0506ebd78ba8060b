/* SPDX-License-Identifier: ISC */
/* /metrics: dtd's sums in the text format of Prometheus. */
#ifndef EXPORTER_METRICS_H
#define EXPORTER_METRICS_H

#include <stdio.h>

#include "exporter/http.h"

/* Sets a function that prints further metrics; before the page is served. */
void metrics_add(void (*)(FILE *));
/* Returns whether a metric of the table has this name. */
int metrics_isname(const char *name);

void metrics_page(struct MHD_Connection *, struct http_reply *);

#endif /* EXPORTER_METRICS_H */
