#include "opencl-rt/clc/verify/verify.h"

#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/check.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/clc/verify/internal.h"
#include "opencl-rt/codegen/target.h"

/* Operations on memory that a kernel may end up with. */
static const enum evg_rat_op rat_operations[] = {
	EVG_RAT_STORE_RAW,
	EVG_RAT_MSKOR,
	EVG_RAT_XCHG_RTN,
#define ATOMIC(id) EVG_RAT_##id, EVG_RAT_##id##_RTN
	ATOMIC(CMPXCHG_INT),
	ATOMIC(ADD),
	ATOMIC(SUB),
	ATOMIC(MIN_INT),
	ATOMIC(MIN_UINT),
	ATOMIC(MAX_INT),
	ATOMIC(MAX_UINT),
	ATOMIC(AND),
	ATOMIC(OR),
	ATOMIC(XOR),
#undef ATOMIC
};

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

/* One element at an index in a register: the form of all exports. */
static int check_export_form(const struct check *check,
			     const struct evg_code_cf *cf)
{
	const struct evg_cf_inst *inst = &cf->inst;

	if (!(inst->type & 1) || inst->rat_index_mode || inst->rw_relative ||
	    inst->element_size || inst->burst_count)
		return error_set(check->error, "%s at %u; expected one indexed "
				 "element of dwords",
				 evg_cf_info[inst->op].name, cf->address);
	if (check_register(check, cf->address, inst->index_gpr))
		return -1;
	return check_register(check, cf->address, inst->rw_gpr);
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
		return check_export_form(check, cf);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rat_operations); i++)
		known |= cf->inst.rat_op == rat_operations[i];
	if (!known || cf->inst.rat_id)
		return error_set(check->error, "MEM_RAT %s on RAT %u at %u; "
				 "expected a store or atomic on RAT 0",
				 evg_rat_info[cf->inst.rat_op].name,
				 cf->inst.rat_id, cf->address);
	return check_export_form(check, cf);
}

/* MEM_WR_SCRATCH of one dword. */
static int check_scratch_store(const struct check *check,
			       const struct evg_code_cf *cf)
{
	if (!check->kernel->scratch_size || cf->inst.component_mask != 1 ||
	    cf->inst.array_base)
		return error_set(check->error, "MEM_WR_SCRATCH at %u; expected "
				 "one indexed dword, in a kernel with scratch "
				 "memory", cf->address);
	return check_export_form(check, cf);
}

/* A window on constants: of one or two lines of the only buffer. */
static int check_window(const struct check *check,
			const struct evg_code_cf *cf,
			const struct evg_kcache *window)
{
	enum { LINES_MAX = 2 };

	if (window->mode && window->bank)
		return error_set(check->error, "the clause at %u reads constant "
				 "buffer %u; there is only 0", cf->address,
				 window->bank);
	if (window->mode > LINES_MAX)
		return error_set(check->error, "the clause at %u has a window "
				 "on constants that moves with aL",
				 cf->address);
	return 0;
}

static int check_cf(const struct check *check, const struct evg_code_cf *cf)
{
	if (!evg_cf_info[cf->inst.op].compute)
		return error_set(check->error, "%s at %u in a compute kernel",
				 evg_cf_info[cf->inst.op].name, cf->address);
	if (cf->inst.whole_quad_mode)
		return error_set(check->error, "%s at %u with WHOLE_QUAD, "
				 "which no kernel needs",
				 evg_cf_info[cf->inst.op].name, cf->address);
	if (cf->inst.format == EVG_CF_EXPORT_RAT)
		return check_export(check, cf);
	if (cf->inst.op == EVG_CF_MEM_SCRATCH)
		return check_scratch_store(check, cf);
	if (cf->inst.format == EVG_CF_ALU_EXTENDED_WORD)
		return error_set(check->error, "ALU_EXTENDED at %u, which no "
				 "kernel needs", cf->address);
	for (size_t i = 0; i < ARRAY_SIZE(cf->inst.kcache); i++)
		if (check_window(check, cf, &cf->inst.kcache[i]))
			return -1;
	return 0;
}

/* A dword of the parameters that no parameter has. */
static bool is_no_parameter(const struct check *check,
			    const struct evg_fetch_inst *inst)
{
	return inst->resource_id == CLC_RESOURCE_PARAMETERS &&
	       inst->offset >= check->kernel->tail_offset +
				       EVG_ARGUMENTS_TAIL_SIZE;
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

/* Elements as the language has them, at an address in a register. */
static bool is_plain_vertex(const struct evg_fetch_inst *inst)
{
	static const unsigned char formats[] = { 1, 5, 13, 29, 47, 34 };
	enum { NUM_FORMAT_INT = 1 };

	return !inst->use_const_fields && inst->num_format == NUM_FORMAT_INT &&
	       !inst->format_signed && !inst->endian_swap &&
	       !inst->const_buf_no_stride && !inst->semantic &&
	       memchr(formats, inst->data_format, sizeof formats);
}

/* Nothing is indexed but by the source register. */
static bool is_indexed(const struct evg_fetch_inst *inst)
{
	return inst->source_relative || inst->dest_relative ||
	       inst->alt_const || inst->buffer_index_mode ||
	       inst->resource_index_mode || inst->sampler_index_mode;
}

static int check_fetch(const struct check *check,
		       const struct evg_code_fetch *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->inst;

	if (is_indexed(inst))
		return error_set(check->error, "%s at %u has an index besides "
				 "its source", evg_fetch_info[inst->op].name,
				 fetch->address);
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
		    inst->resource_id != CLC_RESOURCE_UNCACHED &&
		    inst->resource_id != CLC_RESOURCE_CONSTANT &&
		    inst->resource_id != CLC_RESOURCE_PARAMETERS &&
		    inst->resource_id != CLC_RESOURCE_RETURN)) {
		return error_set(check->error, "%s of resource %u at %u; "
				 "expected VFETCH of resource 1, 2, 3, %d or "
				 "%d", evg_fetch_info[inst->op].name,
				 inst->resource_id, fetch->address,
				 CLC_RESOURCE_RETURN, CLC_RESOURCE_UNCACHED);
	} else if (!is_plain_vertex(inst)) {
		return error_set(check->error, "VFETCH at %u; expected "
				 "unsigned integers of 8, 16, 32, 64, 96 or "
				 "128 bits", fetch->address);
	} else if (is_no_parameter(check, inst)) {
		return error_set(check->error, "the fetch of kernel parameters "
					       "at %u has the offset %u, which "
					       "no parameter has",
				 fetch->address, inst->offset);
	}
	if (check_register(check, fetch->address, inst->source_gpr))
		return -1;
	return check_register(check, fetch->address, inst->dest_gpr);
}

static int check_code(const struct check *check)
{
	const struct evg_code *code = check->code;

	if (check->kernel->registers > EVG_FIRST_TEMPORARY)
		return error_set(check->error,
				 "%u registers; a work-item has "
				 "%d",
				 check->kernel->registers, EVG_FIRST_TEMPORARY);
	for (uint32_t i = 0; i < code->cf_count; i++)
		if (code->cf[i].size &&
		    (check_cf(check, &code->cf[i]) ||
		     (code->cf[i].clause == EVG_CLAUSE_ALU &&
		      check_alu_clause(check, &code->cf[i]))))
			return -1;
	for (uint32_t i = 0; i < code->fetch_count; i++)
		if (check_fetch(check, &code->fetches[i]))
			return -1;
	if (check_flow(check) || check_defined(check))
		return -1;
	return evg_kernel_check(check->kernel, check->error);
}

int verify_binary(const char *name, const void *image, size_t size,
		  struct error *error)
{
	struct evg_program *program = evg_program_read(name, image, size,
						       error);
	int status = program ? 0 : -1;

	for (uint32_t i = 0; !status && i < program->kernel_count; i++) {
		struct evg_kernel kernel = program->kernels[i];
		struct check check = { &kernel, NULL, program->chip, error };

		kernel.code = evg_code_decode(
			program->text + kernel.code_offset, kernel.code_size,
			error);
		check.code = kernel.code;
		status = kernel.code ? check_code(&check) : -1;
		if (status)
			error_prefix(error, "the code generator made code that "
				     "is not usable: kernel '%s'", kernel.name);
		evg_code_free(kernel.code);
	}
	evg_program_free(program);
	return status;
}
