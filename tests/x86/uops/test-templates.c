/* Templates of well-known instructions, checked by hand against the measured
 * rows and Intel's optimization manual. */
#include <stdlib.h>
#include <string.h>

#include "unit/harness.h"
#include "x86/emu/step.h"
#include "x86/hex.h"
#include "x86/timing/uops/uop.h"

enum { CODE = 0x10000, RX = SPACE_READ | SPACE_WRITE | SPACE_EXECUTE };

static struct space *space;
static struct x86_emulator *emulator;
static uint64_t next_code;

/* The template, printed. The caller frees it. */
static char *text_of(const char *core, const char *code,
		     const struct x86_template **template)
{
	struct x86_templates *templates = x86_templates_create(core, NULL);
	const struct x86_template *t;
	const struct x86_inst *inst;
	uint8_t bytes[32];
	size_t length, size = hex(code, bytes);
	char *text;
	FILE *stream;

	CU_ASSERT_PTR_NOT_NULL_FATAL(templates);
	space_write(space, next_code, bytes, size);
	inst = x86_inst_at(emulator, next_code);
	next_code += 32;
	CU_ASSERT_PTR_NOT_NULL_FATAL(inst);
	CU_ASSERT_EQUAL(inst->length, size);
	t = x86_template_make(templates, inst);
	CU_ASSERT_PTR_EQUAL(t, x86_template_make(templates, inst));
	stream = open_memstream(&text, &length);
	x86_template_print(t, stream);
	fclose(stream);
	if (template)
		*template = t;
	x86_inst_release(inst);
	x86_templates_free(templates);
	return text;
}

static const struct {
	const char *core, *code, *expected;
} known[] = {
	/* add rax, rbx */
	{ "haswell", "4801d8",
	  "slots 1 of 1 fused, decoder 1+0, fuses f0fc\n"
	  "  0 p0156 ax bx -> ax:1 CF:1 flags:1\n" },
	/* add rax, [rbx]: fused load */
	{ "haswell", "480303",
	  "slots 1 of 1 fused, decoder 1+0, fuses f0fc\n"
	  "  0 p23 load bx -> t0:0\n"
	  "  0 p0156 ax t0 -> ax:1 CF:1 flags:1\n" },
	/* add [rbx], rax: port 7 takes the address */
	{ "haswell", "480103",
	  "slots 2 of 2 fused, decoder 2+0 complex\n"
	  "  0 p23 load bx -> t0:0\n"
	  "  0 p0156 ax t0 -> CF:1 flags:1 t2:1\n"
	  "  1 p237 address bx ->\n"
	  "  1 p4 data t2 ->\n" },
	/* add [rbx + rcx*4], rax: not with an index */
	{ "haswell", "4801048b",
	  "slots 3 of 2 fused, decoder 2+0 complex\n"
	  "  0 p23 load bx cx -> t0:0\n"
	  "  1 p0156 ax t0 -> CF:1 flags:1 t2:1\n"
	  "  2 p23 address bx cx ->\n"
	  "  2 p4 data t2 ->\n" },
	/* adc rax, rbx: the carry comes in at the second uop */
	{ "haswell", "4811d8",
	  "slots 2 of 2 fused, decoder 2+0 complex\n"
	  "  0 p0156 ax bx -> t4:1\n"
	  "  1 p06 CF t4 -> ax:1 CF:1 flags:1\n" },
	/* mul rbx */
	{ "haswell", "48f7e3",
	  "slots 2 of 2 fused, decoder 2+0 complex\n"
	  "  0 p06 ->\n"
	  "  1 p1 ax bx -> ax:3 dx:4 CF:3 flags:3\n" },
	/* push rax; pop rax: rsp is the stack engine's */
	{ "haswell", "50",
	  "slots 1 of 1 fused, decoder 1+0, rsp -8\n"
	  "  0 p237 address sp ->\n"
	  "  0 p4 data ax ->\n" },
	{ "haswell", "58",
	  "slots 1 of 1 fused, decoder 1+0, rsp +8\n"
	  "  0 p23 load sp -> t0:0 ax:0\n" },
	/* call; ret */
	{ "haswell", "e800000000",
	  "slots 2 of 2 fused, decoder 2+0 complex, rsp -8\n"
	  "  0 p06 ->\n"
	  "  1 p237 address sp ->\n"
	  "  1 p4 data ->\n" },
	{ "haswell", "c3",
	  "slots 2 of 2 fused, decoder 2+0 complex, rsp +8\n"
	  "  0 p23 load sp -> t0:0\n"
	  "  1 p6 t0 ->\n" },
	/* lea rax, [rbx + rcx + 16], with three components; [rbx + rcx] */
	{ "haswell", "488d440b10",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p1 cx bx -> ax:3\n" },
	{ "haswell", "488d040b",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p15 cx bx -> ax:1\n" },
	/* movaps xmm0, xmm1: eliminated, or on port 5 */
	{ "haswell", "0f28c1",
	  "slots 1 of 1 fused, decoder 1+0, eliminable\n"
	  "  0 p5 v1 -> v0:1\n" },
	/* xor eax, eax; pcmpeqb xmm0, xmm0 needs a port */
	{ "haswell", "31c0",
	  "slots 1 of 1 fused, decoder 1+0, idiom\n"
	  "  0 p -> ax:0 CF:0 flags:0\n" },
	{ "haswell", "660f74c0",
	  "slots 1 of 1 fused, decoder 1+0, idiom\n"
	  "  0 p15 -> v0:1\n" },
	/* vaddps ymm0, ymm0, [rbx]; vaddps ymm0, ymm1, [rbx + rcx*4] is not
	 * kept fused */
	{ "haswell", "c5fc5803",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p23 load bx -> t0:0\n"
	  "  0 p1 v0 t0 -> v0:3\n" },
	{ "haswell", "c5f458048b",
	  "slots 2 of 1 fused, decoder 1+0\n"
	  "  0 p23 load bx cx -> t0:0\n"
	  "  1 p1 v1 t0 -> v0:3\n" },
	/* lock cmpxchg is measured as one in 19 cycles */
	{ "haswell", "f0480fb10b", "*, every 19\n" },
	/* a dependency that only the chip knows */
	{ "haswell", "f3480fb8c1",
	  "slots 1 of 1 fused, decoder 1+0 complex\n"
	  "  0 p1 cx ax -> ax:3 CF:3 flags:3\n" },
	/* mov al, [rbx] merges; mov ah, [rbx] is renamed apart */
	{ "haswell", "8a03",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p23 load bx -> t0:0\n"
	  "  0 p0156 t0 ax -> ax:1\n" },
	{ "haswell", "8a23",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p23 load bx -> t0:0 ah:0\n" },
	/* cvtsi2sd xmm0, eax merges into the destination */
	{ "haswell", "f20f2ac0",
	  "slots 2 of 2 fused, decoder 2+0 complex\n"
	  "  0 p5 ax -> t4:1\n"
	  "  1 p1 v0 t4 -> v0:3\n" },
	/* movsb, lodsb: the registers step on */
	{ "haswell", "a4",
	  "slots 5 of 5 fused, decoder 4+1 complex\n"
	  "  0 p di -> t4:0\n"
	  "  0 p23 load si -> t1:0\n"
	  "  1 p0156 si -> si:1\n"
	  "  2 p0156 di -> di:1\n"
	  "  3 p23 address t4 ->\n"
	  "  4 p4 data t1 ->\n" },
	{ "haswell", "ac",
	  "slots 3 of 3 fused, decoder 3+0 complex\n"
	  "  0 p23 load si -> t0:0\n"
	  "  1 p0156 t0 -> ax:1\n"
	  "  2 p0156 si -> si:1\n" },
	/* x87: fadd st, st(1); fld qword [rbx] */
	{ "haswell", "d8c1",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p1 st0 st1 -> st0:3\n" },
	{ "haswell", "dd03",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p23 load bx -> t0:0 st0:0\n" },
	/* fcomi st, st(1) */
	{ "haswell", "dbf1",
	  "slots 3 of 3 fused, decoder 3+0 complex\n"
	  "  0 p0 ->\n"
	  "  1 p5 ->\n"
	  "  2 p1 st0 st1 -> CF:3 flags:3\n" },
	/* mov [rbx], rax: address and data have ports of their own */
	{ "nehalem", "488903",
	  "slots 1 of 1 fused, decoder 1+0\n"
	  "  0 p3 address bx ->\n"
	  "  0 p4 data ax ->\n" },
};

static void test_known(void)
{
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		char *text = text_of(known[i].core, known[i].code, NULL);
		const char *expected = known[i].expected;
		bool good = *expected == '*' ? strstr(text, expected + 1) != 0
					     : !strcmp(text, expected);

		if (!good)
			fprintf(stderr, "%s %s:\n%sexpected:\n%s",
				known[i].core, known[i].code, text, expected);
		CU_ASSERT(good);
		free(text);
	}
}

static void test_unknown_core(void)
{
	struct error error;

	CU_ASSERT_PTR_NULL(x86_templates_create("pentium", &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "pentium"));
}

static CU_TestInfo tests[] = {
	{ "well-known instructions", test_known },
	{ "a core without a table", test_unknown_core },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "uop templates", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};
	struct x86_model model;
	int status;

	x86_model_everything(&model);
	space = space_create(1ull << SPACE_X86_64_BITS, NULL);
	emulator = x86_emulator_create(space, X86_MODE_64, &model, NULL);
	next_code = CODE;
	space_map(space, CODE, 0x2000, RX, false, -1, 0, "");
	status = harness_run(suites);
	x86_emulator_free(emulator);
	space_free(space);
	return status;
}
