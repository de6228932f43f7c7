/* --evg-debug-isa and --evg-debug-stack: executed instructions in words. */
#include <inttypes.h>

#include "evergreen/listing/listing.h"
#include "evergreen/emu/machine.h"

static const struct evg_code_line *find_line(const struct evg_code *code,
					     const struct evg_step *step)
{
	for (uint32_t i = 0; i < code->line_count; i++) {
		const struct evg_code_line *line = &code->lines[i];

		if (line->address == step->address &&
		    (line->kind == EVG_LINE_ALU) == (step->group != NULL) &&
		    (line->kind == EVG_LINE_FETCH) == (step->fetch != NULL))
			return line;
	}
	return NULL;
}

/* A register after the instruction, in the first and last active lane. */
static void show_register(const struct evg_wavefront *wavefront,
			  const struct evg_step *step, unsigned gpr,
			  unsigned channel, FILE *file)
{
	const uint32_t *row =
	    (const uint32_t
		 *)(const void *)(wavefront->registers.base[EVG_BASE_STATE] +
				  (4 * gpr + channel) * EVG_ROW_BYTES);
	unsigned first = (unsigned)__builtin_ctzll(step->active);
	unsigned last = 63 - (unsigned)__builtin_clzll(step->active);

	if (gpr >= wavefront->plan->register_count)
		return;
	fprintf(file, "      R%u.%c <- [%u] 0x%08" PRIx32 " .. [%u] 0x%08" PRIx32
		      "\n",
		gpr, "xyzw"[channel], first, row[first], last, row[last]);
}

static void show_updates(const struct evg_wavefront *wavefront,
			 const struct evg_step *step, FILE *file)
{
	if (!step->active)
		return;
	for (unsigned s = 0; step->group && s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &step->group->inst[s];

		if (step->group->slot_mask >> s & 1 && inst->write_mask &&
		    !inst->dest_relative)
			show_register(wavefront, step, inst->dest_gpr,
				      inst->dest_channel, file);
	}
	for (unsigned c = 0; step->fetch && c < 4; c++)
		if (step->fetch->dest_select[c] != 7)
			show_register(wavefront, step, step->fetch->dest_gpr, c,
				      file);
}

void evg_trace(const struct evg_wavefront *wavefront,
	       const struct evg_step *step, FILE *isa, FILE *stack)
{
	const struct evg_work_group *group = wavefront->group;
	const struct evg_code_line *line;
	char text[1024];

	if (isa) {
		line = find_line(group->ndrange->code, step);
		if (line)
			evg_code_line_format(text, sizeof text, line);
		fprintf(isa,
			"nd-range %u work-group %" PRIu64 " wavefront %" PRIu32
			" active %016" PRIx64 "\n%s\n",
			group->ndrange->launch.id, group->index,
			wavefront->index, step->active, line ? text : "?");
		show_updates(wavefront, step, isa);
	}
	if (stack && (step->kind == EVG_STEP_CF || step->clause_end ||
		      step->kind == EVG_STEP_CLAUSE))
		fprintf(stack,
			"nd-range %u work-group %" PRIu64 " wavefront %" PRIu32
			" at 0x%" PRIx32 ": active %016" PRIx64
			" -> %016" PRIx64 ", %" PRIu32 " frames\n",
			group->ndrange->launch.id, group->index,
			wavefront->index, step->address, step->active,
			wavefront->masks.lanes[EVG_MASK_ACTIVE],
			wavefront->stack.depth);
}
