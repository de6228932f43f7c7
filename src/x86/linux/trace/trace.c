/* --x86-debug-isa and --x86-debug-call: one instruction at a time.
 *
 *	100 mov eax, [rbx] (bytes 8b 03) at 0x401000: [0x404010]->0x2a rax=0x2a
 *
 * An instruction, then what it read ("->"), what it wrote to memory ("<-")
 * and which registers it changed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/access.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/trace.h"
#include "x86/linux/unwind/symbol.h"

enum {
	BYTES_SHOWN = 32, /* of a memory operand */
	INDENT_MAX = 100, /* columns */
};

/* ---- Instructions ---- */

struct before {
	uint64_t reg[16];
	uint32_t eflags, mxcsr;
	union x86_vector vector[16];
	struct x86_x87 x87;
	uint64_t fs, gs;
	struct x86_access access[X86_ACCESSES_MAX];
	size_t access_count;
};

static void take_state(const struct x86_cpu *cpu, struct before *before)
{
	memcpy(before->reg, cpu->reg, sizeof before->reg);
	memcpy(before->vector, cpu->vector, sizeof before->vector);
	before->eflags = x86_eflags(cpu);
	before->mxcsr = cpu->mxcsr;
	before->x87 = cpu->x87;
	before->fs = cpu->segment[X86_FS].base;
	before->gs = cpu->segment[X86_GS].base;
	before->access_count = x86_accesses(cpu, before->access);
}

/* A number of up to eight bytes, or bytes from the lowest address on. */
static void print_bytes(FILE *log, const uint8_t *bytes, uint64_t size)
{
	uint64_t value = 0;

	if (size <= 8) {
		memcpy(&value, bytes, size);
		fprintf(log, "0x%" PRIx64, value);
		return;
	}
	for (uint64_t i = 0; i < size && i < BYTES_SHOWN; i++)
		fprintf(log, "%s%02x", i && i % 8 == 0 ? "_" : "", bytes[i]);
	if (size > BYTES_SHOWN)
		fprintf(log, "... (%" PRIu64 " bytes)", size);
}

static void print_accesses(FILE *log, const struct x86_cpu *cpu,
			   const struct before *before, bool write)
{
	for (size_t i = 0; i < before->access_count; i++) {
		const struct x86_access *access = &before->access[i];
		uint8_t bytes[BYTES_SHOWN];
		uint64_t size = access->size < sizeof bytes ? access->size
							    : sizeof bytes;

		if (!(write ? access->write : access->read) ||
		    space_read(cpu->space, access->address, bytes, size))
			continue;
		fprintf(log, " [0x%" PRIx64 "]%s", access->address,
			write ? "<-" : "->");
		print_bytes(log, bytes, access->size);
	}
}

static void print_flags(FILE *log, uint32_t eflags)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} flags[] = {
		{ X86_CF, "CF" }, { X86_PF, "PF" }, { X86_AF, "AF" },
		{ X86_ZF, "ZF" }, { X86_SF, "SF" }, { X86_TF, "TF" },
		{ X86_DF, "DF" }, { X86_OF, "OF" }, { X86_AC, "AC" },
	};

	fputs(" eflags=[", log);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (eflags & flags[i].bit)
			fprintf(log, " %s", flags[i].name);
	fputs(" ]", log);
}

static void print_x87(FILE *log, const struct x86_x87 *now,
		      const struct x86_x87 *before)
{
	if (now->top != before->top)
		fprintf(log, " top=%u", now->top & 7u);
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = (now->top + i) & 7;
		const union x86_x87_register *reg = &now->reg[at];

		if (memcmp(reg->bytes, before->reg[at].bytes, 10))
			fprintf(log, " st%u=%Lg (0x%04x%016" PRIx64 ")", i,
				reg->value, reg->sign_exponent, reg->mantissa);
	}
	if (now->empty != before->empty)
		fprintf(log, " empty=0x%02x", now->empty);
	if (now->status != before->status)
		fprintf(log, " fstat=0x%04x", now->status);
	if (now->control != before->control)
		fprintf(log, " fctrl=0x%04x", now->control);
}

static void print_vectors(FILE *log, const struct x86_cpu *cpu,
			  const struct before *before)
{
	for (int i = 0; i < 16; i++) {
		const union x86_vector *now = &cpu->vector[i];
		const union x86_vector *old = &before->vector[i];
		bool wide = memcmp(now->u8 + 16, old->u8 + 16, 16);

		if (!wide && !memcmp(now->u8, old->u8, 16))
			continue;
		/* As one number: the highest lane first. */
		fprintf(log, " %cmm%d=0x", wide ? 'y' : 'x', i);
		for (int lane = wide ? 3 : 1; lane >= 0; lane--)
			fprintf(log, "%016" PRIx64 "%s", now->u64[lane],
				lane ? "_" : "");
	}
}

static void print_changes(FILE *log, const struct x86_cpu *cpu,
			  const struct before *before)
{
	static const char *const names[16] = {
		"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
		"8",  "9",  "10", "11", "12", "13", "14", "15",
	};
	char prefix = cpu->mode == X86_MODE_64 ? 'r' : 'e';
	uint32_t eflags = x86_eflags(cpu);

	for (int i = 0; i < 16; i++)
		if (cpu->reg[i] != before->reg[i])
			fprintf(log, " %c%s=0x%" PRIx64, prefix, names[i],
				cpu->reg[i]);
	if (eflags != before->eflags)
		print_flags(log, eflags);
	print_x87(log, &cpu->x87, &before->x87);
	print_vectors(log, cpu, before);
	if (cpu->mxcsr != before->mxcsr)
		fprintf(log, " mxcsr=0x%04" PRIx32, cpu->mxcsr);
	if (cpu->segment[X86_FS].base != before->fs)
		fprintf(log, " fs_base=0x%" PRIx64, cpu->segment[X86_FS].base);
	if (cpu->segment[X86_GS].base != before->gs)
		fprintf(log, " gs_base=0x%" PRIx64, cpu->segment[X86_GS].base);
}

/* Why the instruction is not an ordinary one. */
static void print_stop(FILE *log, const struct x86_cpu *cpu,
		       enum x86_stop stop)
{
	switch (stop) {
	case X86_STOP_FAULT:
		fprintf(log, " fault: %s at 0x%" PRIx64 ", exception %u, "
			"error code 0x%x", signal_name(cpu->fault.signal),
			cpu->fault.address, cpu->fault.vector,
			cpu->fault.error_code);
		break;
	case X86_STOP_UNSUPPORTED:
		fputs(" unsupported", log);
		break;
	case X86_STOP_INT80:
	case X86_STOP_SYSCALL:
		fprintf(log, " system call %d", (int)cpu->reg[X86_RAX]);
		break;
	case X86_STOP_LAST:
		fputs(" is the last", log);
		break;
	default:
		break;
	}
}

static void print_instruction(FILE *log, const struct context *context,
			      const char *text, const struct before *before,
			      enum x86_stop stop, const char *reads)
{
	const struct x86_cpu *cpu = context->cpu;

	fprintf(log, "%d %s:%s", context->tid, text, reads);
	if (stop != X86_STOP_FAULT && stop != X86_STOP_UNSUPPORTED) {
		print_accesses(log, cpu, before, true);
		print_changes(log, cpu, before);
	}
	print_stop(log, cpu, stop);
	fputc('\n', log);
}

/* ---- Calls ---- */

/* Stack pointers at the entries of the functions that a thread is in. */
struct call_depth {
	uint64_t *entry;
	size_t count, capacity;
};

void trace_free(struct context *context)
{
	if (context->calls)
		free(context->calls->entry);
	free(context->calls);
	context->calls = NULL;
}

/* Forgets functions that have been left, by returns or by longjmp(). */
static void leave_functions(struct call_depth *calls, uint64_t sp)
{
	while (calls->count && calls->entry[calls->count - 1] < sp)
		calls->count--;
}

static void print_place(FILE *log, const struct context *context,
			uint64_t address)
{
	char text[256];

	symbol_describe(context->process->system, context->cpu->space, address,
			text, sizeof text);
	fprintf(log, "0x%" PRIx64 "%s%s", address, *text ? " " : "", text);
}

static void begin_line(FILE *log, const struct context *context)
{
	size_t indent = 2 * context->calls->count;

	fprintf(log, "%d %*s", context->tid,
		(int)(indent < INDENT_MAX ? indent : INDENT_MAX), "");
}

static bool has_prefix(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Whether an indirect jump goes from a stub of a procedure linkage table to
 * the function that it stands for. */
static bool leaves_stub(const struct context *context, uint64_t from,
			uint64_t to)
{
	struct linux_system *system = context->process->system;
	struct space *space = context->cpu->space;
	char text[256];

	symbol_describe(system, space, from, text, sizeof text);
	if (!strstr(text, "@plt+"))
		return false;
	symbol_describe(system, space, to, text, sizeof text);
	return strstr(text, "+0x0 in ") && !strstr(text, "@plt+");
}

static void print_call(FILE *log, struct context *context, const char *text,
		       uint64_t from)
{
	const struct x86_cpu *cpu = context->cpu;
	struct call_depth *calls;

	while (has_prefix(text, "bnd ") || has_prefix(text, "notrack ") ||
	       has_prefix(text, "rep "))
		text = strchr(text, ' ') + 1;
	if (!context->calls)
		context->calls = xcalloc(1, sizeof *context->calls);
	calls = context->calls;
	if (has_prefix(text, "call")) {
		leave_functions(calls, cpu->reg[X86_RSP]);
		begin_line(log, context);
		fputs("call ", log);
		print_place(log, context, cpu->rip);
		fputs(" from ", log);
		print_place(log, context, from);
		fputc('\n', log);
		ARRAY_GROW(calls->entry, calls->count, calls->capacity);
		calls->entry[calls->count++] = cpu->reg[X86_RSP];
	} else if (has_prefix(text, "ret")) {
		leave_functions(calls, cpu->reg[X86_RSP]);
		begin_line(log, context);
		fputs("return to ", log);
		print_place(log, context, cpu->rip);
		fprintf(log, " with 0x%" PRIx64 "\n", cpu->reg[X86_RAX]);
	} else if (has_prefix(text, "jmp") &&
		   leaves_stub(context, from, cpu->rip)) {
		begin_line(log, context);
		fputs("which is ", log);
		print_place(log, context, cpu->rip);
		fputc('\n', log);
	}
}

/* ---- Running ---- */

bool trace_is_on(const struct linux_system *system)
{
	return log_stream(system->log, LOG_X86_ISA) ||
	       log_stream(system->log, LOG_X86_CALL);
}

enum x86_stop trace_run(struct context *context, uint64_t instructions)
{
	const struct log *channels = context->process->system->log;
	FILE *isa = log_stream(channels, LOG_X86_ISA);
	FILE *call = log_stream(channels, LOG_X86_CALL);
	struct x86_cpu *cpu = context->cpu;
	enum x86_stop stop = X86_STOP_QUANTUM;

	while (instructions-- && stop == X86_STOP_QUANTUM) {
		uint64_t from = cpu->rip;
		struct before before;
		char text[256], *reads = NULL;
		size_t size;

		x86_describe_instruction(cpu, text, sizeof text);
		if (isa) {
			FILE *stream = open_memstream(&reads, &size);

			if (!stream)
				abort();
			take_state(cpu, &before);
			print_accesses(stream, cpu, &before, false);
			fclose(stream);
		}
		stop = x86_run(cpu, 1);
		if (isa)
			print_instruction(isa, context, text, &before, stop,
					  reads);
		free(reads);
		if (call && stop == X86_STOP_QUANTUM)
			print_call(call, context, text, from);
	}
	return stop;
}
