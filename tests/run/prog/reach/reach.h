/* SPDX-License-Identifier: ISC */
/*
 * Shared by the parts of reach: the commands of the daemon's table, the states
 * of a connection, a message and its expected reply, and the table of commands
 * and states.
 */
#ifndef REACH_REACH_H
#define REACH_REACH_H

#include <stddef.h>
#include <stdint.h>

#include "tests/run/prog/raw.h"

#define MAXCMDS	   64
#define MAXERRORS  136 /* errnos that are counted separately */
#define MAXPAYLOAD 2048
#define MAXSENT	   (2 * (MAXPAYLOAD + sizeof(struct wire_hdr)))
#define UNKNOWN	   0xc0105a7fU /* no command has this number */

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

/* The commands of the daemon's own table, an open, and UNKNOWN. */
void commands_init(void);
/* Returns the command with this number, or UNKNOWN. */
struct command *command_find(uint32_t num);

/*
 * States (states.c)
 */

enum {
	NO_OPEN = 0x01,	  /* no session is open */
	STARVED = 0x02,	  /* the daemon gets no descriptor */
	SHUT_OUT = 0x04,  /* the client ends its side after the message */
	CLOSE_OUT = 0x08, /* the client closes, and reads no reply */
};

struct rstate {
	const char *rs_name;
	void (*rs_reach)(struct raw *);
	/* A message to send first in the same write, or NULL. */
	size_t (*rs_ahead)(struct raw *, uint8_t *);
	unsigned int rs_flags;
};

#define NRSTATES 15
extern const struct rstate rstates[NRSTATES];

/* Probes that exist: the entry of getppid(2), and a clock. */
extern uint32_t pbn_call, pbn_clock;

/* Looks up the probes; must be called first. */
void states_init(struct dt *);
struct dtioc_fullstat fullstat(struct raw *);

/*
 * Messages (messages.c)
 */

/* The expected fate of a message. */
enum fate {
	FATE_CUT,     /* incomplete: no reply */
	FATE_VERSION, /* EPROTONOSUPPORT, and closed */
	FATE_LONG,    /* EMSGSIZE, and closed */
	FATE_NOOPEN,  /* EBADF */
	FATE_NOTTY,   /* ENOTTY */
	FATE_LENGTH,  /* EINVAL with a text about it */
	FATE_REACHED
};

struct trial {
	uint8_t tr_buf[MAXSENT];
	size_t tr_ahead; /* bytes of the message before it */
	size_t tr_len;
	unsigned int tr_nfds;
	struct wire_hdr tr_hdr; /* as it is sent */
	enum fate tr_fate;
	struct command *tr_cmd; /* by its number, as it is sent */
};

void messages_seed(uint64_t);
/* Makes a message for a command in a state; the first of a cell is valid. */
void trial_make(struct trial *, struct raw *, const struct command *,
    const struct rstate *, int first);
void trial_send(struct raw *, const struct trial *);
/* Returns whether the error of a reply is possible for this fate. */
int trial_is_due(const struct trial *, struct raw *, int error);

/*
 * The table (table.c)
 */

/* Counts the result of a message; error -1: no reply. */
void table_count(const struct trial *, const struct rstate *, int error);
void table_print(void);
/* Ends the program if a cell without a reason is empty. */
void table_check(void);

#endif /* REACH_REACH_H */
