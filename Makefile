# SPDX-License-Identifier: ISC
# Everything is built below $(B); sources are found by wildcard, so that a new
# provider, device, subcommand or format needs no line here.
#
# The user's: CC, CFLAGS, CPPFLAGS, LDFLAGS, prefix, DESTDIR, V=1.
# STATIC_LIBBPF=1 links libbpf into dtd.

.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules

B		?= build
RELEASE		:= 0.1
prefix		?= /usr/local
sbindir		?= $(prefix)/sbin
bindir		?= $(prefix)/bin
libdir		?= $(prefix)/lib
includedir	?= $(prefix)/include
mandir		?= $(prefix)/share/man
INSTALL		?= install
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

our_cppflags := -D_GNU_SOURCE -I. -Iinclude -Iwire \
	-DDT_RELEASE='"$(RELEASE)"' -DDT_LIBEXEC_DTD='"$(sbindir)/dtd"'
our_cflags := -std=gnu11 -Wall -Wextra -MMD -MP -fPIC $(SANITIZE)
our_ldflags := $(SANITIZE)

bpf_cflags := -target bpf -mcpu=v3 -O2 -g -Wall -Wextra \
	-D__TARGET_ARCH_$(BPFARCH_$(ARCH)) -Ivmlinux -Ibpf -Iwire \
	-I/usr/include/$(MULTIARCH)

libbpf_libs = $(if $(STATIC_LIBBPF),-Wl$(comma)-Bstatic -lbpf \
	-Wl$(comma)-Bdynamic -lelf -lz,$(shell $(PKG_CONFIG) --libs libbpf))
comma := ,
daemon_libs = $(libbpf_libs) -lpthread
cli_libs = -lz

bpf_src		:= $(wildcard bpf/*.bpf.c)
wire_src	:= $(wildcard wire/*.c)
lib_src		:= $(wildcard lib/*.c) $(wire_src)
daemon_src	:= $(wildcard daemon/*.c daemon/*/*.c)
cli_src		:= $(wildcard cli/*.c)
unit_src	:= $(wildcard tests/unit/test_*.c)
prog_src	:= $(wildcard tests/run/prog/*.c)
bench_src	:= $(wildcard bench/*.c)
fuzz_src	:= $(wildcard tests/fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
skels := $(patsubst bpf/%.bpf.c,$(B)/bpf/%.skel.h,$(bpf_src))

all: $(B)/dtd $(B)/dt $(B)/libdt.so $(B)/libdt.a

# --- BPF: object, and a header that holds it --------------------------------

$(B)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(bpf_cflags) -MMD -MP -c $< -o $@
	$(Q)$(LLVM_STRIP) -g $@

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# --- C -----------------------------------------------------------------------

$(B)/obj/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(our_cppflags) $(CPPFLAGS) $(our_cflags) $(CFLAGS) -c $< -o $@

# The skeletons are not ours to keep free of warnings: a system header's
# rules hold for them.
$(call obj,$(daemon_src)): our_cppflags += -Idaemon -Idaemon/dt -Ibpf \
	-isystem $(B)/bpf
$(call obj,$(daemon_src)): | $(skels)

$(B)/dtd: $(call obj,$(daemon_src))
	$(call say,LD)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $^ $(daemon_libs) -o $@

$(B)/libdt.a: $(call obj,$(lib_src))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libdt.so.0: $(call obj,$(lib_src)) lib/libdt.map
	$(call say,LD)
	$(Q)$(CC) -shared -Wl,-soname,libdt.so.0 \
	    -Wl,--version-script=lib/libdt.map $(our_ldflags) $(LDFLAGS) \
	    $(filter %.o,$^) -lpthread -lz -o $@

$(B)/libdt.so: $(B)/libdt.so.0
	$(call say,LN)
	$(Q)ln -sf libdt.so.0 $@

$(B)/dt: $(call obj,$(cli_src)) $(B)/libdt.a
	$(call say,LD)
	$(Q)$(CC) $(our_ldflags) $(LDFLAGS) $^ $(cli_libs) -lpthread -o $@

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: all clean
