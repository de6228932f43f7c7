#include "x86/emu/vector/xsave.h"

#include <string.h>

#include "x86/emu/block.h"
#include "x86/emu/vector/sse.h"
#include "x86/emu/x87/fxsave.h"
#include "x86/emu/x87/x87.h"

enum {
	MXCSR_RESET = 0x1f80,
	/* Offsets in the legacy region. */
	LEGACY_MXCSR = 24, LEGACY_ST = 32, LEGACY_XMM = 160,
};
#define COMPACTED (UINT64_C(1) << 63)

/* XSTATE_BV, XCOMP_BV and what must be zero. */
struct header {
	uint64_t components, compaction, reserved[6];
};
_Static_assert(sizeof(struct header) == 64, "the XSAVE header");

static unsigned vector_count(const struct x86_cpu *cpu)
{
	return cpu->mode == X86_MODE_64 ? 16 : 8;
}

#ifndef X86_OBSERVED /* observed handlers are the same */

static bool x87_in_use(const struct x86_x87 *x87)
{
	uint64_t bits = 0;

	for (int i = 0; i < 8; i++)
		bits |= x87->reg[i].mantissa | x87->reg[i].sign_exponent;
	return bits || x87->control != 0x37f || x87_status_word(x87) ||
	       x87->empty != 0xff || x87->opcode ||
	       x87->instruction_pointer || x87->data_pointer;
}

uint64_t x86_state_in_use(const struct x86_cpu *cpu)
{
	uint64_t low = 0, high = 0;

	for (unsigned i = 0; i < vector_count(cpu); i++) {
		low |= cpu->vector[i].u64[0] | cpu->vector[i].u64[1];
		high |= cpu->vector[i].u64[2] | cpu->vector[i].u64[3];
	}
	return (x87_in_use(&cpu->x87) ? X86_STATE_X87 : 0) |
	       (low ? X86_STATE_SSE : 0) | (high ? X86_STATE_AVX : 0);
}

void x86_xsave(const struct x86_cpu *cpu, bool wide,
	       uint8_t image[X86_XSAVE_SIZE])
{
	struct header header = { .components = x86_state_in_use(cpu) };

	memset(image, 0, X86_XSAVE_SIZE);
	x86_fxsave(cpu, wide, image);
	memcpy(image + X86_XSAVE_HEADER, &header, sizeof header);
	for (unsigned i = 0; i < vector_count(cpu); i++)
		memcpy(image + X86_XSAVE_UPPER + 16 * i,
		       cpu->vector[i].u8 + 16, 16);
}

static bool header_valid(const struct header *header, uint64_t exists,
			 bool can_compact)
{
	uint64_t reserved = 0;

	for (int i = 0; i < 6; i++)
		reserved |= header->reserved[i];
	if (header->compaction & COMPACTED) {
		uint64_t holds = header->compaction & ~COMPACTED;

		return can_compact && !(holds & ~exists) &&
		       !(header->components & ~holds) && !reserved;
	}
	/* Here only bytes 8 to 23 of the header must be zero. */
	return !header->compaction && !header->reserved[0] &&
	       !(header->components & ~exists);
}

/* The legacy region for FXRSTOR. Parts that are not requested come from `cpu`,
 * or from a processor after reset. */
static void merge_legacy(const struct x86_cpu *cpu, bool wide,
			 uint64_t load, uint64_t requested, bool mxcsr,
			 const uint8_t *from, uint8_t to[X86_FXSAVE_WRITTEN])
{
	const uint16_t control = 0x37f;

	x86_fxsave(cpu, wide, to);
	if (load & X86_STATE_X87) {
		memcpy(to, from, LEGACY_MXCSR);
		memcpy(to + LEGACY_ST, from + LEGACY_ST,
		       LEGACY_XMM - LEGACY_ST);
	} else if (requested & X86_STATE_X87) {
		memset(to, 0, LEGACY_MXCSR);
		memcpy(to, &control, sizeof control);
		memset(to + LEGACY_ST, 0, LEGACY_XMM - LEGACY_ST);
	}
	if (load & X86_STATE_SSE)
		memcpy(to + LEGACY_XMM, from + LEGACY_XMM,
		       16 * vector_count(cpu));
	else if (requested & X86_STATE_SSE)
		memset(to + LEGACY_XMM, 0, 16 * vector_count(cpu));
	if (mxcsr)
		memcpy(to + LEGACY_MXCSR, from + LEGACY_MXCSR, 4);
}

bool x86_xrstor(struct x86_cpu *cpu, bool wide, uint64_t requested,
		const uint8_t image[X86_XSAVE_SIZE])
{
	const struct x86_model *model = &cpu->emulator->model;
	uint64_t exists = x86_state_components(model), load;
	uint64_t instruction, data;
	uint8_t legacy[X86_FXSAVE_WRITTEN];
	struct header header;
	bool mxcsr;

	memcpy(&header, image + X86_XSAVE_HEADER, sizeof header);
	if (!header_valid(&header, exists, model->has[X86_FEATURE_XSAVEC]))
		return false;
	requested &= exists;
	load = requested & header.components;
	/* The compacted form treats MXCSR as part of the SSE state. */
	mxcsr = header.compaction ? load & X86_STATE_SSE
				  : requested & (X86_STATE_SSE | X86_STATE_AVX);
	merge_legacy(cpu, wide, load, requested, mxcsr, image, legacy);
	if (header.compaction && (requested & ~load & X86_STATE_SSE)) {
		const uint32_t reset = MXCSR_RESET;

		memcpy(legacy + LEGACY_MXCSR, &reset, sizeof reset);
	}
	instruction = cpu->x87.instruction_pointer;
	data = cpu->x87.data_pointer;
	if (!x86_fxrstor(cpu, wide, legacy))
		return false;
	if (!(requested & X86_STATE_X87)) { /* may be wider than the image */
		cpu->x87.instruction_pointer = instruction;
		cpu->x87.data_pointer = data;
	}
	if (requested & X86_STATE_AVX)
		for (unsigned i = 0; i < vector_count(cpu); i++) {
			uint8_t *upper = cpu->vector[i].u8 + 16;

			if (load & X86_STATE_AVX)
				memcpy(upper, image + X86_XSAVE_UPPER + 16 * i,
				       16);
			else
				memset(upper, 0, 16);
		}
	return true;
}

#endif

/* ---- The instructions ---- */

enum save_kind { SAVE_PLAIN, SAVE_OPTIMIZED, SAVE_COMPACTED };

static uint64_t requested_components(const struct x86_cpu *cpu)
{
	uint64_t mask = (uint32_t)cpu->reg[X86_RAX] |
			cpu->reg[X86_RDX] << 32;

	return mask & x86_state_components(&cpu->emulator->model);
}

static uint64_t area_address(struct x86_cpu *cpu, const struct x86_op *op)
{
	uint64_t address = x86_address(cpu, op);

	if (address & 63)
		x86_raise_alignment(cpu, op);
	return address;
}

/* Stores a part of the image at its place in guest memory. */
static void put(struct x86_cpu *cpu, const struct x86_op *op,
		uint64_t address, const uint8_t *image, unsigned offset,
		unsigned size)
{
	memcpy(x86_host_for(cpu, op, address + offset, size, X86_STORE),
	       image + offset, size);
}

static void save(struct x86_cpu *cpu, const struct x86_op *op, bool wide,
		 enum save_kind kind)
{
	uint64_t requested = requested_components(cpu), in_use, written;
	uint64_t address = area_address(cpu, op);
	unsigned vectors = 16 * vector_count(cpu), size;
	uint8_t image[X86_XSAVE_SIZE], *to;
	struct header header;
	bool mxcsr;

	x86_probe_write(cpu, op, address,
			requested & X86_STATE_AVX ? X86_XSAVE_UPPER + vectors
						  : X86_XSAVE_UPPER);
	cpu->mxcsr = x86_float_mxcsr(cpu);
	x86_xsave(cpu, wide, image);
	in_use = x86_state_in_use(cpu);
	mxcsr = requested & (X86_STATE_SSE | X86_STATE_AVX);
	if ((requested & X86_STATE_SSE) && cpu->mxcsr != MXCSR_RESET &&
	    kind == SAVE_COMPACTED)
		in_use |= X86_STATE_SSE;
	written = kind == SAVE_PLAIN ? requested : requested & in_use;
	if (kind == SAVE_COMPACTED)
		mxcsr = written & X86_STATE_SSE;
	if (written & X86_STATE_X87) {
		put(cpu, op, address, image, 0, LEGACY_MXCSR);
		put(cpu, op, address, image, LEGACY_ST,
		    LEGACY_XMM - LEGACY_ST);
	}
	if (mxcsr)
		put(cpu, op, address, image, LEGACY_MXCSR, 8);
	if (written & X86_STATE_SSE)
		put(cpu, op, address, image, LEGACY_XMM, vectors);
	if (written & X86_STATE_AVX)
		put(cpu, op, address, image, X86_XSAVE_UPPER, vectors);
	/* Each form writes only so much of the header. */
	size = kind == SAVE_COMPACTED ? 16 : 8;
	to = x86_host_for(cpu, op, address + X86_XSAVE_HEADER, size,
			  X86_MODIFY);
	memcpy(&header, to, size);
	if (kind == SAVE_COMPACTED) {
		header.components = requested & in_use;
		header.compaction = requested | COMPACTED;
	} else {
		header.components = (header.components & ~requested) |
				    (requested & in_use);
	}
	memcpy(to, &header, size);
}

#define SAVE(name, wide, kind) \
	X86_OP(name) \
	{ \
		save(cpu, op, wide, kind); \
		X86_NEXT; \
	}
SAVE(xsave, false, SAVE_PLAIN)
SAVE(xsave64, true, SAVE_PLAIN)
SAVE(xsaveopt, false, SAVE_OPTIMIZED)
SAVE(xsaveopt64, true, SAVE_OPTIMIZED)
SAVE(xsavec, false, SAVE_COMPACTED)
SAVE(xsavec64, true, SAVE_COMPACTED)

static void restore(struct x86_cpu *cpu, const struct x86_op *op, bool wide)
{
	uint64_t requested = requested_components(cpu);
	uint64_t address = area_address(cpu, op);
	uint8_t image[X86_XSAVE_SIZE] = { 0 };

	x86_load_bytes(cpu, op, address, image, X86_XSAVE_UPPER);
	if (requested & X86_STATE_AVX)
		x86_load_bytes(cpu, op, address + X86_XSAVE_UPPER,
			       image + X86_XSAVE_UPPER,
			       16 * vector_count(cpu));
	cpu->mxcsr = x86_float_mxcsr(cpu);
	if (!x86_xrstor(cpu, wide, requested, image))
		x86_raise_now(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	x86_float_enter(cpu);
}

X86_OP(xrstor)
{
	restore(cpu, op, false);
	X86_NEXT;
}

X86_OP(xrstor64)
{
	restore(cpu, op, true);
	X86_NEXT;
}

/* XGETBV: register 0 is XCR0, register 1 its parts in use. */
X86_OP(xgetbv)
{
	const struct x86_model *model = &cpu->emulator->model;
	uint32_t number = X86_REG32(cpu, X86_RCX * 8);
	uint64_t value = x86_state_components(model);

	if (number == 1 && model->has[X86_FEATURE_XGETBV1])
		value &= x86_state_in_use(cpu);
	else if (number)
		return x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	x86_set32(cpu, X86_RAX * 8, (uint32_t)value);
	x86_set32(cpu, X86_RDX * 8, 0);
	X86_NEXT;
}
