/* SPDX-License-Identifier: ISC */
/*
 * Messages between dt and 'dt remote' on another machine, through ssh(1).
 *
 * To the other machine: the line HOSTS_REQUEST with the number of arguments,
 * their bytes, and whether profiles need addresses; the arguments, each ended
 * by NUL; then a byte HOSTS_INTERRUPT for each Ctrl-C.  The end of this stream
 * ends the remote command: dt, ssh or the network has failed.
 *
 * From the other machine: the line HOSTS_HELLO with its release, then messages.
 * A message is a type, its length in 4 bytes (the most significant first), and
 * its bytes.  Lines before HOSTS_HELLO are of the user's shell there.
 */
#ifndef CLI_HOSTS_HOSTS_MESSAGE_H
#define CLI_HOSTS_HOSTS_MESSAGE_H

#define HOSTS_COMMAND	"dt remote"
#define HOSTS_HELLO	"dt remote " /* and DT_RELEASE */
#define HOSTS_REQUEST	"dt request %u %u %u\n"
#define HOSTS_INTERRUPT 'i'

#define HOSTS_MAXARGS	4096
#define HOSTS_MAXBYTES	(1 << 20) /* of all arguments */

/* Types of messages. */
#define HOSTS_RESULT 'r' /* output of dt, see cli/out/out_wire.c, or JSON */
#define HOSTS_STDOUT 'o' /* of the command that dt runs */
#define HOSTS_STDERR 'e' /* of dt and the command */
#define HOSTS_STATUS 's' /* one byte: the exit status; the last message */

#define HOSTS_HEAD   5	   /* bytes of type and length */
#define HOSTS_MAXMSG 16384 /* bytes that follow */

#endif /* CLI_HOSTS_HOSTS_MESSAGE_H */
