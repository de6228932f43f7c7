/* The words behind an instruction's operands, such as "POP_CNT(1)",
 * "NO_BARRIER" and "NUM_FORMAT(INT)". A field of the encoding that has no word
 * of its own is written by the hardware's name: "SRC1_SEL=4". */
#ifndef M2S_EVERGREEN_ASM_ATTRIBUTE_H
#define M2S_EVERGREEN_ASM_ATTRIBUTE_H

#include "evergreen/asm/scan.h"
#include "evergreen/isa/layout.h"
#include "evergreen/isa/text.h"

enum evg_attribute_kind {
	EVG_ATTRIBUTE_FLAG,    /* NAME: the field becomes `value` */
	EVG_ATTRIBUTE_NUMBER,  /* NAME(n): the field becomes n - value */
	EVG_ATTRIBUTE_CHOICE,  /* NAME(word), one of `choices`; or a number */
};

struct evg_attribute {
	const char *name, *field;
	enum evg_attribute_kind kind;
	int value;
	const char *choices;   /* "A|B|C": 0, 1, 2 */
};

/* A table of attributes ends with a row whose name is NULL. */
#define EVG_ATTRIBUTES_END { NULL, NULL, EVG_ATTRIBUTE_FLAG, 0, NULL }

/* Reads one word of the table, or one "FIELD=value" with `prefix` before the
 * field's name, and sets the field in *inst. 1 after such a word; 0 when the
 * text goes on with something else; -1 and the error for a value that does not
 * fit. */
int evg_scan_attribute(struct evg_scan *scan,
		       const struct evg_attribute *table,
		       const struct evg_layout *layout, const char *prefix,
		       void *inst);

/* Adds " FIELD=value" for each field in which *inst differs from *parsed, which
 * was parsed from the text so far. */
void evg_fields_add(struct evg_text *text, const struct evg_layout *layout,
		    const char *prefix, const void *inst, const void *parsed);

#endif
