/* Kernels as OpenCL C. */
#include "codegen/random/print.h"

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
