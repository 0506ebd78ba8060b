# SPDX-License-Identifier: ISC
#
# A 32-bit program that makes known calls, by the i386 table and without a
# library, for dt_syscall32.t, which builds it:
#
#	as --32 -o calls32.o calls32.s
#	ld -m elf_i386 -o calls32 calls32.o
#
# It ends with status 0, or executes the program that its arguments name.

	.macro	sys nr, a=0, b=0, c=0, d=0, e=0, f=0
	movl	$\a, %ebx
	movl	$\b, %ecx
	movl	$\c, %edx
	movl	$\d, %esi
	movl	$\e, %edi
	movl	$\f, %ebp
	movl	$\nr, %eax
	int	$0x80
	.endm

	# _llseek to hi:lo, then lseek to the current offset
	.macro	seek hi, lo
	movl	fd, %ebx
	movl	$\hi, %ecx
	movl	$\lo, %edx
	movl	$place, %esi
	xorl	%edi, %edi
	movl	$140, %eax
	int	$0x80
	xorl	%ecx, %ecx
	movl	$1, %edx
	movl	$19, %eax
	int	$0x80
	.endm

	.globl	_start
_start:
	movl	%esp, stack
	sys	20				# getpid
	sys	20
	sys	20
	sys	5, path, 0x80000		# open: ENOENT
	sys	5, path, 0x80000
	sys	4, -1, 0xfffff000, 5		# write: EBADF
	sys	180, -1, path, 10, 0x11111111, 0x80000000 # pread64: EINVAL
	sys	347, -1, 22, 33, 44, 55, 66	# process_vm_readv: EINVAL
	# mmap2: 0xf0000000, which as an int is negative
	sys	192, 0xf0000000, 4096, 1, 0x32, -1, 0
	sys	91, 0xf0000000, 4096		# munmap
	sys	6, -1				# close: EBADF
	sys	356, path, 1			# memfd_create
	movl	%eax, fd
	# For lseek the kernel has 64 bits, of which the program gets 32: an
	# offset from the first call, an error from the second: ENOENT.
	seek	1, 0x80000005
	seek	1, 0xfffffffe

	movl	stack, %esi
	movl	(%esi), %eax			# argc
	cmpl	$2, %eax
	jl	end
	leal	8(%esi,%eax,4), %edx		# envp
	leal	8(%esi), %ecx			# argv + 1
	movl	(%ecx), %ebx
	movl	$11, %eax			# execve
	int	$0x80
	sys	1, 1				# exit
end:
	sys	1, 0

	.data
path:
	.asciz	"/nonexistent/calls32"
	.bss
	.balign	4
stack:
	.long	0
fd:
	.long	0
place:
	.quad	0
