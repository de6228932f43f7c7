/* Each stage of the core on a few instructions: what it does follows by hand from
 * the rule in doc/x86-timing.md that the case names. Instructions are decoded
 * by the emulator and have the templates of the core's table. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/emu/step.h"
#include "x86/hex.h"
#include "x86/timing/core/core.h"

enum { CODE = 0x10000, MOST = 6000,
       RX = SPACE_READ | SPACE_WRITE | SPACE_EXECUTE };

static struct space *space;
static struct x86_emulator *emulator;
static struct x86_templates *templates;
static struct x86_core_figures figures;
static struct x86_core_input step[MOST];
static struct x86_reference reference[MOST][2];
static struct x86_core_retired seen[MOST];
static unsigned steps, retired;

static void note(void *owner, const struct x86_core_retired *what)
{
	(void)owner;
	seen[retired++] = *what;
}

static void begin(const char *core)
{
	struct x86_model model;

	x86_model_everything(&model);
	space = space_create(1ull << 32, NULL);
	space_map(space, CODE, 0x4000, RX, false, -1, 0, "");
	emulator = x86_emulator_create(space, X86_MODE_64, &model, NULL);
	templates = x86_templates_create(core, NULL);
	x86_core_figures_find(core, &figures, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(emulator);
	CU_ASSERT_PTR_NOT_NULL_FATAL(templates);
	steps = retired = 0;
}

static void end(void)
{
	for (unsigned n = 0; n < steps; n++)
		x86_inst_release(step[n].inst);
	x86_emulator_free(emulator);
	x86_templates_free(templates);
	space_free(space);
}

/* Code in hex at an address; `times` iterations of it: its last instruction
 * jumps back but for the last time. */
static void add(uint64_t address, const char *code, unsigned times)
{
	uint8_t bytes[1024] = { 0 };
	uint64_t size = hex(code, bytes);

	space_write(space, address, bytes, size);
	for (unsigned turn = 0; turn < times; turn++)
		for (uint64_t at = 0; at < size;) {
			const struct x86_inst *inst =
				x86_inst_at(emulator, address + at);

			step[steps] = (struct x86_core_input){
				.inst = inst, .address = address + at,
				.form = x86_template_of(templates, inst),
				.next = address + at + inst->length,
				.reference = reference[steps],
			};
			at += inst->length;
			if (at == size && turn + 1 < times)
				step[steps].next = address;
			steps++;
		}
}

/* Memory of the instruction n. */
static void touches(unsigned n, uint64_t address, unsigned size,
		    unsigned direction)
{
	reference[n][step[n].references++] = (struct x86_reference){
		address, 1, (uint16_t)size, (uint16_t)direction };
}

static void run(void)
{
	struct x86_core *core = x86_core_create(&figures, NULL);
	enum x86_core_state state = X86_CORE_HUNGRY;
	unsigned pushed = 0;

	x86_core_observe(core, note, NULL);
	while (state == X86_CORE_HUNGRY) {
		while (pushed < steps && x86_core_room(core))
			x86_core_push(core, &step[pushed++]);
		state = x86_core_run(core, steps, pushed == steps);
	}
	CU_ASSERT_EQUAL(state, X86_CORE_DONE);
	CU_ASSERT_EQUAL(retired, steps);
	x86_core_free(core);
}

/* "0 0 0 1": a time of each instruction, less that of the first. */
static void expect(const char *what, const char *expected)
{
	char text[1024] = "";

	for (unsigned n = 0; n < retired; n++) {
		const struct x86_core_retired *r = &seen[n];
		uint64_t time = *what == 'p' ? r->predecoded - seen[0].predecoded :
			*what == 'd' ? r->decoded - seen[0].decoded :
			*what == 'i' ? r->issued - seen[0].issued :
			*what == 's' ? r->uop[0].dispatched -
					       seen[0].uop[0].dispatched :
			*what == 'P' ? r->uop[0].port :
			*what == 'u' ? r->uops : r->retired - seen[0].retired;

		sprintf(text + strlen(text), "%s%u", n ? " " : "",
			(unsigned)time);
	}
	if (strcmp(text, expected))
		printf("# %s: %s, expected %s\n", what, text, expected);
	CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_predecoder(void)
{
	/* 16 bytes a cycle, at most 5 instructions: 16 NOPs in a block */
	begin("haswell");
	add(CODE, "90909090909090909090909090909090", 1);
	run();
	expect("predecoded", "0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3");
	end();
	/* an instruction belongs to the block in which it ends: 15 bytes of
	 * NOPs, then MOV of 5 bytes */
	begin("haswell");
	add(CODE, "660f1f8400000000006690" "0f1f4000" "b801000000", 1);
	run();
	expect("predecoded", "0 0 0 1");
	end();
	/* 5 taken and the opcode of the next, which crosses, in this block: a
	 * cycle more. NOPs of 3 bytes, then MOV at byte 15. */
	begin("haswell");
	add(CODE, "0f1f000f1f000f1f000f1f000f1f00" "b801000000", 1);
	run();
	expect("predecoded", "0 0 0 0 0 2");
	end();
	/* 3 cycles for each length-changing prefix: two ADDs; not for MOV */
	begin("haswell");
	add(CODE, "660534126681c13412660f1f840000000000", 1);
	run();
	expect("predecoded", "0 0 7");
	end();
	begin("haswell");
	add(CODE, "66b8341266b93412660f1f84000000000090", 1);
	run();
	expect("predecoded", "0 0 1 1");
	end();
	/* 6 for all of a block on Nehalem */
	begin("nehalem");
	add(CODE, "66b8341266b93412660f1f84000000000090", 1);
	run();
	expect("predecoded", "0 0 7 7");
	end();
}

static void test_decoders(void)
{
	/* four a cycle; a second one of two uops (RMW) waits for the first
	 * decoder, and leaves two others */
	begin("haswell");
	add(CODE, "90480103" "909090", 1);
	run();
	expect("decoded", "0 1 1 1 2");
	end();
	/* POP r12 ends the cycle, before Skylake */
	begin("haswell");
	add(CODE, "415c9090", 1);
	run();
	expect("decoded", "0 1 1");
	end();
	begin("skylake");
	add(CODE, "415c9090", 1);
	run();
	expect("decoded", "0 0 0");
	end();
	/* what may be fused is not decoded by the last decoder */
	begin("haswell");
	add(CODE, "909090" "4839d8" "9090", 1);
	run();
	expect("decoded", "0 0 0 1 1 1");
	end();
	begin("skylake");
	add(CODE, "909090" "4839d8" "9090", 1);
	run();
	expect("decoded", "0 0 0 0 1 1");
	end();
}

static void test_fusion(void)
{
	/* CMP fuses with JZ, not with JS; TEST with both */
	begin("haswell");
	add(CODE, "4839d87400" "4839d87800" "4885db7800", 1);
	run();
	CU_ASSERT_TRUE(seen[1].fused);
	CU_ASSERT_FALSE(seen[3].fused);
	CU_ASSERT_TRUE(seen[5].fused);
	expect("uops", "1 0 1 1 1 0");
	end();
}

static void test_renamer(void)
{
	/* zero idioms and NOPs have no uop; four moves have slots, those of
	 * the cycle before count, too */
	begin("haswell");
	add(CODE, "31c04889cb4889ca4889ce4889cf4989d84989d990", 1);
	run();
	CU_ASSERT_EQUAL(seen[0].uops, 0);
	CU_ASSERT_EQUAL(seen[1].uops, 0);
	CU_ASSERT_EQUAL(seen[7].uops, 0);
	end();
	/* no elimination on Sandy Bridge */
	begin("sandybridge");
	add(CODE, "4889cb4889ca", 1);
	run();
	expect("uops", "1 1");
	end();
	/* PUSH moves rsp in the renamer: its use takes an uop more, which is
	 * the first of the instruction that uses it */
	begin("haswell");
	add(CODE, "50" "4801e0" "4801e0", 1);
	touches(0, 0x1000, 8, X86_STORE);
	run();
	expect("uops", "2 2 1");
	end();
	/* AH is merged alone in a cycle: issued in the second */
	begin("haswell");
	add(CODE, "b407" "4801c3", 1);
	run();
	expect("issued", "0 1");
	expect("uops", "1 2");
	CU_ASSERT_EQUAL(seen[1].uop[0].issued + 1, seen[1].uop[1].issued);
	end();
}

static void test_ports(void)
{
	/* shifts (p06): slots 0 and 2 take the emptiest, the highest of
	 * several; 1 and 3 the second */
	begin("haswell");
	add(CODE, "d1e0d1e1d1e2d1e3", 1);
	run();
	expect("issued", "0 0 0 0");
	expect("Ports", "6 0 6 0");
	expect("started", "0 0 1 1");
	end();
	/* loads in turn */
	begin("haswell");
	add(CODE, "488b03488b0b488b13488b33", 1);
	for (unsigned n = 0; n < 4; n++)
		touches(n, 0x1000 + 64 * n, 8, X86_LOAD);
	run();
	expect("Ports", "2 3 2 3");
	end();
}

static void test_dividers(void)
{
	/* DIVSD on port 0 every 8 cycles, an ADDSD beside it at once */
	begin("haswell");
	add(CODE, "f20f5ec1f20f5ed3f20f58e5", 1);
	run();
	CU_ASSERT_EQUAL(seen[1].uop[0].dispatched,
			seen[0].uop[0].dispatched + 8);
	CU_ASSERT_EQUAL(seen[2].uop[0].dispatched,
			seen[0].uop[0].dispatched);
	end();
}

static void memory_pair(const char *code, uint64_t load, unsigned size,
			unsigned *time)
{
	begin("haswell");
	/* The load starts together with the store's address. */
	figures.disambiguation = X86_CORE_ORDER_PERFECT;
	add(CODE, code, 1);
	touches(0, 0x1000, 8, X86_STORE);
	touches(1, load, size, X86_LOAD);
	run();
	/* from the store's data to the load's result */
	*time = (unsigned)(seen[1].uop[0].done - seen[0].uop[1].dispatched);
	CU_ASSERT_EQUAL(seen[0].uop[1].kind, X86_UOP_STORE_DATA);
	end();
}

static void test_forwarding(void)
{
	unsigned time;

	/* mov [rbx], rax; mov rcx, [rbx]: 4 cycles from the data, but 9 from
	 * the address, which starts with it */
	memory_pair("488903488b0b", 0x1000, 8, &time);
	CU_ASSERT_EQUAL(time, 9);
	/* within the store: as well */
	memory_pair("4889038b0b", 0x1004, 4, &time);
	CU_ASSERT_EQUAL(time, 9);
	/* not within: the store's commit and 14 cycles; it retires a cycle
	 * after its data, and commits in the next */
	memory_pair("488903488b0b", 0x1004, 8, &time);
	CU_ASSERT_EQUAL(time, 2 + 14);
	/* the same lower 12 bits: 5 cycles and 5 */
	memory_pair("488903488b0b", 0x5000, 8, &time);
	CU_ASSERT_EQUAL(time, 5 + 5);
	/* elsewhere */
	memory_pair("488903488b0b", 0x1040, 8, &time);
	CU_ASSERT_EQUAL(time, 5);
	/* across two lines */
	memory_pair("488903488b0b", 0x107c, 8, &time);
	CU_ASSERT_EQUAL(time, 5 + 5);
}

/* A store, and a load that starts in the same cycle, which does not know the
 * store's address. Returns the cycles from there to the load's result. */
static unsigned unknown(unsigned rule, unsigned start, uint64_t load,
			unsigned size)
{
	begin("haswell");
	figures.disambiguation = rule;
	figures.order_start = start;
	add(CODE, "488903488b0b", 1);
	touches(0, 0x1000, 8, X86_STORE);
	touches(1, load, size, X86_LOAD);
	run();
	end();
	return (unsigned)(seen[1].uop[0].done - seen[0].uop[0].dispatched);
}

static void test_disambiguation(void)
{
	/* Elsewhere: 5 cycles when it need not wait, and 2 more when it does,
	 * as its counter says so, or there is none. */
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_KNOWN, 0, 0x1040, 8), 5);
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_WAITING, 15, 0x1040, 8), 7);
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_PREDICTED, 14, 0x1040, 8), 7);
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_PREDICTED, 15, 0x1040, 8), 5);
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_PERFECT, 0, 0x1040, 8), 5);
	/* Forwarded: 9 from the address, which includes the wait. */
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_WAITING, 0, 0x1000, 8), 9);
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_PREDICTED, 0, 0x1000, 8), 9);
	CU_ASSERT_EQUAL(unknown(X86_CORE_ORDER_PERFECT, 0, 0x1000, 8), 9);
	/* From the cache, which does not have the data yet: the store retires a
	 * cycle after its dispatch, then the load is found to be wrong, and is
	 * in the predecoder 6 cycles later. */
	unknown(X86_CORE_ORDER_PREDICTED, 15, 0x1000, 8);
	CU_ASSERT_EQUAL(seen[0].retired, seen[0].uop[0].dispatched + 1);
	CU_ASSERT_EQUAL(seen[1].predecoded, seen[0].retired + 6);
	/* A part of it is enough. */
	unknown(X86_CORE_ORDER_PREDICTED, 15, 0x1007, 8);
	CU_ASSERT_EQUAL(seen[1].predecoded, seen[0].retired + 6);
}

/* imul rax, rax (3 cycles); a store of rax; a load; add rcx, rcx. Returns the
 * cycles from the multiplication to the addition. */
static unsigned through_memory(const char *accesses, unsigned renaming,
			       uint64_t load, unsigned size)
{
	char code[64];

	begin("zen2");
	figures.memory_renaming = renaming > 0;
	/* A load without it would begin too early at first. */
	if (renaming < 2)
		figures.disambiguation = X86_CORE_ORDER_PERFECT;
	snprintf(code, sizeof code, "480fafc0%s4801c9", accesses);
	add(CODE, code, 1);
	touches(1, 0x1000, size, X86_STORE);
	touches(2, load, size, X86_LOAD);
	run();
	end();
	return (unsigned)(seen[3].uop[0].dispatched -
			  seen[0].uop[0].dispatched);
}

static void test_memory_renaming(void)
{
	/* mov [rbx], rax; mov rcx, [rbx]: the load takes a cycle, else 6 from
	 * the store's data */
	CU_ASSERT_EQUAL(through_memory("488903488b0b", 1, 0x1000, 8), 3 + 1);
	CU_ASSERT_EQUAL(through_memory("488903488b0b", 0, 0x1000, 8), 3 + 6);
	/* 32 bits, with an index and a displacement */
	CU_ASSERT_EQUAL(through_memory("89449304" "8b4c9304", 1, 0x1000, 4),
			3 + 1);
	/* other registers, 16 bits, another size, no multiple of the size */
	CU_ASSERT_EQUAL(through_memory("488903488b0e", 1, 0x1000, 8), 3 + 6);
	CU_ASSERT(through_memory("668903668b0b", 1, 0x1000, 2) >= 3 + 6);
	CU_ASSERT_EQUAL(through_memory("4889038b0b", 1, 0x1000, 4), 3 + 6);
	CU_ASSERT_EQUAL(through_memory("48894304" "488b4b04", 1, 0x1000, 8),
			3 + 6);
	/* push rax; pop rcx; rsp has changed */
	CU_ASSERT_EQUAL(through_memory("5059", 1, 0x1000, 8), 3 + 1);
	/* The data of another store, which had the same address: the load is
	 * fetched again. */
	through_memory("488903488b0b", 2, 0x2000, 8);
	CU_ASSERT(seen[2].predecoded > seen[1].retired);
}

static void test_retirement(void)
{
	/* in order, four a cycle, behind a multiplication of 3 cycles */
	begin("haswell");
	add(CODE, "480fafc3" "90909090909090", 1);
	run();
	expect("retired", "0 0 0 0 1 1 1 1");
	end();
}

/* Cycles of an iteration of a loop, between two late ones, times 12. */
static unsigned loop(const char *core, uint64_t address, const char *code)
{
	unsigned body;
	uint64_t cycles;

	begin(core);
	add(address, code, 100);
	body = steps / 100;
	run();
	cycles = seen[90 * body].retired - seen[30 * body].retired;
	end();
	return (unsigned)(cycles * 12 / 60);
}

static void test_loops(void)
{
	/* four NOPs, DEC and JNZ, which are fused: 5 slots. Unrolled 6 times
	 * on Haswell: 30 slots in 8 cycles; elsewhere once: 5 in 2. */
	const char *five = "9090909048ffc975f7";
	/* 16 TESTs with a length-changing prefix, DEC and JNZ: 69 bytes. */
	const char *prefixes =
		"66a9341266a9341266a9341266a9341266a9341266a9341266a9341266a93412"
		"66a9341266a9341266a9341266a9341266a9341266a9341266a9341266a93412"
		"48ffcd75bb";

	CU_ASSERT_EQUAL(loop("haswell", CODE, five), 16);
	CU_ASSERT_EQUAL(loop("sandybridge", CODE, five), 24);
	CU_ASSERT_EQUAL(loop("nehalem", CODE, five), 24);
	/* the uop cache: 5 of the 6 uops of a cycle, then four a cycle */
	CU_ASSERT_EQUAL(loop("skylake", CODE, five), 15);
	/* 17 slots, twice: 34 in 9 cycles */
	CU_ASSERT_EQUAL(loop("haswell", CODE, prefixes), 54);
	/* the uop cache: windows of 8, 8 and 1 uops, 2 + 2 + 1 cycles */
	CU_ASSERT_EQUAL(loop("skylake", CODE, prefixes), 60);
	/* the jump ends at the end of its window, which the decoders get each
	 * time: 3 prefixes end in its first block, 3 cycles each, and there
	 * are 3 cycles to the decoders */
	CU_ASSERT(loop("skylake", CODE + 27, prefixes) >= 12 * (5 + 9));
	CU_ASSERT_EQUAL(loop("haswell", CODE + 27, prefixes), 54);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "predecoder", test_predecoder },
		{ "decoders", test_decoders },
		{ "macro-fusion", test_fusion },
		{ "renamer: moves, stack, AH", test_renamer },
		{ "ports", test_ports },
		{ "dividers", test_dividers },
		{ "loads and stores", test_forwarding },
		{ "stores without addresses", test_disambiguation },
		{ "memory renaming", test_memory_renaming },
		{ "retirement", test_retirement },
		{ "loop buffer and uop cache", test_loops },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ .pName = "x86 core, stages", .pTests = tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
