/* The words of the directives in directive.h. The assembler reads them, the
 * listing writes them. */
#ifndef M2S_EVERGREEN_ASM_DIRECTIVE_WORDS_H
#define M2S_EVERGREEN_ASM_DIRECTIVE_WORDS_H

#include <stdbool.h>

#include "evergreen/kernel/kernel.h"

enum {
	EVG_KIND_WORDS = 6,
	EVG_FLAG_WORDS = 6,
	EVG_MODE_WORDS = 7,
};

/* The kind of an argument: "global". */
struct evg_kind_word {
	const char *word;
	enum evg_argument_kind kind;
	enum evg_address_space space;
};
extern const struct evg_kind_word evg_kind_words[EVG_KIND_WORDS];

/* An access ("READ_ONLY") or a qualifier ("CONST"): exactly one of the two
 * members is not 0. */
struct evg_flag_word {
	const char *word;
	enum evg_access access;
	unsigned qualifier;
};
extern const struct evg_flag_word evg_flag_words[EVG_FLAG_WORDS];

/* Bits of SQ_PGM_RESOURCES_2 ("SINGLE_ROUND"); DX10_CLAMP is in another
 * register. */
struct evg_mode_word {
	const char *word;
	unsigned shift, limit;
};
extern const struct evg_mode_word evg_mode_words[EVG_MODE_WORDS];

/* Whether the code names the argument by a number, as it does images and
 * samplers. */
bool evg_argument_has_number(const struct evg_argument *argument);

#endif
