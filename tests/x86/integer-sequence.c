/* Flag setter and condition in one block, branches, rare forms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "integer-case.h"
#include "unit/harness.h"
#include "x86/emu/block.h"

uint32_t sequence_flags(void)
{
	return native_is_intel() ? X86_ARITHMETIC : X86_ARITHMETIC & ~X86_AF;
}

bool sequence_same(struct native *native, bool wide, const uint8_t *code,
		   size_t size, uint32_t flags, uint64_t *seed)
{
	struct machine *m = calloc(2, sizeof *m);
	bool good;

	for (int i = 0; i < (wide ? 16 : 8); i++)
		m->reg[i] = random_corner(seed) &
			    (wide ? UINT64_MAX : UINT32_MAX);
	m->reg[X86_RCX] = (m->reg[X86_RCX] & 15) + 1; /* loops end */
	if (random_draw(seed) & 1) /* often equal */
		m->reg[X86_RAX] = m->reg[X86_RCX];
	m->reg[X86_RSP] = ARENA_STACK + ARENA_STACK_SIZE / 2;
	m->reg[X86_RBP] = m->reg[X86_RSP] + 64;
	m->reg[X86_RSI] = ARENA_DATA + 256;
	m->reg[X86_RDI] = ARENA_CODE + size;
	m->eflags = (uint32_t)((random_draw(seed) & X86_ARITHMETIC) | 0x202);
	for (size_t i = 0; i < sizeof m->stack; i++)
		m->stack[i] = (uint8_t)random_draw(seed);
	m[1] = m[0];
	native_execute(native, &m[0], code, size);
	native_emulate(native, &m[1], code, size);
	good = !memcmp(m[0].reg, m[1].reg, sizeof m->reg) &&
	       m[0].signal == m[1].signal && m[0].rip == m[1].rip &&
	       !((m[0].eflags ^ m[1].eflags) & flags) &&
	       !memcmp(m[0].stack, m[1].stack, sizeof m->stack) &&
	       !memcmp(m[0].data, m[1].data, sizeof m->data);
	if (!good) {
		printf("#");
		for (size_t i = 0; i < size; i++)
			printf(" %02x", code[i]);
		printf(" (%d-bit): flags %x, are %x; signal %d, is %d; rip "
		       "%llx, is %llx\n", wide ? 64 : 32, m[0].eflags,
		       m[1].eflags, m[0].signal, m[1].signal, (unsigned long long)m[0].rip,
		       (unsigned long long)m[1].rip);
		for (int i = 0; i < 16; i++)
			if (m[0].reg[i] != m[1].reg[i])
				printf("#  r%d: %llx, is %llx\n", i,
				       (unsigned long long)m[0].reg[i],
				       (unsigned long long)m[1].reg[i]);
	}
	free(m);
	return good;
}

void integer_conditions(bool wide)
{
	/* cmp eax, ecx; cmp ax, cx; cmp al, cl; sub; test; and; or; xor; add;
	 * inc; dec; neg; shl 3; adc; sbb; a setter and a partial one */
	static const char *const setters[] = {
		"39 c8", "66 39 c8", "38 c8", "29 c8", "66 29 c8", "28 c8",
		"85 c8", "66 85 c8", "84 c8", "21 c8", "09 c8", "31 c8",
		"01 c8", "66 01 c8", "00 c8", "ff c0", "66 ff c0", "fe c0",
		"ff c8", "fe c8", "f7 d8", "f6 d8", "d1 e0", "d0 e8",
		"11 c8", "19 c8", "39 c8 f5", "39 c8 0f ba e0 07",
		"85 c8 f9", "39 c8 fe c2", "01 c8 d1 c2", "39 c8 90 90",
		"39 c8 d3 e2", "39 c8 d3 fa", "f0 0f c1 0e", "0f b1 0e", "9e",
	};
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	const uint32_t flags = sequence_flags() | X86_DF;
	uint64_t seed = 17;
	unsigned failed = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++)
		for (unsigned cc = 0; cc < 16; cc++) {
			/* setcc dl; cmovcc ebp, esi; jcc over mov ebx, 5 */
			uint8_t code[32];
			size_t size = hex(setters[i], code);
			/* By a count other than 1, OF is undefined. */
			bool counted = strstr(setters[i], " d3 ");
			const uint8_t rest[] = {
				0x0f, (uint8_t)(0x90 | cc), 0xc2,
				0x0f, (uint8_t)(0x40 | cc), 0xee,
				(uint8_t)(0x70 | cc), 5, 0xbb, 5, 0, 0, 0,
			};

			if (counted && !native_is_intel())
				continue;
			memcpy(code + size, rest, sizeof rest);
			size += sizeof rest;
			for (int n = 0; n < 12; n++)
				failed += !sequence_same(native, wide, code,
							 size, flags, &seed);
		}
	CU_ASSERT_EQUAL(failed, 0);
	native_free(native);
}

/* Added to the mode of a sequence that other vendors' processors execute in
 * another way, in that mode or both. Those of AMD (Architecture Programmer's
 * Manual, volume 3) have no far pointers of 64 bits, heed the prefix 66 before
 * near branches in 64-bit mode, write whole dwords when they push segment
 * registers, refuse a prefetch of a register, know SYSRET outside 64-bit mode,
 * and leave RIP at INT1. */
enum {
	INTEL_32 = 1 << 8,
	INTEL_64 = 1 << 9,
	INTEL = INTEL_32 | INTEL_64,
};

void integer_sequences(bool wide)
{
	static const struct {
		const char *code;
		int mode; /* 32 or 64; without: both */
	} list[] = {
		{ "e8 00 00 00 00 58", 0 },            /* call; pop */
		{ "e8 02 00 00 00 eb 03 c2 08 00", 0 }, /* call; ret 8 */
		{ "e8 02 00 00 00 eb 01 c3", 0 },      /* call; ret */
		{ "83 c0 01 e2 fb", 0 },               /* add; loop */
		{ "39 c8 83 e9 00 e1 f9", 0 },         /* loope */
		{ "83 c0 01 39 c8 e0 f9", 0 },         /* loopne */
		{ "67 e3 05 bb 05 00 00 00", 0 },      /* j[e]cxz */
		{ "e3 05 bb 05 00 00 00", 0 },
		{ "31 c9 67 e3 05 bb 05 00 00 00", 0 },
		{ "31 c9 e3 05 bb 05 00 00 00", 0 },
		{ "c8 20 00 00", 0 },                  /* enter */
		{ "c8 20 00 01", 0 },
		{ "c8 10 00 03", 0 },
		{ "66 c8 10 00 02", 0 },
		{ "c8 20 00 00 50 51 c9", 0 },         /* enter, push, leave */
		{ "68 d5 0c 00 00 9d 9c 58", 0 },      /* popf, pushf */
		{ "68 55 0d 20 00 9d 9c 58", 0 },
		{ "6a 80 5b 66 6a 81 66 5a", 0 },      /* push imm8 */
		{ "66 9c 66 58 66 50 66 9d", 0 },
		{ "ff e7", 0 },                        /* jmp rdi: the end */
		{ "57 ff 24 24", 0 },                  /* jmp [rsp] */
		{ "57 c3", 0 },                        /* push, ret */
		{ "ff d7", 0 },                        /* call rdi */
		{ "57 ff 14 24", 0 },
		{ "87 3c 24 ff 34 24 c3", 0 },
		{ "8d 05 00 00 00 00", 64 },           /* lea eax, [rip] */
		{ "48 8d 05 f9 ff ff ff 8a 18", 64 },
		{ "67 48 8d 44 08 7f", 64 },           /* lea with 67 */
		{ "67 8d 40 10", 0 },
		{ "67 8b 46 04", 64 },                 /* mov eax, [esi+4] */
		{ "48 b8 88 77 66 55 44 33 22 11", 64 },
		{ "48 c7 c0 fe ff ff ff", 64 },
		{ "a0 00 31 00 10 00 00 00 00", 64 },  /* moffs */
		{ "48 a3 00 31 00 10 00 00 00 00", 64 },
		{ "a1 00 31 00 10", 32 },
		{ "a2 00 31 00 10", 32 },
		{ "60 61", 32 }, { "66 60 66 61", 32 },
		{ "f0 ff c0", 0 },                     /* lock on a register */
		{ "cc", 0 }, { "0f 0b", 0 }, { "f4", 0 }, { "cd 03", 0 },
		{ "cd 21", 0 },
		{ "8b 04 25 00 00 00 00", 64 },        /* null pointer */
		{ "48 b8 00 00 00 00 00 00 00 80 8b 18", 64 },
		{ "48 b8 00 00 00 00 00 00 00 80 50 8b 24 04", 64 },
		{ "48 bc 00 00 00 00 00 00 00 80 50", 64 },
		{ "37 3f 27 2f", 32 },                 /* aaa aas daa das */
		{ "04 99 27 2c 66 2f", 32 },
		{ "d4 07 d5 0b d4 0a", 32 },
		{ "d4 00", 32 },                       /* divide error */
		{ "40 4a 41", 32 },                    /* short inc, dec */
		{ "d6 91", 32 },                       /* salc */
		{ "62 06", 32 },                       /* bound */
		{ "8c d8 8e d8 8c c0", 32 },           /* segments */
		{ "f3 90 0f 1f 44 00 00 66 90 40", 0 },
		{ "66 0f a3 0e", 64 },
		{ "0f c8 0f cb 66 0f c8", 0 },         /* bswap */
		{ "f3 0f bc d0 f3 0f bd d8 f3 0f b8 e8", 0 },
		{ "be 00 00 00 00 39 c8 ac", 0 },      /* fault in a string */
		{ "bf f8 4f 00 10 f3 ab", 0 },         /* ... resumable */
		{ "bf 02 30 00 10 fd f3 66 ab", 0 },
		/* Far returns to the next instruction, and elsewhere. */
		{ "6a 33 48 8d 05 03 00 00 00 50 48 cb 90", 64 },
		{ "48 83 ec 08 8d 05 0c 00 00 00 89 04 24 c7 44 24 04 33 00 "
		  "00 00 cb 90", 64 },
		{ "6a 10 50 48 cb", 64 }, { "6a 00 50 48 cb", 64 },
		{ "6a 32 50 48 cb", 64 }, { "66 cb", 0 }, { "cb", 0 },
		{ "6a 23 68 08 10 00 10 cb 90", 32 },
		{ "6a 23 68 0a 10 00 10 ca 04 00 90", 32 },
		{ "6a 10 68 08 10 00 10 cb 90", 32 },
		{ "6a 2b 68 08 10 00 10 cb 90", 32 },
		/* IRET with as many words as the mode has. */
		{ "48 89 e1 6a 2b 51 9c 6a 33 48 8d 05 03 00 00 00 50 48 cf 90",
		  64 },
		{ "48 83 ec 14 8d 05 20 00 00 00 89 04 24 c7 44 24 04 33 00 "
		  "00 00 c7 44 24 08 d7 02 00 00 89 64 24 0c c7 44 24 10 2b "
		  "00 00 00 cf 90", 64 },
		{ "48 89 e1 6a 10 51 9c 6a 33 48 8d 05 03 00 00 00 50 48 cf 90",
		  64 },
		{ "48 cf", 64 }, { "cf", 0 }, { "66 cf", 0 },
		{ "9c 6a 23 68 09 10 00 10 cf 90", 32 },
		{ "68 00 40 00 00 9d 9c 6a 23 68 0f 10 00 10 cf 90 9c 58 80 "
		  "e4 bf 50 9d", 32 }, /* nested task */
		/* Far jumps and calls. */
		{ "8d 05 0a 00 00 00 89 06 66 c7 46 04 33 00 ff 2e 90", 64 },
		{ "8d 05 0a 00 00 00 89 06 66 c7 46 04 33 00 ff 1e 5a", 64 },
		{ "48 8d 05 0c 00 00 00 48 89 06 66 c7 46 08 33 00 48 ff 1e "
		  "5a 59", 64 | INTEL },
		{ "48 8d 05 0c 00 00 00 48 89 06 66 c7 46 08 33 00 48 ff 2e "
		  "90", 64 | INTEL },
		{ "66 c7 46 04 2b 00 ff 2e", 0 },
		{ "66 c7 46 04 00 00 ff 1e", 0 },
		{ "66 c7 46 02 33 00 66 ff 2e", 64 },
		{ "66 c7 46 02 23 00 66 ff 2e", 32 },
		{ "66 c7 46 02 23 00 66 ff 1e", 32 },
		{ "ea 07 10 00 10 23 00 90", 32 },
		{ "ea 07 10 00 10 20 00 8c c8", 32 },
		{ "ea 07 10 00 10 2b 00 90", 32 },
		{ "ea 07 10 00 10 10 00 90", 32 },
		{ "ea 07 10 00 10 00 00 90", 32 },
		{ "66 ea 07 10 23 00 90", 32 },
		{ "9a 07 10 00 10 23 00 58 59", 32 },
		{ "66 9a 07 10 23 00", 32 }, { "9a 07 10 00 10 3b 00", 32 },
		/* Near ones of 16 bits. */
		{ "66 e8 00 00 58", 32 },
		{ "66 e8 00 00 00 00 58", 64 | INTEL },
		{ "66 c3", INTEL_64 }, { "66 c2 04 00", INTEL_64 },
		{ "66 ff e0", INTEL_64 }, { "66 ff d0", INTEL_64 }, { "66 ff 26", 32 },
		{ "66 ff 16", 32 }, { "66 eb 00", INTEL_64 }, { "66 74 00", INTEL_64 },
		{ "66 e2 00", INTEL_64 }, { "66 0f 84 00 00 00 00", 64 | INTEL },
		/* Segment registers. */
		{ "66 c7 46 04 2b 00 0f b5 1e 8c e8 31 c9 8e e9", 64 },
		{ "66 c7 46 08 2b 00 48 0f b5 1e 8c e8 31 c9 8e e9", 64 | INTEL },
		{ "66 c7 46 04 10 00 0f b5 1e", 64 },
		{ "89 26 66 c7 46 04 2b 00 0f b2 26", 64 },
		{ "66 c7 46 04 00 00 0f b2 26", 0 },
		{ "66 c7 46 04 29 00 0f b2 26", 0 },
		{ "8c d0 8e d0 8c c9", 0 }, { "b8 23 00 00 00 8e d0", 0 },
		{ "b8 78 00 00 00 8e e8 8c e9 31 c0 8e e8", 64 },
		{ "8c d0 89 06 8e 06 8c 06", 0 },
		{ "66 c7 46 04 2b 00 c4 1e 8c c0 6a 2b 07", 32 },
		{ "66 c7 46 02 2b 00 66 c5 1e", 32 },
		{ "66 c7 46 04 11 22 c4 1e", 32 },
		{ "89 26 66 c7 46 04 2b 00 0f b2 26", 32 },
		{ "06 1f 16 17 0e 58 1e 07", 32 | INTEL },
		{ "66 06 66 1f 66 16 66 17", 32 },
		{ "0f a0 58 66 0f a8 66 59", INTEL_32 },
		{ "8e c8", 0 }, { "8e f0", 0 },
		/* What only the kernel may do, and what nobody may. */
		{ "0f 20 c0", 0 }, { "0f 22 c0", 0 }, { "0f 21 c0", 0 },
		{ "0f 23 c0", 0 }, { "0f 20 c8", 0 }, { "0f 22 d8", 0 },
		{ "0f 01 f8", 0 }, { "0f aa", 0 }, { "0f 35", 0 },
		{ "0f 07", INTEL_32 }, { "48 0f 07", 64 }, { "0f 01 d1", 0 },
		{ "0f c7 2e", 0 }, { "0f c7 1e", 0 }, { "0f 01 cb", 0 },
		{ "0f 01 ca", 0 }, { "0f 01 c8", 0 }, { "0f 01 c9", 0 },
		{ "0f 06", 0 }, { "0f 01 3e", 0 }, { "0f 01 16", 0 },
		{ "0f 01 1e", 0 }, { "0f 01 36", 0 }, { "0f 00 16", 0 },
		{ "0f 00 1e", 0 }, { "0f 00 d0", 0 }, { "0f 33", 0 },
		{ "0f 32", 0 }, { "0f 30", 0 }, { "0f 08", 0 }, { "0f 09", 0 },
		{ "f3 6c", 0 }, { "f2 6e", 0 }, { "e4 00", 0 }, { "ec", 0 },
		{ "fa", 0 }, { "fb", 0 }, { "f1", INTEL }, { "0f ff c0", 0 },
		{ "0f b9 c0", 0 }, { "ce", 64 }, { "62 06", 64 }, { "60", 64 },
		{ "37", 64 }, { "d6", 64 }, { "c4 06", 64 }, { "06", 64 },
		{ "9a 00 00 00 00 23 00", 64 }, { "f3 0f ae e8", 0 },
		{ "f3 0f 01 ea", 0 }, { "f3 0f 01 e8", 0 },
		{ "0f 38 f6 06", 0 }, { "66 0f 38 f5 06", 0 },
		{ "0f 0f c1 9e", 0 }, { "8f e8 78 c2 c1 00", 64 },
		{ "0f 01 f9 31 c0 31 d2 31 c9", 0 }, /* rdtscp */
		/* No-ops. */
		{ "f3 0f 1e fa", 0 }, { "f3 0f 1e fb", 0 },
		{ "f3 0f 1e c8", 0 }, { "f3 48 0f 1e c8", 64 },
		{ "0f 1f 84 00 00 00 00 00", 0 }, { "0f 19 c0", 0 },
		{ "f3 0f 1a c0", 0 }, { "f2 0f 1b 06", 0 }, { "66 90", 0 },
		{ "0f 0d 0e", 0 }, { "0f 18 0e", 0 }, { "0f 0d c1", INTEL },
		{ "0f 18 c1", 0 }, { "f3 90", 0 }, { "0f ae e8", 0 },
		{ "0f ae f0", 0 }, { "0f ae f8", 0 }, { "66 0f ae 3e", 0 },
		{ "66 0f ae 36", 0 }, { "0f ae 3e", 0 },
		/* Frames within frames; addresses of 16 bits. */
		{ "c8 10 00 1f", 0 }, { "66 c8 10 00 05", 0 },
		{ "c8 00 00 e2", 0 }, { "c8 ff ff 00", 0 },
		{ "67 8d 18", 32 }, { "67 8d 5a 7f", 32 },
		{ "67 66 8d 43 80", 32 }, { "67 8d 1e 34 12", 32 },
		{ "67 8d 9e 34 12", 32 }, { "67 8b 07", 32 },
		{ "67 ac", 32 }, { "67 a4", 0 }, { "89 f7 67 f3 aa", 64 },
		{ "67 e3 02 ff c0", 0 }, { "67 ff 26", 32 },
		/* REPNE means REP where nothing is compared. */
		{ "f2 ac", 0 }, { "89 f7 f2 aa", 0 }, { "89 f7 f2 a5", 0 },
		{ "f2 66 ad", 0 },
		/* LOCK where it may not be. */
		{ "f0 8b 06", 0 }, { "f0 90", 0 }, { "f0 39 06", 0 },
		{ "f0 0f a3 06", 0 }, { "f0 8d 06", 0 },
		{ "f2 f0 01 06", 0 }, { "f3 f0 01 06", 0 },
		{ "f3 89 06", 0 }, { "f3 c7 06 01 00 00 00", 0 },
	};
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	uint64_t seed = 29;

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		uint8_t code[64];
		size_t size = hex(list[i].code, code);
		int mode = list[i].mode & ~INTEL;
		/* Undefined after BCD: OF. */
		uint32_t flags = X86_ARITHMETIC & ~X86_OF;

		if (mode && mode != (wide ? 64 : 32))
			continue;
		if (list[i].mode & (wide ? INTEL_64 : INTEL_32) &&
		    !native_is_intel())
			continue;
		if (strstr("d4 07 d5 0b d4 0a 37 3f 27 2f", list[i].code))
			flags = X86_PF | X86_ZF | X86_SF;
		for (int n = 0; n < 20; n++)
			CU_ASSERT(sequence_same(native, wide, code, size,
						flags, &seed));
	}
	native_free(native);
}
