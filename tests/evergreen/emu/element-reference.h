/* Elements in memory as numbers and back, bit by bit: independent of the
 * emulator's tables. */
#ifndef M2S_TESTS_EVERGREEN_EMU_ELEMENT_REFERENCE_H
#define M2S_TESTS_EVERGREEN_EMU_ELEMENT_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* A format: bits of x, y, z and w from the lowest up; floats are 'f', the
 * shared exponent 's', else 'i'. */
struct reference_format {
	uint8_t code;
	char kind;
	uint8_t bits[4];
};

extern const struct reference_format reference_formats[];
extern const unsigned reference_format_count;

unsigned reference_components(const struct reference_format *format);
unsigned reference_bytes(const struct reference_format *format);

/* How a component's bits are taken: 0 NORM, 1 INT, 2 SCALED. */
struct reference_numbers {
	unsigned number_format;
	bool is_signed, no_zero;
	unsigned endian_swap;
};

/* What the register receives for component c (one that the format has). */
uint32_t reference_read(const struct reference_format *format,
			const struct reference_numbers *numbers,
			const uint8_t *bytes, unsigned c);
/* The bytes of an element whose components are given, without swapping. */
void reference_write(const struct reference_format *format,
		     const struct reference_numbers *numbers,
		     const uint32_t component[4], uint8_t *bytes);

uint32_t reference_bits(double value); /* of the nearest single */
double reference_single(uint32_t bits);

#endif
