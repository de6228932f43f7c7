/* Tells the m2s simulator where a program is. For C and C++, both ABIs.
 *
 * A marker is one long NOP: harmless and nearly free on a real processor and
 * under other emulators.
 *
 *	#include <m2s.h>
 *
 *	read_input();
 *	m2s_checkpoint();    // m2s --x86-checkpoint-at marker saves here
 *	compute();
 *
 * Copyright (c) 2026 the m2s authors. You may copy, change and use this file
 * in any program, under any licence, with or without this notice. It comes
 * without any warranty. */
#ifndef M2S_H
#define M2S_H

#if defined(__i386__) || defined(__x86_64__)
/* nopl 0xCC73326d(%rax): the displacement is the letters m2s and `code`, a
 * constant from 0 to 255. Codes that m2s does not know do nothing. */
#define m2s_marker(code) \
	__asm__ __volatile__(".byte 0x0f, 0x1f, 0x80, 0x6d, 0x32, 0x73, %c0" \
			     : : "i"((code) & 255) : "memory")
#else
#define m2s_marker(code) ((void)(code))
#endif

/* Where a checkpoint is wanted. */
#define m2s_checkpoint() m2s_marker(1)

/* The part of the program that m2s --x86-sim detailed --x86-region simulates in
 * detail. */
#define m2s_region_begin() m2s_marker(2)
#define m2s_region_end() m2s_marker(3)

#endif
