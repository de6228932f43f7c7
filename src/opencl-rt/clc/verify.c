#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/clc/marker.h"
#include "opencl-rt/clc/patch.h"

/* Operations on memory that a kernel may end up with. */
static const enum evg_rat_op rat_operations[] = {
	EVG_RAT_STORE_RAW,
	EVG_RAT_MSKOR,
#define ATOMIC(id, plain) EVG_RAT_##plain, EVG_RAT_##id##_RTN,
#include "opencl-rt/clc/atomics.def"
};

/* R124 to R127 are there in every clause, besides the kernel's own. */
enum { CLAUSE_TEMPORARY = 124 };

struct check {
	const struct evg_kernel *kernel;
	struct error *error;
};

static int check_register(const struct check *check, uint32_t address,
			  unsigned number)
{
	if (number < check->kernel->registers)
		return 0;
	return error_set(check->error, "instruction at %u uses R%u, but the "
			 "kernel declares %u registers", address, number,
			 check->kernel->registers);
}

/* Whether an image that is written, or read, or a sampler has the number. */
static bool has_binding(const struct evg_kernel *kernel,
			enum evg_argument_kind kind, uint32_t number,
			bool written)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct evg_argument *argument = &kernel->arguments[i];

		if (argument->kind == kind && argument->number == number &&
		    written == (argument->access == EVG_ACCESS_WRITE_ONLY))
			return true;
	}
	for (uint32_t i = 0; i < kernel->sampler_count; i++)
		if (kind == EVG_ARGUMENT_SAMPLER &&
		    kernel->samplers[i].number == number)
			return true;
	return false;
}

static int check_export_registers(const struct check *check,
				  const struct evg_code_cf *cf)
{
	if (check_register(check, cf->address, cf->inst.index_gpr))
		return -1;
	return check_register(check, cf->address,
			      cf->inst.rw_gpr + cf->inst.burst_count);
}

static int check_export(const struct check *check,
			const struct evg_code_cf *cf)
{
	bool known = false;

	if (cf->inst.rat_op == EVG_RAT_STORE_TYPED) {
		if (!has_binding(check->kernel, EVG_ARGUMENT_IMAGE,
				 cf->inst.rat_id, true))
			return error_set(check->error, "MEM_RAT STORE_TYPED on "
					 "RAT %u at %u, which is no image that "
					 "the kernel writes",
					 cf->inst.rat_id, cf->address);
		return check_export_registers(check, cf);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rat_operations); i++)
		known |= cf->inst.rat_op == rat_operations[i] &&
			 cf->inst.rat_op != EVG_RAT_NOP;
	if (!known || cf->inst.rat_id)
		return error_set(check->error, "MEM_RAT %s on RAT %u at %u; "
				 "expected a store or atomic on RAT 0",
				 evg_rat_info[cf->inst.rat_op].name,
				 cf->inst.rat_id, cf->address);
	return check_export_registers(check, cf);
}

/* MEM_WR_SCRATCH of one dword. */
static int check_scratch_store(const struct check *check,
			       const struct evg_code_cf *cf)
{
	if (!check->kernel->scratch_size || !(cf->inst.type & 1) ||
	    cf->inst.element_size || cf->inst.burst_count ||
	    cf->inst.component_mask != 1 || cf->inst.array_base)
		return error_set(check->error, "MEM_WR_SCRATCH at %u; expected "
				 "one indexed dword, in a kernel with scratch "
				 "memory", cf->address);
	if (check_register(check, cf->address, cf->inst.index_gpr))
		return -1;
	return check_register(check, cf->address, cf->inst.rw_gpr);
}

static int check_cf(const struct check *check, const struct evg_code_cf *cf)
{
	if (!evg_cf_info[cf->inst.op].compute)
		return error_set(check->error, "%s at %u in a compute kernel",
				 evg_cf_info[cf->inst.op].name, cf->address);
	if (cf->inst.format == EVG_CF_EXPORT_RAT)
		return check_export(check, cf);
	if (cf->inst.op == EVG_CF_MEM_SCRATCH)
		return check_scratch_store(check, cf);
	if (cf->clause == EVG_CLAUSE_ALU)
		for (size_t i = 0; i < ARRAY_SIZE(cf->inst.kcache); i++)
			if (cf->inst.kcache[i].mode && cf->inst.kcache[i].bank)
				return error_set(check->error, "the clause at "
						 "%u reads constant buffer %u; "
						 "there is only 0",
						 cf->address,
						 cf->inst.kcache[i].bank);
	return 0;
}

static int check_alu(const struct check *check, uint32_t address,
		     const struct evg_alu_inst *inst)
{
	for (unsigned i = 0; i < inst->source_count; i++) {
		const struct evg_source *source = &inst->source[i];

		if (source->select < 128 && !source->relative &&
		    check_register(check, address, source->select))
			return -1;
	}
	if (inst->op == EVG_ALU_LDS_IDX_OP || inst->dest_relative ||
	    (!inst->write_mask && !evg_alu_info[inst->op].op3) ||
	    inst->dest_gpr >= CLAUSE_TEMPORARY)
		return 0;
	return check_register(check, address, inst->dest_gpr);
}

/* --- Stores to an array in registers ------------------------------------- */

/* LLVM forgets that MOV R[n + AR].c writes any register of the array: it puts
 * what comes after into the same group, where it reads the old value, and
 * takes PV.c for register n. */

static bool has_slot(const struct evg_alu_group *group, unsigned slot)
{
	return group->slot_mask >> slot & 1;
}

static bool reads_channel(const struct evg_alu_inst *inst, unsigned channel)
{
	for (unsigned i = 0; i < inst->source_count; i++)
		if (inst->source[i].select < 128 &&
		    inst->source[i].channel == channel)
			return true;
	return false;
}

static bool reads_result(const struct evg_alu_inst *inst, unsigned slot)
{
	for (unsigned i = 0; i < inst->source_count; i++)
		if (slot == EVG_T
			    ? inst->source[i].select == EVG_SELECT_PS
			    : inst->source[i].select == EVG_SELECT_PV &&
				      inst->source[i].channel == slot)
			return true;
	return false;
}

/* Whether a group, or the one after it in the clause (or NULL), misses the
 * element that the instruction in a slot stores. */
static bool misses_store(const struct evg_alu_group *group, unsigned slot,
			 const struct evg_alu_group *next)
{
	unsigned channel = group->inst[slot].dest_channel;

	for (unsigned i = 0; i < EVG_SLOT_COUNT; i++) {
		if (i != slot && has_slot(group, i) &&
		    (reads_channel(&group->inst[i], channel) ||
		     group->inst[i].dest_channel == channel))
			return true;
		if (next && has_slot(next, i) &&
		    reads_result(&next->inst[i], slot))
			return true;
	}
	return false;
}

static int check_array_stores(const struct check *check,
			      const struct evg_code_group *groups,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			if (has_slot(&groups[i].group, slot) &&
			    groups[i].group.inst[slot].dest_relative &&
			    misses_store(&groups[i].group, slot,
					 i + 1 < count ? &groups[i + 1].group
						       : NULL))
				return error_set(
					check->error, "the group at %u stores "
					"to an array in registers and may use "
					"what was there before",
					groups[i].address);
	return 0;
}

/* It also puts loads from such an array behind the instruction that takes
 * lanes out for a branch, which must be the last of its clause. */
static int check_branch(const struct check *check,
			const struct evg_code_group *groups, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++)
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			if (has_slot(&groups[i].group, slot) &&
			    groups[i].group.inst[slot].update_execute_mask)
				return error_set(
					check->error, "the group at %u stands "
					"behind the condition of a branch",
					groups[i + 1].address);
	return 0;
}

static int check_group(const struct check *check,
		       const struct evg_code_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		if (group->group.slot_mask & 1 << slot &&
		    check_alu(check, group->address,
			      &group->group.inst[slot]))
			return -1;
	return 0;
}

/* A dword of the parameters that is no parameter: a mark of scratch memory
 * that LLVM took apart. */
static bool is_lost_mark(const struct check *check,
			 const struct evg_fetch_inst *inst)
{
	return inst->resource_id == CLC_RESOURCE_PARAMETERS &&
	       (inst->offset >= check->kernel->tail_offset +
					EVG_ARGUMENTS_TAIL_SIZE ||
		(check->kernel->scratch_size && !inst->offset));
}

static int check_texture(const struct check *check,
			 const struct evg_code_fetch *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->inst;

	if (!has_binding(check->kernel, EVG_ARGUMENT_IMAGE, inst->resource_id,
			 false))
		return error_set(check->error, "%s of resource %u at %u, which "
				 "is no image that the kernel reads",
				 evg_fetch_info[inst->op].name,
				 inst->resource_id, fetch->address);
	if (inst->op == EVG_FETCH_SAMPLE &&
	    !has_binding(check->kernel, EVG_ARGUMENT_SAMPLER, inst->sampler_id,
			 false))
		return error_set(check->error, "SAMPLE with sampler %u at %u, "
				 "which the kernel does not have",
				 inst->sampler_id, fetch->address);
	return 0;
}

static int check_fetch(const struct check *check,
		       const struct evg_code_fetch *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->inst;

	if (inst->op == EVG_FETCH_READ_SCRATCH) {
		if (!check->kernel->scratch_size || !inst->indexed ||
		    inst->element_size || inst->burst_count ||
		    inst->array_base)
			return error_set(check->error, "READ_SCRATCH at %u; "
					 "expected one indexed dword, in a "
					 "kernel with scratch memory",
					 fetch->address);
	} else if (inst->op == EVG_FETCH_SAMPLE || inst->op == EVG_FETCH_LD) {
		if (check_texture(check, fetch))
			return -1;
	} else if (inst->op != EVG_FETCH_VFETCH ||
		   (inst->resource_id != CLC_RESOURCE_GLOBAL &&
		    inst->resource_id != CLC_RESOURCE_CONSTANT &&
		    inst->resource_id != CLC_RESOURCE_PARAMETERS &&
		    inst->resource_id != CLC_RESOURCE_RETURN)) {
		return error_set(check->error, "%s of resource %u at %u; "
				 "expected VFETCH of resource 1, 2, 3 or %d",
				 evg_fetch_info[inst->op].name,
				 inst->resource_id, fetch->address,
				 CLC_RESOURCE_RETURN);
	} else if (is_lost_mark(check, inst)) {
		return error_set(check->error, "the fetch of kernel parameters "
				 "at %u has the offset %u, where none is",
				 fetch->address, inst->offset);
	}
	if (check_register(check, fetch->address, inst->source_gpr))
		return -1;
	return check_register(check, fetch->address, inst->dest_gpr);
}

static int check_clause(const struct check *check,
			const struct evg_code_group *groups, uint32_t count)
{
	if (check_array_stores(check, groups, count))
		return -1;
	return check_branch(check, groups, count);
}

/* A dword of constant buffer 0 that an ALU instruction reads through one of
 * the clause's two windows. */
static int check_constant(const struct check *check,
			  const struct evg_code_cf *cf, uint32_t address,
			  const struct evg_source *source)
{
	unsigned window = source->select >= EVG_SELECT_KCACHE1;
	const struct evg_kcache *kcache = &cf->inst.kcache[window];
	unsigned index = source->select % 32;
	uint32_t offset = (16 * kcache->address + index) * 16 +
			  4 * source->channel;

	if (index >= 16u * kcache->mode)
		return error_set(check->error, "instruction at %u reads "
				 "constant %u of KCACHE%u, of which the clause "
				 "has %u", address, index, window,
				 16u * kcache->mode);
	if (!source->relative &&
	    offset >= check->kernel->tail_offset + EVG_ARGUMENTS_TAIL_SIZE)
		return error_set(check->error, "instruction at %u reads byte "
				 "%u of constant buffer 0, which has %u",
				 address, offset,
				 check->kernel->tail_offset +
					 EVG_ARGUMENTS_TAIL_SIZE);
	return 0;
}

static int check_constants(const struct check *check,
			   const struct evg_code_cf *cf,
			   const struct evg_code_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask & 1 << slot))
			continue;
		for (unsigned i = 0; i < inst->source_count; i++) {
			const struct evg_source *source = &inst->source[i];

			if (source->select >= EVG_SELECT_KCACHE0 &&
			    source->select < EVG_SELECT_KCACHE1 + 32 &&
			    check_constant(check, cf, group->address, source))
				return -1;
		}
	}
	return 0;
}

static int check_code(const struct check *check, const struct evg_code *code)
{
	if (check->kernel->registers > CLAUSE_TEMPORARY)
		return error_set(check->error, "%u registers; a work-item has "
				 "%d", check->kernel->registers,
				 CLAUSE_TEMPORARY);
	for (uint32_t i = 0; i < code->cf_count; i++)
		if (code->cf[i].size &&
		    (check_cf(check, &code->cf[i]) ||
		     (code->cf[i].clause == EVG_CLAUSE_ALU &&
		      check_clause(check, code->groups + code->cf[i].first,
				   code->cf[i].count))))
			return -1;
	for (uint32_t i = 0; i < code->cf_count; i++) {
		const struct evg_code_cf *cf = &code->cf[i];

		if (!cf->size || cf->clause != EVG_CLAUSE_ALU)
			continue;
		for (uint32_t g = 0; g < cf->count; g++)
			if (check_constants(check, cf,
					    &code->groups[cf->first + g]))
				return -1;
	}
	for (uint32_t i = 0; i < code->group_count; i++)
		if (check_group(check, &code->groups[i]))
			return -1;
	for (uint32_t i = 0; i < code->fetch_count; i++)
		if (check_fetch(check, &code->fetches[i]))
			return -1;
	return 0;
}

int patch_verify(const char *name, const void *image, size_t size,
		 struct error *error)
{
	struct evg_program *program = evg_program_read(name, image, size,
						       error);
	int status = program ? 0 : -1;

	for (uint32_t i = 0; !status && i < program->kernel_count; i++) {
		const struct evg_kernel *kernel = &program->kernels[i];
		struct check check = { kernel, error };
		struct evg_code *code;

		code = evg_code_decode(program->text + kernel->code_offset,
				       kernel->code_size, error);
		status = code ? check_code(&check, code) : -1;
		if (status)
			error_prefix(error, "LLVM's back end made code that is "
				     "not usable: kernel '%s'", kernel->name);
		evg_code_free(code);
	}
	evg_program_free(program);
	return status;
}
