#include "opencl-rt/clc/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/kernel/lines.h"
#include "opencl-rt/clc/ir/calls.h"
#include "opencl-rt/clc/ir/copy.h"
#include "opencl-rt/clc/ir/doubles.h"
#include "opencl-rt/clc/ir/endless.h"
#include "opencl-rt/clc/ir/expand/expand.h"
#include "opencl-rt/clc/ir/halves.h"
#include "opencl-rt/clc/ir/images.h"
#include "opencl-rt/clc/ir/inline.h"
#include "opencl-rt/clc/ir/print.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/ir/strides.h"
#include "opencl-rt/clc/line-rows.h"
#include "opencl-rt/clc/package.h"
#include "opencl-rt/clc/verify/verify.h"
#include "opencl-rt/codegen/generate.h"
#include "opencl-rt/codegen/path/ways.h"
#include "opencl-rt/codegen/table/table.h"

/* What the generator asks of functions: one return, ways into and out of loops
 * and between branches on which values can be copied. */
#define PREPARATION                                                            \
	"function(loop-simplify,lcssa,loop(loop-reduce)," PASS_INSTCOMBINE       \
	"," PASS_LOWER_SWITCH ")"

/* The least that it can work with: variables are no memory, and nothing has been
 * computed in another way than it was written. */
#define BARE "function(sroa,simplifycfg)"
#define BARE_PREPARATION "function(loop-simplify," PASS_LOWER_SWITCH ")"

/* When all control flow ends. Critical edges are split without the dominators that
 * are known: keeping those up to date takes time by the square of blocks. */
#define LAST_PREPARATION                                                       \
	"function(mergereturn,loop-simplify,invalidate<all>,break-crit-edges)"

/* Behind functions that have been inlined late. */
#define CLEANING                                                               \
	"function(sroa,early-cse," PASS_INSTCOMBINE ",simplifycfg,early-cse,adce)"

#define STRUCTURING                                                            \
	"function(fix-irreducible,unify-loop-exits,structurizecfg,"            \
	"loop-simplify,break-crit-edges)"

/* For what goes block by block. */
#define REDUCING "function(fix-irreducible,break-crit-edges)"

struct generated_kernel {
	struct evg_program *code; /* of one kernel; NULL: none */
	struct codegen_facts facts;
	/* Where its code has places in the tables, in bytes. */
	uint32_t *places;
	int place_count;
	struct error why;         /* there is no code */
};

struct generated {
	struct evg_program *program;
	struct generated_kernel *kernels; /* as many as the program's */
	struct tables tables;             /* of constants */
};

static void generated_clear(struct generated *generated)
{
	for (uint32_t k = 0; k < generated->program->kernel_count; k++) {
		evg_program_free(generated->kernels[k].code);
		free(generated->kernels[k].places);
		free(generated->kernels[k].facts.lines.list);
	}
	free(generated->kernels);
	tables_free(&generated->tables);
}

/* LLVM's structurizer takes time by the square of blocks. */
enum { FEW_BLOCKS = 1000 };

/* Our own structurizer takes branches and loops as they are; what it refuses
 * LLVM's makes simpler, at the price of more copies. */
static char *generate_nested(LLVMModuleRef module, LLVMValueRef function,
			     const struct evg_kernel *kernel,
			     struct generated_kernel *made)
{
	char *text = codegen_generate(function, kernel, &made->facts,
				      &made->why);

	if (text || made->facts.structured ||
	    LLVMCountBasicBlocks(function) > FEW_BLOCKS ||
	    run_kernel_passes(module, function, STRUCTURING, &made->why))
		return text;
	return codegen_generate(function, kernel, &made->facts, &made->why);
}

/* What is too much for both structurizers goes block by block. */
static char *generate_text(LLVMModuleRef module,
			   const struct evg_kernel *kernel,
			   struct generated_kernel *made)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, kernel->name);
	char *text = NULL;

	if (!made->facts.dispatched) {
		text = generate_nested(module, function, kernel, made);
		if (text || made->facts.structured)
			return text;
	}
	if (run_kernel_passes(module, function, REDUCING, &made->why))
		return NULL;
	made->facts.dispatched = true;
	return codegen_generate(function, kernel, &made->facts, &made->why);
}

static void generate_kernel(LLVMModuleRef module,
			    const struct evg_kernel *kernel, bool verbose,
			    struct generated_kernel *made)
{
	char *text = generate_text(module, kernel, made);

	if (text && verbose)
		fputs(text, stderr);
	if (text)
		made->code = evg_assemble(kernel->name, text, strlen(text),
					  &made->why);
	free(text);
	if (!made->code || !made->facts.table_size)
		return;
	made->place_count = table_find(made->code, made->facts.table_size,
				       made->facts.first_table, &made->places,
				       &made->why);
	if (made->place_count >= 0)
		return;
	evg_program_free(made->code);
	made->code = NULL;
}

/* Values that nothing has defined are 0 in our code, each time; so a freeze is
 * what it freezes. LLVM freezes whole arguments, too. */
static void remove_freezes(LLVMModuleRef module)
{
	struct list list = find_instructions(module, LLVMFreeze);

	for (size_t i = 0; i < list.count; i++) {
		LLVMReplaceAllUsesWith(list.items[i],
				       LLVMGetOperand(list.items[i], 0));
		LLVMInstructionEraseFromParent(list.items[i]);
	}
	free(list.items);
}

/* Division of doubles and so on are functions, which become part of the
 * kernels. */
static int prepare(LLVMModuleRef module, const struct backend_options *options,
		   struct evg_program *program, struct error *error)
{
	int linked = doubles_lower(module, options->doubles, options->chip,
				   error);

	if (linked < 0 || calls_inline(module, error) ||
	    (options->unoptimized && run_passes(module, BARE, error)) ||
	    images_lower(module, program, error) ||
	    calls_lower(module, error) ||
	    (linked && run_passes(module, CLEANING, error)))
		return -1;
	copies_lower(module, error);
	for (uint32_t k = 0; k < program->kernel_count; k++)
		program->kernels[k].prints = print_is_used(LLVMGetNamedFunction(
			module, program->kernels[k].name));
	if (run_passes(module, options->unoptimized ? BARE_PREPARATION
						    : PREPARATION,
		       error))
		return -1;
	if (!options->unoptimized)
		strides_lower(module);
	endless_lower(module);
	if (run_passes(module, LAST_PREPARATION, error))
		return -1;
	remove_freezes(module);
	halves_lower(module);
	expand_lower(module);
	return 0;
}

static void generate_kernels(const struct backend_options *options,
			     LLVMModuleRef module, struct generated *generated)
{
	const struct evg_program *program = generated->program;

	for (uint32_t k = 0; k < program->kernel_count; k++) {
		struct generated_kernel *made = &generated->kernels[k];

		made->facts.table_size = generated->tables.size;
		made->facts.print_after = options->print_after;
		made->facts.schedule_report = options->schedule_report;
		made->facts.without = options->unoptimized ? ~0u
							   : options->without;
		made->facts.registers = options->registers;
		made->facts.read_path = options->read_path;
		made->facts.write_path = options->write_path;
		made->facts.chip = options->chip;
		made->facts.dispatched =
			options->without >> STAGE_STRUCTURE & 1;
		generate_kernel(module, &program->kernels[k], options->verbose,
				made);
	}
}

static bool has_argument(const struct evg_program *program,
			 const struct way_part *part)
{
	for (uint32_t k = 0; k < program->kernel_count; k++)
		for (uint32_t i = 0; i < program->kernels[k].argument_count; i++)
			if (way_part_is_of(part, program->kernels[k].name,
					   program->kernels[k]
						   .arguments[i].name))
				return true;
	return false;
}

/* Names in --read-path and --write-path for which there is no argument. They
 * may be meant for another program of the same run. */
static void warn_of_unknown(const struct evg_program *program,
			    enum way_access access, const char *text)
{
	struct way_part part;

	while (text && way_next(access, &text, &part, NULL))
		if (part.name && !has_argument(program, &part))
			fprintf(stderr, "m2s-clc: warning: --%s-path: no "
				"kernel here has an argument '%.*s'\n",
				access == WAY_OF_READS ? "read" : "write",
				(int)part.name_length, part.name);
}

/* Whether all kernels have code. */
static enum backend_status check_complete(const struct generated *generated,
					  struct error *error)
{
	const struct evg_program *program = generated->program;

	for (uint32_t k = 0; k < program->kernel_count; k++) {
		const struct generated_kernel *made = &generated->kernels[k];

		if (made->code)
			continue;
		error_set(error, "kernel '%s': %s%s", program->kernels[k].name,
			  made->facts.broken || made->facts.unsuitable
				  ? ""
				  : "the code generator does not know: ",
			  made->why.text);
		return made->facts.broken ? BACKEND_BROKEN : BACKEND_REFUSED;
	}
	return BACKEND_DONE;
}

/* --- Binaries ------------------------------------------------------------- */

/* Adds a place to a word of the program's text, which becomes an address when
 * the program is loaded. */
static void add_place(struct evg_program *program, uint32_t at, uint32_t place)
{
	uint32_t word;

	memcpy(&word, program->text + at, sizeof word);
	word += place;
	memcpy(program->text + at, &word, sizeof word);
	program->relocations[program->relocation_count++] = at;
}

static void make_room(struct evg_program *program, uint32_t count)
{
	program->relocations = xrealloc(
		program->relocations,
		(program->relocation_count + count + 1) *
			sizeof *program->relocations);
}

/* Where the tables lie in the program's text; 0: no kernel reads any. */
static uint32_t append_tables(struct generated *generated)
{
	const struct tables *tables = &generated->tables;
	struct evg_program *program = generated->program;
	bool wanted = false;
	uint32_t place;

	for (uint32_t k = 0; k < program->kernel_count; k++)
		wanted |= generated->kernels[k].place_count != 0;
	if (!wanted)
		return 0;
	place = evg_program_append(program, tables->bytes, tables->size);
	make_room(program, tables->address_count);
	for (unsigned i = 0; i < tables->address_count; i++)
		add_place(program, place + tables->addresses[i], place);
	return place;
}

/* The places in the tables become places in the program's text. */
static void add_places(struct evg_program *program,
		       const struct generated_kernel *from, uint32_t code,
		       uint32_t tables)
{
	make_room(program, (uint32_t)from->place_count);
	for (int i = 0; i < from->place_count; i++)
		add_place(program, code + from->places[i], tables);
}

/* Adds the code to the program's text, and with debug information its lines. */
static int add_code(struct generated *generated, bool debug,
		    struct error *error)
{
	struct evg_program *program = generated->program;
	uint32_t tables = append_tables(generated);

	for (uint32_t k = 0; k < program->kernel_count; k++) {
		const struct generated_kernel *from = &generated->kernels[k];
		const struct evg_kernel *made = &from->code->kernels[0];
		struct evg_kernel *kernel = &program->kernels[k];

		kernel->registers = made->registers;
		kernel->stack_size = made->stack_size;
		kernel->local_size = from->facts.local_size;
		kernel->scratch_size = from->facts.scratch_size;
		evg_program_add_code(program, kernel,
				     from->code->text + made->code_offset,
				     made->code_size);
		add_places(program, from, kernel->code_offset, tables);
		if (debug && line_rows_add(&program->lines, program, kernel,
					   &from->facts.lines, error))
			return -1;
	}
	return 0;
}

/* Adds the table of source lines. */
static int add_lines(const struct evg_program *program, char **binary,
		      size_t *binary_size, struct error *error)
{
	char *text, *larger;
	size_t length;
	int status;

	if (!program->lines)
		return 0;
	text = evg_lines_write(program->lines, &length);
	status = package_add_section(*binary, *binary_size, EVG_LINES_SECTION,
				     text, &larger, binary_size, error);
	free(text);
	if (status)
		return -1;
	free(*binary);
	*binary = larger;
	return 0;
}

static int write_binary(const struct backend_options *options,
			const struct evg_program *program, char **binary,
			size_t *binary_size, struct error *error)
{
	*binary = evg_program_write(program, options->compiler, binary_size);
	if (!verify_binary(options->name, *binary, *binary_size, error) &&
	    !add_lines(program, binary, binary_size, error))
		return 0;
	free(*binary);
	return -1;
}

enum backend_status generate_program(const struct backend_options *options,
				     LLVMModuleRef module,
				     struct evg_program *program,
				     char **binary, size_t *binary_size,
				     struct error *error)
{
	struct generated generated = { .program = program };
	enum backend_status status;

	if (prepare(module, options, program, error))
		return BACKEND_REFUSED;
	generated.kernels = xcalloc(program->kernel_count + 1,
				    sizeof *generated.kernels);
	program->chip = options->chip;
	tables_write(module, &generated.tables);
	warn_of_unknown(program, WAY_OF_READS, options->read_path);
	warn_of_unknown(program, WAY_OF_WRITES, options->write_path);
	generate_kernels(options, module, &generated);
	status = check_complete(&generated, error);
	if (status == BACKEND_DONE &&
	    (add_code(&generated, options->debug, error) ||
	     write_binary(options, program, binary, binary_size, error)))
		status = BACKEND_BROKEN;
	generated_clear(&generated);
	return status;
}
