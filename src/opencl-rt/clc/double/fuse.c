/* From carriers (carrier.h) to the device's FP64 groups.
 *
 * An FP64 operation joins slots (evergreen/isa/alu.def: PAIR is x and y or z
 * and w, FOUR all of x to w). Of a pair the first slot names the high words of
 * the sources and the second the low ones; of four x, y and z name the high
 * ones and w the low ones. The low word of the result appears in the first
 * slot and the high one in the second; a mask or a single in the first. Where
 * LLVM's registers for the results are in other channels, a group of MOVs
 * follows.
 *
 * Two carriers with the same operands make one group, at the place of one of
 * them, if nothing between objects. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/ports.h"
#include "evergreen/kernel/kernel.h"
#include "evergreen/kernel/lines.h"
#include "opencl-rt/clc/double/carrier.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/edit.h"
#include "opencl-rt/clc/marker.h"
#include "opencl-rt/clc/package.h"

/* A clause temporary: for results that nobody wants of an operation that
 * cannot mask them. */
enum { UNWANTED_GPR = 127 };

static const struct operation {
	enum evg_alu_op op;
	unsigned char sources, results;
} operations[CARRIER_COUNT] = {
#define CARRIER(id, operation, sources, results)                               \
	{ EVG_ALU_##operation, sources, results },
#include "opencl-rt/clc/double/carrier.def"
};

/* A word of a result. */
struct destination {
	bool wanted;
	uint8_t gpr, channel;
	uint32_t id; /* of the carrier, for links to it */
};

struct carrier {
	enum carrier_operation operation;
	struct evg_source low[3], high[3]; /* p, q, r */
	struct destination result[2];      /* low and high word */
	uint8_t predicate_select;
};

/* --- Reading ------------------------------------------------------------ */

static int digit_of(const struct evg_source *source)
{
	if (source->relative || source->negate || source->absolute)
		return -1;
	switch (source->select) {
	case EVG_SELECT_0: return 0;
	case EVG_SELECT_HALF: return 1;
	case EVG_SELECT_1: return 2;
	default: return -1;
	}
}

static bool is_carrier(const struct evg_alu_group *group)
{
	return group->slot_mask & 1 && group->inst[EVG_X].op == EVG_ALU_DOT4;
}

static int operation_of(const struct evg_alu_group *group)
{
	int which = digit_of(&group->inst[EVG_Z].source[1]);
	int low = digit_of(&group->inst[EVG_Z].source[0]);
	int high = digit_of(&group->inst[EVG_W].source[1]), number;

	if (!which)
		return CARRIER_FMA;
	if (which < 0 || low < 0 || high < 0)
		return -1;
	number = 1 + low + CARRIER_BASE * high +
		 CARRIER_BASE * CARRIER_BASE * (which - 1);
	return number < CARRIER_COUNT ? number : -1;
}

/* The slot whose result is written. */
static int written_slot(const struct evg_alu_group *group)
{
	int found = -1;

	for (int slot = EVG_X; slot <= EVG_W; slot++) {
		if (!group->inst[slot].write_mask)
			continue;
		if (found >= 0)
			return -1;
		found = slot;
	}
	return found;
}

static int read_carrier(const struct edit_group *place,
			struct carrier *carrier, struct error *error)
{
	const struct evg_alu_group *group = &place->group;
	const struct evg_alu_inst *inst = group->inst;
	int operation = operation_of(group), slot = written_slot(group);
	int digit = digit_of(&inst[EVG_W].source[0]);
	struct destination *result;

	if (group->slot_mask != 0xf || operation < 0 || slot < 0 ||
	    (digit != 0 && digit != 2) ||
	    inst[slot].dest_relative || inst[slot].output_modifier ||
	    inst[slot].clamp)
		return error_set(error, "an operation on doubles has not come "
				 "through LLVM's back end in one piece");
	memset(carrier, 0, sizeof *carrier);
	carrier->operation = (enum carrier_operation)operation;
	carrier->predicate_select = inst[slot].predicate_select;
	for (unsigned k = 0; k < 2; k++) {
		carrier->low[k] = inst[EVG_X].source[k];
		carrier->high[k] = inst[EVG_Y].source[1 - k];
	}
	carrier->low[2] = inst[EVG_Z].source[0];
	carrier->high[2] = inst[EVG_W].source[1];
	result = &carrier->result[digit / 2];
	result->wanted = true;
	result->gpr = inst[slot].dest_gpr;
	result->channel = inst[slot].dest_channel;
	result->id = place->id;
	return 0;
}

static bool same_source(const struct evg_source *a, const struct evg_source *b)
{
	return a->select == b->select && a->channel == b->channel &&
	       a->relative == b->relative && a->negate == b->negate &&
	       a->absolute == b->absolute;
}

static const struct destination *destination_of(const struct carrier *carrier)
{
	return &carrier->result[carrier->result[0].wanted ? 0 : 1];
}

static bool same_register(const struct destination *a,
			  const struct destination *b)
{
	return a->gpr == b->gpr && a->channel == b->channel;
}

static bool are_twins(const struct carrier *a, const struct carrier *b)
{
	unsigned sources = operations[a->operation].sources;

	if (a->operation != b->operation ||
	    a->predicate_select != b->predicate_select ||
	    a->result[0].wanted == b->result[0].wanted ||
	    same_register(destination_of(a), destination_of(b)))
		return false;
	for (unsigned k = 0; k < sources; k++)
		if (!same_source(&a->low[k], &b->low[k]) ||
		    !same_source(&a->high[k], &b->high[k]))
			return false;
	return true;
}

/* --- What lies between -------------------------------------------------- */

static bool writes(const struct evg_alu_inst *inst)
{
	return inst->op != EVG_ALU_LDS_IDX_OP &&
	       (inst->write_mask || evg_alu_info[inst->op].op3);
}

static bool group_writes(const struct edit_group *group, unsigned gpr,
			 unsigned channel)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask >> slot & 1) || !writes(inst))
			continue;
		if (inst->dest_relative || (inst->dest_gpr == gpr &&
					    inst->dest_channel == channel))
			return true;
	}
	return false;
}

static bool group_reads(const struct edit_group *group, unsigned gpr,
			unsigned channel)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask >> slot & 1))
			continue;
		for (unsigned k = 0; k < inst->source_count; k++) {
			const struct evg_source *source = &inst->source[k];

			if (source->select < EVG_SELECT_KCACHE0 &&
			    (source->relative || (source->select == gpr &&
						  source->channel == channel)))
				return true;
		}
	}
	return false;
}

/* Whether anything in the group is linked to group `id`. */
static bool is_linked(const struct edit_group *group, uint32_t id)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		for (unsigned k = 0; k < 3; k++)
			if (group->link[slot][k].group == id)
				return true;
	return false;
}

/* Whether operations must not move across the group. */
static bool is_fence(const struct edit_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (group->group.slot_mask >> slot & 1 &&
		    (inst->update_execute_mask || inst->update_predicate))
			return true;
	}
	return false;
}

/* Whether the sources of a carrier are the same before group `from` and
 * before group `to`. */
static bool sources_last(const struct edit_cf *cf,
			 const struct carrier *carrier, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (is_fence(&cf->groups[i]))
			return false;
		for (unsigned k = 0; k < operations[carrier->operation].sources;
		     k++) {
			const struct evg_source *low = &carrier->low[k];
			const struct evg_source *high = &carrier->high[k];

			if ((low->select < EVG_SELECT_KCACHE0 &&
			     group_writes(&cf->groups[i], low->select,
					  low->channel)) ||
			    (high->select < EVG_SELECT_KCACHE0 &&
			     group_writes(&cf->groups[i], high->select,
					  high->channel)))
				return false;
		}
	}
	return true;
}

/* Whether no group from `from` up to, but not, `to` reads or writes a
 * result. */
static bool is_untouched(const struct edit_cf *cf,
			 const struct destination *result, size_t from,
			 size_t to)
{
	for (size_t i = from; i < to; i++)
		if (group_reads(&cf->groups[i], result->gpr,
				result->channel) ||
		    group_writes(&cf->groups[i], result->gpr,
				 result->channel) ||
		    is_linked(&cf->groups[i], result->id))
			return false;
	return true;
}

/* Finds the other word's carrier behind the index-th group. *earlier: the
 * operation may be where the first one is, else where the second is. */
static bool find_twin(const struct edit_cf *cf, size_t index,
		      const struct carrier *first, struct carrier *second,
		      size_t *place, bool *earlier)
{
	struct error ignored;

	if (operations[first->operation].results < 2)
		return false;
	for (size_t i = index + 1; i < cf->count; i++) {
		if (!sources_last(cf, first, index, i))
			return false;
		if (!is_carrier(&cf->groups[i].group) ||
		    read_carrier(&cf->groups[i], second, &ignored) ||
		    !are_twins(first, second))
			continue;
		*place = i;
		*earlier = is_untouched(cf, destination_of(second), index + 1,
					i);
		return *earlier || is_untouched(cf, destination_of(first),
						index + 1, i);
	}
	return false;
}

/* --- Writing ------------------------------------------------------------ */

static void without_modifiers(struct evg_source *source)
{
	source->negate = source->absolute = false;
}

static const struct evg_source zero = { .select = EVG_SELECT_0 };

/* The sources of the slot that names the high words, or the low ones. */
static void set_sources(const struct carrier *carrier, bool is_high,
			struct evg_alu_inst *inst)
{
	static const unsigned char order[][3] = { { 0, 1, 2 }, { 1, 2, 0 } };
	bool is_fma = carrier->operation == CARRIER_FMA;

	inst->source_count = evg_alu_info[inst->op].source_count;
	for (unsigned k = 0; k < inst->source_count; k++) {
		unsigned from = order[is_fma][k];

		inst->source[k] = is_high ? carrier->high[from]
					  : carrier->low[from];
		if (!is_high)
			without_modifiers(&inst->source[k]);
	}
	/* Numbers that are no doubles are in the low words, and wanted in the
	 * first slot. */
	if (carrier->operation == CARRIER_TO_DOUBLE)
		inst->source[0] = is_high ? carrier->low[0] : zero;
	if (carrier->operation == CARRIER_LDEXP)
		inst->source[1] = is_high ? carrier->low[1] : zero;
}

/* The first slot of those that an operation joins. */
static unsigned first_slot(const struct carrier *carrier)
{
	const struct operation *operation = &operations[carrier->operation];
	const struct destination *result = carrier->result;
	bool wants_z = (!result[0].wanted || result[0].channel == EVG_Z) &&
		       (!result[1].wanted || result[1].channel == EVG_W);

	return evg_alu_info[operation->op].slots == EVG_SLOTS_PAIR && wants_z
		       ? EVG_Z
		       : EVG_X;
}

/* Whether the results' registers are where the operation can write them. */
static bool is_direct(const struct carrier *carrier, unsigned first)
{
	for (unsigned word = 0; word < 2; word++)
		if (carrier->result[word].wanted &&
		    carrier->result[word].channel != first + word)
			return false;
	return true;
}

static void put_operation(const struct carrier *carrier, unsigned first,
			  bool direct, struct evg_alu_group *group)
{
	const struct operation *operation = &operations[carrier->operation];
	bool is_four = evg_alu_info[operation->op].slots == EVG_SLOTS_FOUR;
	unsigned count = is_four ? 4 : 2;

	for (unsigned i = 0; i < count; i++) {
		const struct destination *result =
			i < 2 ? &carrier->result[i] : NULL;
		struct evg_alu_inst inst = {
			.op = operation->op,
			.predicate_select = carrier->predicate_select,
			.dest_gpr = UNWANTED_GPR,
			.dest_channel = (uint8_t)(first + i),
		};

		set_sources(carrier, i < count - 1, &inst);
		if (result && result->wanted && direct) {
			inst.dest_gpr = result->gpr;
			inst.write_mask = true;
		}
		if (!inst.write_mask && !evg_alu_info[inst.op].op3)
			inst.dest_gpr = 0;
		edit_put(group, first + i, &inst);
	}
}

/* The slot where the MOV of a result goes. */
static unsigned move_slot(const struct evg_alu_group *group,
			  const struct destination *result)
{
	return group->slot_mask >> result->channel & 1 ? EVG_T
						       : result->channel;
}

static void put_moves(const struct carrier *carrier, unsigned first,
		      struct evg_alu_group *group)
{
	for (unsigned word = 0; word < 2; word++) {
		const struct destination *result = &carrier->result[word];
		struct evg_alu_inst inst = {
			.op = EVG_ALU_MOV,
			.source_count = 1,
			.source[0] = { .select = EVG_SELECT_PV,
				       .channel = (uint8_t)(first + word) },
			.predicate_select = carrier->predicate_select,
			.dest_gpr = result->gpr,
			.dest_channel = result->channel,
			.write_mask = true,
		};

		if (result->wanted)
			edit_put(group, move_slot(group, result), &inst);
	}
}

/* Redirects what was linked to a carrier. */
static void relink(struct edit_cf *cf, const struct destination *from,
		   uint32_t id, unsigned slot)
{
	for (size_t i = 0; i < cf->count; i++)
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
			for (unsigned k = 0; k < 3; k++) {
				struct edit_link *link =
					&cf->groups[i].link[s][k];

				if (link->group != from->id)
					continue;
				link->group = id;
				link->slot = (uint8_t)slot;
				link->gpr = from->gpr;
				link->channel = from->channel;
			}
}

/* Where a result is in a group of MOVs. */
static unsigned moved_slot(const struct carrier *carrier, unsigned word)
{
	const struct destination *result = carrier->result;

	return word == 1 && result[0].wanted &&
			       result[0].channel == result[1].channel
		       ? EVG_T
		       : result[word].channel;
}

/* Puts the operation in the place of the index-th group. The index of the last
 * group that it takes, or -1. */
static int emit(struct edit *edit, struct edit_cf *cf, size_t index,
		const struct carrier *carrier, struct error *error)
{
	unsigned first = first_slot(carrier);
	bool direct = is_direct(carrier, first);
	struct edit_group *group = &cf->groups[index];
	uint32_t origin = group->origin;

	memset(group, 0, sizeof *group);
	group->origin = origin;
	group->id = edit->next_id++;
	put_operation(carrier, first, direct, &group->group);
	if (!evg_ports_assign(&group->group))
		return error_set(error, "the operands of an operation on "
				 "doubles cannot be read at once");
	if (!direct) {
		group = edit_insert(edit, cf, ++index);
		group->origin = origin;
		put_moves(carrier, first, &group->group);
	}
	for (unsigned word = 0; word < 2; word++)
		if (carrier->result[word].wanted)
			relink(cf, &carrier->result[word],
			       cf->groups[index].id,
			       direct ? first + word
				      : moved_slot(carrier, word));
	return (int)index;
}

static bool reads_constants(const struct carrier *carrier)
{
	for (unsigned k = 0; k < operations[carrier->operation].sources; k++)
		if ((carrier->low[k].select >= EVG_SELECT_KCACHE0 &&
		     carrier->low[k].select < EVG_SELECT_LDS_OQ_A) ||
		    (carrier->high[k].select >= EVG_SELECT_KCACHE0 &&
		     carrier->high[k].select < EVG_SELECT_LDS_OQ_A))
			return true;
	return false;
}

static bool is_target(const struct edit *edit, uint32_t address)
{
	for (size_t i = 0; i < edit->cf_count; i++)
		if (edit->cf[i].original->clause == EVG_CLAUSE_NONE &&
		    edit->cf[i].inst.format == EVG_CF_WORD &&
		    edit->cf[i].inst.address == address)
			return true;
	return false;
}

/* LLVM cuts long clauses where it likes: takes the twin of a clause's last
 * group, if that is a carrier, from the start of the clause that follows. */
static void take_from_next(const struct edit *edit, const struct edit_cf *cf,
			   struct carrier *carrier)
{
	struct edit_cf *next = edit->cf + (cf - edit->cf) + 1;
	struct carrier twin;
	struct error ignored;
	uint32_t twin_id;

	if (next == edit->cf + edit->cf_count ||
	    cf->inst.op != EVG_CF_ALU ||
	    next->original->clause != EVG_CLAUSE_ALU || next->count < 2 ||
	    is_target(edit, next->original->address) ||
	    operations[carrier->operation].results < 2 ||
	    !is_carrier(&next->groups[0].group) ||
	    read_carrier(&next->groups[0], &twin, &ignored) ||
	    !are_twins(carrier, &twin) || reads_constants(carrier) ||
	    carrier->predicate_select ||
	    !sources_last(cf, carrier, cf->count - 1, cf->count))
		return;
	twin_id = next->groups[0].id;
	carrier->result[twin.result[0].wanted ? 0 : 1] =
		*destination_of(&twin);
	/* Its readers stay linked to a group that is gone: they will read the
	 * register. */
	relink(next, destination_of(&twin), twin_id, EVG_X);
	edit_remove(next, 0);
}

static int fuse_clause(struct edit *edit, struct edit_cf *cf,
		       struct error *error)
{
	for (size_t i = 0; i < cf->count; i++) {
		struct carrier carrier, twin;
		size_t place = 0;
		bool earlier;
		int last;

		if (!is_carrier(&cf->groups[i].group))
			continue;
		if (read_carrier(&cf->groups[i], &carrier, error))
			return -1;
		if (find_twin(cf, i, &carrier, &twin, &place, &earlier)) {
			unsigned word = twin.result[0].wanted ? 0 : 1;

			carrier.result[word] = twin.result[word];
			if (!earlier) {
				last = emit(edit, cf, place, &carrier, error);
				if (last < 0)
					return -1;
				edit_remove(cf, i--);
				continue;
			}
			edit_remove(cf, place);
		} else if (i + 1 == cf->count) {
			take_from_next(edit, cf, &carrier);
		}
		last = emit(edit, cf, i, &carrier, error);
		if (last < 0)
			return -1;
		i = (size_t)last;
	}
	return 0;
}

/* --- The program -------------------------------------------------------- */

/* Where the relocated words of a kernel have gone. */
struct moves {
	uint32_t kernel; /* its start in .text */
	const struct edit_move *moves;
	size_t count;
};

static uint32_t moved_place(void *context, uint32_t place)
{
	const struct moves *moves = context;

	for (size_t i = 0; i < moves->count; i++)
		if (place == moves->kernel + moves->moves[i].from)
			return moves->kernel + moves->moves[i].to;
	return place;
}

/* Source lines under way. */
struct line_rows {
	const struct evg_lines *lines; /* as they were */
	uint32_t kernel;               /* its start in .text */
	struct evg_line_row *rows;
	size_t count, capacity;
};

static void add_row(void *context, uint32_t from, uint32_t to)
{
	struct line_rows *rows = context;
	const struct evg_line_row *old =
		evg_lines_find(rows->lines, rows->kernel + 8 * from);

	if (!old)
		return;
	ARRAY_GROW(rows->rows, rows->count, rows->capacity);
	rows->rows[rows->count] = *old;
	rows->rows[rows->count++].offset = rows->kernel + 8 * to;
}

static int compare_rows(const void *left, const void *right)
{
	const struct evg_line_row *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

static void replace_rows(struct evg_lines *lines, struct line_rows *rows)
{
	if (!lines || !rows->count) {
		free(rows->rows);
		return;
	}
	qsort(rows->rows, rows->count, sizeof *rows->rows, compare_rows);
	free(lines->rows);
	lines->rows = rows->rows;
	lines->row_count = rows->count;
}

static struct edit *open_kernel(const struct evg_program *program,
				const struct evg_kernel *kernel,
				const struct evg_code *code)
{
	uint32_t *places = xcalloc(program->relocation_count + 1,
				   sizeof *places);
	struct edit *edit;
	size_t count = 0;

	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t place = program->relocations[i];

		if (place >= kernel->code_offset &&
		    place < kernel->code_offset + kernel->code_size)
			places[count++] = place - kernel->code_offset;
	}
	edit = edit_open(code, places, count);
	free(places);
	return edit;
}

static bool is_tail_mark(const struct edit_cf *cf)
{
	return cf->inst.format == EVG_CF_EXPORT_RAT &&
	       cf->inst.rat_op == EVG_RAT_STORE_TYPED &&
	       cf->inst.rat_id == MARKER_TAIL;
}

/* Of tail marks (marker.h) in a row the last one stays. */
static void drop_marks(struct edit *edit)
{
	size_t kept = 0;

	for (size_t i = 0; i < edit->cf_count; i++) {
		if (i + 1 < edit->cf_count && is_tail_mark(&edit->cf[i]) &&
		    is_tail_mark(&edit->cf[i + 1]))
			continue;
		edit->cf[kept++] = edit->cf[i];
	}
	edit->cf_count = kept;
}

static bool has_carrier(const struct evg_code *code)
{
	for (uint32_t i = 0; i < code->group_count; i++)
		if (is_carrier(&code->groups[i].group))
			return true;
	return false;
}

static int fuse_kernel(const struct evg_program *program,
		       const struct evg_kernel *kernel, void *image,
		       size_t size, uint32_t text, struct line_rows *rows,
		       struct error *error)
{
	uint8_t *bytes = (uint8_t *)image + text + kernel->code_offset;
	struct evg_code *code =
		evg_code_decode(bytes, kernel->code_size, error);
	struct edit_move *moved = NULL;
	struct moves moves = { .kernel = kernel->code_offset };
	struct edit *edit;
	int status = 0;

	if (!code)
		return -1;
	/* Laying out again code in which nothing changes may only make it
	 * longer. (Source lines are made anew for all kernels.) */
	if (!rows->lines && !has_carrier(code)) {
		evg_code_free(code);
		return 0;
	}
	edit = open_kernel(program, kernel, code);
	for (size_t i = 0; !status && i < edit->cf_count; i++)
		status = fuse_clause(edit, &edit->cf[i], error);
	if (!status)
		drop_marks(edit);
	if (!status)
		status = edit_write(edit, bytes, kernel->code_size, &moved,
				    &moves.count, error);
	moves.moves = moved;
	rows->kernel = kernel->code_offset;
	if (!status)
		edit_places(edit, add_row, rows);
	if (!status)
		status = package_move_relocations(image, size, moved_place,
						  &moves, error);
	free(moved);
	edit_free(edit);
	evg_code_free(code);
	return status;
}

int double_fuse(const char *name, void *image, size_t size,
		struct evg_lines *lines, struct error *error)
{
	struct line_rows rows = { .lines = lines };
	uint32_t text_offset, text_size;
	struct evg_program *program;
	int status = 0;

	if (package_find_text(image, size, &text_offset, &text_size, error))
		return -1;
	program = evg_program_read(name, image, size, error);
	if (!program)
		return -1;
	for (uint32_t i = 0; !status && i < program->kernel_count; i++) {
		status = fuse_kernel(program, &program->kernels[i], image,
				     size, text_offset, &rows, error);
		if (status)
			error_prefix(error, "kernel '%s'",
				     program->kernels[i].name);
	}
	replace_rows(lines, &rows);
	evg_program_free(program);
	return status;
}
