/* Bit layouts as data: the bits of the words that hold each member.
 *
 * A layout is a list of fields. Reading and writing walk the same list, so that
 * encoding is the inverse of decoding by construction. Bits that no field
 * covers are reserved and must be zero. */
#ifndef M2S_EVERGREEN_ISA_LAYOUT_H
#define M2S_EVERGREEN_ISA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "evergreen/isa/inst.h"

struct evg_field {
	const char *name;  /* the hardware's */
	uint8_t word, shift, width;
	uint8_t legal;     /* of a field of up to 3 bits: bit v is set when
			      the value v is defined */
	uint8_t size;      /* of the member, bytes */
	bool is_signed;
	uint16_t offset;   /* of the member in its structure */
};

/* `type` is a structure tag; `member` may be an element of an array. */
#define EVG_FIELD_LEGAL(type, member, name, word, high, low, legal)            \
	{                                                                      \
		name, word, low, (high) - (low) + 1, legal,                    \
			sizeof(((struct type *)0)->member), false,             \
			offsetof(struct type, member)                          \
	}
#define EVG_FIELD(type, member, name, word, high, low)                         \
	EVG_FIELD_LEGAL(type, member, name, word, high, low, 0xff)
#define EVG_FIELD_SIGNED(type, member, name, word, high, low)                  \
	{                                                                      \
		name, word, low, (high) - (low) + 1, 0xff,                     \
			sizeof(((struct type *)0)->member), true,              \
			offsetof(struct type, member)                          \
	}
/* Bits that are no member: the decoder evaluates them itself. */
#define EVG_FIELD_CODE(name, word, high, low)                                  \
	{                                                                      \
		name, word, low, (high) - (low) + 1, 0xff, 0, false, 0         \
	}

/* Sets of legal values. */
enum {
	EVG_LEGAL_INDEX_MODE = 0x07,  /* none, CF index 0, CF index 1 */
	EVG_LEGAL_SELECT = 0xbf,      /* x y z w 0 1, 7 masked */
	EVG_LEGAL_THREE = 0x07,       /* 0, 1 and 2 */
};

struct evg_layout {
	const char *name;  /* for messages: "ALU_WORD1_OP2" */
	const struct evg_field *fields;
	size_t count;
	unsigned words;
};

/* Sets the members of *inst from the words. -1 and *error, with the words, for
 * a value or a bit that is not defined. */
int evg_layout_read(const struct evg_layout *layout, void *inst,
		    const uint32_t *words, struct error *error);

/* Ors the members into the words. -1 and *error for a member whose value does
 * not fit into the field or is not defined. */
int evg_layout_write(const struct evg_layout *layout, const void *inst,
		     uint32_t *words, struct error *error);

/* The field of that name, if it is a member; else NULL. */
const struct evg_field *evg_layout_find(const struct evg_layout *layout,
					const char *name);
/* Read and set a member by its field. Setting returns false when the value does
 * not fit into the field or is not defined. */
uint32_t evg_field_get(const void *inst, const struct evg_field *field);
bool evg_field_set(void *inst, const struct evg_field *field, uint32_t value);

/* The layout of each kind of instruction. An extended ALU instruction has two
 * layouts: that of EVG_CF_ALU_EXTENDED_WORD and its own. */
const struct evg_layout *evg_cf_layout(enum evg_cf_format format);
const struct evg_layout *evg_alu_layout(enum evg_alu_op op);
const struct evg_layout *evg_fetch_layout_of(enum evg_fetch_op op);

/* The bits high..low of a word. */
static inline uint32_t evg_bits(uint32_t word, unsigned high, unsigned low)
{
	return (uint32_t)((uint64_t)word >> low &
			  ((UINT64_C(1) << (high - low + 1)) - 1));
}

/* Sets the message as error_set does, followed by the words. Returns -1. */
int evg_error_words(struct error *error, const uint32_t *words, unsigned count,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
