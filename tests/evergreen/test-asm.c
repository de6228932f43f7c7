/* The assembler: what the disassembler prints gives the same words again, for
 * every instruction and any value of its fields; and what is wrong is said. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/asm.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/layout.h"
#include "evergreen/isa/table.h"
#include "unit/harness.h"
#include "unit/random.h"

enum { CASES = 40 };

static uint64_t state = 1;

static uint32_t random_word(void)
{
	return (uint32_t)random_draw(&state);
}

/* Random values in the fields of a layout, each a defined one; about half of
 * the fields stay 0. */
static void random_fields(void *inst, const struct evg_layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct evg_field *field = &layout->fields[i];
		uint32_t value;

		if (!field->size || random_word() & 1)
			continue;
		do {
			value = random_word() & (uint32_t)
				((UINT64_C(1) << field->width) - 1);
			if (field->is_signed && value >> (field->width - 1))
				value |= ~0u << field->width;
		} while (!evg_field_set(inst, field, value));
	}
}

static struct evg_scan scan_of(char *text, struct error *error)
{
	return (struct evg_scan){
		.name = "text", .line = 1, .start = text, .at = text,
		.error = error,
	};
}

static bool same(const uint32_t *a, const uint32_t *b, size_t words,
		 const char *text, const struct error *error)
{
	if (!memcmp(a, b, words * sizeof *a))
		return true;
	printf("# %s: %s\n", text, error->text);
	for (size_t i = 0; i < words; i++)
		printf("# %08x %08x\n", a[i], b[i]);
	return false;
}

static void test_cf(void)
{
	int count = 0;

	for (int op = 0; op < EVG_CF_COUNT; op++)
		for (int i = 0; i < CASES && op != EVG_CF_ALU_EXT; i++) {
			struct evg_cf_inst inst = { .op = (enum evg_cf_op)op };
			struct evg_cf_inst parsed;
			struct evg_label_use use;
			struct error error = { "" };
			uint32_t words[4] = { 0 }, again[4] = { 0 };
			char text[600];
			struct evg_scan scan = scan_of(text, &error);
			enum evg_cf_format format = evg_cf_info[op].format;

			inst.format = format;
			if (format == EVG_CF_ALU_WORD && i % 2) {
				inst.format = EVG_CF_ALU_EXTENDED_WORD;
				random_fields(&inst, evg_cf_layout(
					EVG_CF_ALU_EXTENDED_WORD));
			}
			random_fields(&inst, evg_cf_layout(format));
			if (format == EVG_CF_EXPORT_RAT)
				inst.rat_op = random_word() % EVG_RAT_COUNT;
			inst.end_of_program = false;
			if (evg_cf_has_alu_clause(inst.op) ||
			    evg_cf_has_fetch_clause(inst.op))
				inst.count = 1 + random_word() % 64;
			if (evg_cf_encode(words, &inst, &error) < 0)
				continue;
			evg_cf_format_exact(text, sizeof text, &inst);
			if (!evg_cf_parse(&scan, &parsed, &use))
				evg_cf_encode(again, &parsed, &error);
			CU_ASSERT(same(words, again, 4, text, &error));
			count++;
		}
	CU_ASSERT(count > 1000);
}

static void test_fetch(void)
{
	int count = 0;

	for (int op = 0; op < EVG_FETCH_COUNT; op++)
		for (int i = 0; i < CASES && op != EVG_FETCH_CF_NATIVE; i++) {
			struct evg_fetch_inst inst = {
				.op = (enum evg_fetch_op)op
			};
			struct evg_fetch_inst parsed;
			struct error error = { "" };
			uint32_t words[4] = { 0 }, again[4] = { 0 };
			char text[600];
			struct evg_scan scan = scan_of(text, &error);

			random_fields(&inst, evg_fetch_layout_of(inst.op));
			inst.word[3] = i % 8 ? 0 : random_word();
			if (evg_fetch_encode(words, &inst, &error) < 0)
				continue;
			/* As it is read: with its operation's codes. */
			if (evg_fetch_info[op].layout == EVG_LAYOUT_GDS)
				evg_gds_decode(&inst, words, &error);
			else
				evg_fetch_decode(&inst, words, &error);
			evg_fetch_format_exact(text, sizeof text, &inst);
			if (!evg_fetch_parse(&scan, &parsed))
				evg_fetch_encode(again, &parsed, &error);
			CU_ASSERT(same(words, again, 4, text, &error));
			count++;
		}
	CU_ASSERT(count > 3000);
}

/* A source that the encoding defines. */
static void random_alu(struct evg_alu_inst *inst, int op, int lds_op)
{
	memset(inst, 0, sizeof *inst);
	inst->op = (enum evg_alu_op)op;
	inst->lds_op = (enum evg_lds_op)lds_op;
	random_fields(inst, evg_alu_layout(inst->op));
	if (op == EVG_ALU_LDS_IDX_OP)
		inst->lds_offset = random_word() % 64;
	inst->last = true;
}

/* Reads the text of a group back; `count` lines. */
static int parse_group(char *text, struct evg_alu_group *group,
		       struct error *error)
{
	struct evg_literals literals = { { 0 }, 0 };

	memset(group, 0, sizeof *group);
	for (char *line = strtok(text, "\n"); line;
	     line = strtok(NULL, "\n")) {
		struct evg_scan scan = scan_of(line, error);
		struct evg_alu_inst inst;
		uint32_t number;
		unsigned slot;

		evg_scan_number(&scan, &number);
		if (evg_alu_parse(&scan, &inst, &slot, &literals) ||
		    evg_group_add(&scan, group, &inst, slot))
			return -1;
	}
	evg_group_end(group, &literals);
	return 0;
}

/* One group from words, through the text, to words. */
static bool group_comes_back(const uint32_t *words, size_t units)
{
	struct evg_alu_group group, parsed;
	struct error error = { "" };
	uint32_t again[14] = { 0 };
	char text[3000], copy[3000];
	int size = evg_alu_group_decode(&group, words, units, &error);

	if (size < 0)
		return false;
	evg_alu_group_format_exact(text, sizeof text, &group,
				   random_word() % 2 * 17);
	memcpy(copy, text, sizeof copy);
	if (!parse_group(copy, &parsed, &error))
		evg_alu_group_encode(again, &parsed, &error);
	CU_ASSERT(same(words, again, 2 * (size_t)size, text, &error));
	return true;
}

static size_t encode_one(uint32_t *words, int op, int lds_op, bool last)
{
	struct evg_alu_group group = { .inst_count = 1 };
	struct error error;
	struct evg_alu_inst inst;
	unsigned slots = evg_alu_info[op].slots;
	unsigned slot;

	random_alu(&inst, op, lds_op);
	slot = slots == EVG_SLOTS_T   ? EVG_T
	       : slots == EVG_SLOTS_X ? EVG_X
				      : inst.dest_channel;
	group.slot_mask = (uint8_t)(1u << slot);
	group.order[0] = (uint8_t)slot;
	group.inst[slot] = inst;
	/* Twins and literals are missing: the words count, not the result. */
	evg_alu_group_encode(words, &group, &error);
	if (!last)
		words[0] &= 0x7fffffff;
	return 2;
}

static void test_alu(void)
{
	int count = 0;

	for (int op = 0; op < EVG_ALU_COUNT; op++)
		for (int i = 0; i < 4 * CASES; i++) {
			uint32_t words[14];
			size_t used = 0;
			unsigned slots = evg_alu_info[op].slots;
			unsigned twins = slots == EVG_SLOTS_FOUR   ? 4
					 : slots == EVG_SLOTS_PAIR ? 2
								   : 1;
			int lds_op = (int)(random_word() % EVG_LDS_COUNT);

			for (int w = 0; w < 14; w++)
				words[w] = random_word() % 3 ? random_word()
							     : 0;
			for (unsigned t = 0; t < twins; t++) {
				encode_one(words + used, op, lds_op,
					   t == twins - 1);
				if (twins > 1) /* one after another */
					words[used + 1] =
						(words[used + 1] &
						 ~(3u << 29)) | t << 29;
				used += 2;
			}
			count += group_comes_back(words, 7);
		}
	printf("# %d ALU groups\n", count);
	CU_ASSERT(count > 10000);
}

/* Groups of several instructions, with literals. */
static void test_groups(void)
{
	int count = 0;

	for (int i = 0; i < 20000; i++) {
		uint32_t words[14];
		size_t used = 0, insts = 1 + random_word() % 5;

		for (int w = 0; w < 14; w++)
			words[w] = random_word();
		for (size_t t = 0; t < insts; t++)
			used += encode_one(words + used,
					   (int)(random_word() % EVG_ALU_COUNT),
					   0, t == insts - 1);
		count += group_comes_back(words, 7);
	}
	printf("# %d groups\n", count);
	CU_ASSERT(count > 2000);
}

/* ---- Whole programs ---- */

static const char program_text[] =
	"; doubles what it finds, for all but the first work-items\n"
	".kernel twice\n"
	".argument global \"float*\" a\n"
	".argument value \"float4\" unused\n"
	".argument value \"uint\" first\n"
	"	ALU_PUSH_BEFORE: KCACHE0(CB0:0-15)\n"
	"		0 x: PREDGT_INT ____, R0.x, KC0[5].x UPDATE_EXEC_MASK UPDATE_PRED\n"
	"	JUMP POP_CNT(1) ADDR(@done)\n"
	"	ALU: KCACHE0(CB0:0-15)\n"
	"		1 x: LSHL R1.x, R0.x, 2\n"
	"		2 x: ADD_INT R1.x, PV.x, KC0[2].y\n"
	"	TEX:\n"
	"		VFETCH R2.x___, R1.x, fc1 MEGA(4) FORMAT(32_FLOAT) "
	"NUM_FORMAT(INT) NO_ZERO\n"
	"	ALU:\n"
	"		3 x: ADD R2.x, R2.x, R2.x\n"
	"		  y: MUL_e ____, 2.5f, 0x40200000\n"
	"		4 x: LSHR R1.x, R1.x, 2\n"
	"	MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R2, ARRAY_SIZE(4095)\n"
	"@done:\n"
	"	POP (1) ADDR(@done)\n"
	"	NOP\n"
	"END_OF_PROGRAM\n";

static void test_program(void)
{
	struct error error = { "" };
	struct evg_program *program =
		evg_assemble("twice.s", program_text, sizeof program_text - 1,
			     &error);
	const struct evg_kernel *kernel;
	struct evg_code *code;
	void *object;
	size_t size;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	kernel = evg_program_find(program, "twice");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_EQUAL(kernel->registers, 3);
	CU_ASSERT_EQUAL(kernel->stack_size, 1);
	CU_ASSERT_EQUAL(kernel->argument_count, 3);
	CU_ASSERT_EQUAL(kernel->arguments[0].offset, 36);
	CU_ASSERT_EQUAL(kernel->arguments[1].offset, 52);
	CU_ASSERT_EQUAL(kernel->arguments[2].offset, 68);
	CU_ASSERT_EQUAL(kernel->tail_offset, 72);
	code = evg_code_decode(program->text + kernel->code_offset,
			       kernel->code_size, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(code->group_count, 5);
	CU_ASSERT_EQUAL(code->fetch_count, 1);
	/* Both literals are one; 2 is another in the group before it. */
	CU_ASSERT_EQUAL(code->groups[3].group.literal_count, 2);
	CU_ASSERT_EQUAL(code->groups[3].group.literal[0], 0x40200000);
	CU_ASSERT_EQUAL(code->cf[1].inst.address, 6);
	evg_code_free(code);

	object = evg_program_write(program, "test", &size);
	evg_program_free(program);
	program = evg_program_read("object", object, size, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->kernel_count, 1);
	CU_ASSERT_EQUAL(program->kernels[0].registers, 3);
	CU_ASSERT_EQUAL(program->kernels[0].argument_count, 3);
	free(object);
	evg_program_free(program);
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "t:1: no kernel" },
		{ "NOP\n", "t:1:1: expected '.kernel name' first" },
		{ ".kernel k\n", "kernel k: expected END_OF_PROGRAM at its end" },
		{ ".kernel k\nNOP\nEND_OF_PROGRAM\n.kernel k\n",
		  "t:4: kernel k is defined twice" },
		{ ".kernel k\nFLY\n", "t:2: FLY is not a control-flow" },
		{ ".kernel k\nNOP ADDR(x)\n", "t:2:10: expected a number" },
		{ ".kernel k\nJUMP ADDR(@x)\nEND_OF_PROGRAM\n",
		  "t:2: label @x is not defined" },
		{ ".kernel k\n@a:\n@a:\n", "t:3: label @a is defined twice" },
		{ ".kernel k\n0 x: MOV R0.x, R1.x\n", "outside of an ALU" },
		{ ".kernel k\nTEX:\n0 x: MOV R0.x, R1.x\n",
		  "t:3: an ALU instruction outside" },
		{ ".kernel k\nALU:\nNOP\nEND_OF_PROGRAM\n",
		  "clause of ALU is empty" },
		{ ".kernel k\nALU:\n0 x: MOV R0.x, R1.x\nEND_OF_PROGRAM\n",
		  "t:4: END_OF_PROGRAM behind ALU, which cannot end" },
		{ ".kernel k\nALU:\n0 x: MOV R0.x, R128.x\n",
		  "register 128: expected a number below 128" },
		{ ".kernel k\nALU:\n0 q: MOV R0.x, R1.x\n", "t:3: q is not a "
		  "control-flow" },
		{ ".kernel k\nALU:\n0 x: MULADD ____, R1.x, R2.x, R3.x\n",
		  "t:3:13: expected a register" },
		{ ".kernel k\nALU:\n0 x: ADD R0.x, R1.x\n", "expected ','" },
		{ ".kernel k\nALU:\n0 x: MOV R0.x, R1.x WARM\n",
		  "expected an attribute of MOV, found 'WARM'" },
		{ ".kernel k\nALU:\n0 x: MOV R0.x, R1.x SRC0_SEL=700\n",
		  "700 does not fit field SRC0_SEL of 9 bits" },
		{ ".kernel k\nALU:\n0 x: ADD R0.x, 2, 3\n y: ADD R0.y, 4, 5\n"
		  " z: ADD R0.z, 6, 7\n", "more than four literals" },
		{ ".kernel k\nALU:\n0 x: MOV R0.x, R1.x\n x: MOV R0.x, R1.x\n",
		  "slot x is taken" },
		{ ".kernel k\nALU:\n0 x: MOV R0.y, R1.x\nNOP\n",
		  "t:3: slot x writes component x only" },
		{ ".kernel k\nALU:\n0 x: MULLO_INT R0.x, R1.x, R2.x\nNOP\n",
		  "t:3: MULLO_INT in slot x: it is issued in t" },
		{ ".kernel k\nALU:\n0 t: DOT4 R0.x, R1.x, R2.x\nNOP\n",
		  "t:3: DOT4 in slot t: it is issued in x, y, z or w" },
		{ ".kernel k\nALU:\n0 y: LDS_WRITE R1.x, R2.x\nNOP\n",
		  "t:3: LDS_IDX_OP in slot y: it is issued in x" },
		{ ".kernel k\nALU:\n0 t: MOV R0.x, R1.x\nNOP\n",
		  "t:3: this group: MOV in slot t would be issued in slot x, "
		  "which is free" },
		{ ".kernel k\nALU:\n0 x: DOT4 R0.x, R1.x, R2.x\nNOP\n",
		  "t:3: this group: DOT4 in slot x needs the same instruction "
		  "in slot y" },
		{ ".kernel k\nALU: CNT(3)\n0 x: MOV R0.x, R1.x\n"
		  "NOP\nEND_OF_PROGRAM\n", "t:2: CNT(3), but the clause has 1" },
		{ ".kernel k\n5 NOP\n3 NOP\n", "numbered 3; expected 6" },
		{ ".kernel k\n.argument global float* a\n", "expected '\"'" },
		{ ".kernel k\n.argument value \"struct s\" a\n",
		  "the size of type struct s is unknown" },
		{ ".kernel k\n.registers 129\n", "at most 128" },
		{ ".kernel k\n.fly\n", "expected .kernel, .argument" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error error = { "" };
		struct evg_program *program = evg_assemble(
			"t", bad[i].text, strlen(bad[i].text), &error);

		if (!program && strstr(error.text, bad[i].message + (i ? 0 : 5)))
			continue;
		printf("# case %zu: '%s', expected '%s'\n", i, error.text,
		       bad[i].message);
		CU_FAIL("the message");
		evg_program_free(program);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "control-flow instructions", test_cf },
		{ "fetch instructions", test_fetch },
		{ "ALU instructions", test_alu },
		{ "ALU groups", test_groups },
		{ "a whole program", test_program },
		{ "refusals", test_refusals },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "assembler", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
