# SPDX-License-Identifier: ISC
# Programs whose stacks are known (burn.h, sym_frames.c), as a part of the
# Makefile.  Whatever CFLAGS are: no tail calls, no sanitizer, and frame pointers
# except where $(sym_nofp) is.  For another machine, where static and C++
# libraries may be missing, only some are built; in those of arm64 whose names end
# in pac, functions sign their return addresses.

sym_src := tests/run/prog/sym
sym_clock := tests/run/prog/clockcall.h
sym_bin := $(B)/sym
sym_flags := -O1 -Wall -Wextra -D_GNU_SOURCE -I. -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer \
	-fno-optimize-sibling-calls -Wl,--build-id
CXX ?= c++
RUSTC ?= rustc
GO ?= go

sym_names := burn nopie static staticpie other buildid debuglink mini inline \
	tiny many dl exec after maps churn names vdso whole \
	frames frames0 frames1 frames3 framesdebug framesfp framesstatic hooks libs
sym_names += $(if $(shell command -v clang),framesclang)
sym_names += $(if $(filter x86_64,$(ARCH)),jit stray corrupt)
sym_names += $(if $(shell command -v $(CXX)),cxx throw)
sym_names += $(if $(shell command -v $(RUSTC)),rust panic)
sym_names += $(if $(shell command -v $(GO)),go)
sym_progs := $(sym_names:%=$(sym_bin)/sym_%) \
	$(addprefix $(sym_bin)/libsym_,one.so two.so small.so large.so)
ifneq ($(CROSS_COMPILE)$(SYSROOT),)
sym_progs := $(addprefix $(sym_bin)/sym_,hooks frames \
	$(if $(filter aarch64,$(ARCH)),hookspac framespac))
endif

# The source and the flags of each.
sym_of = $(sym_src)/sym_$(or $(sym_from_$(1)),$(1)).c
sym_from_nopie := burn
sym_from_static := burn
sym_from_staticpie := burn
sym_from_other := burn
sym_from_buildid := burn
sym_from_debuglink := burn
sym_from_mini := burn
sym_from_after := exec
sym_from_frames0 := frames
sym_from_frames1 := frames
sym_from_frames3 := frames
sym_from_framesdebug := frames
sym_from_framesfp := frames
sym_from_framesstatic := frames
sym_from_framesclang := frames
sym_from_framespac := frames
sym_from_hookspac := hooks
sym_how_nopie := -fno-pie -no-pie
sym_how_static := -static
sym_how_staticpie := -static-pie
sym_how_other := -DCHAIN=other
sym_how_buildid := -DCHAIN=buildid
sym_how_debuglink := -DCHAIN=debuglink -Wl,--build-id=none
sym_how_mini := -DCHAIN=mini
sym_how_inline := -g
sym_how_exec := -fno-pie -no-pie
sym_how_after := -DAFTER -fno-pie -no-pie
sym_how_whole := -nostartfiles
sym_nofp := -fomit-frame-pointer -momit-leaf-frame-pointer
sym_how_frames := -O2 $(sym_nofp)
sym_how_frames0 := -O0 $(sym_nofp)
sym_how_frames1 := -O1 $(sym_nofp) -fno-pie -no-pie -static
sym_how_frames3 := -O3 $(sym_nofp)
# .debug_frame instead of .eh_frame, except for the start files
sym_how_framesdebug := -O2 $(sym_nofp) -g -fno-asynchronous-unwind-tables
sym_how_framesfp := -O2
sym_how_hooks := -O2 $(sym_nofp)
sym_how_framespac := -O2 $(sym_nofp) -mbranch-protection=standard
sym_how_hookspac := $(sym_how_framespac)
sym_how_libs := -O2 $(sym_nofp)
sym_how_framesstatic := -O2 $(sym_nofp) -static-pie
sym_how_framesclang := -O2 $(sym_nofp) -Wno-unknown-attributes \
	-Wno-unused-command-line-argument
sym_cc_framesclang := clang

# How a program is stripped, named after the location of its debug half.
sym_strip_buildid = d=$(sym_bin)/debug/.build-id; \
	id=$$(readelf -n $@ | sed -n 's/ *Build ID: //p'); \
	rm -rf $(sym_bin)/debug && mkdir -p $$d/$${id%%$${id\#??}} && \
	objcopy --only-keep-debug $@ $$d/$${id%%$${id\#??}}/$${id\#??}.debug && \
	strip $@
sym_strip_debuglink = mkdir -p $(sym_bin)/.debug && \
	objcopy --only-keep-debug $@ $(sym_bin)/.debug/sym_debuglink.debug && \
	strip $@ && \
	objcopy --add-gnu-debuglink=$(sym_bin)/.debug/sym_debuglink.debug $@
sym_strip_mini = objcopy --only-keep-debug $@ $@.tmp && strip -g $@.tmp && \
	rm -f $@.tmp.xz && xz $@.tmp && strip $@ && \
	objcopy --add-section .gnu_debugdata=$@.tmp.xz $@ && rm $@.tmp.xz

$(sym_bin)/sym_%: $(wildcard $(sym_src)/*.c $(sym_src)/*.h) $(sym_clock)
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(or $(sym_cc_$*),$(CC)) $(sysroot) $(sym_flags) $(sym_how_$*) \
		$(call sym_of,$*) -o $@
	$(if $(sym_strip_$*),$(Q)$(sym_strip_$*))

$(sym_bin)/libsym_%.so: $(sym_src)/sym_lib.c $(sym_src)/burn.h $(sym_clock)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(sym_flags) -DLIB=$* -fPIC -shared $< -o $@

# Libraries of sym_libs, by the size of their frames.
sym_size_small := 16
sym_size_large := 5000
$(sym_bin)/libsym_small.so $(sym_bin)/libsym_large.so: $(sym_bin)/libsym_%.so: \
    $(sym_src)/sym_libs.c
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(sym_flags) -O2 $(sym_nofp) -DLIB=$* -DSIZE=$(sym_size_$*) \
		-fPIC -shared $< -o $@

sym_how_throw := -O2 $(sym_nofp)
$(sym_bin)/sym_cxx $(sym_bin)/sym_throw: $(sym_bin)/sym_%: $(sym_src)/sym_%.cc \
    $(wildcard $(sym_src)/*.h) $(sym_clock)
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(sym_flags) $(sym_how_$*) $< -o $@

$(sym_bin)/sym_rust: $(sym_src)/sym_rust.rs
	$(call say,RUSTC)
	@mkdir -p $(@D)
	$(Q)env -u MAKEFLAGS -u MFLAGS $(RUSTC) -C opt-level=1 -C force-frame-pointers=yes $< -o $@

$(sym_bin)/sym_panic: $(sym_src)/sym_panic.rs
	$(call say,RUSTC)
	@mkdir -p $(@D)
	$(Q)env -u MAKEFLAGS -u MFLAGS $(RUSTC) -C opt-level=2 $< -o $@

$(sym_bin)/sym_go: $(sym_src)/sym_go.go
	$(call say,GO)
	@mkdir -p $(@D)
	$(Q)GO111MODULE=off GOCACHE=$(abspath $(B))/obj/go CGO_ENABLED=0 \
		$(GO) build -o $@ $<

# Symbols that no compiler makes.
$(sym_bin)/sym_names: $(sym_src)/sym_names.c $(sym_src)/burn.h $(sym_clock)
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(sym_flags) -c $< -o $@.o
	$(Q)objcopy \
	    --redefine-sym names_markup='<script>alert("1")</script>&amp;' \
	    --redefine-sym names_escape="$$(printf '\033[31mred\033]0;t\007\177')" \
	    --redefine-sym names_separators="$$(printf 'one;two three 4\nfive 6')" \
	    --redefine-sym names_long="$$(printf 'n%.0s' $$(seq 3000))" $@.o
	$(Q)$(CC) $(sym_flags) $@.o -o $@ && rm $@.o
