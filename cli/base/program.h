/* SPDX-License-Identifier: ISC */
/* Programs that a shell would find. */
#ifndef CLI_BASE_PROGRAM_H
#define CLI_BASE_PROGRAM_H

/* Returns whether a program of this name is in $PATH. */
int program_exists(const char *name);

#endif /* CLI_BASE_PROGRAM_H */
