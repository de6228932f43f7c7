/* Vector and x87 instructions with random operands, and states full of corner
 * cases to execute them from. What the parts of test-vector share. */
#ifndef M2S_TESTS_X86_VECTOR_CASE_H
#define M2S_TESTS_X86_VECTOR_CASE_H

#include <Zydis/Zydis.h>

#include "native.h"
#include "x86/emu/x87/fxsave.h"
#include "x86/emu/op.h"
#include "x86/isa/disasm.h"

struct row {
	const char *name;
	ZydisMnemonic mnemonic;
	const char *operand[4]; /* as in the table: "X", "M64", ... */
	unsigned attributes;
};

extern const struct row rows[];
extern const unsigned row_count;

/* Where in the data area things are. */
enum {
	STATE_IN = 0,
	STATE_OUT = 0x200,
	YMM_IN = 0x400,         /* low halves as in STATE_IN */
	YMM_OUT = 0x600,
	OPERAND_FIRST = 0x800,  /* memory operands begin from here ... */
	OPERAND_ROOM = 0x1000,
	OPERAND_MAX = 512,
};

/* Offsets in a state, and in MXCSR and the control word. */
enum {
	STATE_CONTROL = 0, STATE_STATUS = 2, STATE_FULL = 4, STATE_OPCODE = 6,
	STATE_POINTERS = 8, STATE_MXCSR = 24, STATE_ST = 32, STATE_XMM = 160,
	MXCSR_MASKS = 0x1f80, CONTROL_MASKS = 0x3f,
};
/* An instruction made of a row. */
struct subject {
	uint8_t code[24];
	size_t size;
	bool memory;
	unsigned memory_size; /* bytes */
	bool vsib;            /* with a vector of indices */
	bool narrow;          /* 32-bit addresses in 64-bit mode */
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisEncoderRequest request;
};

bool row_is(const struct row *row, const char *name);
bool row_is_gather(const struct row *row);
bool host_has_avx(void);

/* Numbers, registers and FXSAVE areas with NaNs, denormals, infinities, formats
 * that are not supported, empty registers, all rounding modes, and now and
 * then exceptions that are unmasked or pending. */
uint64_t corner_double(uint64_t *seed);
uint32_t corner_float(uint64_t *seed);
void corner_extended(uint64_t *seed, uint8_t to[10]);
void corner_vector(uint64_t *seed, uint8_t to[16]);
void make_fp_state(uint64_t *seed, uint8_t state[512]);

/* False when the operands drawn cannot be encoded. */
bool row_make(const struct row *row, bool wide, uint64_t *seed,
	      struct subject *s);
/* The instruction between loads and stores of all state; its size. */
size_t row_surround(const struct subject *s, bool wide, uint8_t *code);
void row_make_state(const struct row *row, const struct subject *s, bool wide,
		    uint64_t *seed, struct machine *m);

#endif
