/* The parts of the format of metadata.h that its reader and its writer share,
 * and the reader's scanner. */
#ifndef M2S_EVERGREEN_KERNEL_METADATA_INTERNAL_H
#define M2S_EVERGREEN_KERNEL_METADATA_INTERNAL_H

#include "evergreen/kernel/metadata.h"

/* Words of the format, in the order of the enumerations in kernel.h. */
enum { METADATA_KINDS = 4, METADATA_SPACES = 4, METADATA_ACCESSES = 4 };
extern const char *const metadata_kinds[METADATA_KINDS];
extern const char *const metadata_spaces[METADATA_SPACES];
extern const char *const metadata_accesses[METADATA_ACCESSES];

/* Images and samplers are bound by number. */
static inline bool metadata_has_number(enum evg_argument_kind kind)
{
	return kind == EVG_ARGUMENT_IMAGE || kind == EVG_ARGUMENT_SAMPLER;
}

/* ---- metadata-scan.c. Each function returns 0, or -1 and sets *error. ---- */

/* The position of the reader. `at` never passes `end`. */
struct scanner {
	const char *name, *at, *end;
	unsigned line;
	struct error *error;
};

/* Sets "name: .m2s.kernels:line: expected X, found Y". Returns -1. */
int scan_expected(const struct scanner *scanner, const char *what);
/* Whether the word comes next; the scanner does not pass it. */
bool scan_peek(const struct scanner *scanner, const char *word);
int scan_word(struct scanner *scanner, const char *word);
/* Passes a blank, a quote or the end of a line. */
int scan_char(struct scanner *scanner, char byte);
/* Reads " <number>" from minimum to maximum. */
int scan_number(struct scanner *scanner, const char *what, uint32_t minimum,
		uint32_t maximum, uint32_t *result);
/* Reads " <one of the words>": *result is its index. */
int scan_choice(struct scanner *scanner, const char *const *words,
		unsigned count, const char *what, unsigned *result);
/* Reads " <quoted string>". The caller frees *result. */
int scan_string(struct scanner *scanner, const char **result);
/* Reads a whole line "word "string"". The caller frees *result. */
int scan_line(struct scanner *scanner, const char *word, const char **result);

#endif
