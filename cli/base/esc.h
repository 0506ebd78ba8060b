/* SPDX-License-Identifier: ISC */
/*
 * Escapes untrusted names (of processes, files, symbols) for a terminal, JSON
 * and XML.
 */
#ifndef CLI_BASE_ESC_H
#define CLI_BASE_ESC_H

#include <stddef.h>

#include "cli/base/buf.h"

/*
 * Text for a terminal: control characters, characters that reorder or hide text
 * (U+202E, for example) and invalid UTF-8 are written as \xNN; other bytes are
 * unchanged.
 */
void esc_text(struct buf *, const char *, size_t);
void esc_str(struct buf *, const char *);

/*
 * The same for the inside of "quotes", with \", \\ and the usual control
 * characters as in C, and of <angles>, where <, > and \ become \xNN.  The text
 * cannot end the enclosing quotes or angles.
 */
void esc_quoted(struct buf *, const char *, size_t);
void esc_angled(struct buf *, const char *, size_t);

/*
 * The inside of a JSON string.  A byte that is not part of valid UTF-8 becomes
 * \u00NN, so that different names stay different; the output is valid UTF-8 for
 * any input.  Characters that esc_text() escapes are written as \uNNNN, since
 * JSON is printed on terminals, too.
 */
void esc_json(struct buf *, const char *, size_t);

/*
 * The text of XML and HTML, and the inside of their "attributes".  Characters
 * that esc_text() escapes, or that XML forbids, are escaped in the same way.
 */
void esc_xml(struct buf *, const char *, size_t);

#endif /* CLI_BASE_ESC_H */
