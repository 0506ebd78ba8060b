/* SPDX-License-Identifier: ISC */
/*
 * dt-exporter: what dtd counts, for Prometheus; or, with --pprof, profiles of the
 * machine, for who may have them.  Two programs in one, which are run as
 * different users: the first needs the right STATS only, the second PROFILE.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/errmsg.h"
#include "exporter/http.h"
#include "exporter/link.h"
#include "exporter/metrics.h"
#include "exporter/pprof.h"

#define MAIN_TCP      "127.0.0.1:9464"
#define MAIN_MAXCONN  16
#define MAIN_MAXPPROF 8
#define MAIN_MODE     0666

static const struct http_path metrics_paths[] = {
	{ "/metrics", metrics_page },
	{ NULL, NULL },
};

static const struct http_path pprof_paths[] = {
	{ "/debug/pprof/profile", pprof_page },
	{ NULL, NULL },
};

struct settings {
	const char *tcp;  /* NULL: not asked for */
	const char *path; /* of a UNIX socket, or NULL */
	const char *dtd;  /* its socket */
	const char *dt;	  /* dt(1) */
	int nonlocal;
	int pprof;
};

static void
usage(FILE *f)
{
	fprintf(f,
	    "usage: dt-exporter [-l ADDRESS:PORT] [-s SOCKET] [-u PATH]\n"
	    "       dt-exporter --pprof -u PATH [-g GROUP ...]\n"
	    "  -l, --listen ADDRESS:PORT  serve /metrics there (" MAIN_TCP
	    "); none: nowhere\n"
	    "  -u, --unix PATH            serve on a UNIX socket, too\n"
	    "  -s, --socket PATH          where dtd listens\n"
	    "      --expose-to-network    let other machines have the metrics\n"
	    "      --pprof                serve /debug/pprof/profile instead\n"
	    "  -g, --group GROUP          with --pprof: who may, beside root\n"
	    "      --dt PATH              with --pprof: the program dt(1)\n"
	    "      --version\n");
}

static void __attribute__((noreturn)) bad_usage(const char *why)
{
	warnx("%s", why);
	usage(stderr);
	exit(2);
}

static void
parse(int argc, char **argv, struct settings *st)
{
	static const struct option longopts[] = {
		{ "dt", required_argument, NULL, 'D' },
		{ "expose-to-network", no_argument, NULL, 'E' },
		{ "group", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ "listen", required_argument, NULL, 'l' },
		{ "pprof", no_argument, NULL, 'P' },
		{ "socket", required_argument, NULL, 's' },
		{ "unix", required_argument, NULL, 'u' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int ch, groups = 0;

	while (
	    (ch = getopt_long(argc, argv, "g:hl:s:u:", longopts, NULL)) != -1)
		switch (ch) {
		case 'D':
			st->dt = optarg;
			break;
		case 'E':
			st->nonlocal = 1;
			break;
		case 'g':
			pprof_allow(optarg);
			groups = 1;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		case 'l':
			st->tcp = optarg;
			break;
		case 'P':
			st->pprof = 1;
			break;
		case 's':
			st->dtd = optarg;
			break;
		case 'u':
			st->path = optarg;
			break;
		case 'V':
			printf("dt-exporter %s\n", DT_RELEASE);
			exit(0);
		default:
			errmsg_option(argv);
			usage(stderr);
			exit(2);
		}
	if (optind != argc)
		bad_usage("it takes options only");
	if (!st->pprof && (groups || st->dt != NULL))
		bad_usage("-g and --dt go with --pprof");
}

static void
serve_metrics(const struct settings *st)
{
	const char *tcp = st->tcp != NULL ? st->tcp : MAIN_TCP;

	link_start(st->dtd);
	if (strcmp(tcp, "none") != 0)
		http_serve(http_listen_tcp(tcp, st->nonlocal), metrics_paths,
		    MAIN_MAXCONN, 0);
	else if (st->path == NULL)
		bad_usage("without -l there has to be a -u");
	if (st->path != NULL)
		http_serve(http_listen_unix(st->path, MAIN_MODE), metrics_paths,
		    MAIN_MAXCONN, 0);
}

/* A port of its own would be everybody's on this machine. */
static void
serve_profiles(const struct settings *st)
{
	if (st->path == NULL || st->tcp != NULL || st->dtd != NULL)
		bad_usage("--pprof serves on a UNIX socket only: -u PATH");
	pprof_start(st->dt);
	http_serve(http_listen_unix(st->path, MAIN_MODE), pprof_paths,
	    MAIN_MAXPPROF, 1);
}

int
main(int argc, char **argv)
{
	struct settings st = { .tcp = NULL };

	parse(argc, argv, &st);
	http_init();
	if (st.pprof)
		serve_profiles(&st);
	else
		serve_metrics(&st);
	http_wait();
	return 0;
}
