/* What divisions and square roots divided, for timing models whose dividers'
 * time depends on values. Internal to x86/emu. */
#ifndef M2S_X86_EMU_OBSERVE_DIVISION_H
#define M2S_X86_EMU_OBSERVE_DIVISION_H

#include "x86/emu/cpu.h"
#include "x86/emu/inst.h"

/* Whether an instruction with this mnemonic divides or takes roots. */
bool x86_divides(unsigned mnemonic);

/* What is divided, before the division. */
struct x86_dividend {
	union {
		struct {
			uint64_t low, high;
		};
		union x86_vector vector;
		uint64_t mantissa;  /* x87 */
	};
};

struct x86_record;

struct x86_dividend x86_dividend_of(const struct x86_cpu *cpu,
				    const struct x86_inst *inst);

/* After the division: sets `division` and `dividend` of its record. */
void x86_division_note(struct x86_record *record, const struct x86_cpu *cpu,
		       const struct x86_inst *inst,
		       const struct x86_dividend *dividend);

#endif
