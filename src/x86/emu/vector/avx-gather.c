/* AVX2 gathers: loads of elements through a vector of indices.
 *
 * First every element of the mask becomes all ones or zeros. Then element by
 * element, lowest first, and each is finished before the next: its place in
 * the destination is written and its mask cleared. So a fault leaves what the
 * processor leaves, and the instruction can be taken up again.
 *
 * The decoder has put the number of the index register into op->src, that of
 * a segment with a base into op->src3, and into op->imm the address width
 * and, above it, the size of the index register. */
#include <string.h>

#include "x86/emu/vector/avx.h"

/* The guest address of one element. Indices are signed. */
static uint64_t element_address(struct x86_cpu *cpu, const struct x86_op *op,
				int64_t index)
{
	uint64_t address = X86_REG64(cpu, op->base) +
			   ((uint64_t)index << op->scale) +
			   (uint64_t)op->disp;

	if ((op->imm & X86_GATHER_WIDTH) == 32)
		address = (uint32_t)address;
	return (address + cpu->segment[op->src3].base) & cpu->address_mask;
}

/* The bytes of an index and of an element. The destination and the mask have as
 * many elements as the larger of the two allows. Their bytes above these
 * elements after a fault are those of Intel's processors. */
static inline void gather(struct x86_cpu *cpu, const struct x86_op *op,
			  unsigned index_bytes, unsigned bytes)
{
	unsigned wider = index_bytes > bytes ? index_bytes : bytes;
	unsigned size = op->imm & X86_GATHER_YMM ? 32 : 16;
	unsigned count = size / wider, used = count * bytes;
	const union x86_vector *index = &cpu->vector[op->src];
	union x86_vector *d = &cpu->vector[op->dst];
	union x86_vector *mask = &cpu->vector[op->src2];

	for (unsigned i = 0; i < size / bytes; i++)
		if (bytes == 4)
			mask->i32[i] >>= 31;
		else
			mask->i64[i] >>= 63;
	memset(mask->u8 + size, 0, sizeof *mask - size);
	for (unsigned i = 0; i < count; i++) {
		bool wanted = mask->u8[i * bytes];
		int64_t n = index_bytes == 4 ? index->i32[i] : index->i64[i];
		uint64_t address = element_address(cpu, op, n);

		if (!wanted)
			continue;
		if (bytes == 4)
			d->u32[i] = x86_load32(cpu, op, address);
		else
			d->u64[i] = x86_load64(cpu, op, address);
		memset(mask->u8 + i * bytes, 0, bytes);
		memset(d->u8 + size, 0, sizeof *d - size);
		X86_PART_DONE(cpu);
	}
	memset(mask, 0, sizeof *mask);
	memset(d->u8 + used, 0, sizeof *d - used);
}

X86_OP(gather_dd)
{
	gather(cpu, op, 4, 4);
	X86_NEXT;
}

X86_OP(gather_dq)
{
	gather(cpu, op, 4, 8);
	X86_NEXT;
}

X86_OP(gather_qd)
{
	gather(cpu, op, 8, 4);
	X86_NEXT;
}

X86_OP(gather_qq)
{
	gather(cpu, op, 8, 8);
	X86_NEXT;
}
