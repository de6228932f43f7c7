/* The run loop with a log of branches. The budget stays 0, so that every block
 * returns at its end. The loop then continues at the block to which the ended
 * block is linked. Handlers and blocks are those of plain runs. */
#include "x86/emu/branch-log.h"

#include "x86/emu/run.h"

_Static_assert(_Alignof(struct x86_op) > X86_LOG_MASK,
	       "an op's address leaves room for the tag");

void x86_log_branches(struct x86_emulator *emulator,
		      struct x86_branch_log *log)
{
	emulator->log = log;
}

static const struct x86_exit *exit_of(const struct x86_op *op)
{
	return (const void *)(op + 1);
}

struct x86_log_exit x86_log_exit(uint64_t word)
{
	const struct x86_op *op =
		(const void *)(uintptr_t)(word & ~(uint64_t)X86_LOG_MASK);

	return (struct x86_log_exit){
		.address = x86_op_rip(op),
		.target = exit_of(op)->address[0],
		.behind = exit_of(op)->address[1],
		.instructions = (uint8_t)(op->count + 1),
		.length = op->length,
		.branch = x86_op_block(op)->branch,
	};
}

void x86_log_leave(struct x86_cpu *cpu, int leave)
{
	struct x86_branch_log *log = cpu->emulator->log;

	/* No block was left: the entry of the table of jumps was empty. */
	if (!cpu->op)
		return;
	if (leave == X86_LEAVE_LINK)
		x86_log_one(log, (uintptr_t)cpu->op |
					 (cpu->link != exit_of(cpu->op)->target));
	else if (leave == X86_LEAVE_LOOKUP)
		x86_log_two(log, (uintptr_t)cpu->op | X86_LOG_JUMP, cpu->rip);
}

void x86_log_count(struct x86_cpu *cpu)
{
	x86_log_two(cpu->emulator->log, X86_LOG_COUNT, x86_instructions(cpu));
}

int x86_execute_logged(struct x86_cpu *cpu, const struct x86_op *op,
		       int64_t budget)
{
	struct x86_branch_log *log = cpu->emulator->log;

	x86_set_budget(cpu, 0);
	for (;;) {
		int leave = op->handler(cpu, op);
		const struct x86_op *last = cpu->op;

		if (leave == X86_LEAVE_LINK) {
			const struct x86_op **link = cpu->link;

			op = *link;
			if (!op || cpu->budget <= -budget)
				return leave;
			x86_log_one(log,
				    (uintptr_t)last |
					    (link != exit_of(last)->target));
		} else if (leave == X86_LEAVE_LOOKUP) {
			const struct x86_jump_entry *entry =
				&cpu->jumps[x86_jump_hash(cpu->rip)];

			op = entry->op;
			if (entry->key != ~cpu->rip || !last ||
			    cpu->budget <= -budget)
				return leave;
			x86_log_two(log, (uintptr_t)last | X86_LOG_JUMP,
				    cpu->rip);
		} else {
			return leave;
		}
	}
}
