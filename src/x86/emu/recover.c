/* After a fault: the state before the faulting instruction, and the fault as the
 * guest's kernel sees it. */
#include "x86/emu/access.h"
#include "x86/emu/run.h"

void x86_rewind_to_op(struct x86_cpu *cpu)
{
	cpu->rip = x86_op_rip(cpu->op);
	cpu->budget -= cpu->op->count;
}

X86_OP_OBSERVED(ret64);
X86_OP_OBSERVED(ret64_i);
X86_OP_OBSERVED(call64_r);
X86_OP_OBSERVED(call64_m);

/* Whether an op, observed or not, executes this instruction. */
#define IS(op, name) \
	((op)->handler == x86_op_##name || \
	 (op)->handler == x86_observed_##name)

bool x86_jump_fault(struct x86_cpu *cpu)
{
	const struct x86_op *op = cpu->op;

	if (!op || !((cpu->rip + (1ull << 47)) >> 48))
		return false;
	cpu->fault = (struct x86_fault){
		.signal = SIGSEGV, .code = SI_KERNEL, .vector = 13,
	};
	if (IS(op, ret64))
		cpu->reg[X86_RSP] -= 8;
	else if (IS(op, ret64_i))
		cpu->reg[X86_RSP] -= 8 + (uint16_t)op->imm;
	else if (IS(op, call64_r) || IS(op, call64_m))
		cpu->reg[X86_RSP] += 8;
	cpu->budget += op->count + 1;
	x86_rewind_to_op(cpu);
	return true;
}

/* Completes the page fault of the instruction at cpu->rip. An instruction that
 * reads and writes faults as a write, whichever access comes first here. */
void x86_complete_page_fault(struct x86_cpu *cpu)
{
	struct x86_fault *fault = &cpu->fault;
	struct x86_access list[X86_ACCESSES_MAX];
	size_t count = x86_accesses(cpu, list);

	for (size_t i = 0; i < count; i++)
		if (list[i].write &&
		    fault->address - list[i].address < list[i].size)
			fault->error_code |= 2;
}

enum x86_outcome x86_host_fault(struct x86_cpu *cpu,
				const struct host_fault *fault, bool keep)
{
	struct space *space = cpu->space;
	const struct space_region *region;
	uint64_t address;

	x86_rewind_to_op(cpu);
	if (fault->signal == SIGFPE) {
		/* The guest has unmasked an exception in MXCSR. */
		cpu->fault = (struct x86_fault){
			.signal = SIGFPE, .code = fault->code,
			.address = cpu->rip, .vector = 19,
		};
		return X86_OUTCOME_FAULT;
	}
	if (space_rejoin(space, fault->address)) {
		x86_bind_memory(cpu);
		return X86_OUTCOME_AGAIN;
	}
	space_guest(space, fault->address, &address);
	region = space_region_at(space, address);
	if (fault->signal == SIGSEGV && space_watched(space, address)) {
		struct x86_page *page = x86_page_get(cpu->emulator, address);

		if (keep)
			return X86_OUTCOME_KEPT;
		if (page->writes < X86_PAGE_WRITES)
			page->writes++;
		cpu->emulator->counts.code_faults++;
		space_unwatch(space, address);
		return X86_OUTCOME_AGAIN;
	}
	cpu->fault = (struct x86_fault){
		.signal = fault->signal,
		.code = fault->signal == SIGBUS ? fault->code :
			region ? SEGV_ACCERR : SEGV_MAPERR,
		.address = address,
		.vector = 14,
		.error_code = (uint16_t)(4 | (fault->write ? 2 : 0) |
					 (fault->present ? 1 : 0)),
	};
	x86_complete_page_fault(cpu);
	return X86_OUTCOME_FAULT;
}
