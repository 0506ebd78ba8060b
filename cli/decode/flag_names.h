/* SPDX-License-Identifier: ISC */
/*
 * Tables of names that several files of cli/decode/ use, for arguments or
 * members of structs.  The comment next to each names the file that defines it.
 */
#ifndef CLI_DECODE_FLAG_NAMES_H
#define CLI_DECODE_FLAG_NAMES_H

#include "cli/decode/kind.h"

extern const struct arg_names arg_names_open;	  /* open_file.c: O_* */
extern const struct arg_names arg_names_clone;	  /* proc.c: CLONE_* */
extern const struct arg_names arg_names_clock;	  /* time.c: CLOCK_* */
extern const struct arg_names arg_names_rlimit;	  /* proc.c: RLIMIT_* */
extern const struct arg_names arg_names_family;	  /* net.c: AF_* */
extern const struct arg_names arg_names_socktype; /* net.c: SOCK_* */
extern const struct arg_names arg_names_msg;	  /* net.c: MSG_* */
extern const struct arg_names arg_names_prot;	  /* mmap.c: PROT_* */
extern const struct arg_names arg_names_at;	  /* path_flags.c: AT_* flags */
extern const struct arg_names arg_names_statxmask; /* path_flags.c: STATX_* */
extern const struct arg_names arg_names_mountattr; /* mount.c */
extern const struct arg_names arg_names_sched;	   /* proc.c: SCHED_* */
extern const struct arg_names arg_names_cap;	   /* prctl.c: CAP_* */
extern const struct arg_names arg_names_whence;	   /* file_io.c: SEEK_* */

/* ioctl.c: requests of ioctl(2) */
extern const struct arg_names arg_names_request;

/* Calls with an option argument and the meaning of their other arguments. */
extern const struct arg_ops arg_ops_fcntl;  /* fcntl.c */
extern const struct arg_ops arg_ops_futex;  /* sync.c */
extern const struct arg_ops arg_ops_prctl;  /* prctl.c */
extern const struct arg_ops arg_ops_keyctl; /* keyctl.c */
extern const struct arg_ops arg_ops_ptrace; /* ptrace.c */

#endif /* CLI_DECODE_FLAG_NAMES_H */
