/* A scanner that reads one line of assembly from left to right. */
#ifndef M2S_EVERGREEN_ASM_SCAN_H
#define M2S_EVERGREEN_ASM_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { EVG_WORD_SIZE = 256 };

struct evg_scan {
	const char *name;      /* of the source, for messages */
	unsigned line;
	const char *start;     /* of the line, which ends with a zero byte */
	const char *at;
	struct error *error;
};

/* Each of these functions skips blanks first. Those that return bool move on
 * only when they have found their text. */

bool evg_scan_end(struct evg_scan *scan);
/* Reads exactly `text`, whatever follows. */
bool evg_scan_text(struct evg_scan *scan, const char *text);
/* Reads a word of letters, digits, underscores and dots. False also for a word
 * that does not fit. */
bool evg_scan_word(struct evg_scan *scan, char word[EVG_WORD_SIZE]);
/* Reads the whole word `word`: a longer word that begins so does not count. */
bool evg_scan_keyword(struct evg_scan *scan, const char *word);
/* Reads a number of at most 32 bits, decimal or, after 0x, hexadecimal. */
bool evg_scan_number(struct evg_scan *scan, uint32_t *value);
bool evg_scan_signed(struct evg_scan *scan, int32_t *value);

/* Sets the error "name:line:column: expected ..., found ..." and returns -1. */
int evg_scan_expected(struct evg_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the error "name:line: ..." and returns -1. */
int evg_scan_fail(struct evg_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Read text, a word or a number that must be there: 0, or -1 and the error. */
int evg_scan_need(struct evg_scan *scan, const char *text);
int evg_scan_need_number(struct evg_scan *scan, uint32_t *value);

#endif
