/* SPDX-License-Identifier: ISC */
/* Static probes with arguments of each form, for test_symbolizer_probes.c. */
	.macro note name, args, semaphore=0
990:	nop
	.pushsection .note.stapsdt, "", "note"
	.balign 4
	.4byte 992f-991f, 994f-993f, 3
991:	.asciz "stapsdt"
992:	.balign 4
993:	.8byte 990b, _.stapsdt.base, \semaphore
	.asciz "test"
	.asciz "\name"
	.asciz "\args"
994:	.balign 4
	.popsection
	.endm

	.text
	.globl noted
	.type noted, @function
noted:
	note registers "8@%rax -4@%edi 2@%r8w -1@%ah 1@%sil 8@%r15"
	note constants "-4@$-5 8@$0x10 4@$7"
	note memory "8@(%rsp) -4@-8(%rbp) 8@16(%rax,%rcx,8) 4@(,%rdx,4)"
	note symbols "4@counter(%rip) -4@8+counter(%rip) 8@counter+16(%rip)"
	note old "%eax 8@%rbx $3"
	note bad "8@%fs:40 8f@%xmm0 4@nowhere(%rip) 8@%zz 8@(%rax"
	note none ""
	note twice "4@%eax" gate
	note twice "4@%ebx" gate
	ret
	.size noted, .-noted

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base:
	.space 1

	.section .probes, "aw"
gate:	.2byte 0

	.data
	.globl counter
counter: .space 64
	.section .note.GNU-stack, "", @progbits
