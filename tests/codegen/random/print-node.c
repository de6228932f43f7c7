/* Expressions as OpenCL C. */
#include "codegen/random/print.h"

const char *const buffer_names[SIZES] = { "char", "short", "int",
					  "long", "float", "double" };

static struct type unsigned_type(struct type type)
{
	if (!element_is_real(type.element))
		type.element |= 1;
	return type;
}

void print_number(FILE *out, enum element element,
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

void print_index(FILE *out, const struct node *node, unsigned count)
{
	fputc('(', out);
	print_node(out, node);
	fprintf(out, " & %u)", count - 1);
}

void print_lanes(FILE *out, const uint8_t *lanes, unsigned count)
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
	else if (operation_info[node->operation].style == OWN)
		fprintf(out, "(%s)(", type_name(type));
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
	bool call = info->style == CALL || info->style == OWN;
	bool cast = node->operation == ABS || node->operation == ABS_DIFF ||
		    (is_wrapping(node) && !small);

	fprintf(out, cast ? "as_%s(" : small ? "(%s)(" : "(",
		type_name(type));
	if (info->style != INFIX)
		fputs(info->text, out);
	for (unsigned k = 0; k < info->operands; k++) {
		if (k && info->style == INFIX)
			fprintf(out, " %s ", info->text);
		fputs(call && k ? ", " : "(", out);
		print_operand(out, node, k);
		if (!call)
			fputc(')', out);
	}
	fputs(call ? "))" : ")", out);
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

void print_zone(FILE *out, struct type type, const struct node *index,
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

static void print_table(FILE *out, const struct node *node)
{
	unsigned width = node->type.width;
	const char *name = element_names[node->type.element];

	if (width == 1)
		fprintf(out, "table_%s[", name);
	else
		fprintf(out, "vload%u(", width);
	print_index(out, node->kids[0], ENTRIES / table_step(width));
	if (width == 1)
		fputc(']', out);
	else
		fprintf(out, ", table_%s)", name);
}

void print_node(FILE *out, const struct node *node)
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
		print_table(out, node);
		break;
	case NODE_PLACES:
		fputs("read_place(", out);
		print_index(out, node->kids[0], PLACES);
		fputc(')', out);
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
