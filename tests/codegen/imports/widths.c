#include "codegen/imports/widths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "codegen/imports/script.h"
#include "unit/random.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

enum { BITS = 128, LANES = 16, WIDEST_QUOTIENT = 64 };

/* Operands of a lane: two numbers, a number of bits to shift by, a divisor. */
enum { X, Y, SHIFT, DIVISOR, OPERANDS };

static u128 mask(unsigned width)
{
	return width == BITS ? ~(u128)0 : ((u128)1 << width) - 1;
}

static s128 extend(u128 value, unsigned width)
{
	return (s128)(value << (BITS - width)) >> (BITS - width);
}

/* --- What is expected ----------------------------------------------------- */

struct numbers {
	u128 x, y, divisor; /* within their width */
	s128 sx, sy, sd;
	unsigned shift, width;
};

static u128 add(const struct numbers *n) { return n->x + n->y; }
static u128 subtract(const struct numbers *n) { return n->x - n->y; }
static u128 multiply(const struct numbers *n) { return n->x * n->y; }
static u128 both(const struct numbers *n) { return n->x & n->y; }
static u128 either(const struct numbers *n) { return n->x | n->y; }
static u128 differ(const struct numbers *n) { return n->x ^ n->y; }
static u128 left(const struct numbers *n) { return n->x << n->shift; }
static u128 right(const struct numbers *n) { return n->x >> n->shift; }
static u128 down(const struct numbers *n) { return (u128)(n->sx >> n->shift); }
static u128 quotient(const struct numbers *n) { return n->x / n->divisor; }
static u128 rest(const struct numbers *n) { return n->x % n->divisor; }
static u128 signed_quotient(const struct numbers *n)
{
	return (u128)(n->sx / n->sd);
}
static u128 signed_rest(const struct numbers *n)
{
	return (u128)(n->sx % n->sd);
}
static u128 equal(const struct numbers *n) { return n->x == n->y; }
static u128 unequal(const struct numbers *n) { return n->x != n->y; }
static u128 above(const struct numbers *n) { return n->x > n->y; }
static u128 not_below(const struct numbers *n) { return n->x >= n->y; }
static u128 below(const struct numbers *n) { return n->x < n->y; }
static u128 not_above(const struct numbers *n) { return n->x <= n->y; }
static u128 greater(const struct numbers *n) { return n->sx > n->sy; }
static u128 not_less(const struct numbers *n) { return n->sx >= n->sy; }
static u128 less(const struct numbers *n) { return n->sx < n->sy; }
static u128 not_greater(const struct numbers *n) { return n->sx <= n->sy; }

static u128 least(const struct numbers *n)
{
	return n->sx < n->sy ? n->x : n->y;
}
static u128 most(const struct numbers *n)
{
	return n->sx > n->sy ? n->x : n->y;
}
static u128 lowest(const struct numbers *n)
{
	return n->x < n->y ? n->x : n->y;
}
static u128 highest(const struct numbers *n)
{
	return n->x > n->y ? n->x : n->y;
}
static u128 magnitude(const struct numbers *n)
{
	return n->sx < 0 ? -n->x : n->x;
}

static u128 ones(const struct numbers *n)
{
	u128 count = 0;

	for (unsigned k = 0; k < n->width; k++)
		count += n->x >> k & 1;
	return count;
}

static u128 zeros_ahead(const struct numbers *n)
{
	unsigned count = 0;

	while (count < n->width && !(n->x >> (n->width - 1 - count) & 1))
		count++;
	return count;
}

static u128 zeros_behind(const struct numbers *n)
{
	unsigned count = 0;

	while (count < n->width && !(n->x >> count & 1))
		count++;
	return count;
}

static u128 backwards(const struct numbers *n)
{
	u128 result = 0;

	for (unsigned k = 0; k < n->width; k++)
		result |= (n->x >> k & 1) << (n->width - 1 - k);
	return result;
}

static u128 funnel_left(const struct numbers *n)
{
	return n->shift ? n->x << n->shift | n->y >> (n->width - n->shift)
			: n->x;
}

static u128 funnel_right(const struct numbers *n)
{
	return n->shift ? n->x << (n->width - n->shift) | n->y >> n->shift
			: n->y;
}

static u128 long_signed(const struct numbers *n) { return (u128)n->sx; }
static u128 half(const struct numbers *n)
{
	return n->x & mask((n->width + 1) / 2);
}

/* An operation, its operands as it names them, and from which width to which it
 * is. W stands for the type. */
static const struct {
	const char *text;
	u128 (*expected)(const struct numbers *n);
	unsigned least, most;
	enum { SAME, TRUTH, WHOLE, HALF } result;
} operations[] = {
	{ "add W %x, %y", add, 1, BITS, SAME },
	{ "sub W %x, %y", subtract, 1, BITS, SAME },
	{ "mul W %x, %y", multiply, 1, BITS, SAME },
	{ "and W %x, %y", both, 1, BITS, SAME },
	{ "or W %x, %y", either, 1, BITS, SAME },
	{ "xor W %x, %y", differ, 1, BITS, SAME },
	{ "shl W %x, %s", left, 2, BITS, SAME },
	{ "lshr W %x, %s", right, 2, BITS, SAME },
	{ "ashr W %x, %s", down, 2, BITS, SAME },
	{ "udiv W %x, %d", quotient, 2, WIDEST_QUOTIENT, SAME },
	{ "urem W %x, %d", rest, 2, WIDEST_QUOTIENT, SAME },
	{ "sdiv W %x, %d", signed_quotient, 2, WIDEST_QUOTIENT, SAME },
	{ "srem W %x, %d", signed_rest, 2, WIDEST_QUOTIENT, SAME },
	{ "icmp eq W %x, %y", equal, 1, BITS, TRUTH },
	{ "icmp ne W %x, %y", unequal, 1, BITS, TRUTH },
	{ "icmp ugt W %x, %y", above, 1, BITS, TRUTH },
	{ "icmp uge W %x, %y", not_below, 1, BITS, TRUTH },
	{ "icmp ult W %x, %y", below, 1, BITS, TRUTH },
	{ "icmp ule W %x, %y", not_above, 1, BITS, TRUTH },
	{ "icmp sgt W %x, %y", greater, 1, BITS, TRUTH },
	{ "icmp sge W %x, %y", not_less, 1, BITS, TRUTH },
	{ "icmp slt W %x, %y", less, 1, BITS, TRUTH },
	{ "icmp sle W %x, %y", not_greater, 1, BITS, TRUTH },
	{ "sext W %x to i128", long_signed, 1, BITS - 1, WHOLE },
	{ "trunc W %x to H", half, 2, BITS, HALF },
	{ "call W @llvm.smin.W(W %x, W %y)", least, 2, BITS, SAME },
	{ "call W @llvm.smax.W(W %x, W %y)", most, 2, BITS, SAME },
	{ "call W @llvm.umin.W(W %x, W %y)", lowest, 2, BITS, SAME },
	{ "call W @llvm.umax.W(W %x, W %y)", highest, 2, BITS, SAME },
	{ "call W @llvm.abs.W(W %x, i1 false)", magnitude, 2, BITS, SAME },
	{ "call W @llvm.ctpop.W(W %x)", ones, 1, BITS, SAME },
	{ "call W @llvm.ctlz.W(W %x, i1 false)", zeros_ahead, 2, BITS, SAME },
	{ "call W @llvm.cttz.W(W %x, i1 false)", zeros_behind, 1, BITS, SAME },
	{ "call W @llvm.bitreverse.W(W %x)", backwards, 1, BITS, SAME },
	{ "call W @llvm.fshl.W(W %x, W %y, W %s)", funnel_left, 2, BITS, SAME },
	{ "call W @llvm.fshr.W(W %x, W %y, W %s)", funnel_right, 2, BITS,
	  SAME },
};

enum { RESULTS = ARRAY_SIZE(operations) };

static bool has(size_t operation, unsigned width)
{
	return width >= operations[operation].least &&
	       width <= operations[operation].most;
}

/* --- The kernel ----------------------------------------------------------- */

/* W and H become types. */
static void print_types(FILE *out, const char *text, unsigned width)
{
	for (; *text; text++)
		if (*text == 'W')
			fprintf(out, "i%u", width);
		else if (*text == 'H')
			fprintf(out, "i%u", (width + 1) / 2);
		else
			fputc(*text, out);
}

static void print_operand(FILE *out, const char *name, unsigned place,
			  unsigned width)
{
	fprintf(out, "  %%p%s = getelementptr i128, ptr addrspace(1) %%pa, "
		"i32 %u\n  %%l%s = load i128, ptr addrspace(1) %%p%s, "
		"align 4\n", name, place, name, name);
	if (width == BITS)
		fprintf(out, "  %%%s = xor i128 %%l%s, 0\n", name, name);
	else
		fprintf(out, "  %%%s = trunc i128 %%l%s to i%u\n", name, name,
			width);
}

static void print_result(FILE *out, size_t k, unsigned width)
{
	unsigned made = operations[k].result == TRUTH  ? 1
			: operations[k].result == HALF ? (width + 1) / 2
			: operations[k].result == SAME ? width
						       : BITS;

	fprintf(out, "  %%v%zu = ", k);
	print_types(out, operations[k].text, width);
	if (made == BITS)
		fprintf(out, "\n  %%z%zu = or i128 %%v%zu, 0\n", k, k);
	else
		fprintf(out, "\n  %%z%zu = zext i%u %%v%zu to i128\n", k, made,
			k);
	fprintf(out, "  %%q%zu = getelementptr i128, ptr addrspace(1) %%pr, "
		"i32 %zu\n  store i128 %%z%zu, ptr addrspace(1) %%q%zu, "
		"align 4\n", k, k, k, k);
}

static bool write_kernel(const char *folder, unsigned width)
{
	static const char declarations[] =
		"declare i32 @llvm.r600.read.tidig.x()\n"
		"declare W @llvm.smin.W(W, W)\ndeclare W @llvm.smax.W(W, W)\n"
		"declare W @llvm.umin.W(W, W)\ndeclare W @llvm.umax.W(W, W)\n"
		"declare W @llvm.abs.W(W, i1)\ndeclare W @llvm.ctpop.W(W)\n"
		"declare W @llvm.ctlz.W(W, i1)\n"
		"declare W @llvm.cttz.W(W, i1)\n"
		"declare W @llvm.bitreverse.W(W)\n"
		"declare W @llvm.fshl.W(W, W, W)\n"
		"declare W @llvm.fshr.W(W, W, W)\n";
	char *globals = NULL, *body = NULL;
	size_t size;
	FILE *out = open_memstream(&globals, &size);
	bool done;

	print_types(out, declarations, width);
	fclose(out);
	out = open_memstream(&body, &size);
	fprintf(out, "  %%id = call i32 @llvm.r600.read.tidig.x()\n"
		"  %%pa = getelementptr [%d x i128], ptr addrspace(1) %%a, "
		"i32 %%id\n"
		"  %%pr = getelementptr [%d x i128], ptr addrspace(1) %%r, "
		"i32 %%id\n", OPERANDS, RESULTS);
	print_operand(out, "x", X, width);
	print_operand(out, "y", Y, width);
	print_operand(out, "s", SHIFT, width);
	print_operand(out, "d", DIVISOR, width);
	for (size_t k = 0; k < RESULTS; k++)
		if (has(k, width))
			print_result(out, k, width);
	fputs("  ret void\n", out);
	fclose(out);
	done = script_write(folder, globals, body);
	free(globals);
	free(body);
	return done;
}

/* --- Runs ----------------------------------------------------------------- */

/* Numbers at the ends of the range, small ones, and any; what lies above the
 * width is any. */
static u128 draw(uint64_t *state, unsigned width)
{
	u128 any = (u128)random_draw(state) << 64 | random_draw(state);
	u128 low;

	switch (random_draw(state) >> 40 & 7) {
	case 0:
		low = (u128)1 << (width - 1);
		break;
	case 1:
		low = ((u128)1 << (width - 1)) - 1;
		break;
	case 2:
		low = ~(u128)0;
		break;
	case 3:
		low = any >> 125;
		break;
	case 4:
		low = any & ~(u128)0xffffffff;
		break;
	default:
		low = any;
		break;
	}
	return (low & mask(width)) | (any & ~mask(width));
}

static void draw_operands(u128 (*operands)[OPERANDS], unsigned width)
{
	uint64_t state = width;

	for (unsigned i = 0; i < LANES; i++) {
		u128 *own = operands[i];

		own[X] = draw(&state, width);
		own[Y] = draw(&state, width);
		if (i % 4 == 1)
			own[Y] = own[X] ^ (u128)(i == 5) << (width - 1);
		own[SHIFT] = (random_draw(&state) >> 40) % width |
			     (own[Y] & ~mask(width));
		own[DIVISOR] = draw(&state, width) | 1;
		/* The quotient would be none. */
		if ((own[DIVISOR] & mask(width)) == mask(width))
			own[DIVISOR] = 1;
	}
}

static bool compare(u128 (*operands)[OPERANDS], u128 (*results)[RESULTS],
		    unsigned width)
{
	for (unsigned i = 0; i < LANES; i++) {
		struct numbers n = {
			.x = operands[i][X] & mask(width),
			.y = operands[i][Y] & mask(width),
			.divisor = operands[i][DIVISOR] & mask(width),
			.shift = (unsigned)(operands[i][SHIFT] & mask(width)),
			.width = width,
		};

		n.sx = extend(n.x, width);
		n.sy = extend(n.y, width);
		n.sd = extend(n.divisor, width);
		for (size_t k = 0; k < RESULTS; k++) {
			u128 expected = operations[k].expected(&n);

			if (operations[k].result == SAME)
				expected &= mask(width);
			if (!has(k, width) || results[i][k] == expected)
				continue;
			printf("# i%u: %s: lane %u: %016llx%016llx\n", width,
			       operations[k].text, i,
			       (unsigned long long)(results[i][k] >> 64),
			       (unsigned long long)results[i][k]);
			return false;
		}
	}
	return true;
}

static bool check(const char *folder, unsigned width, const char *options)
{
	static u128 operands[LANES][OPERANDS], results[LANES][RESULTS];
	const struct elementwise buffers = {
		.count = LANES, .local_size = LANES, .operands = operands,
		.operand_count = 1, .operand_size = sizeof operands,
		.results = results, .result_size = sizeof results,
	};
	struct evg_program *program = NULL;
	const struct evg_kernel *kernel;
	struct clc_result compiled;
	struct error error = { "" };
	bool right = false;

	if (!write_kernel(folder, width))
		return false;
	draw_operands(operands, width);
	memset(results, 0, sizeof results);
	compiled = compile_text("kernel void f() {}", options);
	if (compiled.status == CLC_DONE)
		program = evg_program_read("f", compiled.binary,
					   compiled.binary_size, &error);
	kernel = program ? evg_program_find(program, "f") : NULL;
	if (!kernel || run_elementwise(kernel, &buffers, &error))
		printf("# %s%s\n", compiled.log, error.text);
	else
		right = compare(operands, results, width);
	evg_program_free(program);
	clc_result_free(&compiled);
	return right;
}

int widths_check(const char *folder)
{
	static const unsigned widths[] = { 1, 2, 3, 7, 8, 9, 16, 17, 24, 31,
					   32, 33, 40, 48, 63, 64, 65, 96, 100,
					   127, 128 };
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		for (unsigned optimized = 0; optimized < 2; optimized++) {
			const char *options =
				optimized ? "" : "-cl-opt-disable";
			bool right = check(folder, widths[i], options);

			failed += !right;
			printf("%sok - imports: integers of %u bits %s\n",
			       right ? "" : "not ", widths[i], options);
		}
	return failed;
}
