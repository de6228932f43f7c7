/* The XSAVE family against the host CPU.
 *
 * The code under test is XRSTOR of a random state, one instruction of the
 * family with a random choice of components on a random area, and XSAVE of
 * all that the state then is. Areas are in either format, with every kind of
 * header that the processor refuses. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "native.h"
#include "unit/harness.h"
#include "x86/emu/vector/xsave.h"

/* Where in the data area things are. */
enum { AREA_IN = 0, AREA_TEST = 0x800, AREA_OUT = 0x1000 };

/* Offsets in an area. */
enum {
	STATE_CONTROL = 0, STATE_STATUS = 2, STATE_OPCODE = 6,
	STATE_POINTERS = 8, STATE_MXCSR = 24, STATE_MASK = 28, STATE_ST = 32,
	STATE_XMM = 160, STATE_END = 416,
	HEADER_COMPACTION = X86_XSAVE_HEADER + 8,
	HEADER_RESERVED = X86_XSAVE_HEADER + 16,
};

static const struct form {
	const char *name;
	uint8_t opcode, extension; /* 0f opcode /extension */
	enum x86_feature feature;
} forms[] = {
	{ "xsave", 0xae, 4, X86_FEATURE_XSAVE },
	{ "xrstor", 0xae, 5, X86_FEATURE_XSAVE },
	{ "xsaveopt", 0xae, 6, X86_FEATURE_XSAVEOPT },
	{ "xsavec", 0xc7, 4, X86_FEATURE_XSAVEC },
};
enum { XSAVE = 0, XRSTOR = 1 };

/* mov eax, components; xor edx, edx; the instruction at an address. */
static size_t emit(uint8_t *code, const struct form *form, bool mode64,
		   bool wide, unsigned components, uint32_t address)
{
	uint8_t *at = code;
	const uint32_t mask = components;

	*at++ = 0xb8;
	memcpy(at, &mask, 4);
	at += 4;
	*at++ = 0x31;
	*at++ = 0xd2;
	if (wide)
		*at++ = 0x48;
	*at++ = 0x0f;
	*at++ = form->opcode;
	*at++ = (uint8_t)((mode64 ? 4 : 5) | form->extension << 3);
	if (mode64)
		*at++ = 0x25;
	memcpy(at, &address, 4);
	return (size_t)(at + 4 - code);
}

static void put(uint8_t *to, uint64_t value, size_t size)
{
	memcpy(to, &value, size);
}

/* A state of which no component looks like the one after a reset. */
static void make_area(uint64_t *seed, uint8_t *area)
{
	uint64_t r = random_draw(seed);

	for (size_t i = 0; i < X86_XSAVE_SIZE; i += 8)
		put(area + i, random_draw(seed), 8);
	put(area + STATE_CONTROL, (r & 0xf3f) | 0x40, 2);
	put(area + STATE_STATUS, r >> 16 & 0x7f7f, 2);
	put(area + STATE_OPCODE, r >> 32 & 0x7ff, 2);
	put(area + STATE_POINTERS, r >> 17, 8);
	put(area + STATE_POINTERS + 8, random_draw(seed) >> 17, 8);
	put(area + STATE_MXCSR, random_draw(seed) & 0xffff, 4);
	for (int i = 0; i < 8; i++)
		memset(area + STATE_ST + 16 * i + 10, 0, 6);
	memset(area + X86_XSAVE_HEADER, 0, 64);
	area[X86_XSAVE_HEADER] = (uint8_t)(r >> 56 & 7);
}

/* The area under test: often one that is refused. */
static void make_test_area(uint64_t *seed, uint8_t *area)
{
	uint64_t r = random_draw(seed);

	make_area(seed, area);
	if (r & 1) { /* compacted: holds at least what is present */
		put(area + HEADER_COMPACTION,
		    1ull << 63 | area[X86_XSAVE_HEADER] | (r >> 8 & 7), 8);
		/* Bytes 16 to 63 are checked here, else only up to 23. */
	}
	switch (r >> 16 & 31) {
	case 0:
		/* MPX, which has come and gone. */
		area[X86_XSAVE_HEADER] |= (uint8_t)(8 << (r >> 24 & 1));
		area[X86_XSAVE_HEADER + 7] = (uint8_t)(r >> 30 & 0x80);
		break;
	case 1:
		area[HEADER_COMPACTION] ^= (uint8_t)(1 << (r >> 24 & 3));
		break;
	case 2:
		area[HEADER_RESERVED + (r >> 24) % 8] = 1;
		break;
	case 3:
		area[HEADER_RESERVED + (r >> 24) % 48] = 1;
		break;
	case 4:
		area[STATE_MXCSR + 2 + (r >> 24 & 1)] = 1;
		break;
	case 5: /* as memory happens to be */
		for (int i = 0; i < 64; i += 8)
			put(area + X86_XSAVE_HEADER + i, random_corner(seed),
			    8);
		break;
	default:
		break;
	}
	if (r >> 40 & 1)
		put(area + STATE_MXCSR, 0x1f80, 4);
}

static void reset_host(void)
{
	static const uint32_t mxcsr = 0x1f80;

	__asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
	/* 32-bit code does not reset XMM8 to XMM15. To AMD's processors the
	 * SSE state is in use while any of them is not zero. */
	if (!native_is_intel())
		__asm__ volatile("xorps %%xmm8, %%xmm8\n\t"
				 "xorps %%xmm9, %%xmm9\n\t"
				 "xorps %%xmm10, %%xmm10\n\t"
				 "xorps %%xmm11, %%xmm11\n\t"
				 "xorps %%xmm12, %%xmm12\n\t"
				 "xorps %%xmm13, %%xmm13\n\t"
				 "xorps %%xmm14, %%xmm14\n\t"
				 "xorps %%xmm15, %%xmm15"
				 : : : "xmm8", "xmm9", "xmm10", "xmm11",
				 "xmm12", "xmm13", "xmm14", "xmm15");
}

static bool same(const struct form *form, unsigned components, bool wide,
		 const struct machine *before, const struct machine *native,
		 const struct machine *emulated, unsigned *shown)
{
	if (native->signal == emulated->signal &&
	    native->rip == emulated->rip &&
	    !memcmp(native->reg, emulated->reg, sizeof native->reg) &&
	    !memcmp(native->data, emulated->data, sizeof native->data))
		return true;
	if ((*shown)++ >= 3)
		return false;
	printf("# %s%s, components %u: signal %d, is %d; rip %llx, is %llx\n",
	       form->name, wide ? "64" : "", components, native->signal,
	       emulated->signal, (unsigned long long)native->rip,
	       (unsigned long long)emulated->rip);
	printf("#   header");
	for (int i = 0; i < 32; i++)
		printf(" %02x", before->data[AREA_TEST + X86_XSAVE_HEADER + i]);
	puts("");
	for (int i = 0, n = 0; i < ARENA_DATA_SIZE && n < 8; i++)
		if (native->data[i] != emulated->data[i] && ++n)
			printf("#   data[%x]: before %02x, native %02x, is "
			       "%02x\n", i, before->data[i], native->data[i],
			       emulated->data[i]);
	return false;
}

/* In the legacy regions that were stored: the one in the end, and what the
 * form under test has stored of its own. */
static void leave_out(const struct form *form, unsigned components,
		      bool mode64, bool wide, uint32_t test,
		      const struct machine *native, struct machine *emulated)
{
	const uint8_t *right = native->data + AREA_OUT;
	uint8_t *is = emulated->data + AREA_OUT;

	if (native->signal || emulated->signal)
		return;
	native_leave_out_pointers(mode64, right, is);
	native_leave_out_mxcsr_mask(right, is);
	if (form == &forms[XRSTOR])
		return;
	right = native->data + (test - ARENA_DATA);
	is = emulated->data + (test - ARENA_DATA);
	if (components & X86_STATE_X87)
		native_leave_out_pointers(wide, right, is);
	if (components & (X86_STATE_SSE | X86_STATE_AVX))
		native_leave_out_mxcsr_mask(right, is);
}

static void compare(struct native *native, bool mode64,
		    const struct form *form, unsigned cases, uint64_t seed)
{
	struct machine *m = calloc(3, sizeof *m);
	unsigned shown = 0, faults = 0;

	for (unsigned i = 0; i < cases; i++) {
		unsigned components = (unsigned)random_draw(&seed) & 7;
		bool wide = mode64 && random_draw(&seed) & 1;
		uint32_t test = ARENA_DATA + AREA_TEST;
		uint8_t code[64];
		size_t size = 0;

		for (size_t k = 0; k < sizeof m->data; k++)
			m[0].data[k] = (uint8_t)random_draw(&seed);
		make_area(&seed, m[0].data + AREA_IN);
		make_test_area(&seed, m[0].data + AREA_TEST);
		memset(m[0].data + AREA_OUT + X86_XSAVE_HEADER, 0, 64);
		m[0].eflags = 0x202;
		m[0].reg[X86_RSP] = ARENA_STACK + 0x800;
		if (random_draw(&seed) % 32 == 0) /* not aligned */
			test += 1u << random_draw(&seed) % 6;
		size += emit(code + size, &forms[XRSTOR], mode64, mode64, 7,
			     ARENA_DATA + AREA_IN);
		size += emit(code + size, form, mode64, wide, components,
			     test);
		size += emit(code + size, &forms[XSAVE], mode64, mode64, 7,
			     ARENA_DATA + AREA_OUT);
		m[2] = m[0];
		native_emulate(native, &m[2], code, size);
		/* An interrupt in between may make the processor forget that
		 * a component is as after a reset. */
		for (int attempt = 0; attempt < 5; attempt++) {
			m[1] = m[0];
			native_execute(native, &m[1], code, size);
			reset_host();
			leave_out(form, components, mode64, wide, test, &m[1],
				  &m[2]);
			if (!memcmp(m[1].data, m[2].data, sizeof m->data))
				break;
		}
		same(form, components, wide, &m[0], &m[1], &m[2], &shown);
		faults += m[1].signal != 0;
	}
	printf("# %s, %d-bit: %u compared, %u of them faulted, %u differ\n",
	       form->name, mode64 ? 64 : 32, cases, faults, shown);
	CU_ASSERT_EQUAL(shown, 0);
	free(m);
}

static void compare_all(bool mode64)
{
	const char *long_text = getenv("M2S_TEST_LONG");
	unsigned cases = long_text ? (unsigned)atoi(long_text) : 400;
	struct native *native =
		native_create(mode64 ? X86_MODE_64 : X86_MODE_32);

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		/* Without AVX the area would be another. */
		if (!x86_host_has(forms[i].feature) ||
		    !x86_host_has(X86_FEATURE_AVX))
			printf("# skipped: %s is not on this host\n",
			       forms[i].name);
		else
			compare(native, mode64, &forms[i], cases, i + 1);
	native_free(native);
}

static void test_64(void)
{
	compare_all(true);
}

static void test_32(void)
{
	compare_all(false);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "XSAVE and XRSTOR against the host, 64-bit", test_64 },
		{ "XSAVE and XRSTOR against the host, 32-bit", test_32 },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86-xsave", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
