/* What stands before all kernels: tables of constants, and functions. */
#include "codegen/random/print.h"

static void print_table(FILE *out, enum element element)
{
	struct value value;

	fprintf(out, "constant %s table_%s[%u] = {\n", element_names[element],
		element_names[element], ENTRIES);
	for (unsigned i = 0; i < ENTRIES; i++) {
		table_value(element, i, &value, 0);
		fputs("\t", out);
		print_number(out, element, &value, 0);
		fputs(",\n", out);
	}
	fputs("};\n", out);
}

/* Addresses between numbers of other sizes. */
static void print_places(FILE *out)
{
	fputs("typedef struct {\n\tchar before;\n\tconstant uint *place;\n"
	      "\tshort behind;\n} place;\n", out);
	fprintf(out, "constant place places[%u] = {\n", PLACES);
	for (unsigned i = 0; i < PLACES; i++)
		fprintf(out, "\t{ %d, table_uint + %u, %d },\n", -(int)i - 1,
			place_of(i), 2 * (int)i + 1);
	fputs("};\n"
	      "uint read_place(int i)\n{\n"
	      "\treturn *places[i].place + places[i].before + "
	      "places[i].behind;\n}\n", out);
}

static void print_over(FILE *out, const char *name, const char *type)
{
	fprintf(out, "OVERLOADED %s %s_over(%s a, %s b)\n{\n\t%s r;\n"
		"\treturn __builtin_%s_overflow(a, b, &r) ? (%s)~r : r;\n"
		"}\n", type, name, type, type, type, name, type);
}

static void print_bits(FILE *out, enum element element)
{
	const char *type = element_names[element];
	const char *whole = element_names[element | 1];
	unsigned bits = element_bits(element);

	fprintf(out, "OVERLOADED %s reverse(%s a)\n{\n"
		"\treturn (%s)__builtin_bitreverse%u((%s)a);\n}\n",
		type, type, type, bits, whole);
	if (bits == 8)
		fprintf(out, "OVERLOADED %s bytes(%s a)\n{\n\treturn a;\n}\n",
			type, type);
	else
		fprintf(out, "OVERLOADED %s bytes(%s a)\n{\n"
			"\treturn (%s)__builtin_bswap%u((%s)a);\n}\n",
			type, type, type, bits, whole);
	fprintf(out, "OVERLOADED %s behind(%s a)\n{\n"
		"\treturn a ? (%s)__builtin_ctz%s((%s)a) : (%s)%u;\n}\n",
		type, type, type, bits == 64 ? "l" : "", whole, type, bits);
	fprintf(out, "OVERLOADED %s funnel(%s a, %s b, %s c)\n{\n"
		"\tuint n = (uint)c & %u;\n"
		"\treturn n ? (%s)((%s)a << n | (%s)b >> (%u - n)) : a;\n"
		"}\n", type, type, type, type, bits - 1, type, whole, whole,
		bits);
}

static void print_wide(FILE *out, const char *type)
{
	static const struct {
		const char *name, *result;
	} functions[] = {
		{ "add", "(x + y) >> 61" },
		{ "sub", "(x - y) >> 61" },
		{ "mul", "x * y >> 64" },
		{ "left", "x << (c & 127) >> 64" },
		{ "right", "x >> (c & 127)" },
		{ "signed", "(wide)x >> (c & 127)" },
		{ "less", "(wide)x < (wide)y" },
		{ "below", "x <= y" },
		{ "same", "x == (y ^ (uwide)(ulong)c << 64 ^ "
			  "(uwide)(ulong)a << 64)" },
		{ "turn", "(x << (c & 127) | x >> (-c & 127)) >> 32" },
		{ "least", "(x < y ? x : y) >> 40" },
		{ "full", "(x + y < x ? ~(uwide)0 : x + y) >> 62" },
		{ "tenth", "(x / 10 ^ y % 1000) >> 1" },
	};

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		fprintf(out, "OVERLOADED %s wide_%s(%s a, %s b, %s c)\n{\n"
			"\tuwide x = (uwide)(ulong)a << 64 | (ulong)b;\n"
			"\tuwide y = (uwide)(ulong)c << 64 | (ulong)a;\n"
			"\treturn (%s)(%s);\n}\n",
			type, functions[i].name, type, type, type, type,
			functions[i].result);
}

void print_head(FILE *out)
{
	fputs("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	      "#pragma OPENCL FP_CONTRACT OFF\n"
	      "#define OVERLOADED static __attribute__((overloadable))\n"
	      "typedef unsigned _BitInt(128) uwide;\n"
	      "typedef _BitInt(128) wide;\n", out);
	for (unsigned e = 0; e < ELEMENTS; e++)
		print_table(out, (enum element)e);
	print_places(out);
	for (unsigned e = 0; e < FLOAT; e++) {
		print_over(out, "add", element_names[e]);
		print_over(out, "sub", element_names[e]);
		print_over(out, "mul", element_names[e]);
		print_bits(out, (enum element)e);
	}
	print_wide(out, "long");
	print_wide(out, "ulong");
}
