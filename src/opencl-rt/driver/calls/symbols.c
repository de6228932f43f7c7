#include "opencl-rt/driver/calls/symbols.h"

#include <inttypes.h>

#include "base/memory.h"
#include "opencl-rt/driver/object.h"

struct symbol {
	const char *name;
	uint64_t value;
};

#define SYMBOL(constant) {#constant, (uint64_t)(constant)},
#define SET(id, constants) static const struct symbol set_##id[] = {constants};
#include "opencl-rt/driver/calls/symbols.def"

static const struct {
	const struct symbol *list;
	size_t count;
} sets[SYMBOL_SET_COUNT] = {
#define SET(id, constants) [SYMBOLS_##id] = {set_##id, ARRAY_SIZE(set_##id)},
#include "opencl-rt/driver/calls/symbols.def"
};

const char *constant_name(enum symbol_set set, uint64_t value)
{
	for (size_t i = 0; i < sets[set].count; i++)
		if (sets[set].list[i].value == value)
			return sets[set].list[i].name;
	return NULL;
}

void constant_print(FILE *stream, enum symbol_set set, uint64_t value)
{
	const char *name = constant_name(set, value);

	if (name)
		fputs(name, stream);
	else
		fprintf(stream, "0x%" PRIx64, value);
}

void constant_print_bits(FILE *stream, enum symbol_set set, uint64_t value)
{
	const char *between = "";

	if (!value || constant_name(set, value)) {
		constant_print(stream, set, value);
		return;
	}
	for (size_t i = 0; i < sets[set].count; i++) {
		const struct symbol *symbol = &sets[set].list[i];

		if (!symbol->value || (value & symbol->value) != symbol->value)
			continue;
		fprintf(stream, "%s%s", between, symbol->name);
		between = "|";
		value &= ~symbol->value;
	}
	if (value)
		fprintf(stream, "%s0x%" PRIx64, between, value);
}

static const struct {
	const char *name;
	bool internal;
} calls[OPENCL_CALL_COUNT] = {
#define CALL(name, major, minor, state, fields)                                \
	[OPENCL_##name] = {#name, false},
#define INTERNAL(name, fields) [OPENCL_##name] = {#name, true},
#include "opencl-rt/api.def"
};

const char *call_name(enum opencl_call call)
{
	return calls[call].name;
}

bool call_is_internal(enum opencl_call call)
{
	return calls[call].internal;
}

const char *opencl_error_name(int64_t code)
{
	switch (code) {
#define ERROR(code)                                                            \
	case code:                                                             \
		return #code;
#include "opencl-rt/driver/errors.def"
	case OPENCL_AGAIN:
		return "waits";
	}
	return "unknown OpenCL error";
}
