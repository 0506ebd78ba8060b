/* SPDX-License-Identifier: ISC */
/* Rights and limits of the worker. */
#ifndef SYMBOLIZER_CAGE_H
#define SYMBOLIZER_CAGE_H

/* Gives up all that the worker does not need; ends it if that fails. */
void cage_enter(void);
/* The rights alone: for what becomes another program. */
void cage_drop(void);
/* The worker ends by itself if this much time goes by; 0: no longer. */
void cage_alarm(unsigned int seconds);

#endif /* SYMBOLIZER_CAGE_H */
