/* The fused handlers, and the search for ops to fuse. */
#include "x86/emu/vector/fused.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/emu/condition.h"
#include "x86/emu/integer/bodies.h"

/* ---- Handlers ---- */

#define FUSED_TWO(first, second) X86_OP(first##__##second);
#define FUSED_THEN(first, second) X86_OP(first##__##second);
#define FUSED_IF(first, condition, kind) \
	X86_OP(first##__if_##condition##_##kind);
#include "x86/emu/vector/fused.def"
#undef FUSED_TWO
#undef FUSED_THEN
#undef FUSED_IF

#define FUSED_TWO(first, second) \
	X86_OP(first##__##second) \
	{ \
		x86_do_##first(cpu, op); \
		x86_do_##second(cpu, op + 1); \
		X86_CONTINUE(op + 2); \
	}
#define FUSED_THEN(first, second) \
	X86_OP(first##__##second) \
	{ \
		x86_do_##first(cpu, op); \
		X86_CONTINUE_WITH(second, op + 1); \
	}
#define FUSED_IF(first, condition, kind) \
	X86_OP(first##__if_##condition##_##kind) \
	{ \
		x86_do_##first(cpu, op); \
		if (CONDITION(condition, kind)) \
			X86_EXIT_OF(op + 1, 0); \
		X86_EXIT_OF(op + 1, 1); \
	}
#include "x86/emu/vector/fused.def"
#undef FUSED_TWO
#undef FUSED_THEN
#undef FUSED_IF

#define FUSED_TWO(first, second) \
	{ x86_op_##first, x86_op_##second, x86_op_##first##__##second, \
	  #first " " #second },
#define FUSED_THEN(first, second) FUSED_TWO(first, second)
#define FUSED_IF(first, condition, kind) \
	{ x86_op_##first, x86_op_j_##condition##_##kind, \
	  x86_op_##first##__if_##condition##_##kind, \
	  #first " j_" #condition "_" #kind },
const struct x86_fusion x86_fusion_rows[] = {
#include "x86/emu/vector/fused.def"
};
const unsigned x86_fusion_count = ARRAY_SIZE(x86_fusion_rows);

/* ---- The search ---- */

/* A hash table of indices into x86_fusion_rows, plus 1. */
enum { SLOTS = 8192 };
_Static_assert(2 * ARRAY_SIZE(x86_fusion_rows) < SLOTS,
	       "room for collisions");

struct x86_fusions {
	uint16_t slot[SLOTS];
};

static unsigned first_slot(x86_handler *first, x86_handler *second)
{
	uint64_t key = (uint64_t)(uintptr_t)first * 31 +
		       (uint64_t)(uintptr_t)second;

	return (unsigned)(key * 0x9e3779b97f4a7c15u >> 51) % SLOTS;
}

struct x86_fusions *x86_fusions_create(void)
{
	struct x86_fusions *fusions = xcalloc(1, sizeof *fusions);

	for (unsigned i = 0; i < x86_fusion_count; i++) {
		const struct x86_fusion *row = &x86_fusion_rows[i];
		unsigned slot = first_slot(row->first, row->second);

		while (fusions->slot[slot])
			slot = (slot + 1) % SLOTS;
		fusions->slot[slot] = (uint16_t)(i + 1);
	}
	return fusions;
}

void x86_fusions_free(struct x86_fusions *fusions)
{
	free(fusions);
}

static x86_handler *find(const struct x86_fusions *fusions, x86_handler *first,
			 x86_handler *second)
{
	unsigned slot = first_slot(first, second);

	for (; fusions->slot[slot]; slot = (slot + 1) % SLOTS) {
		const struct x86_fusion *row =
			&x86_fusion_rows[fusions->slot[slot] - 1];

		if (row->first == first && row->second == second)
			return row->fused;
	}
	return NULL;
}

/* Works from the end backwards, to find runs of more than two ops: the second
 * of a pair may be fused itself. */
void x86_fuse(const struct x86_fusions *fusions, struct x86_op *ops,
	      unsigned count)
{
	for (unsigned i = count - 1; i-- > 0;) {
		x86_handler *fused = find(fusions, ops[i].handler,
					  ops[i + 1].handler);

		if (fused)
			ops[i].handler = fused;
	}
}
