/* Descriptions of decoded instructions: what a timing model asks about an
 * instruction without executing it.
 *
 * A description is made once, when a block is decoded for observation (step.h),
 * and does not change. It says what the instruction may read and write by its
 * encoding. The memory that the instruction really touches is reported when it
 * executes. The sets come from Zydis' operands, corrected where
 * test-step-integer and test-step-vector (step-sets.c) found that execution
 * differs. */
#ifndef M2S_X86_EMU_INST_H
#define M2S_X86_EMU_INST_H

#include <stdbool.h>
#include <stdint.h>

struct x86_op;

/* Places that hold a value between instructions, as bits of the sets `read`
 * and `written` of a description. Arithmetic flags are apart. */
enum x86_location {
	X86_AT_GENERAL = 0,       /* 16 registers, in encoding order */
	X86_AT_VECTOR = 16,       /* 16 registers, with their upper halves */
	/* 8 registers relative to the top of the stack before the instruction,
	 * or after an instruction that pushes. */
	X86_AT_ST = 32,
	X86_AT_MM = 40,           /* 8 registers: the physical ones */
	X86_AT_X87_CONTROL = 48,
	X86_AT_X87_STATUS,        /* condition codes and exception flags */
	X86_AT_X87_TOP,           /* TOP */
	X86_AT_X87_TAGS,          /* which registers are empty */
	/* Addresses of the last instruction and its operand. */
	X86_AT_X87_POINTERS,
	X86_AT_MXCSR_CONTROL,     /* rounding, masks, DAZ, FTZ */
	X86_AT_MXCSR_STATUS,      /* sticky exception flags */
	X86_AT_SEGMENT,           /* 6 registers: selector, base, limit */
	X86_AT_TIME = X86_AT_SEGMENT + 6, /* the time-stamp counter */
	X86_AT_RANDOM,            /* the source of random numbers */
	X86_LOCATION_COUNT
};
#define X86_AT(location) (UINT64_C(1) << (location))

enum x86_class {
	X86_CLASS_NOTHING,        /* NOP, PAUSE, ENDBR, PREFETCH */
	X86_CLASS_MOVE,           /* also CMOV, extensions, XCHG, BSWAP */
	X86_CLASS_ADDRESS,        /* LEA */
	X86_CLASS_ARITHMETIC,     /* and logic, comparisons, flags, bits */
	X86_CLASS_SHIFT,
	X86_CLASS_MULTIPLY,
	X86_CLASS_DIVIDE,
	X86_CLASS_STACK,          /* PUSH, POP, ENTER, LEAVE */
	X86_CLASS_STRING,
	X86_CLASS_BRANCH,
	X86_CLASS_FENCE,
	X86_CLASS_SYSTEM,         /* CPUID, RDTSC, system calls, segments */
	X86_CLASS_X87,
	X86_CLASS_MMX,
	X86_CLASS_VECTOR,         /* SSE and AVX */
	X86_CLASS_STATE,          /* FXSAVE, XSAVE and their like */
};

enum x86_branch {
	X86_BRANCH_NONE,
	X86_BRANCH_CONDITIONAL,   /* also LOOP and JRCXZ */
	X86_BRANCH_JUMP,          /* direct, as X86_BRANCH_CALL */
	X86_BRANCH_CALL,
	X86_BRANCH_INDIRECT_JUMP,
	X86_BRANCH_INDIRECT_CALL,
	X86_BRANCH_RETURN,
	/* Any branch that names a code segment; IRET. */
	X86_BRANCH_FAR,
};

enum x86_trait {
	/* x86_step() and x86_observe() can be told to stop before these
	 * five. */
	X86_SYSTEM_CALL = 1 << 0, /* SYSCALL, SYSENTER, INT */
	X86_LOCKED = 1 << 1,      /* LOCK, or XCHG with memory */
	X86_FENCE = 1 << 2,       /* LFENCE, SFENCE, MFENCE */
	X86_READS_TIME = 1 << 3,  /* RDTSC, RDTSCP */
	/* Never set in a description: execution finds out that a store changes
	 * code. */
	X86_CODE_STORE = 1 << 4,
	X86_SERIALIZING = 1 << 5, /* SDM volume 3, "Serializing Instructions":
	                           * CPUID, IRET, SERIALIZE */
	X86_REPEATED = 1 << 6,    /* with REP, REPE or REPNE */
	X86_TOUCHES = 1 << 7,     /* has memory operands, hidden ones too */
	X86_FLOATING = 1 << 8,    /* x87, SSE or AVX: executed with the guest's
	                           * floating-point environment */
	X86_LENGTH_PREFIX = 1 << 9, /* 66h changes the immediate's length, or
	                           * 67h that of the displacement (of 32-bit
	                           * code: may, by its ModRM byte) */
	X86_NON_TEMPORAL = 1 << 10,
	X86_UNKNOWN = 1 << 11,    /* faults: undefined or not supported */
	X86_MARKED = 1 << 12,     /* a marker of m2s.h */
	X86_LAST = 1 << 13,       /* the last instruction of its block */
	X86_DIVIDES = 1 << 14,    /* divides or takes square roots: its record
	                           * says what came out */
	X86_RANDOM = 1 << 15,     /* RDRAND, RDSEED */
};

enum x86_operand_kind {
	X86_OPERAND_NONE, X86_OPERAND_REGISTER, X86_OPERAND_MEMORY,
	X86_OPERAND_IMMEDIATE,
};

/* One operand. */
struct x86_operand {
	uint8_t kind;
	uint8_t location;   /* a register's: enum x86_location */
	uint8_t size;       /* bytes; 0: larger than 255 */
	bool high : 1;      /* AH, BH, CH or DH */
	bool read : 1, write : 1;
	bool conditional : 1; /* the instruction may leave it unchanged */
};

enum { X86_NO_REGISTER = 0xff };

/* Tables of opcodes: which escape bytes, or which value of a VEX prefix's
 * field, stand before the opcode. */
enum x86_map { X86_MAP_ONE_BYTE, X86_MAP_0F, X86_MAP_0F38, X86_MAP_0F3A };

enum { X86_OPERANDS_MAX = 10 };

/* A memory operand, hidden ones too: address = segment's base + base + index *
 * scale + displacement. */
struct x86_memory {
	int64_t displacement; /* if `relative`: the whole address */
	/* Bytes of the operand in one iteration, or of one element of a
	 * gather. */
	uint32_t size;
	uint8_t base, index; /* enum x86_location, or X86_NO_REGISTER */
	uint8_t scale;      /* 0: no index */
	uint8_t segment;    /* X86_DS, ... */
	uint8_t address_size; /* bytes */
	bool read : 1, write : 1;
	bool pushed : 1;    /* lies `size` bytes below the base register */
	bool vector : 1;    /* the index is a vector: a gather */
	bool wide : 1;      /* the vector of indices has 256 bits */
	/* May be touched in part or not at all: masked accesses, CMPXCHG, x87
	 * stores that an exception suppresses, the line of CLFLUSH. */
	bool conditional : 1;
	bool relative : 1;  /* relative to RIP */
	/* A string of bits; the register operand is the index: BT m, r. */
	bool bits : 1;
};

struct x86_inst {
	uint64_t address;
	uint64_t target;    /* target of a direct branch */
	uint64_t read, written; /* sets of locations: X86_AT() */
	/* EFLAGS bits; flags that the manual leaves undefined count as
	 * written. */
	uint32_t flags_read, flags_written;
	uint32_t flags_undefined; /* the undefined ones of flags_written */
	uint16_t mnemonic;  /* ZydisMnemonic */
	uint16_t row;       /* row of isa/tables.def, or X86_NO_ROW */
	uint16_t traits;    /* enum x86_trait */
	uint8_t length;     /* bytes */
	uint8_t class;      /* enum x86_class */
	uint8_t branch;     /* enum x86_branch */
	/* The encoding. Legacy prefixes with REX, without VEX; what lies
	 * before the opcode, VEX and escape bytes included. */
	uint8_t prefix_bytes, displacement_bytes, immediate_bytes;
	uint8_t opcode_offset, opcode;
	uint8_t map;        /* enum x86_map */
	bool modrm : 1;     /* there is a ModRM byte */
	bool sib : 1;
	bool rex : 1, vex : 1;
	bool operand_prefix : 1; /* 66h, whatever it means */
	bool address_prefix : 1; /* 67h */
	int8_t x87_push;    /* registers pushed on the x87's stack; below 0:
	                     * popped */
	int64_t immediate;  /* extended as it is used; 0: it is 0, or there is
	                     * none. Not a direct branch's: see target */
	/* The visible operands, in Intel's order; behind them hidden registers
	 * in Zydis' order, flags and RIP left out: MUL has RAX, RDX. */
	uint8_t operand_count; /* visible */
	uint8_t hidden_count;
	uint8_t memory_count;
	struct x86_operand operand[X86_OPERANDS_MAX];
	struct x86_memory memory[2]; /* the visible one first. LEA's address is in
	                     * the first, and not counted */
	const struct x86_op *op; /* the emulator's own */
	/* For a timing model's own use. It is NULL at first; all holders of the
	 * description share it. */
	void *timing;
};

enum { X86_NO_ROW = 0xffff };

/* The instructions of a block in few bytes: what has to be known of a stretch of
 * them (step.h). */
struct x86_outline {
	const struct x86_inst *inst; /* of the first instruction */
	uint64_t touches;   /* bit i: instruction i may refer to memory */
	/* For a timing model's own use. It is NULL at first. */
	void *timing;
	uint8_t instructions;
	uint8_t branch;     /* the last instruction's: enum x86_branch */
	uint8_t floating;   /* the emulator's own */
	struct x86_outline_part {
		uint16_t end; /* of the instruction, from the block's start */
		uint8_t op, plain; /* the emulator's own */
	} part[];
};

/* The next instruction of the block; NULL at the block's end, where
 * x86_inst_at() finds the next one. */
static inline const struct x86_inst *x86_inst_next(const struct x86_inst *inst)
{
	return inst->traits & X86_LAST ? (const struct x86_inst *)0 : inst + 1;
}

/* "ADD R64 M64 _ _": mnemonic and operands of a row of the instruction tables
 * (op.h); NULL when there is no such row. */
const char *x86_row_name(unsigned row);
unsigned x86_rows(void);

#endif
