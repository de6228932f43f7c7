#include "fidelity/product.h"

#include <stdlib.h>

enum { N = PRODUCT_N };

unsigned product_row(const struct product *product)
{
	return product->transposed ? 16 : 17;
}

unsigned product_depth(const struct product *product)
{
	return product->transposed ? 4 : 16;
}

/* Of B a work-item (x, y) fetches k = x of the columns y, y + 4, y + 8 and
 * y + 12, or with T k = y of column x. */
static void prologue(struct text *text, const struct product_code *code,
		     const struct product *product, unsigned rounds)
{
	bool t = product->transposed;
	char across = t ? 'x' : 'y', down = t ? 'y' : 'x';
	unsigned shift = code->size == 8 ? 3 : 2;

	text_add(text,
		 ".kernel product\n.registers %u\n.stack 1\n"
		 ".argument global \"%s*\" a\n"
		 ".argument global \"%s*\" b\n"
		 ".argument global \"%s*\" c\n"
		 "ALU: KCACHE0(CB0:0-31)\n"
		 "0 x: LSHL R3.x, R1.x, 6\n"
		 "  y: LSHL R3.y, R1.y, 4\n"
		 "  z: LSHL R3.z, R0.y, 4\n"
		 "  t: MULLO_INT R2.w, R0.%c, %u\n"
		 "1 x: ADD_INT R3.x, PV.x, PV.z\n"
		 "  y: ADD_INT R2.y, PV.y, R0.%c\n"
		 "  w: ADD_INT R3.w, PS, R0.%c\n",
		 code->registers, code->type, code->type, code->type, down,
		 product_row(product), across, across);
	text_add(text,
		 "2 x: ADD_INT R3.x, PV.x, R0.x\n"
		 "  w: LSHL R3.w, PV.w, %u\n"
		 "  t: MULLO_INT R2.z, %s, %u\n"
		 "3 x: LSHL R2.x, PV.x, %u\n"
		 "  y: ADD_INT R2.y, PS, %s\n"
		 "4 x: ADD_INT R2.x, PV.x, KC0[2].y\n"
		 "  y: LSHL R2.y, PV.y, %u\n"
		 "5 y: ADD_INT R2.y, PV.y, KC0[2].z\n"
		 "  w: MOV R2.w, %u\n",
		 shift, t ? "R0.y" : "PV.y",
		 t ? N : rounds * product_depth(product), shift,
		 t ? "R2.y" : "R0.x", shift, rounds);
	for (unsigned r = code->sums; r < code->behind_sums; r++)
		text_add(text,
			 "0 x: MOV R%u.x, 0\n  y: MOV R%u.y, 0\n"
			 "  z: MOV R%u.z, 0\n  w: MOV R%u.w, 0\n",
			 r, r, r, r);
}

static void next_round(struct text *text, const struct product_code *code,
		       const struct product *product)
{
	unsigned bytes = product_depth(product) * code->size;

	text_add(text,
		 "0 x: GROUP_BARRIER\n"
		 "1 x: ADD_INT R2.x, R2.x, %u\n"
		 "  y: ADD_INT R2.y, R2.y, %u\n",
		 bytes * code->m, product->transposed ? bytes * N : bytes);
}

static struct evg_program *assemble(const struct product_code *code,
				    const struct product *product,
				    unsigned rounds)
{
	struct text text;

	text_begin(&text);
	prologue(&text, code, product, rounds);
	text_add(&text, "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
			"ALU_BREAK:\n"
			"0 x: PREDNE_INT ____, R2.w, 0 UPDATE_EXEC_MASK\n"
			"  w: ADD_INT R2.w, R2.w, -1\n");
	code->operands(&text, product, rounds);
	next_round(&text, code, product);
	code->products(&text, product);
	text_add(&text, "ALU:\n0 x: GROUP_BARRIER\n"
			"ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n");
	code->store(&text);
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* Small integers: sums are exact. */
static double element(uint32_t row, uint32_t column)
{
	return (double)((row * 7 + column * 3) % 11) - 5;
}

static void set(void *array, const struct product_code *code, size_t i,
		double value)
{
	if (code->size == 8)
		((double *)array)[i] = value;
	else
		((float *)array)[i] = (float)value;
}

static double get(const void *array, const struct product_code *code, size_t i)
{
	return code->size == 8 ? ((const double *)array)[i]
			       : (double)((const float *)array)[i];
}

static void verify(const void *c, const struct product_code *code,
		   uint32_t depth)
{
	for (uint32_t row = 0; row < code->m; row++)
		for (uint32_t j = row % 13; j < N; j += 97) {
			double found = get(c, code, j * code->m + row), sum = 0;

			for (uint32_t k = 0; k < depth; k++)
				sum += element(row, k) * element(k, j + 1);
			if (sum == found)
				continue;
			fprintf(stderr,
				"fidelity: product: C[%u][%u] is %g, not %g\n",
				row, j, found, sum);
			exit(1);
		}
}

static double cycles_of_rounds(struct table *table,
			       const struct product_code *code,
			       const struct product *product, unsigned rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = assemble(code, product, rounds);
	uint32_t depth = rounds * product_depth(product);
	uint32_t size = code->size, m = code->m;
	struct launch launch = {
	    .program = program,
	    .global = {m / PRODUCT_TILE * 16, N / PRODUCT_COLUMNS * 4},
	    .local = {16, 4},
	    .local_memory =
		product_depth(product) * product_row(product) * size,
	    .arguments = {device_allocate(device, m * depth * size),
			  device_allocate(device, N * depth * size),
			  device_allocate(device, m * N * size)},
	};
	void *a = device_bytes(device, launch.arguments[0], m * depth * size);
	void *b = device_bytes(device, launch.arguments[1], N * depth * size);
	double cycles;

	for (uint32_t k = 0; k < depth; k++) {
		for (uint32_t row = 0; row < m; row++)
			set(a, code, k * m + row, element(row, k));
		for (uint32_t j = 0; j < N; j++)
			set(b, code,
			    product->transposed ? k * N + j : j * depth + k,
			    element(k, j + 1));
	}
	cycles = (double)device_run(device, &launch);
	verify(device_bytes(device, launch.arguments[2], m * N * size), code,
	       depth);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

/* GFLOPS of 128 k, without beginning and end. */
static double rate(struct table *table, const struct product_code *code,
		   const struct product *product)
{
	enum { FEW = 64, MANY = 192 };
	unsigned depth = product_depth(product);
	double cycles = cycles_of_rounds(table, code, product, MANY / depth) -
			cycles_of_rounds(table, code, product, FEW / depth);

	return 2.0 * code->m * N * (MANY - FEW) / cycles *
	       table_options(table)->config.frequency / 1000;
}

void product_rows(struct table *table, const struct product_code *code,
		  const struct product *product, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (table_wants_row(table, product[i].name))
			table_row(table, KIND_HAND, product[i].name,
				  product[i].published, "GFLOPS", "SHOC 2.6",
				  NULL, rate(table, code, &product[i]));
}
