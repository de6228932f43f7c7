/* Branches that x86_run() tells while it runs at almost full speed: where each
 * block of decoded code was left. x86_observe() (step.h) tells much more of
 * each instruction and is some ten times slower. */
#ifndef M2S_X86_EMU_BRANCH_LOG_H
#define M2S_X86_EMU_BRANCH_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emu/emu.h"
#include "x86/emu/inst.h"

/* A log is a row of words. What begins with a word, by its lowest three bits: */
enum x86_log_tag {
	/* A block was left at its branch's target, or behind the block: the
	 * other bits are for x86_log_exit(). */
	X86_LOG_EXIT_0,
	X86_LOG_EXIT_1,
	/* A block was left by a jump to the address in the next word. */
	X86_LOG_JUMP,
	/* The next word is the number of instructions that the cpu had retired
	 * here. Needed where blocks were left in their middle. */
	X86_LOG_COUNT,
	/* this number and greater ones belong to the consumer */
	X86_LOG_OTHER,
	X86_LOG_MASK = 7,
};

struct x86_branch_log {
	/* x86_run() tells. When not, `settle` is still called. */
	bool on;
	/* Room for the next words. There are two more behind the end. */
	uint64_t *at, *end;
	/* There is no more room: provides some. */
	void (*full)(struct x86_branch_log *log);
	/* Decoded code goes away: must consume the whole log. Words about
	 * later blocks may be the same. */
	void (*settle)(struct x86_branch_log *log);
};

/* How a block was left. */
struct x86_log_exit {
	/* Of the branch; target: of a direct one; behind: the next address. */
	uint64_t address, target, behind;
	uint8_t instructions;     /* of the block */
	uint8_t length;
	uint8_t branch;           /* enum x86_branch */
};

/* Makes x86_run() tell while log->on. The log is the caller's and must live as
 * long as the emulator, or until it is replaced; NULL: there is none. */
void x86_log_branches(struct x86_emulator *emulator,
		      struct x86_branch_log *log);

/* Decodes a word of the first three tags. May be called by another host thread
 * while the emulator runs. */
struct x86_log_exit x86_log_exit(uint64_t word);

static inline void x86_log_room(struct x86_branch_log *log)
{
	if (__builtin_expect(log->at >= log->end, 0))
		log->full(log);
}

static inline void x86_log_one(struct x86_branch_log *log, uint64_t word)
{
	*log->at++ = word;
	x86_log_room(log);
}

static inline void x86_log_two(struct x86_branch_log *log, uint64_t word,
			       uint64_t other)
{
	log->at[0] = word;
	log->at[1] = other;
	log->at += 2;
	x86_log_room(log);
}

#endif
