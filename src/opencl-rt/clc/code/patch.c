#include "opencl-rt/clc/code/patch.h"

#include <string.h>

#include "evergreen/isa/action.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/ir/marker.h"
#include "opencl-rt/clc/package.h"

static const struct {
	enum evg_rat_op plain, returning;
} atomics[ATOMIC_COUNT] = {
#define ATOMIC(id, plain) { EVG_RAT_##plain, EVG_RAT_##id##_RTN },
#include "opencl-rt/clc/ir/atomics.def"
};

enum { UNCHANGED = -1 };

static int replaced_fetch(enum evg_fetch_op op)
{
	switch (op) {
#define FETCH_MARK(from, to)                                                   \
	case EVG_FETCH_##from:                                                 \
		return EVG_FETCH_##to;
#include "opencl-rt/clc/code/marks.def"
	default:
		return UNCHANGED;
	}
}

static int replaced_alu(enum evg_alu_op op)
{
	switch (op) {
#define ALU_MARK(from, to)                                                     \
	case EVG_ALU_##from:                                                   \
		return EVG_ALU_##to;
#include "opencl-rt/clc/code/marks.def"
	default:
		return UNCHANGED;
	}
}

/* TYPE of exports: bit 0 indexed, bit 1 acknowledged. */
enum { TYPE_INDEXED = 1, TYPE_ACKNOWLEDGED = 2 };

/* One kernel's code in the image that is patched. */
struct patch {
	const struct evg_kernel *kernel;
	const struct evg_code *code;
	uint8_t *words;   /* of the kernel, in the image */
	uint32_t next_cf; /* where in code->cf the walk stands */
	struct error *error;
};

static bool is_export(const struct evg_code_cf *cf)
{
	return cf->inst.format == EVG_CF_EXPORT_RAT;
}

static unsigned marker_of(const struct evg_code_cf *cf)
{
	return is_export(cf) && cf->inst.rat_op == EVG_RAT_STORE_TYPED &&
			       cf->inst.rat_id >= MARKER_TAIL
		       ? cf->inst.rat_id
		       : 0;
}

/* The next CF instruction in address order, or NULL. */
static const struct evg_code_cf *next_cf(struct patch *patch)
{
	while (patch->next_cf < patch->code->cf_count) {
		const struct evg_code_cf *cf =
			&patch->code->cf[patch->next_cf++];

		if (cf->size)
			return cf;
	}
	return NULL;
}

static int write_cf(struct patch *patch, uint32_t address,
		    const struct evg_cf_inst *inst)
{
	uint32_t words[2];

	if (evg_cf_encode(words, inst, patch->error) < 0)
		return error_prefix(patch->error, "patch at %u", address);
	memcpy(patch->words + 8 * (size_t)address, words, sizeof words);
	return 0;
}

/* A CF instruction without clause or operands in the place of another. */
static int replace_cf(struct patch *patch, const struct evg_code_cf *cf,
		      enum evg_cf_op op)
{
	struct evg_cf_inst inst = {
		.op = op,
		.format = EVG_CF_WORD,
		.barrier = cf->inst.barrier,
		.end_of_program = cf->inst.end_of_program,
	};

	return write_cf(patch, cf->address, &inst);
}

static bool is_result_load(const struct evg_fetch_inst *fetch)
{
	int offset = fetch->offset - MARKER_LOAD;

	return fetch->op == EVG_FETCH_VFETCH &&
	       fetch->resource_id == CLC_RESOURCE_GLOBAL && offset >= 0 &&
	       offset % 4 == 0 && offset / 4 < ATOMIC_COUNT;
}

/* Finds the fetch that stands for an atomic's result, in the first fetch
 * clause that holds one: stores and ALU clauses may come before it, jumps and
 * other marks may not. */
static const struct evg_code_fetch *find_result(struct patch *patch,
						uint32_t address)
{
	const struct evg_code_fetch *found = NULL;
	uint32_t start = patch->next_cf;
	const struct evg_code_cf *cf;

	while (!found && (cf = next_cf(patch))) {
		if (cf->clause == EVG_CLAUSE_NONE &&
		    (!is_export(cf) || marker_of(cf)))
			break;
		if (!evg_cf_stays(cf->inst.op))
			break;
		if (cf->clause != EVG_CLAUSE_FETCH)
			continue;
		for (uint32_t i = 0; i < cf->count; i++) {
			const struct evg_code_fetch *fetch =
				&patch->code->fetches[cf->first + i];

			if (!is_result_load(&fetch->inst))
				continue;
			if (found) {
				error_set(patch->error, "atomic at %u: two "
					  "fetches (%u and %u) could hold its "
					  "result", address, found->address,
					  fetch->address);
				return NULL;
			}
			found = fetch;
		}
	}
	if (!found)
		error_set(patch->error, "atomic at %u: its result is not "
			  "fetched before the next jump", address);
	/* The instructions passed over may need patching too. */
	patch->next_cf = start;
	return found;
}

static int write_fetch(struct patch *patch, uint32_t address,
		       const struct evg_fetch_inst *inst)
{
	uint32_t words[4];

	if (evg_fetch_encode(words, inst, patch->error) < 0)
		return error_prefix(patch->error, "patch at %u", address);
	memcpy(patch->words + 8 * (size_t)address, words, sizeof words);
	return 0;
}

static int patch_fetch(struct patch *patch, const struct evg_code_fetch *fetch)
{
	struct evg_fetch_inst inst = fetch->inst;

	inst.resource_id = CLC_RESOURCE_RETURN;
	inst.offset = 0;
	return write_fetch(patch, fetch->address, &inst);
}

static int patch_fetch_marks(struct patch *patch)
{
	for (uint32_t i = 0; i < patch->code->fetch_count; i++) {
		const struct evg_code_fetch *fetch = &patch->code->fetches[i];
		struct evg_fetch_inst inst = fetch->inst;
		int op = replaced_fetch(inst.op);

		if (op == UNCHANGED)
			continue;
		inst.op = (enum evg_fetch_op)op;
		if (write_fetch(patch, fetch->address, &inst))
			return -1;
	}
	return 0;
}

/* MARKER_ATOMIC, MARKER_WAIT, fetch. */
static int patch_atomic(struct patch *patch, const struct evg_code_cf *cf)
{
	struct evg_cf_inst inst = cf->inst;
	const struct evg_code_fetch *fetch;
	const struct evg_code_cf *wait;

	do
		wait = next_cf(patch);
	while (wait && wait->clause == EVG_CLAUSE_ALU &&
	       evg_cf_stays(wait->inst.op));
	if (!wait || marker_of(wait) != MARKER_WAIT)
		return error_set(patch->error, "atomic at %u: no wait for its "
				 "result follows", cf->address);
	fetch = find_result(patch, cf->address);
	if (!fetch)
		return -1;
	inst.rat_op = atomics[(fetch->inst.offset - MARKER_LOAD) / 4].returning;
	inst.rat_id = 0;
	inst.type = TYPE_INDEXED | TYPE_ACKNOWLEDGED;
	inst.mark = true;
	if (write_cf(patch, cf->address, &inst) ||
	    replace_cf(patch, wait, EVG_CF_WAIT_ACK))
		return -1;
	return patch_fetch(patch, fetch);
}

/* An export that is no mark. `acknowledge`: the kernel has fences, which wait
 * for stores that are marked. */
static int patch_export(struct patch *patch, const struct evg_code_cf *cf,
			bool acknowledge)
{
	struct evg_cf_inst inst = cf->inst;

	for (int i = 0; i < ATOMIC_COUNT; i++)
		if (inst.rat_op == atomics[i].returning &&
		    atomics[i].plain != EVG_RAT_NOP) {
			inst.rat_op = atomics[i].plain;
			break;
		}
	if (acknowledge) {
		inst.type |= TYPE_ACKNOWLEDGED;
		inst.mark = true;
	}
	return write_cf(patch, cf->address, &inst);
}

/* --- Scratch memory ----------------------------------------------------- */

/* The last element that the kernel has; the field holds 12 bits. */
static uint16_t last_element(const struct patch *patch)
{
	uint32_t elements = patch->kernel->scratch_size / 4;

	return (uint16_t)(elements > 4096 ? 4095 : elements - 1);
}

/* One dword of RW_GPR.x at index INDEX_GPR.x. */
static int patch_scratch_store(struct patch *patch,
			       const struct evg_code_cf *cf)
{
	struct evg_cf_inst inst = {
		.op = EVG_CF_MEM_SCRATCH,
		.format = EVG_CF_EXPORT_BUF,
		.barrier = cf->inst.barrier,
		.end_of_program = cf->inst.end_of_program,
		.type = TYPE_INDEXED,
		.rw_gpr = cf->inst.rw_gpr,
		.index_gpr = cf->inst.index_gpr,
		.component_mask = 1,
		.array_size = last_element(patch),
	};

	return write_cf(patch, cf->address, &inst);
}

static bool is_scratch_load(const struct evg_fetch_inst *fetch)
{
	return fetch->op == EVG_FETCH_VFETCH &&
	       fetch->resource_id == CLC_RESOURCE_PARAMETERS &&
	       fetch->offset == MARKER_SCRATCH_LOAD;
}

static int patch_scratch_load(struct patch *patch,
			      const struct evg_code_fetch *fetch)
{
	struct evg_fetch_inst inst = fetch->inst;

	inst.op = EVG_FETCH_READ_SCRATCH;
	inst.is_vertex = false;
	inst.resource_id = 0;
	inst.fetch_type = 0;
	inst.offset = 0;
	inst.mega_fetch = false;
	inst.mega_fetch_count = 0;
	inst.indexed = true;
	inst.array_size = last_element(patch);
	return write_fetch(patch, fetch->address, &inst);
}

static int patch_scratch_loads(struct patch *patch)
{
	const struct evg_code *code = patch->code;
	int status = 0;

	for (uint32_t i = 0; !status && i < code->fetch_count; i++)
		if (is_scratch_load(&code->fetches[i].inst))
			status = patch_scratch_load(patch, &code->fetches[i]);
	return status;
}

/* --- ALU instructions that are marks ------------------------------------- */

static int patch_group(struct patch *patch, const struct evg_code_group *from)
{
	struct evg_alu_group group = from->group;
	uint32_t words[2 * (EVG_SLOT_COUNT + 2)];
	bool changed = false;
	int size;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		int op = group.slot_mask >> slot & 1
			     ? replaced_alu(group.inst[slot].op)
			     : UNCHANGED;

		if (op == UNCHANGED)
			continue;
		group.inst[slot].op = (enum evg_alu_op)op;
		changed = true;
	}
	if (!changed)
		return 0;
	size = evg_alu_group_encode(words, &group, patch->error);
	if (size < 0)
		return error_prefix(patch->error, "patch at %u",
				    from->address);
	memcpy(patch->words + 8 * (size_t)from->address, words,
	       8 * (size_t)size);
	return 0;
}

/* --- A kernel ----------------------------------------------------------- */

/* Whether there is a MARKER_WAIT that belongs to no atomic. */
static bool has_fence(struct patch *patch)
{
	const struct evg_code_cf *cf;
	unsigned waits = 0, atomic_marks = 0;

	patch->next_cf = 0;
	while ((cf = next_cf(patch))) {
		waits += marker_of(cf) == MARKER_WAIT;
		atomic_marks += marker_of(cf) == MARKER_ATOMIC;
	}
	patch->next_cf = 0;
	return waits > atomic_marks;
}

static int patch_code(struct patch *patch)
{
	bool acknowledge = has_fence(patch);
	const struct evg_code_cf *cf;
	int status = 0;

	if (patch->kernel->scratch_size)
		status = patch_scratch_loads(patch);
	for (uint32_t i = 0; !status && i < patch->code->group_count; i++)
		status = patch_group(patch, &patch->code->groups[i]);
	while (!status && (cf = next_cf(patch))) {
		switch (marker_of(cf)) {
#define CF_MARK(mark, op)                                                      \
	case MARKER_##mark:                                                    \
		status = replace_cf(patch, cf, EVG_CF_##op);                   \
		break;
#include "opencl-rt/clc/code/marks.def"
		case MARKER_ATOMIC:
			status = patch_atomic(patch, cf);
			break;
		case MARKER_SCRATCH:
			status = patch_scratch_store(patch, cf);
			break;
		default:
			if (is_export(cf))
				status = patch_export(patch, cf, acknowledge);
		}
	}
	return status;
}

int patch_image(const char *name, void *image, size_t size,
		struct error *error)
{
	uint32_t text_offset, text_size;
	struct evg_program *program;
	int status = 0;

	if (package_find_text(image, size, &text_offset, &text_size, error))
		return -1;
	program = evg_program_read(name, image, size, error);
	if (!program)
		return -1;
	for (uint32_t i = 0; !status && i < program->kernel_count; i++) {
		const struct evg_kernel *kernel = &program->kernels[i];
		struct patch patch = { .kernel = kernel, .error = error };
		struct evg_code *code;

		code = evg_code_decode(program->text + kernel->code_offset,
				       kernel->code_size, error);
		patch.code = code;
		patch.words = (uint8_t *)image + text_offset +
			      kernel->code_offset;
		status = code && !patch_fetch_marks(&patch) ? patch_code(&patch)
							    : -1;
		if (status)
			error_prefix(error, "LLVM's back end made code that is "
				     "not usable: kernel '%s'", kernel->name);
		evg_code_free(code);
	}
	evg_program_free(program);
	return status;
}
