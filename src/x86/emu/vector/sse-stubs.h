/* Host instructions whose immediate is part of their encoding.
 *
 * SSE_STUBS(name, size, text) makes 256 tiny routines of `size` bytes, one for
 * each immediate. The immediate is `$0x\h\l` in the text. The routine for n is
 * at x86_stubs_<name> + size * n. */
#ifndef M2S_X86_EMU_VECTOR_SSE_STUBS_H
#define M2S_X86_EMU_VECTOR_SSE_STUBS_H

#include <stdint.h>

#define SSE_STUBS_DECLARATION(name) \
	extern const uint8_t x86_stubs_##name[] \
		__attribute__((visibility("hidden")))
#ifdef X86_OBSERVED /* the routines of the other compilation serve */
#define SSE_STUBS(name, size, text) SSE_STUBS_DECLARATION(name)
#else
#define SSE_STUBS(name, size, text) \
	SSE_STUBS_DECLARATION(name); \
	__asm__(".pushsection .text.x86_stubs,\"ax\",@progbits\n" \
		".balign 64\n" \
		".hidden x86_stubs_" #name "\n" \
		".globl x86_stubs_" #name "\n" \
		"x86_stubs_" #name ":\n" \
		".irp h,0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f\n" \
		".irp l,0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f\n" \
		text "\n" \
		".balign " #size ",0xcc\n" \
		".endr\n" \
		".endr\n" \
		".popsection")
#endif

#endif
