/* SPDX-License-Identifier: ISC */
/*
 * The list of providers.  Probes are numbered in this order, as in the BSD
 * original, so new providers are appended.
 */
#ifndef DAEMON_DT_DT_PROVIDERS_H
#define DAEMON_DT_DT_PROVIDERS_H

#define DT_PROVIDERS(X) \
	X(profile) \
	X(interval) \
	X(syscall) \
	X(tracepoint) \
	X(kprobe) \
	X(syscall32) \
	X(rawtracepoint) \
	X(uprobe) \
	X(usdt) \
	X(counter)

#endif /* DAEMON_DT_DT_PROVIDERS_H */
