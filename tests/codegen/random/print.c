/* Kernels as OpenCL C. */
#include "codegen/random/program.h"

static const char *const buffer_names[SIZES] = { "char",  "short", "int",
						 "long",  "float", "double" };

static void print_node(FILE *out, const struct node *node);

static struct type unsigned_type(struct type type)
{
	if (!element_is_real(type.element))
		type.element |= 1;
	return type;
}

static void print_number(FILE *out, enum element element,
			 const struct value *value, unsigned lane)
{
	if (element == FLOAT)
		fprintf(out, "%af", value->real[lane]);
	else if (element == DOUBLE)
		fprintf(out, "%a", value->real[lane]);
	else
		fprintf(out, "(%s)0x%llx%s", element_names[element],
			(unsigned long long)element_cut(
				element_bits(element) == 64 ? ULONG
				: element_bits(element) == 32
					? UINT
					: (enum element)(element | 1),
				value->bits[lane]),
			element_bits(element) == 64 ? "UL" : "U");
}

static void print_constant(FILE *out, struct type type,
			   const struct value *value)
{
	fprintf(out, "(%s)(", type_name(type));
	for (unsigned i = 0; i < type.width; i++) {
		fputs(i ? ", " : "", out);
		print_number(out, type.element, value, i);
	}
	fputc(')', out);
}

static void print_index(FILE *out, const struct node *node, unsigned count)
{
	fputc('(', out);
	print_node(out, node);
	fprintf(out, " & %u)", count - 1);
}

static void print_lanes(FILE *out, const uint8_t *lanes, unsigned count)
{
	fputs(".s", out);
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "%x", lanes[i]);
}

/* Sums and so on that must not overflow are of unsigned numbers. */
static bool is_wrapping(const struct node *node)
{
	switch (node->operation) {
	case ADD:
	case SUB:
	case MUL:
	case SHL:
	case NEGATE:
		return !element_is_real(node->type.element);
	default:
		return false;
	}
}

static void print_operand(FILE *out, const struct node *node, unsigned k)
{
	struct type type = node->type;
	bool small = type.width == 1 && element_bits(type.element) < 32;
	unsigned bits = element_bits(type.element);

	if (is_wrapping(node))
		fprintf(out, small ? "(uint)(" : "as_%s(",
			type_name(unsigned_type(type)));
	else
		fputc('(', out);
	print_node(out, node->kids[k]);
	fputc(')', out);
	if (k == 1 && (node->operation == SHL || node->operation == SHR))
		fprintf(out, " & (%s)%u",
			type_name(small && is_wrapping(node)
					  ? (struct type){ UINT, 1 }
				  : is_wrapping(node) ? unsigned_type(type)
						      : type),
			bits - 1);
	else if (k == 1 && (node->operation == DIV || node->operation == MOD))
		fprintf(out, " & (%s)0x%llx | (%s)1", type_name(type),
			(unsigned long long)element_cut(
				ULONG, UINT64_MAX >>
					       (64 - bits +
						element_is_signed(
							type.element))),
			type_name(type));
	else if (k < 2 &&
		 (node->operation == MUL24 || node->operation == MAD24))
		fprintf(out, " & (%s)0x7fffff", type_name(type));
}

static void print_operation(FILE *out, const struct node *node)
{
	const struct operation_info *info = &operation_info[node->operation];
	struct type type = node->type;
	bool small = type.width == 1 && element_bits(type.element) < 32;
	bool cast = node->operation == ABS || node->operation == ABS_DIFF ||
		    (is_wrapping(node) && !small);

	fprintf(out, cast ? "as_%s(" : small ? "(%s)(" : "(",
		type_name(type));
	if (info->style != INFIX)
		fputs(info->text, out);
	for (unsigned k = 0; k < info->operands; k++) {
		if (k && info->style == INFIX)
			fprintf(out, " %s ", info->text);
		fputs(info->style == CALL && k ? ", " : "(", out);
		print_operand(out, node, k);
		if (info->style != CALL)
			fputc(')', out);
	}
	fputs(info->style == CALL ? "))" : ")", out);
}

static void print_call(FILE *out, const struct node *node)
{
	static const char *const comparisons[] = { "<", "<=", "==", "!=" };
	struct type type = node->type;

	switch (node->kind) {
	case NODE_COMPARE:
		fputs("((", out);
		print_node(out, node->kids[0]);
		fprintf(out, ") %s (", comparisons[node->comparison]);
		print_node(out, node->kids[1]);
		fputs("))", out);
		return;
	case NODE_CHOOSE:
		/* Without the cast, narrow numbers become `int`. */
		if (type.width == 1)
			fprintf(out, "(%s)((", type_name(type));
		else
			fputs("select((", out);
		print_node(out, node->kids[type.width == 1 ? 0 : 2]);
		fputs(type.width == 1 ? ") ? (" : "), (", out);
		print_node(out, node->kids[1]);
		fputs(type.width == 1 ? ") : (" : "), (", out);
		print_node(out, node->kids[type.width == 1 ? 2 : 0]);
		fputs("))", out);
		return;
	case NODE_BITS_OF:
		fprintf(out, "as_%s(convert_%s(", type_name(type),
			type_name((struct type){
				element_bits(type.element) == 32 ? FLOAT
								 : DOUBLE,
				type.width }));
		print_node(out, node->kids[0]);
		fputs("))", out);
		return;
	case NODE_PICK:
		fputc('(', out);
		print_node(out, node->kids[0]);
		fputc(')', out);
		print_lanes(out, node->lanes, type.width);
		return;
	case NODE_BUILD:
		fprintf(out, "(%s)(", type_name(type));
		for (unsigned k = 0; k < node->kid_count; k++) {
			fputs(k ? ", " : "", out);
			print_node(out, node->kids[k]);
		}
		fputc(')', out);
		return;
	default:
		fprintf(out, "convert_%s%s(", type_name(type),
			node->kind == NODE_SATURATE ? "_sat" : "");
		print_node(out, node->kids[0]);
		fputc(')', out);
		return;
	}
}

/* A place in the work-item's zone, to load or store. */
static void print_zone(FILE *out, struct type type, const struct node *index,
		       bool aligned)
{
	const char *name = buffer_names[element_buffer(type.element)];
	unsigned width = type.width;

	if (aligned) {
		fprintf(out, "((global %s *)(out_%s + gid * %u + 16))[",
			type_name(type), name, ZONE);
		print_index(out, index, 16 / width);
		fputc(']', out);
		return;
	}
	fprintf(out, "(global %s *)out_%s + gid * %u + 16 + ",
		element_names[type.element], name, ZONE);
	print_index(out, index, width == 1 ? 16 : width < 16 ? 8 : 1);
}

static void print_load(FILE *out, const struct node *node)
{
	struct type type = node->type;
	const char *name = buffer_names[element_buffer(type.element)];

	if (node->kind == NODE_OWN && node->number) {
		print_zone(out, type, node->kids[0], true);
	} else if (node->kind == NODE_OWN) {
		fprintf(out, type.width == 1 ? "*(" : "vload%u(0, ",
			type.width);
		print_zone(out, type, node->kids[0], false);
		fputc(')', out);
	} else if (node->number || type.width == 1) {
		fprintf(out, "((global const %s *)in_%s)[", type_name(type),
			name);
		print_index(out, node->kids[0],
			    type.width == 1 ? INPUTS : 16);
		fputc(']', out);
	} else {
		fprintf(out, "vload%u(", type.width);
		print_index(out, node->kids[0], 16);
		fprintf(out, ", (global const %s *)in_%s)",
			element_names[type.element], name);
	}
}

static void print_node(FILE *out, const struct node *node)
{
	static const struct value nothing;

	if (node->zero) {
		print_constant(out, node->type, &nothing);
		return;
	}
	switch (node->kind) {
	case NODE_CONSTANT:
		print_constant(out, node->type, &node->constant);
		break;
	case NODE_VARIABLE:
		fprintf(out, "v%u", node->number);
		break;
	case NODE_ARRAY:
		fprintf(out, "v%u[", node->number);
		print_index(out, node->kids[0], ARRAY);
		fputc(']', out);
		break;
	case NODE_TABLE:
		fputs("table[", out);
		print_index(out, node->kids[0], 32);
		fputc(']', out);
		break;
	case NODE_SHARED:
		fprintf(out, "l%u[", node->number);
		print_index(out, node->kids[0],
			    node->comparison ? SHARED_COUNTERS : GROUP);
		fputc(']', out);
		break;
	case NODE_INPUT:
	case NODE_OWN:
		print_load(out, node);
		break;
	case NODE_LOCAL_ID:
		fputs("lid", out);
		break;
	case NODE_GLOBAL_ID:
		fputs("gid", out);
		break;
	case NODE_ARGUMENT:
		fputs("argument", out);
		break;
	case NODE_OPERATION:
		print_operation(out, node);
		break;
	default:
		print_call(out, node);
		break;
	}
}

/* --- Statements ----------------------------------------------------------- */

static void print_list(FILE *out, const struct statement *first,
		       unsigned depth);

static void print_tabs(FILE *out, unsigned depth)
{
	while (depth--)
		fputc('\t', out);
}

static void print_bound(FILE *out, const struct node *node)
{
	bool real = element_is_real(node->type.element);
	const char *suffix = node->type.element == FLOAT ? "f" : "";
	double bound = element_bound(node->type.element);

	fputs(real ? "clamp(rint(" : "", out);
	print_node(out, node);
	if (real)
		fprintf(out, "), %a%s, %a%s)", -bound, suffix, bound, suffix);
}

static void print_atomic(FILE *out, const struct statement *statement)
{
	static const char *const names[] = {
		"add", "sub", "min", "max",  "and",    "or",
		"xor", "inc", "dec", "xchg", "cmpxchg",
	};

	if (statement->kind == STATEMENT_RESULT)
		fprintf(out, "v%u = atomic_%s(own + gid * 4 + ",
			statement->number, names[statement->atomic]);
	else if (statement->kind == STATEMENT_COUNT)
		fprintf(out, "atomic_%s(l%u + ", names[statement->atomic],
			statement->number);
	else
		fprintf(out, "atomic_%s(counters + %u + ",
			names[statement->atomic],
			statement->atomic * COUNTERS);
	print_index(out, statement->index,
		    statement->kind == STATEMENT_RESULT  ? 4
		    : statement->kind == STATEMENT_COUNT ? SHARED_COUNTERS
							 : COUNTERS);
	if (statement->atomic == COMPARE_EXCHANGE) {
		fputs(", (", out);
		print_node(out, statement->value);
		fputs(") & 3", out);
	}
	if (statement->atomic != INCREMENT && statement->atomic != DECREMENT) {
		fputs(", ", out);
		print_node(out, statement->value);
	}
	fputs(");\n", out);
}

static void print_store(FILE *out, const struct statement *statement)
{
	bool call = !statement->aligned && statement->type.width > 1;

	if (call) {
		fprintf(out, "vstore%u(", statement->type.width);
		print_bound(out, statement->value);
		fputs(", 0, ", out);
	} else if (!statement->aligned) {
		fputs("*(", out);
	}
	print_zone(out, statement->type, statement->index, statement->aligned);
	fputs(call ? ")" : statement->aligned ? " = " : ") = ", out);
	if (!call)
		print_bound(out, statement->value);
	fputs(";\n", out);
}

static void print_block(FILE *out, const struct statement *statement,
			unsigned depth)
{
	unsigned number = statement->number;

	switch (statement->kind) {
	case STATEMENT_FOR:
	case STATEMENT_UNIFORM_FOR:
		fprintf(out, "for (int v%u = 0, n%u = ", number, number);
		print_index(out, statement->value, 8);
		fprintf(out, "; v%u < n%u; v%u++) {\n", number, number, number);
		break;
	case STATEMENT_WHILE:
		fprintf(out, "for (int v%u = 0; v%u < 5 && (", number, number);
		print_node(out, statement->value);
		fprintf(out, "); v%u++) {\n", number);
		break;
	default:
		fputs("if (", out);
		print_node(out, statement->value);
		fputs(") {\n", out);
		break;
	}
	print_list(out, statement->sides[0], depth + 1);
	if (statement->sides[1]) {
		print_tabs(out, depth);
		fputs("} else {\n", out);
		print_list(out, statement->sides[1], depth + 1);
	}
	print_tabs(out, depth);
	fputs("}\n", out);
}

static void print_switch(FILE *out, const struct statement *statement,
			 unsigned depth)
{
	static const char *const labels[] = { "case 0", "case 1", "default" };

	fputs("switch (", out);
	print_index(out, statement->value, 8);
	fputs(") {\n", out);
	for (unsigned k = 0; k < 3; k++) {
		print_tabs(out, depth);
		fprintf(out, "%s:\n", labels[k]);
		print_list(out, statement->sides[k], depth + 1);
		if (k || !statement->falls) {
			print_tabs(out, depth + 1);
			fputs("break;\n", out);
		}
	}
	print_tabs(out, depth);
	fputs("}\n", out);
}

static void print_simple(FILE *out, const struct statement *statement)
{
	unsigned number = statement->number;

	switch (statement->kind) {
	case STATEMENT_BREAK:
		fputs("break;\n", out);
		return;
	case STATEMENT_CONTINUE:
		fputs("continue;\n", out);
		return;
	case STATEMENT_RETURN:
		fputs("return;\n", out);
		return;
	case STATEMENT_BARRIER:
		fputs("barrier(CLK_LOCAL_MEM_FENCE);\n", out);
		return;
	case STATEMENT_CLEAR:
		fprintf(out, "if (lid < %u) l%u[lid] = 0;\n", SHARED_COUNTERS,
			number);
		return;
	case STATEMENT_ASSIGN:
		fprintf(out, "v%u", number);
		break;
	case STATEMENT_PART:
		fprintf(out, "v%u", number);
		print_lanes(out, statement->lanes, statement->value->type.width);
		break;
	case STATEMENT_ARRAY:
		fprintf(out, "v%u[", number);
		print_index(out, statement->index, ARRAY);
		fputc(']', out);
		break;
	default: /* SHARE */
		fprintf(out, "l%u[lid]", number);
		break;
	}
	fputs(" = ", out);
	print_bound(out, statement->value);
	fputs(";\n", out);
}

static void print_list(FILE *out, const struct statement *first, unsigned depth)
{
	for (; first; first = first->next) {
		if (first->gone)
			continue;
		print_tabs(out, depth);
		switch (first->kind) {
		case STATEMENT_IF:
		case STATEMENT_UNIFORM_IF:
		case STATEMENT_FOR:
		case STATEMENT_UNIFORM_FOR:
		case STATEMENT_WHILE:
			print_block(out, first, depth);
			break;
		case STATEMENT_SWITCH:
			print_switch(out, first, depth);
			break;
		case STATEMENT_ATOMIC:
		case STATEMENT_RESULT:
		case STATEMENT_COUNT:
			print_atomic(out, first);
			break;
		case STATEMENT_STORE:
			print_store(out, first);
			break;
		default:
			print_simple(out, first);
			break;
		}
	}
}

/* --- Kernels -------------------------------------------------------------- */

void print_head(FILE *out)
{
	fputs("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	      "#pragma OPENCL FP_CONTRACT OFF\n"
	      "constant uint table[32] = {\n", out);
	for (unsigned i = 0; i < 32; i++)
		fprintf(out, "\t0x%08xU,\n", (uint32_t)table_entry(i));
	fputs("};\n", out);
}

static void print_variable(FILE *out, const struct variable *variable,
			   unsigned number)
{
	fprintf(out, "\t%s v%u", type_name(variable->type), number);
	if (variable->kind == PRIVATE_ARRAY) {
		fprintf(out, "[%u] = { 0 };\n", ARRAY);
		return;
	}
	fputs(" = ", out);
	print_bound(out, variable->start);
	fputs(";\n", out);
}

static void print_home(FILE *out, const struct variable *variable,
		       unsigned number)
{
	struct type type = variable->type;
	const char *name = buffer_names[element_buffer(type.element)];

	if (type.width == 1)
		fprintf(out, "\tout_%s[gid * %u + %u] = v%u;\n", name, ZONE,
			variable->home, number);
	else
		fprintf(out, "\tvstore%u(v%u, 0, (global %s *)out_%s + gid * "
			"%u + %u);\n", type.width, number,
			element_names[type.element], name, ZONE,
			variable->home);
}

void print_kernel(FILE *out, const struct kernel *kernel)
{
	fprintf(out, "kernel void k%u(", kernel->number);
	for (unsigned i = 0; i < SIZES; i++)
		fprintf(out, "global const %s *in_%s, global %s *out_%s,\n\t",
			buffer_names[i], buffer_names[i], buffer_names[i],
			buffer_names[i]);
	fputs("global int *counters, global int *own, int argument)\n{\n"
	      "\tint gid = get_global_id(0), lid = get_local_id(0);\n", out);
	for (unsigned i = 0; i < kernel->shared_count; i++)
		fprintf(out, "\tlocal %s l%u[%u];\n",
			kernel->shared[i].width ? type_name(kernel->shared[i])
						: "int",
			i, kernel->shared[i].width ? GROUP : SHARED_COUNTERS);
	for (unsigned v = 0; v < kernel->variable_count; v++)
		if (kernel->variables[v].kind != COUNTER)
			print_variable(out, &kernel->variables[v], v);
	print_list(out, kernel->body, 1);
	for (unsigned v = 0; v < kernel->variable_count; v++)
		if (kernel->variables[v].kind == PLAIN)
			print_home(out, &kernel->variables[v], v);
	fputs("}\n", out);
}
