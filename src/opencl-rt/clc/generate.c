#include "opencl-rt/clc/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/kernel/lines.h"
#include "opencl-rt/clc/code/line-rows.h"
#include "opencl-rt/clc/code/patch.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/ir/access.h"
#include "opencl-rt/clc/ir/endless.h"
#include "opencl-rt/clc/ir/images.h"
#include "opencl-rt/clc/ir/lower.h"
#include "opencl-rt/clc/ir/print.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/package.h"
#include "opencl-rt/codegen/generate.h"

/* What the generator asks of functions: one return, ways into and out of loops
 * and between branches on which values can be copied. */
#define PREPARATION                                                            \
	"function(loop-simplify,lcssa,loop(loop-reduce),instcombine,"            \
	"lowerswitch)"

/* The least that it can work with: variables are no memory, and nothing has been
 * computed in another way than it was written. */
#define BARE "function(sroa,simplifycfg)"
#define BARE_PREPARATION "function(loop-simplify,lowerswitch)"

/* When all control flow ends. */
#define LAST_PREPARATION "function(mergereturn,loop-simplify,break-crit-edges)"

/* Behind functions that have been inlined late. */
#define CLEANING                                                               \
	"function(sroa,early-cse,instcombine,simplifycfg,early-cse,adce)"

#define STRUCTURING                                                            \
	"function(fix-irreducible,unify-loop-exits,structurizecfg,"            \
	"loop-simplify,break-crit-edges)"

/* Our own structurizer takes branches and loops as they are; what it refuses
 * LLVM's makes simpler, at the price of more copies. */
static char *generate_text(LLVMModuleRef module,
			   const struct evg_kernel *kernel,
			   struct generated_kernel *made)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, kernel->name);
	char *text = codegen_generate(function, kernel, &made->facts,
				      &made->why);

	if (text || made->facts.structured ||
	    run_kernel_passes(module, function, STRUCTURING, &made->why))
		return text;
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

/* Copies of memory become loads and stores. */
static void write_copies(LLVMModuleRef module, struct error *error)
{
	struct list calls = find_instructions(module, LLVMCall, LLVMCall);
	struct rewrite rewrite;

	rewrite_start(&rewrite, module, error);
	for (size_t i = 0; i < calls.count; i++)
		access_copy_plainly(&rewrite, calls.items[i]);
	rewrite_end(&rewrite);
	free(calls.items);
}

/* Values that nothing has defined are 0 in our code, each time; so a freeze is
 * what it freezes. LLVM freezes whole arguments, too. */
static void remove_freezes(LLVMModuleRef module)
{
	struct list list = find_instructions(module, LLVMFreeze, LLVMFreeze);

	for (size_t i = 0; i < list.count; i++) {
		LLVMReplaceAllUsesWith(list.items[i],
				       LLVMGetOperand(list.items[i], 0));
		LLVMInstructionEraseFromParent(list.items[i]);
	}
	free(list.items);
}

/* Calls of printf become stores. */
static int write_prints(LLVMModuleRef module, struct error *error)
{
	struct list calls = find_instructions(module, LLVMCall, LLVMCall);
	struct rewrite rewrite;
	int status = 0;

	rewrite_start(&rewrite, module, error);
	for (size_t i = 0; !status && i < calls.count; i++) {
		LLVMValueRef callee = LLVMGetCalledValue(calls.items[i]);

		if (LLVMIsAFunction(callee) &&
		    !strcmp(LLVMGetValueName(callee), "printf"))
			status = print_lower(&rewrite, calls.items[i]);
	}
	rewrite_end(&rewrite);
	free(calls.items);
	return status;
}

/* Division of doubles and so on are functions, which become part of the
 * kernels. */
static int prepare(LLVMModuleRef module, const struct backend_options *options,
		   struct evg_program *program, struct error *error)
{
	bool has_doubles = double_is_used(module);

	if ((has_doubles && double_prepare(module, options->doubles, error)) ||
	    lower_inline(module, error) ||
	    (options->unoptimized && run_passes(module, BARE, error)) ||
	    images_lower(module, program, error) ||
	    write_prints(module, error) ||
	    (has_doubles && run_passes(module, CLEANING, error)))
		return -1;
	write_copies(module, error);
	for (uint32_t k = 0; k < program->kernel_count; k++)
		program->kernels[k].prints = print_is_used(LLVMGetNamedFunction(
			module, program->kernels[k].name));
	if (run_passes(module, options->unoptimized ? BARE_PREPARATION
						    : PREPARATION,
		       error))
		return -1;
	endless_lower(module);
	if (run_passes(module, LAST_PREPARATION, error))
		return -1;
	remove_freezes(module);
	return 0;
}

struct generated *generated_create(const struct backend_options *options,
				   LLVMModuleRef module,
				   struct evg_program *program,
				   struct error *error)
{
	LLVMModuleRef copy = LLVMCloneModule(module);
	struct generated *generated = NULL;

	if (!prepare(copy, options, program, error)) {
		generated = xcalloc(1, sizeof *generated);
		generated->count = program->kernel_count;
		generated->kernels = xcalloc(generated->count + 1,
					     sizeof *generated->kernels);
		tables_write(copy, &generated->tables);
	}
	for (uint32_t k = 0; generated && k < generated->count; k++) {
		struct generated_kernel *made = &generated->kernels[k];

		made->facts.table_size = generated->tables.size;
		made->facts.print_after = options->print_after;
		made->facts.schedule_report = options->schedule_report;
		made->facts.without = options->unoptimized ? ~0u
							   : options->without;
		made->facts.registers = options->registers;
		generate_kernel(copy, &program->kernels[k], options->verbose,
				made);
		generated->missing += !made->code;
	}
	LLVMDisposeModule(copy);
	return generated;
}

void generated_say_missing(const struct generated *generated,
			   const struct evg_program *program)
{
	for (uint32_t k = 0; k < generated->count; k++)
		if (!generated->kernels[k].code)
			fprintf(stderr, "m2s-clc: note: LLVM's back end "
				"compiles kernel '%s': the code generator does "
				"not know: %s\n", program->kernels[k].name,
				generated->kernels[k].why.text);
}

void generated_free(struct generated *generated)
{
	if (!generated)
		return;
	for (uint32_t k = 0; k < generated->count; k++) {
		evg_program_free(generated->kernels[k].code);
		free(generated->kernels[k].places);
		free(generated->kernels[k].facts.lines.list);
	}
	free(generated->kernels);
	tables_free(&generated->tables);
	free(generated);
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

static uint32_t append_tables(const struct tables *tables,
			      struct evg_program *program)
{
	uint32_t place = evg_program_append(program, tables->bytes,
					    tables->size);

	make_room(program, tables->address_count);
	for (unsigned i = 0; i < tables->address_count; i++)
		add_place(program, place + tables->addresses[i], place);
	return place;
}

/* Where the tables lie in the program's text; 0: no kernel reads any. */
static uint32_t take_tables(const struct generated *generated,
			    struct evg_program *program)
{
	for (uint32_t k = 0; k < generated->count; k++)
		if (generated->kernels[k].code &&
		    generated->kernels[k].place_count)
			return append_tables(&generated->tables, program);
	return 0;
}

/* The places in the tables become places in the program's text. */
static void take_places(const struct generated_kernel *from,
			struct evg_program *program, uint32_t code,
			uint32_t tables)
{
	make_room(program, (uint32_t)from->place_count);
	for (int i = 0; i < from->place_count; i++)
		add_place(program, code + from->places[i], tables);
}

/* Adds the code to a program's text, for the kernels that have some, and with
 * debug information its lines. */
static int take_code(const struct generated *generated,
		     const struct backend_options *options,
		     struct evg_program *program, struct error *error)
{
	uint32_t tables = take_tables(generated, program);

	for (uint32_t k = 0; k < generated->count; k++) {
		const struct generated_kernel *from = &generated->kernels[k];
		const struct evg_kernel *made, *place;
		struct evg_kernel *kernel;

		if (!from->code)
			continue;
		made = &from->code->kernels[0];
		/* Nothing says that another compiler keeps their order. */
		place = evg_program_find(program, made->name);
		if (!place)
			continue;
		kernel = &program->kernels[place - program->kernels];
		kernel->registers = made->registers;
		kernel->stack_size = made->stack_size;
		kernel->local_size = from->facts.local_size;
		kernel->scratch_size = from->facts.scratch_size;
		evg_program_add_code(program, kernel,
				     from->code->text + made->code_offset,
				     made->code_size);
		take_places(from, program, kernel->code_offset, tables);
		if (options->debug &&
		    line_rows_add(&program->lines, program, kernel,
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
	if (!patch_verify(options->name, *binary, *binary_size, NULL, error) &&
	    !add_lines(program, binary, binary_size, error))
		return 0;
	free(*binary);
	return -1;
}

int generated_package(const struct generated *generated,
		      const struct backend_options *options,
		      const struct evg_program *program, char **binary,
		      size_t *binary_size, struct error *error)
{
	struct evg_program made = *program;
	int status;

	made.kernels = xcalloc(program->kernel_count + 1,
			       sizeof *made.kernels);
	memcpy(made.kernels, program->kernels,
	       program->kernel_count * sizeof *made.kernels);
	made.text = NULL;
	made.text_size = 0;
	made.relocations = NULL;
	made.relocation_count = 0;
	made.lines = NULL;
	status = take_code(generated, options, &made, error);
	if (!status)
		status = write_binary(options, &made, binary, binary_size,
				      error);
	evg_lines_free(made.lines);
	free(made.text);
	free(made.relocations);
	free(made.kernels);
	return status;
}

int generated_merge(const struct generated *generated,
		    const struct backend_options *options, char **binary,
		    size_t *binary_size, struct error *error)
{
	struct evg_program *program = evg_program_read(options->name, *binary,
						       *binary_size, error);
	char *merged;
	int status;

	if (!program)
		return -1;
	status = take_code(generated, options, program, error);
	if (!status)
		status = write_binary(options, program, &merged, binary_size,
				      error);
	evg_program_free(program);
	if (status)
		return -1;
	free(*binary);
	*binary = merged;
	return 0;
}
