/* SPDX-License-Identifier: ISC */
/*
 * Reports readiness, status and liveness to the service manager.
 *
 * A timer of the event loop feeds the watchdog, and only if the data thread has
 * responded since the last time: so the manager detects a hang of either
 * thread.  Workers may block in the kernel without limit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "daemon/access/person.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/sdlib.h"
#include "daemon/base/timer.h"
#include "daemon/device/stream.h"
#include "daemon/server/service.h"

#define SERVICE_CHECKS	 3 /* notifications per watchdog interval */
#define SERVICE_STATUS_S 1 /* seconds between two texts for the manager */

static uint64_t service_usecs; /* [I] of the watchdog, 0: none */
static struct timer service_watchdog;
static struct timer service_clock; /* of the status */
static int service_nopen;
static int service_reported = -1;     /* opens of the last status */
static int service_isdelayed;	      /* the clock runs */
static unsigned int service_mistakes; /* mistakes of the last reload */
static int service_failures;	      /* a missing notification is logged */

static void __attribute__((format(printf, 1, 2)))
service_notify(const char *fmt, ...)
{
	const struct sdlib *sd = sdlib();
	char text[256];
	va_list ap;

	if (sd == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)sd->sl_notify(0, text);
}

/*
 * Status
 */

static void
service_text(char *text, size_t size)
{
	char trouble[64] = "";

	if (service_mistakes > 0)
		snprintf(trouble, sizeof(trouble),
		    "; settings not changed: %u mistake%s", service_mistakes,
		    service_mistakes == 1 ? "" : "s");
	snprintf(text, size, "%d session%s%s", service_nopen,
	    service_nopen == 1 ? "" : "s", trouble);
}

static void
service_status(void)
{
	char text[128];

	service_reported = service_nopen;
	service_text(text, sizeof(text));
	service_notify("STATUS=%s", text);
}

static void
service_tick(void)
{
	service_isdelayed = 0;
	if (service_reported != service_nopen)
		service_status();
}

/* Limits the rate of texts: sessions may be short. */
void
service_opens(int n)
{
	service_nopen = n;
	if (sdlib() == NULL || service_isdelayed || service_reported == -1)
		return;
	timer_start(&service_clock, SERVICE_STATUS_S * TIMER_SEC);
	service_isdelayed = 1;
}

/*
 * Watchdog
 */

static void
service_check(void)
{
	if (stream_isalive()) {
		service_notify("WATCHDOG=1");
		service_failures = 0;
		stream_check();
	} else if (!service_failures++)
		log_warnx("the data thread does not respond: no more watchdog "
			  "notifications are sent");
}

/*
 * Start, reload and stop
 */

void
service_init(void)
{
	const struct sdlib *sd = sdlib();

	if (sd == NULL)
		return;
	if (sd->sl_watchdog_enabled(0, &service_usecs) <= 0)
		service_usecs = 0;
	if ((errno = timer_init(&service_watchdog, service_check)) != 0 ||
	    (errno = timer_init(&service_clock, service_tick)) != 0)
		fatal("timerfd");
}

void
service_ready(void)
{
	service_notify("READY=1");
	service_status();
	if (service_usecs == 0)
		return;
	timer_repeat(&service_watchdog, service_usecs * 1000 / SERVICE_CHECKS);
	stream_check();
}

void
service_read_persons(void)
{
	int nbad = person_read(PERSON_FILE);

	if (nbad == -1)
		log_warn("%s: cannot read subordinate user ids", PERSON_FILE);
	else if (nbad > 0)
		log_warnx("%s: %d line%s skipped", PERSON_FILE, nbad,
		    nbad == 1 ? " is invalid and" : "s are invalid and");
}

/* The manager requires all values in one message. */
void
service_reload(void)
{
	char text[128];

	service_notify("RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
	    (uint64_t)clock_monotonic() / 1000);
	service_mistakes = conf_reload();
	service_read_persons();
	if (service_mistakes == 0)
		log_notice("settings reloaded");
	else
		log_warnx("settings not reloaded: %u mistake%s",
		    service_mistakes, service_mistakes == 1 ? "" : "s");
	service_text(text, sizeof(text));
	service_notify("READY=1\nSTATUS=%s", text);
}

void
service_stopping(void)
{
	service_notify("STOPPING=1\nSTATUS=exiting, %d session%s",
	    service_nopen, service_nopen == 1 ? "" : "s");
}
