/* SPDX-License-Identifier: ISC */
/*
 * Rows of cli_arg_rows.h with calls and numbers that other architectures do not
 * have.  Included inside an initializer.
 */
/* clang-format off */
	R("open", "0x1000, O_RDONLY|O_LARGEFILE", P, 0x8000, 0),
	R("open", "0x1000, O_WRONLY|O_CREAT|O_TRUNC|O_LARGEFILE, 0644", P, 0x8241, 0644),
	R("open", "0x1000, O_WRONLY|O_TMPFILE, 0600", P, 0x410001, 0600),
	R("open", "0x1000, O_ACCMODE", P, 3),
	R("openat", "5, 0x1000, O_RDONLY|O_NONBLOCK|O_LARGEFILE|O_CLOEXEC|O_DIRECTORY", 5, P, 0x98800),
	R("openat", "AT_FDCWD, 0x1000, O_RDWR|O_CREAT|O_EXCL|O_LARGEFILE, 0600", -100, P, 0x80c2, 0600),
	R("creat", "0x1000, 000", P, 0),
	R("mknod", "0x1000, S_IFIFO|0644", P, 010644, 0),
	R("mknod", "0x1000, S_IFCHR|0600, makedev(0x5, 0x1)", P, 020600, 0x501),
	R("dup2", "1, 2", 1, 2),
	R("pipe2", "0x1000, O_NONBLOCK|O_DIRECT|O_CLOEXEC", P, 0x84800),
	R("access", "0x1000, F_OK", P, 0),
	R("access", "0x1000, R_OK|W_OK|X_OK", P, 7),
	R("access", "0x1000, 0x8", P, 8),
	R("chown", "0x1000, -1, 0", P, -1, 0),
	R("fcntl", "3, F_SETFL, O_RDWR|O_APPEND|O_NONBLOCK|O_LARGEFILE", 3, 4, 0x8c02),
	R("fanotify_init", "FAN_CLASS_CONTENT|FAN_REPORT_FID, O_RDWR|O_LARGEFILE", 0x204, 0x8002),
	R("arch_prctl", "ARCH_SET_FS, 0x1000", 0x1002, P),
	R("arch_prctl", "ARCH_GET_CPUID", 0x1011, 0),
	R("ptrace", "PTRACE_GETREGSET, 100, NT_PRSTATUS, 0x1000", 0x4204, 100, 1, P),
	R("ptrace", "PTRACE_GETREGS, 100, 0x1000", 12, 100, 0, P),
