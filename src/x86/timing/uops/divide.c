#include "x86/timing/uops/divide.h"

#include <string.h>

#include "base/memory.h"
#include "x86/emu/step.h"
#include "x86/timing/uops/uop.h"

/* Keeps the commas of an initializer together. */
#define R(...) __VA_ARGS__
#define DIVIDER(core, any, some, many, exact, upper, upper_long, digit, \
		dividend, hidden, fraction, root) \
	{ core, any, some, many, exact, digit, dividend, hidden, upper, \
	  upper_long, fraction, root },
static const struct x86_divider dividers[] = {
#include "x86/timing/uops/divide.def"
};

const struct x86_divider *x86_divider_find(const char *core)
{
	for (unsigned i = 0; i < ARRAY_SIZE(dividers); i++)
		if (!strcmp(dividers[i].core, core))
			return &dividers[i];
	return NULL;
}

static struct x86_division_time longer(struct x86_division_time a,
				       struct x86_division_time b)
{
	return (struct x86_division_time){
		.latency = a.latency > b.latency ? a.latency : b.latency,
		.busy = a.busy > b.busy ? a.busy : b.busy,
	};
}

static struct x86_division_time integer(const struct x86_divider *divider,
					unsigned digits, bool exact)
{
	struct x86_division_time time = { 0 };

	if (digits)
		time = divider->any;
	if (digits > 5)
		time = divider->many;
	else if (digits > 2)
		time = divider->some;
	if (digits > 1) {
		time.latency = (int8_t)(time.latency + (int)digits *
						divider->digit.latency);
		time.busy = (int8_t)(time.busy + (int)digits *
					     divider->digit.busy);
	}
	return exact ? longer(time, divider->exact) : time;
}

/* What the bits of the dividend take. */
static struct x86_division_time
add_dividend(struct x86_division_time time, const struct x86_divider *divider,
	     unsigned bits, bool is_signed)
{
	unsigned free = is_signed ? 0 : divider->hidden;

	bits = bits > free ? bits - free : 0;
	time.latency = (int8_t)(time.latency +
				(int)bits * divider->dividend.latency);
	time.busy = (int8_t)(time.busy + (int)bits * divider->dividend.busy);
	return time;
}

/* A divider that stops early saves a cycle for each digit. */
static int8_t stopped(int8_t cycles, unsigned missing)
{
	if (cycles <= 0)
		return cycles;
	return (unsigned)cycles > missing ? (int8_t)(cycles - (int)missing) : 0;
}

static struct x86_division_time
fraction(const struct x86_division_time *figures, unsigned digits)
{
	static const uint8_t most[X86_PRECISIONS] = { 6, 14, 16 };
	unsigned precision = 0;
	struct x86_division_time time = { 0 };

	if (digits < 2)
		return time;
	while (precision + 1 < X86_PRECISIONS && digits > most[precision])
		precision++;
	time.latency = stopped(figures[precision].latency,
			       most[precision] - digits);
	time.busy = stopped(figures[precision].busy, most[precision] - digits);
	return time;
}

struct x86_division_time x86_division_time(const struct x86_template *form,
					   uint8_t division, uint8_t dividend)
{
	const struct x86_divider *divider = form->divider;
	unsigned digits = division & X86_DIVISION_DIGITS;
	struct x86_division_time time = { 0 };

	switch (form->divide) {
	case X86_DIVIDE_LONG:
	case X86_DIVIDE_LONG_SIGNED:
		if (division & X86_DIVISION_WIDE && divider->upper.latency)
			return division & X86_DIVISION_LONG
				       ? divider->upper_long
				       : divider->upper;
		time = integer(divider, digits,
			       division & X86_DIVISION_EXACT);
		/* The microcode's time hides the divider's. */
		if (form->divide == X86_DIVIDE_LONG && !divider->digit.busy)
			time.busy = 0;
		return add_dividend(time, divider, dividend,
				    form->divide == X86_DIVIDE_LONG_SIGNED);
	case X86_DIVIDE_INTEGER:
	case X86_DIVIDE_INTEGER_SIGNED:
	case X86_DIVIDE_BYTE:
		time = integer(divider, digits, division & X86_DIVISION_EXACT);
		if (form->divide == X86_DIVIDE_BYTE)
			return time;
		return add_dividend(time, divider, dividend, form->divide ==
				    X86_DIVIDE_INTEGER_SIGNED);
	case X86_DIVIDE_FRACTION:
		time = fraction(divider->fraction, digits);
		break;
	case X86_DIVIDE_ROOT:
		time = fraction(divider->root, digits);
		break;
	default:
		return time;
	}
	/* The second half waits for the first. */
	if (form->divide_times == 2) {
		time.latency = (int8_t)(time.latency + time.busy);
		time.busy = (int8_t)(2 * time.busy);
	}
	return time;
}
