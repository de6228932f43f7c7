/* A plan's native code: memory for it, how C calls it, all its segments. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "evergreen/emu/native/build.h"
#include "evergreen/emu/native/general.h"
#include "evergreen/emu/native/native.h"

enum { CODE_SIZE = 1 << 16 }; /* of one mapping, at least */

/* --- From C --------------------------------------------------------------- */

static void load_field(struct native_code *code, unsigned reg, int32_t offset)
{
	general(code, GENERAL_LOAD, reg,
		native_memory(NATIVE_WAVEFRONT, offset));
}

/* A C function of the wavefront and a segment's code. */
static const uint8_t *segment_entry(struct native_code *code)
{
	const uint8_t *place = code->bytes + code->used;

	/* push rbx, rbp, r13; mov rbx, rdi */
	NATIVE_BYTES(code, 0x53, 0x55, 0x41, 0x55, 0x48, 0x89, 0xfb);
	load_field(code, NATIVE_STATE,
		   NATIVE_OFFSET(registers.base[EVG_BASE_STATE]));
	load_field(code, NATIVE_POOL,
		   NATIVE_OFFSET(registers.base[EVG_BASE_POOL]));
	/* call rsi; vzeroupper; pop them; ret */
	NATIVE_BYTES(code, 0xff, 0xd6, 0xc5, 0xf8, 0x77, 0x41, 0x5d, 0x5d, 0x5b,
		     0xc3);
	return place;
}

/* The same of a chain's code. */
static const uint8_t *chain_entry(struct native_code *code)
{
	const uint8_t *place = code->bytes + code->used;

	/* push rbx, rbp, r12, r13, r14, r15; mov rbx, rdi */
	NATIVE_BYTES(code, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41,
		     0x57, 0x48, 0x89, 0xfb);
	load_field(code, NATIVE_STATE,
		   NATIVE_OFFSET(registers.base[EVG_BASE_STATE]));
	load_field(code, NATIVE_POOL,
		   NATIVE_OFFSET(registers.base[EVG_BASE_POOL]));
	load_field(code, NATIVE_R12, NATIVE_OFFSET(count.instructions));
	load_field(code, NATIVE_COUNTED, NATIVE_OFFSET(count.noted));
	load_field(code, NATIVE_COUNTS, NATIVE_OFFSET(count.counters));
	NATIVE_BYTES(code, 0xff, 0xd6); /* call rsi */
	general(
	    code, GENERAL_STORE, NATIVE_R12,
	    native_memory(NATIVE_WAVEFRONT, NATIVE_OFFSET(count.instructions)));
	general(code, GENERAL_STORE, NATIVE_COUNTED,
		native_memory(NATIVE_WAVEFRONT, NATIVE_OFFSET(count.noted)));
	/* vzeroupper; pop them; ret */
	NATIVE_BYTES(code, 0xc5, 0xf8, 0x77, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d,
		     0x41, 0x5c, 0x5d, 0x5b, 0xc3);
	return place;
}

/* --- Plans ---------------------------------------------------------------- */

static size_t code_size(const struct evg_plan *plan)
{
	size_t size =
	    NATIVE_CONSTANT_BYTES + CODE_SIZE + native_flow_size(plan);

	for (uint32_t i = 0; i < plan->cf_count; i++) {
		const struct evg_clause_plan *alu = plan->cf[i].alu;

		for (uint32_t k = 0; alu && k < alu->segment_count; k++)
			size += NATIVE_SEGMENT_BYTES +
				alu->segments[k].uop_count * NATIVE_UOP_BYTES;
	}
	return (size + CODE_SIZE - 1) / CODE_SIZE * CODE_SIZE;
}

static void compile_segments(struct native *n)
{
	for (uint32_t i = 0; i < n->plan->cf_count; i++) {
		const struct evg_clause_plan *alu = n->plan->cf[i].alu;

		for (uint32_t k = 0; alu && k < alu->segment_count; k++)
			for (unsigned all = 0; all < 2; all++)
				alu->segments[k].native[all] = native_segment(
				    n, alu, &alu->segments[k], !all);
	}
}

/* A host that lets nobody make code: all is interpreted. */
static void forget(struct evg_plan *plan)
{
	for (uint32_t i = 0; i < plan->cf_count; i++) {
		const struct evg_clause_plan *alu = plan->cf[i].alu;

		plan->cf[i].chain = NULL;
		for (uint32_t k = 0; alu && k < alu->segment_count; k++)
			alu->segments[k].native[0] =
			    alu->segments[k].native[1] = NULL;
	}
}

struct evg_native_code *native_begin(struct native *n,
				     const struct evg_plan *plan, size_t size)
{
	unsigned vector = plan->simd->vector_bytes;
	struct evg_native_code *code;
	const uint8_t *run_segment;
	uint8_t *bytes;

	if (vector < 32)
		return NULL;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	code = xcalloc(1, sizeof *code);
	code->bytes = bytes;
	code->size = size;
	*n = (struct native){.plan = plan};
	native_code_begin(&n->code, bytes, size, vector == 64);
	n->reg_count = vector == 64 ? NATIVE_REGS : NATIVE_VEX_REGS;
	run_segment = segment_entry(&n->code);
	memcpy(&code->run_segment, &run_segment, sizeof run_segment);
	return code;
}

bool native_end(const struct evg_native_code *code)
{
	return !mprotect(code->bytes, code->size, PROT_READ | PROT_EXEC);
}

void evg_native_compile(struct evg_plan *plan)
{
	const uint8_t *run_chain;
	struct evg_native_code *code;
	struct native n;

	if (plan->native)
		return;
	code = plan->native = native_begin(&n, plan, code_size(plan));
	if (!code)
		return;
	run_chain = chain_entry(&n.code);
	memcpy(&code->run_chain, &run_chain, sizeof run_chain);
	compile_segments(&n);
	native_flow(&n, plan);
	if (!native_end(code))
		forget(plan);
}

static void code_free(struct evg_native_code *code)
{
	if (!code)
		return;
	munmap(code->bytes, code->size);
	free(code->exits);
	free(code);
}

void evg_native_free(struct evg_plan *plan)
{
	code_free(plan->native);
	code_free(plan->steps);
	plan->native = plan->steps = NULL;
}
