/* Machine code written as text. */
#ifndef M2S_TESTS_X86_HEX_H
#define M2S_TESTS_X86_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of two digits, with or without a blank between them; their number. */
static inline size_t hex(const char *text, uint8_t *code)
{
	size_t size = 0;

	for (; *text; text += text[2] == ' ' ? 3 : 2) {
		unsigned byte;

		sscanf(text, "%2x", &byte);
		code[size++] = (uint8_t)byte;
	}
	return size;
}

#endif
