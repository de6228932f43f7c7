/* Emulators and cpus: creation, settings, counts. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/block.h"
#include "x86/emu/observe/redirect.h"
#include "x86/emu/segment.h"

/* ---- Emulators ---- */

struct x86_emulator *x86_emulator_create_with(struct x86_decoder *decoder,
					      struct space *space)
{
	struct x86_emulator *emulator = xcalloc(1, sizeof *emulator);

	emulator->space = space;
	emulator->mode = decoder->mode;
	emulator->model = decoder->model;
	emulator->decoder = decoder;
	/* The first emulator that can meet known code is the second one. */
	if (decoder->users++ == 2)
		x86_templates_init(decoder);
	x86_blocks_init(emulator);
	space->code_changed = x86_blocks_drop_range;
	space->code_owner = emulator;
	return emulator;
}

struct x86_emulator *x86_emulator_create(struct space *space,
					 enum x86_mode mode,
					 const struct x86_model *model,
					 struct error *error)
{
	struct x86_decoder *decoder = x86_decoder_create(mode, model, error);
	struct x86_emulator *emulator = NULL;

	if (decoder)
		emulator = x86_emulator_create_with(decoder, space);
	x86_decoder_free(decoder);
	return emulator;
}

void x86_emulator_free(struct x86_emulator *emulator)
{
	if (!emulator)
		return;
	if (emulator->space->code_owner == emulator) {
		emulator->space->code_changed = NULL;
		emulator->space->code_owner = NULL;
	}
	x86_blocks_free(emulator);
	free(emulator->breakpoints);
	x86_decoder_free(emulator->decoder);
	free(emulator);
}

const struct x86_model *x86_emulator_model(const struct x86_emulator *emulator)
{
	return &emulator->model;
}

void x86_emulator_set_random(struct x86_emulator *emulator,
			     uint64_t (*next)(void *owner), void *owner)
{
	emulator->random = next;
	emulator->random_owner = owner;
}

void x86_emulator_set_time(struct x86_emulator *emulator,
			   uint64_t (*now)(void *owner,
					   const struct x86_cpu *cpu),
			   void *owner)
{
	emulator->time = now;
	emulator->time_owner = owner;
}

void x86_emulator_counts(const struct x86_emulator *emulator,
			 struct x86_emulator_counts *counts)
{
	*counts = emulator->counts;
}

/* ---- Cpus ---- */

struct x86_cpu *x86_cpu_create(struct x86_emulator *emulator)
{
	/* The vector registers need more alignment than malloc() gives. */
	struct x86_cpu *cpu = aligned_alloc(alignof(struct x86_cpu),
					    sizeof *cpu);
	bool wide = emulator->mode == X86_MODE_64;

	if (!cpu)
		abort();
	memset(cpu, 0, sizeof *cpu);
	cpu->mode = emulator->mode;
	cpu->emulator = emulator;
	cpu->space = emulator->space;
	cpu->base = emulator->space->base;
	cpu->address_mask = wide ? UINT64_MAX : UINT32_MAX;
	cpu->address_end = emulator->space->size;
	cpu->far = emulator->space->far;
	cpu->far_count = emulator->space->far_count;
	cpu->jumps = emulator->jumps;
	cpu->eflags = X86_FIXED_1 | X86_IF;
	cpu->mxcsr = 0x1f80;
	cpu->x87.control = 0x37f;
	cpu->x87.empty = 0xff;
	x86_segments_init(cpu);
	return cpu;
}

void x86_cpu_free(struct x86_cpu *cpu)
{
	if (cpu)
		x86_overlay_free(cpu->overlay);
	free(cpu);
}
