/* The architectural state of one x86 hardware thread.
 *
 * The struct holds all state that a signal frame, a checkpoint or a debugger
 * needs. The state is exact whenever x86_run() has returned. During x86_run(),
 * `rip` is not kept up to date (the op being executed knows its address), and
 * the arithmetic flags are lazy (see flags.h). */
#ifndef M2S_X86_EMU_CPU_H
#define M2S_X86_EMU_CPU_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "memsys/space/space.h"

struct host_fault;
struct x86_emulator;
struct x86_inst;
struct x86_jump_entry;
struct x86_op;
struct x86_overlay;
struct x86_reference;

enum x86_mode { X86_MODE_32, X86_MODE_64 };

/* Indices of `reg`: the sixteen architectural registers in encoding order,
 * then registers that only decoded operations name. */
enum {
	X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI,
	X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R13, X86_R14, X86_R15,
	X86_ZERO,         /* always 0: an absent base or index */
	X86_ADDRESS,      /* address computed by a preceding address op */
	X86_REG_COUNT
};

/* Segment registers in encoding order. */
enum {
	X86_ES, X86_CS, X86_SS, X86_DS, X86_FS, X86_GS,
	X86_SEGMENT_COUNT
};

/* EFLAGS bits. */
enum {
	X86_CF = 1 << 0,
	X86_FIXED_1 = 1 << 1,
	X86_PF = 1 << 2,
	X86_AF = 1 << 4,
	X86_ZF = 1 << 6,
	X86_SF = 1 << 7,
	X86_TF = 1 << 8,
	X86_IF = 1 << 9,
	X86_DF = 1 << 10,
	X86_OF = 1 << 11,
	X86_NT = 1 << 14,
	X86_RF = 1 << 16,
	X86_AC = 1 << 18,
	X86_ID = 1 << 21,
	X86_ARITHMETIC = X86_CF | X86_PF | X86_AF | X86_ZF | X86_SF | X86_OF,
};

/* Selectors that Linux gives user code. */
enum {
	X86_SELECTOR_CS32 = 0x23,
	X86_SELECTOR_CS64 = 0x33,
	X86_SELECTOR_DATA = 0x2b,
	/* GDT entries that set_thread_area hands out: selector = 8 n + 3. */
	X86_TLS_ENTRY_FIRST = 12,
	X86_TLS_ENTRIES = 3,
};

/* The contents of a segment register. Size and rights are used in 32-bit mode
 * only. */
struct x86_segment {
	/* 0 in CS and SS; in 64-bit mode 0 except in FS and GS. */
	uint64_t base;
	uint64_t size;   /* the limit + 1; 0: a null selector */
	uint16_t selector;
	uint16_t rights; /* enum x86_rights; 0: a null selector */
};

/* Bits 8 to 23 of a descriptor's upper half, as LAR shows them. */
enum x86_rights {
	X86_RIGHTS_WRITABLE = 1 << 1, /* of a code segment: readable */
	X86_RIGHTS_DOWN = 1 << 2,     /* of a data segment: expands downwards */
	X86_RIGHTS_CODE = 1 << 3,
	/* A code or data segment, not a system segment or gate. */
	X86_RIGHTS_SEGMENT = 1 << 4,
	X86_RIGHTS_PRESENT = 1 << 7,
	X86_RIGHTS_64 = 1 << 13,
	X86_RIGHTS_32 = 1 << 14,
};

/* One thread-local-storage descriptor of an i386 thread. */
struct x86_tls_entry {
	uint32_t base;
	uint32_t limit;   /* kept for get_thread_area; not checked */
	uint32_t flags;   /* struct user_desc's bits, not interpreted */
	bool present;
};

/* A vector register; lane 0 is the lowest. Legacy SSE touches the low 128
 * bits and keeps the rest. */
union x86_vector {
	uint8_t u8[32];
	int8_t i8[32];
	uint16_t u16[16];
	int16_t i16[16];
	uint32_t u32[8];
	int32_t i32[8];
	uint64_t u64[4];
	int64_t i64[4];
	float f32[8];
	double f64[4];
};

/* A physical x87 register. An MMX register is the mantissa of a physical
 * register (mm0 is x87.reg[0], whatever TOP is). Writing an MMX register sets
 * sign_exponent to 0xffff. */
union x86_x87_register {
	long double value; /* 80 bits */
	struct {
		uint64_t mantissa;
		uint16_t sign_exponent;
	};
	uint8_t bytes[16];
};

struct x86_x87 {
	union x86_x87_register reg[8]; /* physical: st(i) is reg[(top + i) & 7] */
	uint16_t control;
	uint16_t status;   /* without TOP, which is `top` */
	uint8_t top;
	uint8_t empty;     /* bit i: physical register i is empty */
	uint16_t opcode;   /* opcode of the last non-control instruction */
	uint64_t instruction_pointer, data_pointer;
};

/* How the arithmetic flags follow from flags_x and flags_y; see flags.h. */
enum x86_flags_kind {
	X86_FLAGS_EXPLICIT, /* EFLAGS holds the flags */
	X86_FLAGS_LOGIC,
	X86_FLAGS_RESULT,
	X86_FLAGS_ADD8,
	X86_FLAGS_ADD16,
	X86_FLAGS_ADD32,
	X86_FLAGS_ADD64,
	X86_FLAGS_SUB8,
	X86_FLAGS_SUB16,
	X86_FLAGS_SUB32,
	X86_FLAGS_SUB64,
};

/* A fault as the guest's kernel would see it. The registers are those before
 * the faulting instruction, and rip points at it (after it for SIGTRAP of
 * int3, as the hardware does). */
struct x86_fault {
	int signal;          /* host's SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP */
	int code;            /* si_code, e.g. SEGV_MAPERR */
	uint64_t address;    /* si_addr */
	uint8_t vector;      /* processor exception: 14 page fault, ... */
	uint16_t error_code; /* as the hardware pushes it: for 14, 2 = write,
	                      * 4 = user, 16 = fetch, 1 = protection */
};

struct x86_cpu {
	/* The first member, so that an op's register operand is a byte offset
	 * from the cpu. In 32-bit mode the upper halves are 0. */
	uint64_t reg[X86_REG_COUNT];

	/* Hot state of the interpreter. */
	const struct x86_op *op;     /* the op that last touched memory */
	uint8_t *base;               /* space->base */
	uint64_t address_mask;       /* 0xffffffff in 32-bit mode, else all */
	uint64_t address_end;        /* space->size */
	uint64_t flags_x, flags_y;
	uint32_t flags_kind;         /* enum x86_flags_kind */
	/* All bits; for the arithmetic flags see flags_kind. */
	uint32_t eflags;
	int64_t budget;              /* instructions left before a pause */
	const struct x86_op **link;  /* block exit to be linked, or NULL */
	struct x86_jump_entry *jumps; /* cache of targets of indirect jumps */
	uint64_t rip;

	uint64_t budget_base;        /* instructions = budget_base - budget */
	uint64_t time_base;          /* RDTSC = time_base + instructions */

	alignas(32) union x86_vector vector[16];
	uint32_t mxcsr;
	struct x86_x87 x87;

	struct x86_segment segment[X86_SEGMENT_COUNT];
	struct x86_tls_entry tls[X86_TLS_ENTRIES];

	enum x86_mode mode;
	struct x86_fault fault;      /* valid after X86_STOP_FAULT */
	/* The marker's code, after X86_STOP_MARKER. */
	uint8_t marker;
	/* SS has just been loaded, which delays the trap of TF. */
	bool trap_held;
	bool segmented;              /* see trap.h */
	bool time_hidden;            /* CR4.TSD: RDTSC faults */
	const char *reason;          /* for X86_STOP_UNSUPPORTED, or NULL */
	struct host_fault *escape;   /* where x86_raise_now() goes */
	struct x86_emulator *emulator;
	struct space *space;
	uint8_t **far;               /* space->far */
	uint64_t far_count;          /* space->far_count */

	/* Under observation (step.c). */
	/* The instruction being executed, or at rip. */
	const struct x86_inst *inst;
	uint64_t inst_epoch;         /* emulator->epoch when `inst` was set */
	struct x86_reference *reference; /* where the next reference is noted */
	/* The end of the references of completed parts. */
	struct x86_reference *reference_done;
	/* Repeated instructions pause from here on. */
	struct x86_reference *reference_limit;
	struct x86_overlay *overlay; /* redirect.c's; NULL: never needed */
	unsigned redirect;           /* enum x86_redirect: when not 0, accesses
	                              * do not simply go to memory, and
	                              * address_end is 0 */
};

/* EFLAGS with the arithmetic flags computed. */
uint32_t x86_eflags(const struct x86_cpu *cpu);
/* Sets the bits of EFLAGS that user code may change (AC and ID included). IF
 * and bit 1 always read as 1. */
void x86_eflags_set(struct x86_cpu *cpu, uint32_t eflags);

/* Instructions retired since the cpu was created. The number is exact outside
 * x86_run(). */
uint64_t x86_instructions(const struct x86_cpu *cpu);

/* Loads a selector as MOV to a segment register does, or into CS as a far jump
 * does. 0, or an error and nothing has changed. */
enum x86_segment_error {
	X86_SEGMENT_INVALID = 1,
	X86_SEGMENT_ABSENT,      /* the descriptor is marked as not present */
	X86_SEGMENT_UNSUPPORTED, /* cpu->reason says which kind */
};
int x86_segment_load(struct x86_cpu *cpu, int segment, uint16_t selector);
/* Reloads the data segment registers after a descriptor table has changed.
 * Registers whose selectors are no longer valid become null. */
void x86_segments_refresh(struct x86_cpu *cpu);

#endif
