/* SPDX-License-Identifier: ISC */
/*
 * dt-exporter: serves the metrics of dtd for Prometheus or, with --pprof,
 * profiles of the machine to permitted users.  The two modes run as different
 * users: the first needs only the right STATS, the second PROFILE.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/errmsg.h"
#include "exporter/defined.h"
#include "exporter/dtd_link.h"
#include "exporter/http.h"
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
	const char *tcp;       /* NULL: default */
	const char *path;      /* UNIX socket, or NULL */
	const char *dtd;       /* socket of dtd */
	const char *dt;	       /* the program dt(1) */
	const char *folder;    /* of defined metrics; NULL: default */
	const char *callgraph; /* how dt(1) finds user frames */
	int nonlocal;
	int pprof;
};

static void
usage(FILE *f)
{
	fprintf(f,
	    "usage: dt-exporter [-l ADDRESS:PORT] [-m FOLDER] [-s SOCKET] "
	    "[-u PATH]\n"
	    "       dt-exporter --pprof -u PATH [-g GROUP ...]\n"
	    "Serve the metrics of dtd for Prometheus, or profiles for pprof.\n"
	    "\n"
	    "  -l, --listen ADDRESS:PORT  serve /metrics on this address, or "
	    "none\n"
	    "                             (default " MAIN_TCP ")\n"
	    "      --expose-to-network    allow -l an address that other "
	    "machines reach\n"
	    "  -m, --metrics FOLDER       serve the metrics that files of this "
	    "folder define\n"
	    "                             (default " DT_METRICS ")\n"
	    "  -u, --unix PATH            also serve on this UNIX socket\n"
	    "  -s, --socket PATH          connect to dtd at this socket\n"
	    "      --pprof                serve /debug/pprof/profile instead\n"
	    "  -g, --group GROUP          with --pprof: permit members of "
	    "GROUP\n"
	    "      --call-graph HOW       with --pprof: find user frames by "
	    "fp (frame\n"
	    "                             pointers) or table (unwind tables)\n"
	    "      --dt PATH              run this dt(1)\n"
	    "  -h, --help                 print this help\n"
	    "      --version              print the release\n");
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
		{ "call-graph", required_argument, NULL, 'C' },
		{ "dt", required_argument, NULL, 'D' },
		{ "expose-to-network", no_argument, NULL, 'E' },
		{ "group", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ "listen", required_argument, NULL, 'l' },
		{ "metrics", required_argument, NULL, 'm' },
		{ "pprof", no_argument, NULL, 'P' },
		{ "socket", required_argument, NULL, 's' },
		{ "unix", required_argument, NULL, 'u' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int ch, groups = 0;

	while (
	    (ch = getopt_long(argc, argv, "g:hl:m:s:u:", longopts, NULL)) != -1)
		switch (ch) {
		case 'C':
			st->callgraph = optarg;
			break;
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
		case 'm':
			st->folder = optarg;
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
		bad_usage("only options are allowed");
	if (!st->pprof && (groups || st->callgraph != NULL))
		bad_usage("-g and --call-graph need --pprof");
	if (st->callgraph != NULL && strcmp(st->callgraph, "fp") != 0 &&
	    strcmp(st->callgraph, "table") != 0)
		bad_usage("--call-graph should be fp or table");
}

static void
serve_metrics(const struct settings *st)
{
	const char *tcp = st->tcp != NULL ? st->tcp : MAIN_TCP;

	dtd_link_start(st->dtd);
	defined_start(st->folder != NULL ? st->folder : DT_METRICS,
	    st->dt != NULL ? st->dt : DT_LIBEXEC_DT,
	    st->dtd != NULL ? st->dtd : DTDEVNAME);
	metrics_add(defined_print);
	if (strcmp(tcp, "none") != 0)
		http_serve(http_listen_tcp(tcp, st->nonlocal), metrics_paths,
		    MAIN_MAXCONN, 0);
	else if (st->path == NULL)
		bad_usage("-l none needs -u PATH");
	if (st->path != NULL)
		http_serve(http_listen_unix(st->path, MAIN_MODE), metrics_paths,
		    MAIN_MAXCONN, 0);
}

/* Serves profiles only on a UNIX socket: every user can connect to a port. */
static void
serve_profiles(const struct settings *st)
{
	if (st->path == NULL || st->tcp != NULL || st->dtd != NULL ||
	    st->folder != NULL)
		bad_usage("--pprof needs -u PATH, and excludes -l, -m and -s");
	pprof_start(st->dt, st->callgraph);
	http_serve(http_listen_unix(st->path, MAIN_MODE), pprof_paths,
	    MAIN_MAXPPROF, 1);
}

int
main(int argc, char **argv)
{
	struct settings st = { .tcp = NULL };

	parse(argc, argv, &st);
	http_init(st.pprof ? NULL : defined_load);
	if (st.pprof)
		serve_profiles(&st);
	else
		serve_metrics(&st);
	http_wait();
	return 0;
}
