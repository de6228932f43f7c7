/* The report of an uncaught fault: what happened, where, and how the program
 * got there. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/access.h"
#include "x86/isa/disasm.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/state.h"
#include "x86/linux/unwind/fault-report.h"
#include "x86/linux/unwind/symbol.h"
#include "x86/linux/unwind/unwind.h"

enum {
	LINES_BEFORE = 5, LINES_AFTER = 3, /* instructions around the fault */
	FRAMES = 400,        /* followed */
	FRAMES_SHOWN = 24,   /* runs of one address count once */
	FUNCTION_MAX = 65536, /* bytes decoded to find instructions before */
	INSTRUCTION_MAX = 15,
	THREADS_SHOWN = 64,
	NULL_REACH = 65536,  /* addresses that look like a null pointer */
	STACK_REACH = 65536, /* and like the stack pointer */
};

/* ---- What happened ---- */

static bool near(uint64_t a, uint64_t b, uint64_t reach)
{
	return a - b + reach < 2 * reach;
}

/* A frame that does not fit: below the lowest page of a stack. */
static bool is_overflow(const struct context *context, uint64_t address)
{
	const struct x86_cpu *cpu = context->cpu;
	const struct space_region *region =
		space_region_at(cpu->space, address);
	const struct space_region *above;

	if (!near(address, cpu->reg[X86_RSP], STACK_REACH))
		return false;
	if (region && region->protection)
		return false;
	/* The stack begins above, behind a guard perhaps. */
	for (uint64_t at = address - address % SPACE_PAGE, i = 0; i < 1024;
	     i++, at += SPACE_PAGE) {
		above = space_region_at(cpu->space, at);
		if (above && above->protection & SPACE_WRITE)
			return true;
	}
	return false;
}

static const char *region_name(const struct space_region *region)
{
	return region->name[0] ? region->name : "anonymous memory";
}

static void explain_page_fault(FILE *out, const struct context *context,
			       const struct signal_information *information)
{
	const struct x86_cpu *cpu = context->cpu;
	uint64_t address = information->address;
	const struct space_region *region =
		space_region_at(cpu->space, address);
	bool execute = information->error_code & 16;
	bool write = information->error_code & 2;

	fprintf(out, " %s 0x%" PRIx64 ": ",
		execute ? "executing" : write ? "writing" : "reading", address);
	if (information->number == SIGBUS)
		fprintf(out, "behind the end of the mapped file %s",
			region ? region_name(region) : "");
	else if (!execute && is_overflow(context, address))
		fputs("the stack overflows", out);
	else if (address < NULL_REACH)
		fputs(execute ? "a call or jump through a null pointer"
			      : "a null pointer (with an offset)", out);
	else if (!region)
		fputs("nothing is mapped there", out);
	else if (!region->protection)
		fprintf(out, "%s without any access (PROT_NONE)",
			region_name(region));
	else if (execute)
		fprintf(out, "data, not code: %s is not executable",
			region_name(region));
	else if (write)
		fprintf(out, "read-only memory of %s", region_name(region));
	else
		fprintf(out, "%s cannot be read", region_name(region));
}

static void explain_protection(FILE *out, const struct context *context)
{
	struct x86_access list[X86_ACCESSES_MAX];
	size_t count = x86_accesses(context->cpu, list);
	uint64_t rip = context->cpu->rip;

	if ((rip + (1ull << 47)) >> 48 && context->cpu->mode == X86_MODE_64) {
		fputs(": a jump to an address that is not canonical", out);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t address = list[i].address;

		if (context->cpu->mode == X86_MODE_64 &&
		    (address + (1ull << 47)) >> 48) {
			fprintf(out, ": the address 0x%" PRIx64 " is not "
				"canonical (a wild pointer)", address);
			return;
		}
		if (list[i].size >= 16 && address % 16) {
			fprintf(out, ": the operand at 0x%" PRIx64 " is not "
				"aligned as this instruction demands",
				address);
			return;
		}
	}
	fputs(": an instruction or value that only the kernel may use", out);
}

static const char *arithmetic_name(int code)
{
	switch (code) {
	case FPE_INTDIV:
		return "integer division by zero, or a quotient that does "
		       "not fit";
	case FPE_FLTDIV:
		return "floating-point division by zero";
	case FPE_FLTOVF:
		return "floating-point overflow";
	case FPE_FLTUND:
		return "floating-point underflow";
	case FPE_FLTRES:
		return "inexact floating-point result";
	case FPE_FLTINV:
		return "invalid floating-point operation";
	default:
		return "arithmetic exception";
	}
}

static void explain_undefined(FILE *out, const struct context *context)
{
	const struct guest_memory *memory = context->process->memory;
	char cure[256];

	fputs(": not an instruction of this processor model", out);
	if (x86_describe_cure(x86_emulator_model(memory->emulator),
			      context->cpu, cure, sizeof cure))
		fprintf(out, "; %s", cure);
}

static void explain(FILE *out, const struct context *context,
		    const struct signal_information *information)
{
	if (information->vector == 14)
		explain_page_fault(out, context, information);
	else if (information->number == SIGFPE)
		fprintf(out, ": %s", arithmetic_name(information->code));
	else if (information->number == SIGILL)
		explain_undefined(out, context);
	else if (information->number == SIGTRAP)
		fputs(information->vector == 3 ? ": a breakpoint instruction"
					       : ": a single step", out);
	else if (information->vector == 12)
		fputs(": a stack address that is not canonical", out);
	else if (information->vector == 4)
		fputs(": INTO found an overflow", out);
	else if (information->vector == 5)
		fputs(": BOUND found an index out of its bounds", out);
	else if (information->number == SIGSEGV)
		explain_protection(out, context);
}

/* ---- Instructions around ---- */

/* The start of the last LINES_BEFORE instructions in `size` bytes of code, or 0
 * when the last one does not end with the bytes. There is room for an
 * instruction behind. */
static size_t lines_from(bool wide, const uint8_t *code, size_t size,
			 size_t *starts)
{
	size_t count = 0, from = 0;
	char text[256];

	while (from < size) {
		size_t length = x86_disasm(wide, 0, code + from,
					   size + INSTRUCTION_MAX - from,
					   text, sizeof text);

		if (!length)
			return 0;
		if (count == LINES_BEFORE) {
			memmove(starts, starts + 1,
				(LINES_BEFORE - 1) * sizeof *starts);
			count--;
		}
		starts[count++] = from;
		from += length;
	}
	return from == size ? count : 0;
}

/* Prints the instructions before rip: from the function's beginning if that
 * leads to rip, else from the farthest place that does. */
static void print_before(FILE *out, struct context *context)
{
	const struct x86_cpu *cpu = context->cpu;
	bool wide = cpu->mode == X86_MODE_64;
	uint64_t start = symbol_start(context->process->system, cpu->space,
				      cpu->rip);
	size_t starts[LINES_BEFORE], count = 0;
	uint64_t distance = cpu->rip - start;
	uint8_t *code = xcalloc(1, FUNCTION_MAX + INSTRUCTION_MAX);

	if (start && distance <= FUNCTION_MAX &&
	    space_read(cpu->space, start, code, distance) == 0)
		count = lines_from(wide, code, distance, starts);
	for (uint64_t back = start == cpu->rip ? 0 : LINES_BEFORE * 6;
	     !count && back; back--) {
		distance = back;
		if (space_read(cpu->space, cpu->rip - back, code, back) == 0)
			count = lines_from(wide, code, back, starts);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t address = cpu->rip - distance + starts[i];
		char text[256];

		x86_disasm(wide, address, code + starts[i], INSTRUCTION_MAX,
			   text, sizeof text);
		fprintf(out, "\n     0x%" PRIx64 ": %s", address, text);
	}
	free(code);
}

static void print_code(FILE *out, struct context *context)
{
	const struct x86_cpu *cpu = context->cpu;
	uint64_t at = cpu->rip;

	if (!space_check(cpu->space, at, 1, SPACE_EXECUTE)) {
		fputs("\n  => no code there", out);
		return;
	}
	print_before(out, context);
	for (int i = 0; i <= LINES_AFTER; i++) {
		uint8_t code[INSTRUCTION_MAX];
		size_t size = sizeof code, length;
		char text[256];

		while (size && space_read(cpu->space, at, code, size))
			size--;
		length = x86_disasm(cpu->mode == X86_MODE_64, at, code, size,
				    text, sizeof text);
		fprintf(out, "\n  %s 0x%" PRIx64 ": %s", i ? "  " : "=>", at,
			text);
		if (!i) {
			fputs(" (bytes", out);
			for (size_t j = 0; j < (length ? length : size) &&
					   j < INSTRUCTION_MAX; j++)
				fprintf(out, " %02x", code[j]);
			fputc(')', out);
		}
		if (!length)
			break;
		at += length;
	}
}

/* ---- Registers ---- */

static void print_registers(FILE *out, const struct x86_cpu *cpu)
{
	static const char *const names[] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
	};
	bool wide = cpu->mode == X86_MODE_64;

	for (int i = 0; i < (wide ? 16 : 8); i++) {
		if (i % 4 == 0)
			fputs("\n ", out);
		if (wide)
			fprintf(out, " %3s %016" PRIx64, names[i],
				cpu->reg[i]);
		else
			fprintf(out, " e%s %08" PRIx64, names[i] + 1,
				cpu->reg[i]);
	}
	fprintf(out, wide ? "\n  rip %016" PRIx64 " eflags %08" PRIx32
			    " fs_base %016" PRIx64
			  : "\n  eip %08" PRIx64 " eflags %08" PRIx32
			    " gs_base %08" PRIx64,
		cpu->rip, x86_eflags(cpu),
		cpu->segment[wide ? X86_FS : X86_GS].base);
}

/* ---- Where it came from ---- */

static void print_backtrace(FILE *out, const struct context *context)
{
	struct unwind_frame *frame = xcalloc(FRAMES, sizeof *frame);
	size_t count = unwind(context, frame, FRAMES), shown = 0;

	for (size_t i = 1; i < count; shown++) {
		char symbol[256];
		size_t run = 1;

		while (i + run < count && frame[i + run].rip == frame[i].rip)
			run++;
		if (shown == FRAMES_SHOWN) {
			fprintf(out, "\n  and so on (%zu more frames%s)",
				count - i, count == FRAMES ? " or more" : "");
			break;
		}
		(frame[i].called ? symbol_describe_return : symbol_describe)(
			context->process->system, context->cpu->space,
			frame[i].rip, symbol, sizeof symbol);
		fprintf(out, "\n  %s 0x%" PRIx64 " %s",
			frame[i].called ? "called from"
					: "interrupted by a signal at",
			frame[i].rip, symbol);
		if (run > 1)
			fprintf(out, " (%zu times)", run);
		i += run;
	}
	free(frame);
}

void thread_place(const struct context *context, char *text, size_t size)
{
	struct linux_system *system = context->process->system;
	struct space *space = context->cpu->space;
	const char *program = context->process->memory->executable;
	struct unwind_frame frame[FRAMES_SHOWN];
	size_t count = unwind(context, frame, FRAMES_SHOWN);
	char symbol[256];
	size_t used;

	symbol_describe(system, space, context->cpu->rip, symbol,
			sizeof symbol);
	snprintf(text, size, "0x%" PRIx64 " %s", context->cpu->rip, symbol);
	for (size_t i = 0; i < count; i++) {
		const struct space_region *region =
			space_region_at(space, frame[i].rip);

		if (!region || !program || strcmp(region->name, program))
			continue;
		if (!i) /* that is where it is */
			return;
		symbol_describe_return(system, space, frame[i].rip, symbol,
				       sizeof symbol);
		used = strlen(text);
		snprintf(text + used, size - used, ", from 0x%" PRIx64 " %s",
			 frame[i].rip, symbol);
		return;
	}
}

static void print_threads(FILE *out, const struct context *faulted)
{
	struct linux_system *system = faulted->process->system;
	int count = 0;

	for (const struct context *context = system->contexts; context;
	     context = context->next) {
		char place[512];

		if (context == faulted || context->ended ||
		    context->process != faulted->process)
			continue;
		if (count++ == THREADS_SHOWN) {
			fputs("\n  and more threads", out);
			return;
		}
		thread_place(context, place, sizeof place);
		fprintf(out, "\n  context %d (%s) is at %s%s%s", context->tid,
			context->name, place,
			context->call.active ? " and waits for " : "",
			context->call.active ? context->wait.what : "");
	}
}

void fault_report(struct context *context,
		  const struct signal_information *information)
{
	const struct process *process = context->process;
	char symbol[256], *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fprintf(out, "process %d (%s), context %d: %s (%s)", process->pid,
		process->name, context->tid, signal_name(information->number),
		strsignal(information->number));
	explain(out, context, information);
	symbol_describe(process->system, context->cpu->space,
			context->cpu->rip, symbol, sizeof symbol);
	fprintf(out, "\n  at 0x%" PRIx64 " %s", context->cpu->rip, symbol);
	print_code(out, context);
	print_registers(out, context->cpu);
	print_backtrace(out, context);
	print_threads(out, context);
	fclose(out);
	log_warning(process->system->log, "%s", text);
	free(text);
}
