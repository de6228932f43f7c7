#include <string.h>

#include "codegen/random/program.h"
#include "unit/random.h"

const char *const element_names[ELEMENTS] = {
	"char", "uchar", "short", "ushort", "int",
	"uint", "long",	 "ulong", "float",  "double",
};

const struct operation_info operation_info[OPERATIONS] = {
#define OPERATION(name, ...) [name] = { __VA_ARGS__ },
#include "codegen/random/operation.def"
};

unsigned element_bits(enum element element)
{
	if (element == FLOAT)
		return 32;
	return element == DOUBLE ? 64 : 8U << element / 2;
}

bool element_is_real(enum element element)
{
	return element >= FLOAT;
}

bool element_is_signed(enum element element)
{
	return element_is_real(element) || element % 2 == 0;
}

unsigned element_buffer(enum element element)
{
	return element_is_real(element) ? 4 + (element == DOUBLE) : element / 2;
}

double element_bound(enum element element)
{
	return element == FLOAT ? 0x1p16 : 0x1p30;
}

uint64_t element_cut(enum element element, uint64_t bits)
{
	unsigned above = 64 - element_bits(element);

	bits <<= above;
	return element_is_signed(element) ? (uint64_t)((int64_t)bits >> above)
					  : bits >> above;
}

const char *type_name(struct type type)
{
	static char names[4][16];
	static unsigned next;
	char *name = names[next++ % 4];

	if (type.width == 1)
		snprintf(name, 16, "%s", element_names[type.element]);
	else
		snprintf(name, 16, "%s%u", element_names[type.element],
			 type.width);
	return name;
}

bool same_type(struct type a, struct type b)
{
	return a.element == b.element && a.width == b.width;
}

void element_load(enum element element, const uint8_t *from,
		  struct value *value, unsigned lane)
{
	unsigned bytes = element_bits(element) / 8;
	uint64_t bits = 0;
	float single;

	memcpy(&bits, from, bytes);
	if (element == FLOAT) {
		memcpy(&single, from, 4);
		value->real[lane] = (double)single;
	} else {
		value->bits[lane] =
			element == DOUBLE ? bits : element_cut(element, bits);
	}
}

void element_store(enum element element, uint8_t *to,
		   const struct value *value, unsigned lane)
{
	float single;

	if (element == FLOAT) {
		single = (float)value->real[lane];
		memcpy(to, &single, 4);
	} else {
		memcpy(to, &value->bits[lane], element_bits(element) / 8);
	}
}

uint64_t table_entry(unsigned index)
{
	uint64_t state = index;

	return random_draw(&state);
}

unsigned table_step(unsigned width)
{
	return width == 3 ? 4 : width;
}

unsigned place_of(unsigned index)
{
	return (index * 11 + 5) % ENTRIES;
}

void table_value(enum element element, unsigned index, struct value *value,
		 unsigned lane)
{
	uint64_t entry = table_entry(index);

	if (element_is_real(element))
		value->real[lane] = ((double)(entry % 4096) - 2048) / 8;
	else
		value->bits[lane] = element_cut(element, entry);
}
