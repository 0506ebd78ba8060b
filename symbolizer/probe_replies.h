/* SPDX-License-Identifier: ISC */
/* Sends the sites that a query finds to dtd. */
#ifndef SYMBOLIZER_PROBE_REPLIES_H
#define SYMBOLIZER_PROBE_REPLIES_H

#include "symbolizer/probe_sink.h"

/* Returns the sink of a new reply. */
struct probe_sink *probe_replies_begin(void);
/* Sends the last sites; the reply ends with proto_end(). */
void probe_replies_flush(void);

#endif /* SYMBOLIZER_PROBE_REPLIES_H */
