/* The time of divisions and square roots by what they divide. The rows of the
 * uop tables were measured with values that are divided fast. */
#ifndef M2S_X86_TIMING_UOPS_DIVIDE_H
#define M2S_X86_TIMING_UOPS_DIVIDE_H

#include <stdbool.h>
#include <stdint.h>

struct x86_template;

/* Cycles more than the row says. */
struct x86_division_time {
	int8_t latency, busy; /* of the result, of the divider */
};

enum x86_precision {
	X86_PRECISION_SINGLE, X86_PRECISION_DOUBLE, X86_PRECISION_EXTENDED,
	X86_PRECISIONS
};

/* The figures of one core: divide.def. */
struct x86_divider {
	const char *core;
	/* DIV and IDIV: quotients that are not 0; of more than 2 and of more
	 * than 5 hexadecimal digits; without a remainder. */
	struct x86_division_time any, some, many, exact;
	/* Of more than one digit: for each digit. */
	struct x86_division_time digit;
	/* Of more than 8 bits: for each bit of the dividend; of DIV for those
	 * beyond the first `hidden`. */
	struct x86_division_time dividend;
	uint8_t hidden;
	/* Those of 64 bits whose dividend needs its upper half, with a
	 * divisor of up to 32 bits or a power of two, and with others. */
	struct x86_division_time upper, upper_long;
	/* Floating-point numbers whose quotient or root has all digits. */
	struct x86_division_time fraction[X86_PRECISIONS],
		root[X86_PRECISIONS];
};

const struct x86_divider *x86_divider_find(const char *core);

/* What the instruction takes besides its row's figures. `division`: what came
 * out (enum x86_division); `dividend`: the bits of what was divided (both of
 * struct x86_record). */
struct x86_division_time x86_division_time(const struct x86_template *form,
					   uint8_t division, uint8_t dividend);

#endif
