/* SPDX-License-Identifier: ISC */
/* /metrics: dtd's sums in the text format of Prometheus. */
#ifndef EXPORTER_METRICS_H
#define EXPORTER_METRICS_H

#include "exporter/http.h"

void metrics_page(struct MHD_Connection *, struct http_reply *);

#endif /* EXPORTER_METRICS_H */
