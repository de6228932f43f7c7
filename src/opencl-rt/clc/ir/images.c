#include "opencl-rt/clc/ir/images.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/image-lowering.h"

/* What the helper library asks for (helper/image.cl). */
#define SAMPLE_NAME "__m2s_sample"
#define LOAD_NAME "__m2s_load"
#define STORE_NAME "__m2s_store"
#define QUERY_NAME "__m2s_image"

/* Values without order. */
struct set {
	LLVMValueRef *items;
	size_t count, capacity;
};

static bool set_add(struct set *set, LLVMValueRef item)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i] == item)
			return false;
	ARRAY_GROW(set->items, set->count, set->capacity);
	set->items[set->count++] = item;
	return true;
}

/* --- Which image, which sampler ----------------------------------------- */

static bool is_constant(LLVMValueRef value)
{
	return LLVMIsAConstantPointerNull(value) ||
	       (LLVMIsAConstantExpr(value) &&
		LLVMGetConstOpcode(value) == LLVMIntToPtr &&
		LLVMIsAConstantInt(LLVMGetOperand(value, 0)));
}

static uint32_t constant_of(LLVMValueRef value)
{
	if (LLVMIsAConstantPointerNull(value))
		return 0;
	return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(value, 0));
}

/* All that a value may turn out to be: constants, and parameters of the
 * kernel. OpenCL knows no variables for images, but an optimizer may have
 * merged two uses into one. -1 for anything else. */
static int find_sources(LLVMValueRef value, struct set *seen,
			struct set *sources)
{
	unsigned first = 0, count = 0;

	if (LLVMIsUndef(value) || LLVMIsPoison(value) || !set_add(seen, value))
		return 0;
	if (is_constant(value) || LLVMIsAArgument(value)) {
		set_add(sources, value);
		return 0;
	}
	if (LLVMIsAPHINode(value)) {
		count = LLVMCountIncoming(value);
		for (unsigned i = 0; i < count; i++)
			if (find_sources(LLVMGetIncomingValue(value, i), seen,
					 sources))
				return -1;
		return 0;
	}
	if (LLVMIsASelectInst(value)) {
		first = 1;
		count = 3;
	} else if (LLVMIsAFreezeInst(value) || LLVMIsABitCastInst(value) ||
		   LLVMIsAAddrSpaceCastInst(value)) {
		count = 1;
	} else {
		return -1;
	}
	for (unsigned i = first; i < count; i++)
		if (find_sources(LLVMGetOperand(value, i), seen, sources))
			return -1;
	return 0;
}

static int sources_of(struct lowering *lowering, LLVMValueRef value,
		      const char *what, struct set *sources)
{
	struct set seen = { NULL, 0, 0 };
	int status = find_sources(value, &seen, sources);

	free(seen.items);
	return status ? error_set(lowering->error, "kernel '%s': %s must be "
						   "an argument of the kernel",
				  lowering->kernel->name, what)
		      : 0;
}

static const struct evg_argument *image_argument(
	const struct lowering *lowering, uint32_t image, uint32_t *index)
{
	const struct evg_kernel *kernel = lowering->kernel;

	for (*index = 0; *index < kernel->argument_count; ++*index)
		if (kernel->arguments[*index].kind == EVG_ARGUMENT_IMAGE &&
		    kernel->arguments[*index].number == image)
			return &kernel->arguments[*index];
	return NULL;
}

static int literal_number(struct lowering *lowering, uint32_t bits,
			  uint32_t *result)
{
	struct evg_kernel *kernel = lowering->kernel;
	struct evg_literal_sampler *list =
		(struct evg_literal_sampler *)kernel->samplers;
	uint32_t used = kernel->sampler_count;

	for (uint32_t i = 0; i < kernel->sampler_count; i++)
		if (list[i].bits == bits) {
			*result = list[i].number;
			return 0;
		}
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		used += kernel->arguments[i].kind == EVG_ARGUMENT_SAMPLER;
	if (used == EVG_SAMPLER_COUNT)
		return error_set(lowering->error, "kernel '%s': more than %d "
				 "samplers", kernel->name, EVG_SAMPLER_COUNT);
	list = xrealloc(list, (kernel->sampler_count + 1) * sizeof *list);
	list[kernel->sampler_count].bits = bits;
	list[kernel->sampler_count++].number = *result = used;
	kernel->samplers = list;
	return 0;
}

static int sampler_number(struct lowering *lowering, LLVMValueRef source,
			  uint32_t *result)
{
	const struct evg_kernel *kernel = lowering->kernel;

	if (is_constant(source))
		return literal_number(lowering, constant_of(source), result);
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (LLVMGetParam(lowering->function, i) == source) {
			*result = kernel->arguments[i].number;
			return 0;
		}
	return error_set(lowering->error, "kernel '%s': a sampler must be "
					  "an argument of the kernel",
			 kernel->name);
}

/* --- Instructions ------------------------------------------------------- */

static LLVMValueRef declare(struct lowering *lowering, const char *name,
			    LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);

	return function ? function
			: LLVMAddFunction(lowering->module, name, type);
}

/* A texture instruction; bit i of `normalized`: coordinate i is. */
static LLVMValueRef build_fetch(struct lowering *lowering, const char *name,
				LLVMValueRef place, uint32_t resource,
				uint32_t sampler, unsigned normalized)
{
	enum { OFFSETS = 1, RESOURCE = 4, SAMPLER, TYPES, COUNT = TYPES + 4 };
	LLVMTypeRef types[COUNT], type;
	LLVMValueRef operands[COUNT];

	types[0] = lowering->float_vector;
	operands[0] = place;
	for (unsigned i = OFFSETS; i < COUNT; i++) {
		types[i] = lowering->rewrite.int_type;
		operands[i] = lowering_number(lowering, 0);
	}
	operands[RESOURCE] = lowering_number(lowering, resource);
	operands[SAMPLER] = lowering_number(lowering, sampler);
	for (unsigned i = 0; i < 4; i++)
		operands[TYPES + i] =
		    lowering_number(lowering, normalized >> i & 1);
	type = LLVMFunctionType(lowering->float_vector, types, COUNT, false);
	return LLVMBuildCall2(lowering->builder, type,
			      declare(lowering, name, type), operands, COUNT,
			      "");
}

static void build_store(struct lowering *lowering, LLVMValueRef data,
			LLVMValueRef place, uint32_t image)
{
	LLVMValueRef operands[] = { data, place,
				    lowering_number(lowering, image) };
	LLVMTypeRef types[] = { lowering->int_vector, lowering->int_vector,
				lowering->rewrite.int_type };
	LLVMTypeRef type = LLVMFunctionType(
		LLVMVoidTypeInContext(lowering->context), types, 3, false);

	LLVMBuildCall2(lowering->builder, type,
		       declare(lowering, STORE_INTRINSIC, type), operands, 3,
		       "");
}

/* Whether an image or sampler is this source of several. */
static LLVMValueRef build_is(struct lowering *lowering, LLVMValueRef object,
			     LLVMValueRef source)
{
	LLVMValueRef left, right;

	left = LLVMBuildPtrToInt(lowering->builder, object,
				 lowering->rewrite.int_type, "");
	right = LLVMBuildPtrToInt(lowering->builder, source,
				  lowering->rewrite.int_type, "");
	return LLVMBuildICmp(lowering->builder, LLVMIntEQ, left, right, "");
}

/* --- Calls -------------------------------------------------------------- */

/* A call, and what its operands may be. */
struct call {
	LLVMValueRef inst;
	const char *name;
	struct set images, samplers;
};

/* One result among several: the first, until another's condition holds. */
static LLVMValueRef choose_value(struct lowering *lowering, LLVMValueRef so_far,
				 LLVMValueRef condition, LLVMValueRef value)
{
	return so_far ? LLVMBuildSelect(lowering->builder, condition, value,
					so_far, "")
		      : value;
}

static int lower_sample(struct lowering *lowering, const struct call *call,
			LLVMValueRef *result)
{
	unsigned normalized =
		(unsigned)(call->name[strlen(SAMPLE_NAME)] - '0');
	LLVMValueRef value, is, place = LLVMGetOperand(call->inst, 2);
	uint32_t sampler = 0;

	for (size_t i = 0; i < call->images.count; i++)
		for (size_t s = 0; s < call->samplers.count; s++) {
			if (sampler_number(lowering, call->samplers.items[s],
					   &sampler))
				return -1;
			value = build_fetch(lowering, SAMPLE_INTRINSIC, place,
					    constant_of(call->images.items[i]),
					    sampler, normalized);
			is = LLVMBuildAnd(
				lowering->builder,
				build_is(lowering,
					 LLVMGetOperand(call->inst, 0),
					 call->images.items[i]),
				build_is(lowering,
					 LLVMGetOperand(call->inst, 1),
					 call->samplers.items[s]),
				"");
			*result = choose_value(lowering, *result, is, value);
		}
	return 0;
}

/* LLVM has no intrinsic for a fetch by integer coordinates. That of one that
 * compares, which nothing else here does, stands for it. */
static void lower_load(struct lowering *lowering, const struct call *call,
		       LLVMValueRef *result)
{
	LLVMValueRef place = LLVMBuildBitCast(lowering->builder,
					      LLVMGetOperand(call->inst, 1),
					      lowering->float_vector, "");

	for (size_t i = 0; i < call->images.count; i++) {
		LLVMValueRef image = call->images.items[i];
		LLVMValueRef value = build_fetch(lowering, LOAD_INTRINSIC,
						 place, constant_of(image), 0,
						 0);

		*result = choose_value(
		    lowering, *result,
		    build_is(lowering, LLVMGetOperand(call->inst, 0), image),
		    value);
	}
}

/* Where there is a choice, the stores to the other images go to a place that
 * no image has, and are dropped. */
static void lower_store(struct lowering *lowering, const struct call *call)
{
	LLVMValueRef data = LLVMGetOperand(call->inst, 1);

	for (size_t i = 0; i < call->images.count; i++) {
		LLVMValueRef image = call->images.items[i];
		LLVMValueRef place = LLVMGetOperand(call->inst, 2);

		if (call->images.count > 1)
			place = LLVMBuildSelect(
				lowering->builder,
				build_is(lowering,
					 LLVMGetOperand(call->inst, 0), image),
				place,
				LLVMConstAllOnes(
					lowering->int_vector),
				"");
		build_store(lowering, data, place, constant_of(image));
	}
}

static int lower_query(struct lowering *lowering, const struct call *call,
		       LLVMValueRef *result)
{
	unsigned dword = (unsigned)(call->name[strlen(QUERY_NAME)] - '0');

	for (size_t i = 0; i < call->images.count; i++) {
		LLVMValueRef image = call->images.items[i], value;
		uint32_t index;

		if (!image_argument(lowering, constant_of(image), &index))
			return error_set(lowering->error, "kernel '%s': a "
							  "query of an image "
							  "that is no argument "
							  "of the kernel",
					 lowering->kernel->name);
		value = LLVMBuildExtractValue(
			lowering->builder,
			LLVMGetParam(lowering->function, index), dword, "");
		*result = choose_value(
		    lowering, *result,
		    build_is(lowering, LLVMGetOperand(call->inst, 0), image),
		    value);
	}
	return 0;
}

static int lower_call(struct lowering *lowering, struct call *call)
{
	LLVMValueRef result = NULL;
	int status = 0;

	LLVMPositionBuilderBefore(lowering->builder, call->inst);
	if (starts_with(call->name, SAMPLE_NAME))
		status = lower_sample(lowering, call, &result);
	else if (starts_with(call->name, LOAD_NAME))
		lower_load(lowering, call, &result);
	else if (starts_with(call->name, STORE_NAME))
		lower_store(lowering, call);
	else
		status = lower_query(lowering, call, &result);
	if (status)
		return -1;
	if (LLVMGetTypeKind(LLVMTypeOf(call->inst)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(
			call->inst,
			result ? result
			       : LLVMGetUndef(LLVMTypeOf(call->inst)));
	LLVMInstructionEraseFromParent(call->inst);
	return 0;
}

static int lower_inst(struct lowering *lowering, LLVMValueRef inst)
{
	struct call call = { .inst = inst };
	int status;

	call.name = LLVMGetValueName(LLVMGetCalledValue(inst));
	status = sources_of(lowering, LLVMGetOperand(inst, 0), "an image",
			    &call.images);
	if (!status && starts_with(call.name, SAMPLE_NAME))
		status = sources_of(lowering, LLVMGetOperand(inst, 1),
				    "a sampler", &call.samplers);
	if (!status)
		status = lower_call(lowering, &call);
	free(call.images.items);
	free(call.samplers.items);
	return status;
}

static bool is_image_call(LLVMValueRef inst)
{
	LLVMValueRef callee;

	if (LLVMGetInstructionOpcode(inst) != LLVMCall)
		return false;
	callee = LLVMGetCalledValue(inst);
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return false;
	return starts_with(LLVMGetValueName(callee), SAMPLE_NAME) ||
	       starts_with(LLVMGetValueName(callee), LOAD_NAME) ||
	       starts_with(LLVMGetValueName(callee), STORE_NAME) ||
	       starts_with(LLVMGetValueName(callee), QUERY_NAME);
}

static int lower_kernel(struct lowering *lowering)
{
	struct set calls = { NULL, 0, 0 };
	LLVMBasicBlockRef block;
	LLVMValueRef inst;
	int status = 0;

	for (block = LLVMGetFirstBasicBlock(lowering->function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			if (is_image_call(inst))
				set_add(&calls, inst);
	for (size_t i = 0; !status && i < calls.count; i++)
		status = lower_inst(lowering, calls.items[i]);
	free(calls.items);
	return status;
}

/* --- The module --------------------------------------------------------- */

static bool has_images(const struct evg_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (kernel->arguments[i].kind == EVG_ARGUMENT_IMAGE)
			return true;
	return false;
}

int images_lower(LLVMModuleRef module, struct evg_program *program,
		 struct error *error)
{
	struct lowering lowering = { .kernel = NULL };
	struct rewrite *rewrite = &lowering.rewrite;
	bool found = false;
	int status = 0;

	rewrite_start(rewrite, module, error);
	lowering.module = module;
	lowering.context = rewrite->context;
	lowering.builder = rewrite->builder;
	lowering.error = error;
	lowering.float_vector = LLVMVectorType(
		LLVMFloatTypeInContext(rewrite->context), 4);
	lowering.int_vector = LLVMVectorType(rewrite->int_type, 4);
	lowering.image_type = LLVMArrayType(rewrite->int_type,
					    EVG_IMAGE_DWORDS);
	lowering.object_type =
		LLVMPointerTypeInContext(rewrite->context, SPACE_CONSTANT);
	for (uint32_t i = 0; !status && i < program->kernel_count; i++) {
		lowering.kernel = &program->kernels[i];
		if (!has_images(lowering.kernel))
			continue;
		found = true;
		image_parameters_widen(
		    &lowering,
		    LLVMGetNamedFunction(module, lowering.kernel->name));
		status = lower_kernel(&lowering);
	}
	rewrite_end(rewrite);
	if (status || !found)
		return status;
	/* What was asked about a sampler may be known only now. */
	return run_passes(module, "function(" PASS_INSTCOMBINE ",simplifycfg)", error);
}
