/* --x86-debug-isa and --x86-debug-call: one instruction at a time. */
#include <inttypes.h>
#include <string.h>

#include "x86/linux/process.h"

static const char *const register_names[16] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

static void print_changes(FILE *log, const uint64_t before[16],
			  const struct x86_cpu *cpu)
{
	for (int i = 0; i < 16; i++)
		if (cpu->reg[i] != before[i])
			fprintf(log, " %s=0x%" PRIx64, register_names[i],
				cpu->reg[i]);
	fputc('\n', log);
}

static void print_call(FILE *log, struct context *context, const char *kind,
		       uint64_t from)
{
	struct linux_system *system = context->process->system;
	struct space *space = context->process->memory->space;
	char source[256], target[256];

	symbol_describe(system, space, from, source, sizeof source);
	symbol_describe(system, space, context->cpu->rip, target,
			sizeof target);
	fprintf(log, "%d %s 0x%" PRIx64 " %s from 0x%" PRIx64 " %s\n",
		context->tid, kind, context->cpu->rip, target, from, source);
}

static bool starts_with(const char *text, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(text, word, length) &&
	       (text[length] == ' ' || !text[length]);
}

enum x86_stop trace_run(struct context *context, uint64_t instructions)
{
	const struct log *channels = context->process->system->log;
	FILE *isa = log_stream(channels, LOG_X86_ISA);
	FILE *call = log_stream(channels, LOG_X86_CALL);
	struct x86_cpu *cpu = context->cpu;
	enum x86_stop stop = X86_STOP_QUANTUM;

	if (!isa && !call)
		return x86_run(cpu, instructions);
	while (instructions-- && stop == X86_STOP_QUANTUM) {
		uint64_t before[16], from = cpu->rip;
		char text[256];

		memcpy(before, cpu->reg, sizeof before);
		x86_describe_instruction(cpu, text, sizeof text);
		stop = x86_run(cpu, 1);
		if (isa) {
			fprintf(isa, "%d %s:", context->tid, text);
			print_changes(isa, before, cpu);
		}
		if (!call || stop != X86_STOP_QUANTUM)
			continue;
		if (starts_with(text, "call"))
			print_call(call, context, "call", from);
		else if (starts_with(text, "ret"))
			print_call(call, context, "return to", from);
	}
	return stop;
}
