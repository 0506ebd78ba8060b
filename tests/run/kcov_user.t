# SPDX-License-Identifier: ISC
# libdtkcov.a: records that instrumented programs make by themselves, dtkcov(3).
# kcovrun passes the memory in the environment, as dt(1) does.

NAME	gcc: comparisons of each width, constants and switches are recorded
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc widths && kcovrun -c ./widths | tail -n +2
EXPECT	count 15 cmp 0 81 71 cmp 2 8182 7172 cmp 4 81828384 71727374
	cmp 6 8182838485868788 7172737475767778 cmp 1 91 81 cmp 3 9192 8182
	cmp 5 91929394 81828384 cmp 7 9192939495969798 8182838485868788
	cmp 1 a1 81 cmp 1 b7 81 cmp 1 c2 81
	cmp 7 3 8182838485868788 cmp 7 4d 8182838485868788
	cmp 7 a1a2a3a4a5a6a7a8 8182838485868788
	cmp 7 b1b2b3b4b5b6b7b8 8182838485868788

NAME	clang: the same records are made, also if the flag is given when linking
NEEDS	cc clang
RUN	$S/tests/run/kcov_user/build clang widths && kcovrun -c ./widths |
	tail -n +2 && clang -fsanitize-coverage=trace-pc,trace-cmp -O1 -D_GNU_SOURCE \
	$S/tests/run/kcov_user/widths.c $B/libdtkcov.a -o flag &&
	kcovrun -c ./flag | grep count
EXPECT	count 15 cmp 0 81 71 cmp 2 8182 7172 cmp 4 81828384 71727374
	cmp 6 8182838485868788 7172737475767778 cmp 1 91 81 cmp 3 9192 8182
	cmp 5 91929394 81828384 cmp 7 9192939495969798 8182838485868788
	cmp 1 a1 81 cmp 1 b7 81 cmp 1 c2 81
	cmp 7 3 8182838485868788 cmp 7 4d 8182838485868788
	cmp 7 a1a2a3a4a5a6a7a8 8182838485868788
	cmp 7 b1b2b3b4b5b6b7b8 8182838485868788 count 15

NAME	additional clang coverage options link but record nothing
NEEDS	cc clang full
RUN	cd $S/tests/run/kcov_user; f=trace-pc,trace-cmp,trace-div,trace-gep; \
	clang -O1 -D_GNU_SOURCE -fsanitize-coverage=$f,indirect-calls \
	-fno-sanitize-link-runtime more.c $B/libdtkcov.a -o $T/more && cd $T &&
	kcovrun -c ./more && nm more
OUT	^count 1$
OUT	 T __sanitizer_cov_trace_div4$
OUT	 T __sanitizer_cov_trace_div8$
OUT	 T __sanitizer_cov_trace_gep$
OUT	 T __sanitizer_cov_trace_pc_indir$

NAME	addresses lie within the program: four functions are recorded in order
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc widths -pie && kcovrun ./widths
OUT	^count [1-9]
RUN	kcovrun ./widths >got; set -- $(sed 's/[a-z]* //' got | sed 2d);
	f=$((0x$1)); n=0; shift; for pc; do pc=$((0x$pc)); [ $pc -le $f ] ||
	[ $pc -gt $((f + 16)) ] || n=$((n + 1)); done; echo $n
EXPECT	1

NAME	records that do not fit are dropped and not counted
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc widths; for n in 1 2 4 5 8 9 60 61 62; do
	kcovrun -c -n $n ./widths | grep count; done; kcovrun -n 4 ./widths |
	grep -c -e 'count 3' -e pc
EXPECT	count 0 count 0 count 0 count 1 count 1 count 2 count 14 count 15
	count 15 4

NAME	an invalid count stays unchanged, and no record is written
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc widths; for s in 0xffffffffffffffff \
	0x4000000000000000 0x3fffffffffffffff 0x8000000000000000 15 16; do
	kcovrun -c -n 61 -s $s ./widths | grep -e count -e untouched; done
EXPECT	count 18446744073709551615 untouched count 4611686018427387904 untouched
	count 4611686018427387903 untouched count 9223372036854775808 untouched
	count 15 untouched count 16 untouched

NAME	records begin at the position that the count gives
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc widths; kcovrun -c -n 61 -s 14 ./widths |
	tail -n 2
EXPECT	cmp 0 0 0 cmp 0 81 71
RUN	kcovrun -c -n 61 -s 13 ./widths | head -n 2 | tail -n 1
EXPECT	count 15

NAME	a thread and its signal handlers record; other threads and forks do not
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor && kcovrun -c ./actor plain signal \
	thread fork spawn plain | grep -e has -e ' 10000'
EXPECT	has it not cmp 4 100000e 1000000 cmp 4 1000001 1000000
	cmp 4 1000004 1000000 cmp 4 1000001 1000000

NAME	after vfork the thread records, the child's new program does not
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor && kcovrun -c ./actor vfork plain |
	grep -e has -e ' 10000'
EXPECT	has it not cmp 4 100000e 1000000 cmp 4 1000008 1000000
	cmp 4 1000001 1000000

NAME	the thread's next program after exec appends its records
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor && kcovrun -c ./actor exec exec \
	plain | grep ' 10000'
EXPECT	cmp 4 100000e 1000000 cmp 4 1000009 1000000
	cmp 4 100000e 1000000 cmp 4 1000009 1000000
	cmp 4 100000e 1000000 cmp 4 1000001 1000000
RUN	kcovrun -c sh -c 'sh -c "exec ./actor plain"; exec ./actor' |
	grep ' 10000'
EXPECT	cmp 4 100000e 1000000

NAME	the program can unmap and close kcov's memory, and records continue
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor && kcovrun -c ./actor unmap plain |
	grep ' 10000'
EXPECT	cmp 4 100000e 1000000 cmp 4 100000a 1000000 cmp 4 1000001 1000000

NAME	errno is unchanged by a thread's first callback
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor && kcovrun -c ./actor errno &&
	DTKCOV= ./actor errno && ./actor errno
OUT	^errno 77$
NOOUT	^errno ([0-68-9]|7[^7])

NAME	with another thread's number nothing is recorded, nor in a child
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor && kcovrun -t 1 -c ./actor spawned
EXPECT	has it not count 0 untouched

NAME	a descriptor is written only if it is kcov memory, up to its length
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor; for f in short open file closed; do
	kcovrun -n 512 -f $f ./actor plain; done
EXPECT	count 0 untouched count 0 untouched count 0 untouched count 0 untouched

NAME	an invalid environment is ignored
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc actor; for e in '' , 1,2,3 3,4,1,x \
	99999999999,5,1,1 0x3,8,1,2 -1,8,1,1 3,8,1, 3,,1,5 3,8,1,5,; do
	DTKCOV=$e ./actor plain spawned || echo $e; done | sort | uniq -c
EXPECT	10 has it

NAME	a program with more rights than its user ignores the environment
NEEDS	root cc nonroot
RUN	$S/tests/run/kcov_user/build cc actor && chown 65534 actor &&
	chmod u+s actor && kcovrun ./actor plain
EXPECT	count 0 untouched

NAME	a shared object records through the program's runtime
NEEDS	cc
RUN	K=$S/tests/run/kcov_user; $K/build cc actor -rdynamic && cc -shared -fPIC \
	-fsanitize-coverage=trace-pc,trace-cmp $K/object.c -o object.so &&
	kcovrun -c ./actor dlopen | grep ' 10000'
EXPECT	cmp 4 100000e 1000000 cmp 4 100000b 1000000 cmp 4 100000c 1000000

NAME	an object with its own runtime records, with the program's or alone
NEEDS	cc
RUN	K=$S/tests/run/kcov_user; $K/build cc actor && cc -shared -fPIC \
	-fsanitize-coverage=trace-pc,trace-cmp $K/object.c $B/libdtkcov.a \
	-o object.so && kcovrun -c ./actor dlopen dlopen | grep ' 10000'
EXPECT	cmp 4 100000e 1000000 cmp 4 100000b 1000000 cmp 4 100000c 1000000
	cmp 4 100000b 1000000 cmp 4 100000c 1000000
RUN	cc -D_GNU_SOURCE $S/tests/run/kcov_user/actor.c -o actor && kcovrun -c \
	./actor dlopen | grep ' 10000'
EXPECT	cmp 4 100000b 1000000

NAME	the runtime's mark stays in a stripped program
NEEDS	cc
RUN	$S/tests/run/kcov_user/build cc widths -Wl,--gc-sections -s &&
	tr '\0' '\n' <widths | grep -x 'dtkcov-runtime-[0-9]'
EXPECT	dtkcov-runtime-1

NAME	the runtime is never instrumented, whatever the flags
NEEDS	cc make full plain
RUN	make -s -C $S B=$T/b SANITIZE='-fsanitize=address,undefined --coverage' \
	CFLAGS='-O2 -fsanitize-coverage=trace-pc,trace-cmp -finstrument-functions -pg' \
	$T/b/libdtkcov.a >&2 && nm $T/b/libdtkcov.a | grep -c \
	-e ' T __sanitizer_cov_trace_pc$' -e 'U __sanitizer' -e 'U __asan' -e 'U __ubsan' \
	-e 'U __gcov' -e 'U _*mcount' -e 'U __cyg'
EXPECT	1

NAME	threads start and stop it through the device, with the states of kcov(4)
NEEDS	root cc
RUN	$S/tests/run/kcov_user/build cc device && ./device states addresses \
	threads others close unmap fork
OUT	^states ok$
OUT	^addresses ok$
OUT	^threads ok$
OUT	^others ok$
OUT	^close ok$
OUT	^unmap ok$
OUT	^fork ok$

NAME	threads use the device without a right, for a thousand rounds
NEEDS	root nonroot setpriv cc full
RUN	$S/tests/run/kcov_user/build cc device && chmod 755 . &&
	setpriv --reuid 65534 --regid 65534 --clear-groups \
	./device states threads rounds fork
OUT	^states ok$
OUT	^threads ok$
OUT	^rounds ok$
OUT	^fork ok$

NAME	the program in dtkcov(3) compiles as documented, finds planted numbers
NEEDS	root cc make pkg-config dtkcov.3 plain
TIMEOUT	240
RUN	sed -n '/Begin of the program/,/End of the program/{/^\./d;s/\\e/\\/g;p}' \
	$S/man/dtkcov.3 >find.c; f=-fsanitize-coverage=trace-pc,trace-cmp;
	$S/tests/run/compat/build 'libdt libdtkcov' find.c $f && ./find
OUT	^found after 3 tries: "01234vock9ONcde"$
