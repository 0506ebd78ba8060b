/* SPDX-License-Identifier: ISC */
/*
 * Names that others have chosen (of processes, files, symbols), made fit for
 * a terminal and for JSON.
 */
#ifndef CLI_BASE_ESC_H
#define CLI_BASE_ESC_H

#include <stddef.h>

#include "cli/base/buf.h"

/*
 * For people: bytes of control characters, of what turns or hides text
 * (U+202E and the like), and of invalid UTF-8 as \xNN, all else as it is.
 */
void esc_text(struct buf *, const char *, size_t);
void esc_str(struct buf *, const char *);

/*
 * The same for the inside of "quotes": with \" and \\, and the usual control
 * characters as in C; and of <angles>, where <, > and \ become \xNN.  What
 * they are put into can't end early.
 */
void esc_quoted(struct buf *, const char *, size_t);
void esc_angled(struct buf *, const char *, size_t);

/*
 * The inside of a JSON string.  A byte that is not part of valid UTF-8 becomes
 * \u00NN, so that different names stay different; the output is valid UTF-8
 * whatever goes in.  What esc_text() hides is written as \uNNNN, since JSON
 * gets onto terminals, too.
 */
void esc_json(struct buf *, const char *, size_t);

/*
 * The text of XML and HTML, and the inside of their "attributes": what
 * esc_text() hides, and what XML may not have, is written as there.
 */
void esc_xml(struct buf *, const char *, size_t);

#endif /* CLI_BASE_ESC_H */
