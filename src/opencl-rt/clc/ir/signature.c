#include "opencl-rt/clc/ir/signature.h"

#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/clc/front-end.h"

/* A function's metadata node: "kernel_arg_type" and the like. */
struct node {
	unsigned count;
	LLVMValueRef *operands;
};

struct nodes {
	struct node types, base_types, type_qualifiers, names, accesses,
		spaces, reqd_size, size_hint, vector_hint;
};

struct signature {
	LLVMContextRef context;
	LLVMTargetDataRef layout;
	struct error *error;
};

bool is_kernel(LLVMValueRef function)
{
	return LLVMGetFunctionCallConv(function) ==
		       front_end_info[0].kernel &&
	       !LLVMIsDeclaration(function);
}

/* --- Metadata ----------------------------------------------------------- */

static struct node read_node(const struct signature *signature,
			     LLVMValueMetadataEntry *entries, size_t count,
			     const char *name)
{
	unsigned kind = LLVMGetMDKindIDInContext(signature->context, name,
						 (unsigned)strlen(name));
	struct node node = { 0, NULL };

	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef value;

		if (LLVMValueMetadataEntriesGetKind(entries, i) != kind)
			continue;
		value = LLVMMetadataAsValue(
			signature->context,
			LLVMValueMetadataEntriesGetMetadata(entries, i));
		node.count = LLVMGetMDNodeNumOperands(value);
		node.operands = xcalloc(node.count + 1, sizeof *node.operands);
		LLVMGetMDNodeOperands(value, node.operands);
	}
	return node;
}

static void read_nodes(const struct signature *signature,
		       LLVMValueRef function, struct nodes *nodes)
{
	size_t count;
	LLVMValueMetadataEntry *entries =
		LLVMGlobalCopyAllMetadata(function, &count);

#define NODE(field, name)                                                      \
	nodes->field = read_node(signature, entries, count, name)
	NODE(types, "kernel_arg_type");
	NODE(base_types, "kernel_arg_base_type");
	NODE(type_qualifiers, "kernel_arg_type_qual");
	NODE(names, "kernel_arg_name");
	NODE(accesses, "kernel_arg_access_qual");
	NODE(spaces, "kernel_arg_addr_space");
	NODE(reqd_size, "reqd_work_group_size");
	NODE(size_hint, "work_group_size_hint");
	NODE(vector_hint, "vec_type_hint");
#undef NODE
	LLVMDisposeValueMetadataEntries(entries);
}

static void free_nodes(struct nodes *nodes)
{
	free(nodes->types.operands);
	free(nodes->base_types.operands);
	free(nodes->type_qualifiers.operands);
	free(nodes->names.operands);
	free(nodes->accesses.operands);
	free(nodes->spaces.operands);
	free(nodes->reqd_size.operands);
	free(nodes->size_hint.operands);
	free(nodes->vector_hint.operands);
}

/* A string operand; "" when there is none. To be freed. */
static char *node_text(const struct node *node, unsigned index)
{
	unsigned length = 0;
	const char *text = NULL;
	char *copy;

	if (index < node->count && node->operands[index])
		text = LLVMGetMDString(node->operands[index], &length);
	copy = xmalloc((size_t)length + 1);
	if (text)
		memcpy(copy, text, length);
	copy[text ? length : 0] = 0;
	return copy;
}

static uint32_t node_number(const struct node *node, unsigned index)
{
	if (index >= node->count || !node->operands[index] ||
	    !LLVMIsAConstantInt(node->operands[index]))
		return 0;
	return (uint32_t)LLVMConstIntGetZExtValue(node->operands[index]);
}

/* --- Attributes --------------------------------------------------------- */

/* The OpenCL C name of an LLVM scalar or vector type, for vec_type_hint. */
static void print_type(FILE *stream, LLVMTypeRef type, bool is_signed)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	LLVMTypeRef element = type;

	if (kind == LLVMVectorTypeKind) {
		element = LLVMGetElementType(type);
		kind = LLVMGetTypeKind(element);
	}
	if (kind == LLVMIntegerTypeKind) {
		unsigned width = LLVMGetIntTypeWidth(element);

		fprintf(stream, "%s%s", is_signed ? "" : "u",
			width == 8    ? "char"
			: width == 16 ? "short"
			: width == 32 ? "int"
				      : "long");
	} else {
		fputs(kind == LLVMHalfTypeKind     ? "half"
		      : kind == LLVMDoubleTypeKind ? "double"
						   : "float",
		      stream);
	}
	if (element != type)
		fprintf(stream, "%u", LLVMGetVectorSize(type));
}

static void print_sizes(FILE *stream, const char *name, const struct node *node,
			uint32_t sizes[3])
{
	if (node->count != 3)
		return;
	for (unsigned i = 0; i < 3; i++)
		sizes[i] = node_number(node, i);
	fprintf(stream, "%s%s(%u,%u,%u)", ftell(stream) ? " " : "", name,
		sizes[0], sizes[1], sizes[2]);
}

/* The attributes as clGetKernelInfo(CL_KERNEL_ATTRIBUTES) gives them. */
static void read_attributes(const struct nodes *nodes,
			    struct evg_kernel *kernel)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	print_sizes(stream, "reqd_work_group_size", &nodes->reqd_size,
		    kernel->reqd_work_group_size);
	print_sizes(stream, "work_group_size_hint", &nodes->size_hint,
		    kernel->work_group_size_hint);
	if (nodes->vector_hint.count == 2 && nodes->vector_hint.operands[0]) {
		fprintf(stream, "%svec_type_hint(", ftell(stream) ? " " : "");
		print_type(stream, LLVMTypeOf(nodes->vector_hint.operands[0]),
			   node_number(&nodes->vector_hint, 1));
		fputc(')', stream);
	}
	fclose(stream);
	kernel->attributes = text;
}

/* --- Arguments ---------------------------------------------------------- */

static enum evg_access access_of(const char *text)
{
	if (!strcmp(text, "read_only"))
		return EVG_ACCESS_READ_ONLY;
	if (!strcmp(text, "write_only"))
		return EVG_ACCESS_WRITE_ONLY;
	if (!strcmp(text, "read_write"))
		return EVG_ACCESS_READ_WRITE;
	return EVG_ACCESS_NONE;
}

static unsigned qualifiers_of(const char *text)
{
	return (strstr(text, "const") ? EVG_QUALIFIER_CONST : 0) |
	       (strstr(text, "restrict") ? EVG_QUALIFIER_RESTRICT : 0) |
	       (strstr(text, "volatile") ? EVG_QUALIFIER_VOLATILE : 0);
}

/* The "align N" of a pointer parameter: what it points to. */
static uint32_t pointee_alignment(LLVMValueRef function, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef attribute =
		LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
	uint64_t value = attribute ? LLVMGetEnumAttributeValue(attribute) : 0;

	/* A pointer to void may point to anything. */
	return value ? (uint32_t)value : 16;
}

/* Images and samplers get numbers of their own; the offset of what follows an
 * image leaves room for what code may ask about it (kernel.h). */
static int number_argument(const struct signature *signature,
			   struct evg_kernel *kernel,
			   struct evg_argument *argument)
{
	uint32_t before = 0, first = 0, limit = EVG_SAMPLER_COUNT;
	const char *what = "sampler arguments";

	if (argument->kind == EVG_ARGUMENT_IMAGE) {
		argument->size = EVG_IMAGE_ARGUMENT_SIZE;
		first = EVG_READ_IMAGE_FIRST;
		limit = EVG_READ_IMAGE_COUNT;
		what = "images that are read";
		if (argument->access == EVG_ACCESS_WRITE_ONLY) {
			first = EVG_WRITE_IMAGE_FIRST;
			limit = EVG_WRITE_IMAGE_COUNT;
			what = "images that are written";
		}
		if (argument->access == EVG_ACCESS_READ_WRITE)
			return error_set(signature->error, "kernel '%s': "
					 "argument '%s': %s: the device has no "
					 "images that are both read and "
					 "written", kernel->name,
					 argument->name, argument->type_name);
	}
	for (const struct evg_argument *a = kernel->arguments; a != argument;
	     a++)
		before += a->kind == argument->kind &&
			  a->access == argument->access;
	if (before == limit)
		return error_set(signature->error, "kernel '%s': argument "
				 "'%s': more than %u %s", kernel->name,
				 argument->name, limit, what);
	argument->number = first + before;
	return 0;
}

static int read_argument(const struct signature *signature,
			 const struct nodes *nodes, LLVMValueRef function,
			 unsigned index, uint32_t *end,
			 struct evg_kernel *kernel,
			 struct evg_argument *argument)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, index));
	uint32_t alignment = LLVMABIAlignmentOfType(signature->layout, type);
	char *base_type = node_text(&nodes->base_types, index);
	char *text = node_text(&nodes->type_qualifiers, index);

	argument->qualifiers = qualifiers_of(text);
	free(text);
	text = node_text(&nodes->accesses, index);
	argument->access = access_of(text);
	free(text);
	argument->name = node_text(&nodes->names, index);
	argument->type_name = node_text(&nodes->types, index);
	argument->address_space =
		(enum evg_address_space)node_number(&nodes->spaces, index);
	argument->size =
		(uint32_t)LLVMABISizeOfType(signature->layout, type);
	argument->alignment = alignment;
	if (!strcmp(base_type, "sampler_t"))
		argument->kind = EVG_ARGUMENT_SAMPLER;
	else if (argument->access != EVG_ACCESS_NONE)
		argument->kind = EVG_ARGUMENT_IMAGE;
	else if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		argument->kind = EVG_ARGUMENT_POINTER;
	else
		argument->kind = EVG_ARGUMENT_VALUE;
	free(base_type);
	if (argument->kind == EVG_ARGUMENT_POINTER)
		argument->alignment = pointee_alignment(function, index);
	if ((argument->kind == EVG_ARGUMENT_IMAGE ||
	     argument->kind == EVG_ARGUMENT_SAMPLER) &&
	    number_argument(signature, kernel, argument))
		return -1;
	*end = (*end + alignment - 1) / alignment * alignment;
	argument->offset = EVG_ARGUMENTS_START + *end;
	*end += argument->size;
	if (argument->size > EVG_CONSTANT_BUFFER_SIZE ||
	    *end > EVG_CONSTANT_BUFFER_SIZE / 2)
		return error_set(signature->error,
				 "kernel '%s': argument %u ('%s') ends %u bytes "
				 "into the arguments; at most %d fit",
				 LLVMGetValueName(function), index,
				 argument->name, *end,
				 EVG_CONSTANT_BUFFER_SIZE / 2);
	return 0;
}

static int read_kernel(const struct signature *signature,
		       LLVMValueRef function, struct evg_kernel *kernel)
{
	unsigned count = LLVMCountParams(function);
	struct evg_argument *arguments;
	struct nodes nodes;
	uint32_t end = 0;
	int status = 0;

	kernel->name = xstrdup(LLVMGetValueName(function));
	read_nodes(signature, function, &nodes);
	read_attributes(&nodes, kernel);
	if (nodes.types.count != count || nodes.spaces.count != count ||
	    count > EVG_ARGUMENT_COUNT_MAX)
		status = error_set(signature->error,
				   "kernel '%s': clang passes its %u arguments "
				   "as %u values; m2s-clc expects one each",
				   kernel->name, nodes.types.count, count);
	arguments = xcalloc((size_t)count + 1, sizeof *arguments);
	kernel->arguments = arguments;
	for (unsigned i = 0; !status && i < count; i++) {
		kernel->argument_count = i + 1;
		status = read_argument(signature, &nodes, function, i, &end,
				       kernel, &arguments[i]);
	}
	kernel->tail_offset = EVG_ARGUMENTS_START + (end + 3) / 4 * 4;
	free_nodes(&nodes);
	return status;
}

struct evg_program *signature_read(LLVMModuleRef module,
				   const char *build_options,
				   struct error *error)
{
	struct signature signature = {
		LLVMGetModuleContext(module),
		LLVMGetModuleDataLayout(module),
		error,
	};
	struct evg_program *program = xcalloc(1, sizeof *program);
	uint32_t capacity = 0;
	LLVMValueRef function;

	program->build_options = xstrdup(build_options);
	for (function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function)) {
		struct evg_kernel *kernel;

		if (!is_kernel(function))
			continue;
		ARRAY_GROW(program->kernels, program->kernel_count, capacity);
		kernel = &program->kernels[program->kernel_count++];
		memset(kernel, 0, sizeof *kernel);
		kernel->program = program;
		if (read_kernel(&signature, function, kernel)) {
			evg_program_free(program);
			return NULL;
		}
	}
	return program;
}
