/* SPDX-License-Identifier: ISC */
/*
 * What the parts of reach share: the commands of the daemon's table, the states
 * of a connection, a frame and what must come of it, and the table of commands
 * and states.
 */
#ifndef REACH_REACH_H
#define REACH_REACH_H

#include <stddef.h>
#include <stdint.h>

#include "tests/run/prog/raw.h"

#define MAXCMDS	   64
#define MAXERRORS  136 /* errnos that are counted apart */
#define MAXPAYLOAD 2048
#define MAXSENT	   (2 * (MAXPAYLOAD + sizeof(struct wire_hdr)))
#define UNKNOWN	   0xc0105a7fU /* nobody's number */

/*
 * Commands (commands.c)
 */

struct command {
	uint32_t cm_num;
	size_t cm_min, cm_max; /* bytes of the payload */
	char cm_name[24];
	unsigned long cm_errors[MAXERRORS]; /* replies by their error */
};

extern struct command commands[MAXCMDS];
extern size_t ncommands;

/* Those of the daemon's own table, an open, and UNKNOWN. */
void commands_init(void);
/* The one with this number, or UNKNOWN. */
struct command *command_find(uint32_t num);

/*
 * States (states.c)
 */

enum {
	NO_OPEN = 0x01,	  /* no open, or none yet */
	STARVED = 0x02,	  /* the daemon gets no descriptor */
	SHUT_OUT = 0x04,  /* the client ends its side behind the frame */
	CLOSE_OUT = 0x08, /* it closes there, and hears nothing */
};

struct rstate {
	const char *rs_name;
	void (*rs_reach)(struct raw *);
	/* A frame that goes ahead in the same write, or NULL. */
	size_t (*rs_ahead)(struct raw *, uint8_t *);
	unsigned int rs_flags;
};

#define NRSTATES 15
extern const struct rstate rstates[NRSTATES];

/* Probes that there are: the entry of getppid(2), and a clock. */
extern uint32_t pbn_call, pbn_clock;

/* Looks the probes up; the first thing that is done. */
void states_init(struct dt *);
struct dtioc_fullstat fullstat(struct raw *);

/*
 * Frames (frames.c)
 */

/* What must come of it. */
enum fate {
	FATE_CUT,     /* it is not complete: no reply */
	FATE_VERSION, /* EPROTONOSUPPORT, and the end */
	FATE_LONG,    /* EMSGSIZE, and the end */
	FATE_NOOPEN,  /* EBADF */
	FATE_NOTTY,   /* ENOTTY */
	FATE_LENGTH,  /* EINVAL with a text about it */
	FATE_REACHED
};

struct trial {
	uint8_t tr_buf[MAXSENT];
	size_t tr_ahead; /* bytes of a frame that goes before */
	size_t tr_len;
	unsigned int tr_nfds;
	struct wire_hdr tr_hdr; /* as it is sent */
	enum fate tr_fate;
	struct command *tr_cmd; /* by its number, as it is sent */
};

void frames_seed(uint64_t);
/* A frame for a command in a state; the first of a cell is right. */
void trial_make(struct trial *, struct raw *, const struct command *,
    const struct rstate *, int first);
void trial_send(struct raw *, const struct trial *);
/* Whether the error of a reply is one that this fate may have. */
int trial_is_due(const struct trial *, struct raw *, int error);

/*
 * The table (table.c)
 */

/* Counts what came of a frame; error -1: no reply. */
void table_count(const struct trial *, const struct rstate *, int error);
void table_print(void);
/* Ends the program if a cell lacks what it must have. */
void table_check(void);

#endif /* REACH_REACH_H */
