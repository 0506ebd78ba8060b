#!/bin/sh
# SPDX-License-Identifier: ISC
# Installs missing Debian packages for the named tasks:
#
#	./deps.sh build		to build and to run the demo (of libsystemd-dev,
#				only headers are used)
#	./deps.sh check		to run all tests, including virtual machines
#	./deps.sh full		additionally for check-full; Prometheus, ClickHouse,
#				DuckDB and axe-core are fetched into caches
#				(tests/prometheus/fetch, tests/fleet/fetch)
#	./deps.sh deb		to build the Debian packages
#	./deps.sh bench		the peers of the benchmarks
#	./deps.sh arm64		to build for arm64 on x86-64; packages are fetched
#				into a cache, not installed (tests/arm64/fetch)
#
# Prints what it installs, uses sudo unless it runs as root, and does nothing if
# no package is missing.
set -eu

build="clang llvm bpftool libbpf-dev libelf-dev libdw-dev libdeflate-dev
    libiberty-dev liblzma-dev libmicrohttpd-dev libseccomp-dev libsystemd-dev zlib1g-dev
    gcc libc6-dev
    pkg-config make"
# dt-exporter uses libmicrohttpd.
check="bpftrace tmux less zsh fish chromium chromium-driver libcmocka-dev binutils g++ xz-utils libclang-rt-14-dev clang-format mandoc
    strace jq qemu-system-x86 qemu-system-common busybox-static kmod git
    ca-certificates libxml2-utils debuginfod python3 python3-jsonschema curl
    procps iproute2 systemd linux-perf openssl openssh-client openssh-server"
packaging="debhelper dpkg-dev fakeroot"
full="golang-go nodejs rustc mmdebstrap xfsprogs $packaging"
deb="$packaging lintian"
# The programs whose stacks are measured, except servers, which would be started:
# redis-server, redis-tools and postgresql.
bench="linux-perf bpftrace strace gnuplot-nox python3 perl gcc xz-utils git
    sqlite3 nodejs openssl chromium chromium-driver"

wanted=
arm64=
isfull=
for group in "$@"; do
	case $group in
	build) wanted="$wanted $build" ;;
	check) wanted="$wanted $check" ;;
	full) wanted="$wanted $full"; isfull=yes ;;
	bench) wanted="$wanted $bench" ;;
	deb) wanted="$wanted $deb" ;;
	arm64) arm64=yes ;;
	*) echo "usage: deps.sh build|check|full|deb|bench|arm64 ..." >&2; exit 2 ;;
	esac
done

# Needs npm, which is a package of its own in Debian, and part of node elsewhere.
fetch_full() {
	[ -n "$isfull" ] || return 0
	"$here/tests/prometheus/fetch" && "$here/tests/fleet/fetch" clickhouse &&
	    "$here/tests/fleet/fetch" duckdb && "$here/tests/fleet/fetch" axe
}
here=$(dirname "$0")
[ -z "$isfull" ] || command -v npm >/dev/null || wanted="$wanted npm"
[ -z "$arm64" ] || "$(dirname "$0")/tests/arm64/fetch" build >/dev/null

missing=
for p in $wanted; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || :)
	[ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || { fetch_full >/dev/null; exit; }

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || {
		echo "deps.sh: these packages are missing, and there is" \
		    "neither root nor sudo to install them:$missing" >&2
		exit 1
	}
	as_root=sudo
fi
echo "Installing from Debian:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Outdated package lists name versions that the archive no longer has, so a
# failed installation is repeated with new lists.
install() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    --no-install-recommends $missing >"$log" 2>&1
}
install || { $as_root apt-get update -qq >"$log" 2>&1 && install; } || {
	cat "$log" >&2
	echo "deps.sh: apt could not install:$missing" >&2
	exit 1
}
fetch_full >/dev/null
