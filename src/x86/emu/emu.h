/* Running guest code: the functional x86 emulator.
 *
 * An emulator belongs to one address space and holds the decoded code; a cpu
 * is one thread's registers. All cpus of one emulator run on one host thread
 * at a time (different emulators may run on different host threads).
 *
 * The emulator keeps decoded code coherent by itself: the space tells it when
 * pages are remapped or their protection changes, and it write-protects pages
 * from which it has decoded (see space.h, "watched pages"). A caller that lets
 * the host kernel write into guest memory calls space_prepare_write() first. */
#ifndef M2S_X86_EMU_EMU_H
#define M2S_X86_EMU_EMU_H

#include <stdint.h>

#include "base/error.h"
#include "memsys/space/space.h"
#include "x86/emu/cpu.h"
#include "x86/isa/features.h"

/* A decoder, which emulators of one mode and processor model can share together
 * with the decoded code. `model` is what CPUID reports; NULL means the default
 * of the mode. The model is copied. NULL and *error when the host cannot
 * execute the instructions of such a processor. */
struct x86_decoder *x86_decoder_create(enum x86_mode mode,
				       const struct x86_model *model,
				       struct error *error);
/* Releases the caller's reference. Emulators hold references of their own. */
void x86_decoder_free(struct x86_decoder *decoder);

/* `space` must outlive the emulator. All emulators of one decoder run on one
 * host thread. */
struct x86_emulator *x86_emulator_create_with(struct x86_decoder *decoder,
					      struct space *space);
/* Creates an emulator with a decoder of its own. */
struct x86_emulator *x86_emulator_create(struct space *space,
					 enum x86_mode mode,
					 const struct x86_model *model,
					 struct error *error);
void x86_emulator_free(struct x86_emulator *emulator);
const struct x86_model *x86_emulator_model(const struct x86_emulator *);
/* Sets the local descriptor table of all cpus: `count` descriptors in the
 * processor's format. The table stays the caller's. There is none at first. */
void x86_emulator_set_ldt(struct x86_emulator *emulator, const uint64_t *table,
			  size_t count);
/* Sets the source of the numbers of RDRAND and RDSEED. Without a source the
 * numbers are a scrambled count from 0. */
void x86_emulator_set_random(struct x86_emulator *emulator,
			     uint64_t (*next)(void *owner), void *owner);

/* Sets the function that RDTSC and RDTSCP read when they execute. Without one,
 * and with NULL, the time-stamp counter counts instructions. */
void x86_emulator_set_time(struct x86_emulator *emulator,
			   uint64_t (*now)(void *owner,
					   const struct x86_cpu *cpu),
			   void *owner);

/* Creates a cpu in the state in which Linux starts a program: registers 0, flat
 * segments, default x87 control word and MXCSR. The caller sets rip and rsp. */
struct x86_cpu *x86_cpu_create(struct x86_emulator *emulator);
void x86_cpu_free(struct x86_cpu *cpu);
/* Copies all architectural state (registers, flags, vector, x87, segments,
 * TLS entries), as clone() and fork() need it; `to` keeps its own emulator,
 * space and instruction count. */
void x86_cpu_copy(struct x86_cpu *to, const struct x86_cpu *from);

enum x86_stop {
	X86_STOP_QUANTUM,      /* the instructions asked for have retired */
	X86_STOP_INT80,        /* int 0x80: rip is after it */
	X86_STOP_SYSCALL,      /* syscall: rip after it, rcx and r11 set */
	X86_STOP_SYSENTER,     /* sysenter: rip after it */
	X86_STOP_FAULT,        /* see cpu->fault; rip is at the instruction */
	X86_STOP_UNSUPPORTED,  /* rip is at it: x86_describe_instruction() */
	X86_STOP_MARKER,       /* cpu->marker; rip is after it */
	X86_STOP_BREAKPOINT,   /* rip is at a breakpoint */
	/* Rip is at an instruction that may touch the watched range. */
	X86_STOP_WATCH,
	X86_STOP_LAST,         /* rip is at the last instruction to execute */
	/* Only from step.h: rip is at an instruction to stop before. */
	X86_STOP_ASKED,
	/* Only from step.h, with X86_BESIDE: what comes next would change what
	 * threads share. */
	X86_STOP_ALONE,
};

/* Codes of markers (cpu->marker) that have a meaning. */
enum x86_marker {
	X86_MARKER_NOTHING,
	X86_MARKER_CHECKPOINT,
	X86_MARKER_BEGIN, /* of a region that is to be simulated in detail */
	X86_MARKER_END,   /* behind it */
};

/* Executes exactly `instructions` instructions unless it stops earlier. A
 * string instruction with REP counts as one. A system-call instruction has
 * retired and is counted; a faulting instruction is not. */
enum x86_stop x86_run(struct x86_cpu *cpu, uint64_t instructions);

/* Breakpoints: x86_run() stops before the instruction at a breakpoint, whether
 * its address is mapped or not, unless the run begins there. All cpus of the
 * emulator share the breakpoints. */
void x86_breakpoint_insert(struct x86_emulator *emulator, uint64_t address);
void x86_breakpoint_remove(struct x86_emulator *emulator, uint64_t address);
bool x86_breakpoint_at(const struct x86_emulator *emulator, uint64_t address);

/* Sets the watched range of all cpus of the emulator; start == end means none.
 * x86_run() stops before an instruction that is about to touch the range,
 * unless the run begins there. */
void x86_watch(struct x86_emulator *emulator, uint64_t start, uint64_t end);
/* Whether the instruction at rip is about to touch the watched range. */
bool x86_near_watch(const struct x86_cpu *cpu);

/* Makes x86_run() stop before each instruction that has these bytes (1 to 15).
 * To be called before any code has run. */
void x86_last_instruction(struct x86_emulator *emulator, const uint8_t *code,
			  size_t size);

/* The markers of gem5, Sniper and ZSim stop as those of m2s.h, and execute as
 * NOPs. To be called before any code has run. */
void x86_foreign_markers(struct x86_emulator *emulator);

/* For an undefined instruction at cpu->rip that `model` lacks: writes the
 * option that names a model with the instruction. False when the instruction is
 * undefined for another reason. */
bool x86_describe_cure(const struct x86_model *model,
		       const struct x86_cpu *cpu, char *text, size_t size);

/* Formats "mnemonic operands (bytes) at address" of the instruction at
 * cpu->rip. */
void x86_describe_instruction(const struct x86_cpu *cpu, char *text,
			      size_t size);

/* The emulator's own counts, for statistics and tests. */
struct x86_emulator_counts {
	uint64_t blocks;          /* decoded */
	uint64_t instructions;    /* decoded */
	uint64_t invalidations;   /* blocks dropped because code changed */
	uint64_t code_faults;     /* writes caught on watched pages */
	uint64_t lookups;         /* block searches by the run loop */
};
void x86_emulator_counts(const struct x86_emulator *emulator,
			 struct x86_emulator_counts *counts);

#endif
