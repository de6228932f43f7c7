/* Reading one line of assembly from left to right. */
#ifndef M2S_EVERGREEN_ASM_SCAN_H
#define M2S_EVERGREEN_ASM_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { EVG_WORD_SIZE = 64 };

struct evg_scan {
	const char *name;      /* of the source, for messages */
	unsigned line;
	const char *start;     /* of the line, which ends with a zero byte */
	const char *at;
	struct error *error;
};

/* Each of these skips blanks first; those that return bool move on only when
 * they have found what they look for. */

bool evg_scan_end(struct evg_scan *scan);
/* Exactly this text, whatever follows. */
bool evg_scan_text(struct evg_scan *scan, const char *text);
/* Letters, digits, underscores and dots; too long a word is not one. */
bool evg_scan_word(struct evg_scan *scan, char word[EVG_WORD_SIZE]);
/* The word `word` and no longer one. */
bool evg_scan_keyword(struct evg_scan *scan, const char *word);
/* Decimal, or hexadecimal after 0x; at most 32 bits. */
bool evg_scan_number(struct evg_scan *scan, uint32_t *value);
bool evg_scan_signed(struct evg_scan *scan, int32_t *value);

/* -1 and "name:line:column: expected ..., found ...". */
int evg_scan_expected(struct evg_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* -1 and "name:line: ...". */
int evg_scan_fail(struct evg_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As the functions above, for what has to be there: 0, or -1. */
int evg_scan_need(struct evg_scan *scan, const char *text);
int evg_scan_need_number(struct evg_scan *scan, uint32_t *value);

#endif
