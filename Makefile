# SPDX-License-Identifier: ISC
# Everything is built below $(B); sources are found by wildcard, so that a new
# provider, device, subcommand or format needs no line here.
#
# Variables for users: CC, CFLAGS, CPPFLAGS, LDFLAGS, prefix, DESTDIR, V=1.
# STATIC_LIBBPF=1 links libbpf into dtd.
#
# Variables for another architecture: ARCH, as printed by uname -m there;
# CROSS_COMPILE, the prefix of the compiler and ar; SYSROOT, the directory with
# its headers and libraries, if not Debian's for a foreign architecture.

.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules

B		?= build
RELEASE		:= 0.1
prefix		?= /usr/local
sbindir		?= $(prefix)/sbin
bindir		?= $(prefix)/bin
libdir		?= $(prefix)/lib
libexecdir	?= $(prefix)/libexec
includedir	?= $(prefix)/include
mandir		?= $(prefix)/share/man
datadir		?= $(prefix)/share
sysconfdir	?= /etc
unitdir		?= $(prefix)/lib/systemd/system
sysusersdir	?= $(prefix)/lib/sysusers.d
tmpfilesdir	?= $(prefix)/lib/tmpfiles.d
INSTALL		?= install
# make predefines these two; only values set by the user count
ifeq ($(origin CC),default)
CC		:= $(CROSS_COMPILE)$(if $(CROSS_COMPILE),gcc,cc)
endif
ifeq ($(origin AR),default)
AR		:= $(CROSS_COMPILE)ar
endif
PKG_CONFIG	?= pkg-config
CLANG		?= clang
BPFTOOL		?= $(firstword $(wildcard /usr/sbin/bpftool /usr/bin/bpftool) bpftool)
LLVM_STRIP	?= llvm-strip
CFLAGS		?= -O2 -g
ARCH		?= $(shell uname -m)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $@)

BPFARCH_x86_64	:= x86
BPFARCH_aarch64	:= arm64
MULTIARCH	:= $(ARCH)-linux-gnu

ifneq ($(CROSS_COMPILE)$(SYSROOT),)
export PKG_CONFIG_SYSROOT_DIR := $(SYSROOT)
export PKG_CONFIG_LIBDIR := $(SYSROOT)/usr/lib/$(MULTIARCH)/pkgconfig
sysroot := $(if $(SYSROOT),--sysroot=$(SYSROOT))
endif

our_cppflags := -D_GNU_SOURCE -I. -Iinclude -I$(B)/gen \
	-DDT_RELEASE='"$(RELEASE)"' -DDT_LIBEXEC_DTD='"$(sbindir)/dtd"' \
	-DDT_CONF='"$(sysconfdir)/dt/dtd.conf"' \
	-DDT_LIBEXEC_SYMBOLIZER='"$(libexecdir)/dt-symbolizer"' \
	-DDT_TOOLS_ETC='"$(sysconfdir)/dt/tools"' \
	-DDT_TOOLS_SHARE='"$(datadir)/dt/tools"'
our_cflags := -std=gnu11 -Wall -Wextra -MMD -MP -fPIC $(SANITIZE) \
	$(sysroot)
our_ldflags := $(SANITIZE) $(sysroot)

bpf_cflags := -target bpf -mcpu=v3 -O2 -g -Wall -Wextra \
	-D__TARGET_ARCH_$(BPFARCH_$(ARCH)) -I. -Iinclude \
	-I$(SYSROOT)/usr/include/$(MULTIARCH)

libbpf_libs = $(if $(STATIC_LIBBPF),-Wl$(comma)-Bstatic -lbpf \
	-Wl$(comma)-Bdynamic -lelf -lz,$(shell $(PKG_CONFIG) --libs libbpf))
comma := ,
# libsystemd is loaded at run time: daemon/base/sdlib.h
daemon_libs = $(libbpf_libs) -lpthread -ldl
cli_libs = -lz -lm -ldl
# libdeflate unpacks debug information in less than half of zlib's time.  It is
# static, so that it is not needed at run time.
symbolizer_libs = -ldw -lelf -l:libdeflate.a -llzma -lz -liberty -lseccomp

bpf_src		:= $(wildcard bpf/*.bpf.c)
lib_src		:= $(wildcard lib/*.c) common/hash.c
common_src	:= $(wildcard common/*.c)
dtkcov_src	:= $(wildcard dtkcov/*.c)
symbolizer_src	:= $(wildcard symbolizer/*.c)
daemon_src	:= $(wildcard daemon/*.c daemon/*/*.c daemon/*/*/*.c)
cli_src		:= $(wildcard cli/*.c cli/*/*.c)
exporter_src	:= $(wildcard exporter/*.c)
unit_src	:= $(wildcard tests/unit/test_*.c)
prog_src	:= $(wildcard tests/run/prog/*.c)
dtfile_src	:= $(wildcard cli/dtfile/*.c)
bench_src	:= $(filter-out %.bpf.c,$(wildcard bench/*.c))
fuzz_src	:= $(wildcard tests/fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
skels := $(patsubst bpf/%.bpf.c,$(B)/bpf/%.skel.h,$(bpf_src))

all: $(B)/dtd $(B)/dt-symbolizer $(B)/dt $(B)/dt-exporter $(B)/libdt.so $(B)/libdt.a \
    $(B)/libdtkcov.a

# --- BPF: objects, and headers that contain them ----------------------------

$(B)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(bpf_cflags) -MMD -MP -c $< -o $@
	$(Q)$(LLVM_STRIP) -g $@

# An empty program, for comparison in a benchmark.
$(B)/bpf/%.bpf.o: bench/%.bpf.c
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(bpf_cflags) -MMD -MP -c $< -o $@
	$(Q)$(LLVM_STRIP) -g $@

# A program that a unit test loads.
$(B)/bpf/%.bpf.o: tests/unit/%.bpf.c
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(bpf_cflags) -MMD -MP -c $< -o $@
	$(Q)$(LLVM_STRIP) -g $@

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# Names of the types that the objects use, for daemon/kernel/btf.c.
$(B)/bpf/btf_names.h: $(patsubst bpf/%.bpf.c,$(B)/bpf/%.bpf.o,$(bpf_src))
	$(call say,BTF)
	$(Q){ echo '#define BTF_NAMES \'; \
	    for o in $^; do $(BPFTOOL) btf dump file $$o || exit; done | \
	    awk -F"'" '/\] (STRUCT|UNION|TYPEDEF) .[a-z]/ { print $$2 }' | \
	    sed 's/___.*//' | LC_ALL=C sort -u | sed 's/.*/	"&", \\/'; echo; } > $@

$(call obj,daemon/kernel/btf.c): | $(B)/bpf/btf_names.h

# --- tables that C sources include, made from lists -----------------------------

gen := $(patsubst %,$(B)/gen/syscalls_%.h,x86_64 aarch64 i386 arm) \
    $(patsubst %,$(B)/gen/bsd_syscalls_%.h,x86_64 aarch64) \
    $(patsubst cli/decode/%.in,$(B)/gen/%_names.h,$(wildcard cli/decode/*.in)) \
    $(B)/gen/page_strings.h $(B)/gen/report_schema.h

$(B)/gen/syscalls_%.h: daemon/kernel/syscalls.tbl daemon/kernel/syscalls.awk
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)awk -v arch=$* -f daemon/kernel/syscalls.awk $< >$@

$(B)/gen/bsd_syscalls_%.h: daemon/kernel/syscalls.tbl daemon/kernel/syscalls.awk
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)awk -v arch=$* -v zero=1023 -f daemon/kernel/syscalls.awk $< >$@

# The parts of the HTML page as strings of C.
$(B)/gen/page_strings.h: cli/out/page/strings.awk cli/out/page/style.css \
    cli/out/page/script.js cli/out/page/controls.html
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@

$(B)/gen/%_names.h: cli/decode/%.in cli/decode/names.awk
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)awk -f cli/decode/names.awk $< >$@

# Each line becomes a string.
$(B)/gen/report_schema.h: cli/out/report.schema.json
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $< >$@

# --- C -----------------------------------------------------------------------

$(B)/obj/%.o: %.c | $(gen)
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_cppflags) $(CPPFLAGS) $(our_cflags) $(CFLAGS) -c $< -o $@

$(call obj,$(daemon_src)): our_cppflags += -I$(B)/bpf
$(call obj,$(daemon_src)): | $(skels)

# Linked into all programs; libdt contains the hash table, too.
common := $(B)/libcommon.a

$(common): $(call obj,$(common_src))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/dtd: $(call obj,$(daemon_src)) $(common)
	$(call say,LD)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $^ $(daemon_libs) -o $@

# Reads untrusted files for dtd.
$(B)/dt-symbolizer: $(call obj,$(symbolizer_src)) $(common)
	$(call say,LD)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $^ $(symbolizer_libs) -o $@

$(B)/libdt.a: $(call obj,$(lib_src))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libdt.so.0: $(call obj,$(lib_src)) lib/libdt.map
	$(call say,LD)
	$(Q)$(CC) -shared -Wl,-soname,libdt.so.0 \
	    -Wl,--version-script=lib/libdt.map $(our_ldflags) $(LDFLAGS) \
	    $(filter %.o,$^) -lpthread -o $@

$(B)/libdt.so: $(B)/libdt.so.0
	$(call say,LN)
	$(Q)ln -sf libdt.so.0 $@

# Instrumented programs call libdtkcov.a, so the library itself is never
# instrumented, and is usable with every compiler.
dtkcov_without := -fsanitize% -fprofile% --coverage -pg -finstrument% -flto%

$(call obj,$(dtkcov_src)): private our_cflags := \
    $(filter-out $(dtkcov_without),$(our_cflags))
$(call obj,$(dtkcov_src)): private override CFLAGS := \
    $(filter-out $(dtkcov_without),$(CFLAGS))

$(B)/libdtkcov.a: $(call obj,$(dtkcov_src))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/dt: $(call obj,$(cli_src)) $(common) $(B)/libdt.a
	$(call say,LD)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $^ $(cli_libs) -lpthread -o $@

# Serves the metrics of dtd.
exporter_libs = -lmicrohttpd -lpthread

$(call obj,$(exporter_src)): our_cppflags += \
	-DDT_LIBEXEC_DT='"$(bindir)/dt"' \
	-DDT_METRICS='"$(sysconfdir)/dt/metrics.d"'

$(B)/dt-exporter: $(call obj,$(exporter_src)) $(common) $(B)/libdt.a
	$(call say,LD)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $^ $(exporter_libs) -o $@

# --- test programs and benchmarks --------------------------------------------

# The table of processes, without its requests to other processes.
proc_table_src := $(addprefix daemon/procs/,addr_space.c mapped_file.c \
    mapped_file_search.c mappings.c proc_maps.c proc_share.c proc_table.c \
    sideband_event.c) \
    daemon/kernel/vdso.c daemon/base/fdmsg.c daemon/base/close_queue.c \
    $(addprefix daemon/inspect/,inspect_debug.c inspect_file.c \
    inspect_file_request.c inspect_proc.c inspect_root.c root_dir.c) \
    tests/unit/inspect_here.c

# Modules of the daemon that depend on no others.
daemon_units := $(addprefix daemon/,kernel/syscalls.c kernel/syscalls_fetch.c \
    kernel/tp_format.c kernel/kallsyms_table.c kernel/kallsyms_unloaded.c \
    kernel/kallsyms_parse.c \
    dt/dt_hottest_probe.c dt/dt_cond_check.c base/globpat.c base/reason.c \
    base/caps.c base/cpus.c device/uevent_parse.c perf/monitor_proc.c \
    perf/perf_event_open.c)

$(B)/tests/test_%: $(B)/obj/tests/unit/test_%.o $(common) $(B)/libdt.a \
    $(filter-out %/main.o,$(call obj,$(cli_src))) \
    $(call obj,$(daemon_units) $(proc_table_src))
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $(filter %.o,$^) $(common) $(B)/libdt.a \
	    $(cli_libs) -lcmocka -lseccomp -lpthread -o $@

# A test that supplies the events and stacks of a session.
$(B)/tests/test_cli_stack_wait: private our_ldflags += -Wl,--wrap=dt_next \
    -Wl,--wrap=dt_ioctl -Wl,--wrap=dt_lowwater -Wl,--wrap=dt_passed

# Tests of the daemon's side of the symbolizer.  One of them changes a file while
# it is read.
symclient := $(call obj,$(filter-out %/resolve_user.c,$(wildcard daemon/sym/*.c)) \
    daemon/access/charge.c daemon/base/log.c daemon/base/spawn_lock.c)
symclient_src := $(wildcard tests/unit/test_symbolizer_*.c)
symclient_tests := $(patsubst tests/unit/%.c,$(B)/tests/%,$(symclient_src))
$(symclient_tests): $(symclient)
$(B)/tests/test_symbolizer_files: private our_ldflags += \
    -Wl,--wrap=debug_file_open
$(symclient_tests): | $(B)/dt-symbolizer $(B)/dtd $(B)/tests/symfiles/made
$(call obj,$(symclient_src)): our_cppflags += \
    -DDT_SYMFILES='"$(abspath tests/unit/symfiles)"'

# The part of the symbolizer that reads files.
symreader := $(call obj,$(filter-out %/main.c %/requests.c %/sandbox.c \
    %/debuginfod.c %/file_cache.c %/probe_replies.c,$(symbolizer_src)))
unwind_walk_tests := $(addprefix $(B)/tests/test_unwind_,copy random walk)
unwind_walk_src := $(unwind_walk_tests:$(B)/tests/%=tests/unit/%.c)
symreader_tests := $(addprefix $(B)/tests/,test_note_args test_symobject test_symslow \
    test_symbolizer_tables test_symbolizer_unpacked test_unwind) \
    $(unwind_walk_tests)
$(symreader_tests): $(symreader)
$(symreader_tests): private cli_libs += $(symbolizer_libs)
$(B)/tests/test_x86_insn $(B)/tests/probable: $(call obj,symbolizer/x86_insn.c)
# Elsewhere they test nothing, and have no tables.
ifeq ($(ARCH),x86_64)
$(unwind_walk_tests): $(call obj,daemon/unwind/unwind_copy_walk.c \
    daemon/base/clock.c)
endif
$(unwind_walk_tests): private cli_libs += $(libbpf_libs)
$(call obj,$(unwind_walk_src)): our_cppflags += -I$(B)/bpf
$(call obj,$(unwind_walk_src)): our_cflags += -O2 -fomit-frame-pointer
$(call obj,$(unwind_walk_src)): | $(B)/bpf/unwind_walk.skel.h

limit_src := $(addprefix daemon/access/,limit.c person.c fd_reserve.c) \
    daemon/base/conf_value.c daemon/base/reason.c
$(B)/tests/test_limit: $(call obj,$(limit_src))
$(B)/tests/test_person: $(call obj,daemon/access/person.c)
$(B)/tests/test_charge: $(call obj,daemon/access/charge.c)
$(B)/tests/test_workers: $(call obj,daemon/base/workers.c)
$(B)/tests/test_drain: $(call obj,daemon/dt/dt_drain.c daemon/base/clock.c)
$(B)/tests/test_sched: $(call obj,daemon/base/sched.c daemon/base/clock.c \
    daemon/base/log.c)

# Rights of clients.
$(B)/tests/test_right: $(call obj,$(limit_src) daemon/base/log.c \
    $(addprefix daemon/access/,right.c owner.c peer.c) \
    $(addprefix daemon/inspect/,proccred.c ptrace_confined.c))

# The runtime of instrumented programs.
$(B)/tests/test_dtkcov: $(call obj,$(dtkcov_src))

# Files with symbols in every place where files can have them.
$(B)/tests/symfiles/made: $(wildcard tests/unit/symfiles/*)
	$(call say,MAKE)
	$(Q)CC="$(CC)" tests/unit/symfiles/make $(@D)

# prog.c is linked into every program of tests/run/prog.
prog_common := $(wildcard tests/run/prog/prog.c)
progs := $(filter-out prog,$(basename $(notdir $(prog_src))))

$(B)/tests/%: $(B)/obj/tests/run/prog/%.o $(call obj,$(prog_common)) \
    $(common) $(B)/libdt.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) \
	    $(libbpf_libs) $(cli_libs) -lm \
	    -lpthread -o $@

# Programs whose calls are counted: sanitizers would add calls.
loads := callmix hundred keys leaky onecall steps
$(loads:%=$(B)/obj/tests/run/prog/%.o): private our_cflags := \
    $(filter-out -fsanitize%,$(our_cflags))
$(loads:%=$(B)/tests/%): $(B)/tests/%: $(B)/obj/tests/run/prog/%.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fsanitize%,$(our_ldflags)) $(LDFLAGS) $^ \
	    -lpthread -o $@

# mtrace(3) finds the functions of this program.
$(B)/tests/leaky: private our_ldflags += -rdynamic

# The test knows the stack of this program.
$(call obj,tests/run/prog/symbols.c): our_cflags += -fno-omit-frame-pointer \
    -fno-optimize-sibling-calls

# The kernel finds the stack of this program, except of its leaves, and of a
# function that ends with a jump.
$(call obj,tests/run/prog/called.c): our_cflags += -fno-omit-frame-pointer \
    -momit-leaf-frame-pointer -foptimize-sibling-calls

# This program has frame pointers and its own _start.
$(B)/tests/share: tests/run/prog/share.c tests/run/prog/clockcall.h
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(sysroot) -std=gnu11 -Wall -Wextra -O1 -g -I. \
	    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static \
	    -fno-stack-protector -fno-pie -nostdlib $< -o $@

# This program writes recordings.
$(B)/tests/forge: $(call obj,$(dtfile_src))

# This program reads the commands from the daemon's table.
$(B)/tests/reach: $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src)))

# This program also prints who may use them.
$(B)/tests/allowed: $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src)))

# Libraries, preloaded into a daemon, that make its calls fail or hang.
preloads := $(B)/tests/fault.so $(B)/tests/hang.so
$(preloads): $(B)/tests/%.so: $(B)/obj/tests/fault/%.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(our_ldflags) $(LDFLAGS) $^ -ldl -o $@

# reach consists of several files.
reach_src := $(wildcard tests/run/prog/reach/*.c)
$(B)/tests/reach: $(call obj,$(reach_src))

# symprocs consists of several files and of the daemon's table of processes.
symprocs_src := $(wildcard tests/run/prog/symprocs/*.c)
$(B)/tests/symprocs: $(call obj,$(symprocs_src)) \
    $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src)))

# unwind_tables consists of several files, the daemon's unwind tables and their
# builder.
$(B)/tests/unwind_tables: $(symreader) \
    $(call obj,$(wildcard tests/run/prog/unwind_tables/*.c)) \
    $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src)))
$(B)/tests/unwind_tables: private cli_libs += $(symbolizer_libs)

# This program reads static probes as the symbolizer does.
$(B)/tests/usdt_notes: $(symreader)
$(B)/tests/usdt_notes: private cli_libs += $(symbolizer_libs)

bench_common := $(wildcard $(addprefix bench/,bench.c client.c growth.c perf.c))
benches := $(filter-out bench client growth perf, \
    $(basename $(notdir $(bench_src))))

$(B)/bench/%: $(B)/obj/bench/%.o $(call obj,$(bench_common)) $(common) \
    $(B)/libdt.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) \
	    $(libbpf_libs) $(cli_libs) -lm \
	    -lpthread -o $@

# This program calls the runtime's callbacks.
$(B)/bench/callback: $(B)/libdtkcov.a

$(call obj,bench/symbolize.c bench/sample.c): our_cflags += -fno-omit-frame-pointer \
    -fno-optimize-sibling-calls

# The part of the symbolizer that builds unwind tables.
$(B)/bench/rows: $(symreader)
$(B)/bench/rows: private cli_libs += $(symbolizer_libs)

$(call obj,bench/count.c bench/hits.c bench/sample.c): our_cppflags += -I$(B)/bpf
$(call obj,bench/count.c bench/hits.c bench/sample.c): | $(B)/bpf/empty.skel.h

# Programs that two benchmarks start: many short processes, and one of 200 MB.
bench_needs := $(B)/sym/sym_tiny $(B)/bench/big

$(B)/bench/big: bench/big/make bench/big/main.c bench/running.h
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)CC="$(CC)" bench/big/make $@

# dtd on a machine with $NCPU CPUs, for bench/many.c.
$(B)/bench/dtd-many: $(B)/obj/bench/sim/ncpu.o $(call obj,$(daemon_src)) \
    $(common)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) -Wl,--wrap=syscall \
	    -Wl,--wrap=libbpf_num_possible_cpus $^ $(daemon_libs) -o $@

# Programs whose stacks the tests know.
include tests/run/prog/sym/rules.mk

# A fuzzer's entry point with a main that reads files, to run the corpus without
# libFuzzer.  `make fuzz` uses the main of libFuzzer instead.
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/main.o \
    $(call obj,$(dtfile_src)) $(common) $(B)/libdt.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $(filter %.o,$^) $(common) $(B)/libdt.a \
	    $(cli_libs) -lpthread -o $@

# Fuzzers of dt(1)'s readers: recordings, files of kcov, and other machines.
$(B)/fuzz/fuzz_block: $(call obj,cli/recording/replay.c)
$(patsubst %,$(B)/fuzz/fuzz_%,hosts kcov report topwire): \
    $(filter-out %/main.o,$(call obj,$(cli_src)))

# Fuzzers of the daemon without its main and listening sockets.
$(patsubst %,$(B)/fuzz/fuzz_%,asksums conf message): \
    $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src)))
$(patsubst %,$(B)/fuzz/fuzz_%,asksums conf message): \
    private cli_libs += $(libbpf_libs)

# Fuzzer of the journal entries about sessions.
$(B)/fuzz/fuzz_journal: $(call obj,daemon/access/audit.c \
    $(patsubst %,daemon/base/%.c,clock log log_journal))

# Fuzzers of the exporter's HTTP and of its connection to dtd.
$(B)/fuzz/fuzz_http: $(call obj,$(patsubst %,exporter/%.c,http httpconn \
    metrics pprof process_metrics spawn))
$(B)/fuzz/fuzz_http: private cli_libs += $(exporter_libs)
$(B)/fuzz/fuzz_sums: $(call obj,exporter/metrics.c)

# Fuzzer that includes two sources of dt(1).
$(B)/fuzz/fuzz_tproffile: $(filter-out %/main.o %/tprof_analyze.o \
    %/tprof_read.o,$(call obj,$(cli_src)))

# Fuzzer of the kernel's descriptions of tracepoints.
$(B)/fuzz/fuzz_tp_format: $(call obj,daemon/kernel/tp_format.c)

# Fuzzer of the patterns of lookups, compared with fnmatch(3).
$(B)/fuzz/fuzz_globpat: $(call obj,daemon/base/globpat.c daemon/base/reason.c)

# Fuzzers of the kernel's reports about processes.
$(B)/fuzz/fuzz_proc_maps: $(call obj,daemon/procs/proc_maps.c)
$(B)/fuzz/fuzz_sideband_event: $(call obj,$(proc_table_src))

# Fuzzer of the client without its main.
$(B)/fuzz/fuzz_arg: $(filter-out %/main.o,$(call obj,$(cli_src))) \
    $(call obj,daemon/kernel/syscalls.c)

# Fuzzer of scripts.
$(B)/fuzz/fuzz_script: $(filter-out %/main.o,$(call obj,$(cli_src)))

# Fuzzer of conditions: the client's compiler and the daemon's validation.
$(B)/fuzz/fuzz_cond: $(filter-out %/main.o,$(call obj,$(cli_src))) \
    $(call obj,daemon/kernel/syscalls.c daemon/dt/dt_cond_check.c \
    daemon/base/reason.c)

# Fuzzer of pairs, in client and daemon.
$(B)/fuzz/fuzz_pair: $(filter-out %/main.o,$(call obj,$(cli_src))) \
    $(call obj,daemon/kernel/syscalls.c daemon/dt/dt_cond_check.c \
    daemon/dt/dt_pair.c daemon/device/op.c daemon/base/log.c \
    daemon/base/clock.c $(limit_src))
$(B)/fuzz/fuzz_pair: cli_libs += $(libbpf_libs)

# Fuzzer of requests to count hits.
$(B)/fuzz/fuzz_agg: $(call obj,daemon/dt/dt_cond_check.c daemon/dt/dt_agg.c \
    daemon/device/op.c daemon/base/log.c daemon/base/clock.c $(limit_src))
$(B)/fuzz/fuzz_agg: cli_libs += $(libbpf_libs)

# Fuzzers of places to probe, and of dtd's reader of them.
$(B)/fuzz/fuzz_symprobes $(B)/fuzz/fuzz_probe_buf: \
    $(call obj,daemon/sym/probe_buf.c)

# Fuzzers of the part of the symbolizer that reads files.
$(patsubst %,$(B)/fuzz/fuzz_sym%,debug elf jit lines mini notes probes \
    unwind): \
    $(symreader)
$(patsubst %,$(B)/fuzz/fuzz_sym%,debug elf jit lines mini notes probes \
    unwind): \
    private cli_libs += $(symbolizer_libs)

unit_tests	:= $(patsubst tests/unit/%.c,$(B)/tests/%,$(unit_src))
symfiles	:= $(B)/tests/symfiles/made
# Excluded from cross builds: user-mode emulators do not support seccomp filters,
# which the symbolizer requires, and its test files are made by native tools.
ifneq ($(CROSS_COMPILE)$(SYSROOT),)
unit_tests	:= $(filter-out $(symclient_tests),$(unit_tests))
symfiles	:=
endif
run_progs	:= $(addprefix $(B)/tests/,$(progs))
bench_progs	:= $(addprefix $(B)/bench/,$(benches))
fuzzers		:= $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(fuzz_src))

.SECONDARY:
.PRECIOUS: $(B)/obj/%.o

# --- targets for users --------------------------------------------------------

# One job per CPU, unless the caller passes -j.
parallel = --no-print-directory \
    $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

demo:
	@./deps.sh build
	@$(MAKE) $(parallel) all
	@./demo.sh $(B)

check:
	@./deps.sh build check
	@$(MAKE) $(parallel) all test-programs
	@B=$(B) tests/check

# Parts of check, without its final table.
check-unit: test-programs
	@B=$(B) tests/check-unit
check-vmlinux:
	@tests/check-vmlinux
check-run: all test-programs
	@B=$(B) tests/check-run
check-vm: all test-programs
	@B=$(B) tests/check-vm

# PARTS: some of tests/check-full's parts, for example PARTS="siege lint".
check-full:
	@./deps.sh build check full
	@$(MAKE) $(parallel) all test-programs
	@B=$(B) tests/check-full $(PARTS)

# Runs clients of all kinds for an hour, or SOAK_SECONDS.
soak: all test-programs
	@B=$(B) tests/soak

# check-unit and check-run with sanitizers in every program.  Cases measure memory,
# so that little of it may be kept back after it was freed.
asan:
	@./deps.sh build check
	@$(MAKE) --no-print-directory B=$(B)/asan CFLAGS="-O1 -g" \
	    SANITIZE="-fsanitize=address,undefined -fno-omit-frame-pointer \
		-fno-sanitize-recover=all \
		-DDTD_END=exit" \
	    all test-programs
	@B=$(B)/asan tests/check-unit
	@ASAN_OPTIONS=quarantine_size_mb=32 B=$(B)/asan tests/check-run

# Builds everything for arm64 with Debian's cross compiler.
arm64:
	@./deps.sh build arm64
	@tests/arm64/make $(MAKE) --no-print-directory B=$(B)/arm64 all
check-arm64: all test-programs
	@B=$(B) tests/check-arm64
# Runs the tests on Debian's kernels for arm64, in emulated machines.
vm-arm64:
	@./deps.sh build check arm64
	@B=$(B) tests/check-vm-arm64

# Prints the coverage of the daemon's parser and handlers by the hostile clients
# and the fuzzers' corpus, in percent per file.
coverage:
	@./deps.sh build check
	@rm -rf $(B)/coverage
	@$(MAKE) --no-print-directory B=$(B)/coverage CFLAGS="-O0 -g" \
	    SANITIZE="--coverage -DDTD_END=exit" all test-programs
	@B=$(B)/coverage tests/coverage

test-programs: $(unit_tests) $(run_progs) $(fuzzers) $(preloads) \
    $(symfiles) $(sym_progs)

bench:
	@./deps.sh build bench
	@$(MAKE) --no-print-directory all $(bench_progs) $(bench_needs)
	@B=$(B) bench/run

# Benchmarks of kernel functions, on Debian's kernels.  The machines are emulated
# and their clock counts instructions: only ratios are meaningful, but the host's
# load has no influence.  One CPU: with two, the reader would slow down the
# measured CPU.
bench-vm:
	@./deps.sh build bench check
	@$(MAKE) --no-print-directory all $(bench_progs)
	@for k in $(or $(KERNEL),6.1 6.12); do echo "== Linux $$k"; \
	    VM_ICOUNT=1 tests/vm/vm $$k -t 5400 -c 1 -o $(B)/bench-$$k -- env B=$(B) \
	    bench/run -o /tmp/out/bench.json hits offcpu attach kcov || exit; done

# Measures cost and rate by sessions, probes and sizes: a table and curves.
bench-growth:
	@./deps.sh build bench
	@$(MAKE) --no-print-directory all $(bench_progs)
	@B=$(B) bench/growth.sh

# Measures the cost of many CPUs, by operation and by simulation: docs/scale.md.
bench-scale: all $(bench_progs) $(B)/bench/dtd-many
	@B=$(B) $(B)/bench/pieces
	@B=$(B) $(B)/bench/many

# Runs each fuzzer for FUZZ_SECONDS, starting from its corpus.
FUZZ_SECONDS	?= 60
fuzz:
	@./deps.sh build check
	@$(MAKE) $(parallel) $(gen) $(skels) $(B)/bpf/btf_names.h
	@B=$(B) CLANG="$(CLANG)" tests/fuzz/run $(FUZZ_SECONDS)

vm: all test-programs
	@tests/vm/vm $(or $(KERNEL),6.12) $(if $(CMD),-- sh -c '$(CMD)')

lint:
	@./deps.sh build check
	@B=$(B) CLANG="$(CLANG)" tests/lint

format:
	@git ls-files '*.c' '*.h' | grep -v '^vmlinux/' | \
	    xargs clang-format -i

# Files to install; directory names are substituted in units and similar files.
sbin_progs	:= $(B)/dtd $(if $(wildcard exporter/*.c),$(B)/dt-exporter)
headers		:= $(shell cd include && find * -name '*.h')
mans		:= $(wildcard man/*.[1-8])
units		:= $(wildcard systemd/*.service systemd/*.socket)
metrics		:= $(wildcard exporter/metrics.d/*.conf)
tools		:= $(wildcard share/dt/tools/*)
# Where the shells look for completions, below datadir.
bash_dir	:= bash-completion/completions
zsh_dir		:= zsh/vendor-completions
fish_dir	:= fish/vendor_completions.d
rules		:= $(wildcard exporter/alerts.yml exporter/rules.yml \
		     exporter/dashboard.json)
fleet		:= $(wildcard share/dt/fleet/*)
put_names = sed -e 's|@prefix@|$(prefix)|g' -e 's|@bindir@|$(bindir)|g' \
    -e 's|@sbindir@|$(sbindir)|g' -e 's|@libdir@|$(libdir)|g' \
    -e 's|@libexecdir@|$(libexecdir)|g' \
    -e 's|@includedir@|$(includedir)|g' -e 's|@sysconfdir@|$(sysconfdir)|g' \
    -e 's|@version@|$(RELEASE)|g'

install: all
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(sbindir) \
	    $(DESTDIR)$(libexecdir) $(DESTDIR)$(libdir)/pkgconfig \
	    $(DESTDIR)$(unitdir) $(DESTDIR)$(sysusersdir) \
	    $(DESTDIR)$(tmpfilesdir) $(DESTDIR)$(sysconfdir)/dt
	$(INSTALL) -m 755 $(B)/dt $(DESTDIR)$(bindir)
	$(INSTALL) -m 755 $(sbin_progs) $(DESTDIR)$(sbindir)
	$(INSTALL) -m 755 $(B)/dt-symbolizer $(DESTDIR)$(libexecdir)
	$(INSTALL) -m 644 $(B)/libdt.a $(B)/libdtkcov.a $(DESTDIR)$(libdir)
	$(INSTALL) -m 755 $(B)/libdt.so.0 $(DESTDIR)$(libdir)
	ln -sf libdt.so.0 $(DESTDIR)$(libdir)/libdt.so
	for h in $(headers); do \
	    $(INSTALL) -D -m 644 include/$$h $(DESTDIR)$(includedir)/dt/$$h || \
	    exit; done
	for p in libdt libdt-compat libdtkcov; do $(put_names) lib/$$p.pc.in \
	    >$(DESTDIR)$(libdir)/pkgconfig/$$p.pc || exit; done
	for m in $(mans); do $(INSTALL) -D -m 644 $$m \
	    $(DESTDIR)$(mandir)/man$${m##*.}/$${m##*/} || exit; done
	for u in $(units); do $(put_names) $$u \
	    >$(DESTDIR)$(unitdir)/$${u##*/} || exit; done
	for r in $(rules); do $(INSTALL) -D -m 644 $$r \
	    $(DESTDIR)$(datadir)/dt/$${r##*/} || exit; done
	for r in $(metrics); do $(INSTALL) -D -m 644 $$r \
	    $(DESTDIR)$(datadir)/dt/metrics.d/$${r##*/} || exit; done
	for f in $(fleet); do $(INSTALL) -D -m $$([ -x $$f ] && echo 755 || \
	    echo 644) $$f $(DESTDIR)$(datadir)/dt/fleet/$${f##*/} || exit; done
	for t in $(tools); do $(INSTALL) -D -m 644 $$t \
	    $(DESTDIR)$(datadir)/dt/tools/$${t##*/} || exit; done
	$(INSTALL) -D -m 644 share/completions/dt.bash \
	    $(DESTDIR)$(datadir)/$(bash_dir)/dt
	$(INSTALL) -D -m 644 share/completions/_dt \
	    $(DESTDIR)$(datadir)/$(zsh_dir)/_dt
	$(INSTALL) -D -m 644 share/completions/dt.fish \
	    $(DESTDIR)$(datadir)/$(fish_dir)/dt.fish
	$(INSTALL) -d $(DESTDIR)$(sysconfdir)/dt/metrics.d \
	    $(DESTDIR)$(sysconfdir)/dt/tools
	$(INSTALL) -m 644 systemd/dt.sysusers $(DESTDIR)$(sysusersdir)/dt.conf
	$(INSTALL) -m 644 systemd/dt.tmpfiles $(DESTDIR)$(tmpfilesdir)/dt.conf
	[ -e $(DESTDIR)$(sysconfdir)/dt/dtd.conf ] || $(INSTALL) -m 644 \
	    systemd/dtd.conf $(DESTDIR)$(sysconfdir)/dt/dtd.conf

# Keeps the configuration and the members of groups.
uninstall:
	rm -f $(DESTDIR)$(bindir)/dt $(DESTDIR)$(libexecdir)/dt-symbolizer \
	    $(patsubst $(B)/%,$(DESTDIR)$(sbindir)/%,$(sbin_progs)) \
	    $(addprefix $(DESTDIR)$(libdir)/,libdt.a libdt.so libdt.so.0 \
	    libdtkcov.a $(addprefix pkgconfig/,libdt.pc libdt-compat.pc \
	    libdtkcov.pc)) \
	    $(patsubst systemd/%,$(DESTDIR)$(unitdir)/%,$(units)) \
	    $(DESTDIR)$(sysusersdir)/dt.conf $(DESTDIR)$(tmpfilesdir)/dt.conf
	rm -rf $(DESTDIR)$(includedir)/dt $(DESTDIR)$(datadir)/dt
	rm -f $(addprefix $(DESTDIR)$(datadir)/,$(bash_dir)/dt \
	    $(zsh_dir)/_dt $(fish_dir)/dt.fish)
	for m in $(mans); do \
	    rm -f $(DESTDIR)$(mandir)/man$${m##*.}/$${m##*/}; done

# Builds Debian's packages below $(B)/deb and checks them with lintian.
deb:
	@./deps.sh build deb
	@B=$(B) RELEASE=$(RELEASE) debian/make

clean:
	rm -rf $(B)

# Excludes the packages' copy of the tree, which contains directories named *.d.
-include $(shell find $(B) -path $(B)/deb -prune -o -type f -name '*.d' -print \
    2>/dev/null)

.PHONY: all demo check check-unit check-vmlinux check-run check-vm check-full soak asan \
    arm64 check-arm64 vm-arm64 coverage test-programs bench bench-vm \
    bench-growth bench-scale fuzz vm lint format install uninstall deb clean
