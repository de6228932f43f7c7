/* Host instructions whose immediate is part of their encoding.
 *
 * SSE_STUBS(name, size, text) makes 256 tiny routines, one for each
 * immediate, every one `size` bytes long: the immediate is `$0x\h\l` in the
 * text. stub(name, size, imm) is the address of one of them. */
#ifndef M2S_X86_EMU_SSE_STUBS_H
#define M2S_X86_EMU_SSE_STUBS_H

#include <stdint.h>

/* Stubs for the host instruction `host` on operands that come and go as the
 * C calling convention has it: XMM0 op= XMM1. */
#define SSE_STUBS(name, size, text) \
	extern const uint8_t x86_stubs_##name[] \
		__attribute__((visibility("hidden"))); \
	__asm__(".pushsection .text.x86_stubs,\"ax\",@progbits\n" \
		".balign 64\n" \
		".hidden x86_stubs_" #name "\n" \
		".globl x86_stubs_" #name "\n" \
		"x86_stubs_" #name ":\n" \
		".irpc h,0123456789abcdef\n" \
		".irpc l,0123456789abcdef\n" \
		text "\n" \
		".balign " #size ",0xcc\n" \
		".endr\n" \
		".endr\n" \
		".popsection")

#endif
