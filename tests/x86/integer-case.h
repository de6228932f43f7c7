/* Instructions of the integer table with random operands, and random states to
 * execute them from; sequences of bytes to execute. What the parts of
 * test-integer share. */
#ifndef M2S_TESTS_X86_INTEGER_CASE_H
#define M2S_TESTS_X86_INTEGER_CASE_H

#include <Zydis/Zydis.h>

#include "native.h"
#include "x86/isa/disasm.h"

struct row {
	const char *name;
	ZydisMnemonic mnemonic;
	const char *operand[4]; /* as in the table: "R32", "M8", ... */
	unsigned attributes;
};

extern const struct row rows[];
extern const int row_count;

/* An instruction made of a row. */
struct subject {
	uint8_t code[16];
	size_t size;
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	/* The memory operand, when there is one. */
	bool memory;
	unsigned memory_size; /* bytes */
	ZydisEncoderRequest request;
};

/* Rows that are no matter of values: control transfers (which sequences
 * test), the system's, and what would change segments or trap flags. */
bool row_excluded(const struct row *row);
bool row_fits(const struct row *row, bool wide);
bool row_is(const struct row *row, const char *name);
bool row_uses_stack(const struct row *row);
/* False when the operands drawn cannot be encoded. */
bool row_make(const struct row *row, bool wide, uint64_t *seed,
	      struct subject *s);
void row_make_state(const struct row *row, const struct subject *s,
		    bool wide, uint64_t *seed, struct machine *m);
/* Whether the manual leaves the result open, so that hosts which are not
 * Intel's have another one. */
bool row_is_undefined(const struct row *row, const struct subject *s,
		      const struct machine *before);
/* Whether all that the manual defines is the same; differences are printed and
 * counted in *shown. */
bool row_same(const struct row *row, const struct subject *s, bool wide,
	      const struct machine *before, const struct machine *native,
	      const struct machine *emulated, unsigned *shown);

/* The arithmetic flags that are the host's after shifts and logical operations,
 * too: AF, which is undefined then, only on hosts of Intel. */
uint32_t sequence_flags(void);
/* Compares one sequence from one random state; flags as given. */
bool sequence_same(struct native *native, bool wide, const uint8_t *code,
		   size_t size, uint32_t flags, uint64_t *seed);
/* A condition after every kind of flag setter, in one block. */
void integer_conditions(bool wide);
/* Control transfers, traps, rare forms. */
void integer_sequences(bool wide);

#endif
