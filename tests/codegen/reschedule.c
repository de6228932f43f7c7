/* The ALU clauses of kernel binaries, AMD's or ours, taken apart and scheduled by
 * the code generator, which knows nothing of the groups that they came in.
 * usage: reschedule FILE...
 * Prints for each kernel its groups, those of our schedules, and the lower bound. All
 * of a kernel's own registers count as read behind each clause. Exit status 1: some
 * clause has more groups than it came with. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"
#include "opencl-rt/codegen/clause.h"

struct tally {
	unsigned clauses, groups, ours, bound, more, kept;
};

static void schedule(const struct evg_code *code, const struct evg_code_cf *cf,
		     const struct evg_kernel *kernel, struct tally *tally)
{
	struct codegen_group *groups = xcalloc(cf->count, sizeof *groups);
	struct codegen_registers live = { { 0 } };
	const struct codegen_clause clause = {
		.groups = groups, .count = cf->count, .live = &live,
		.registers = kernel->registers, .units = EVG_CLAUSE_UNITS,
	};
	struct codegen_result result;
	unsigned ours = cf->count;

	for (unsigned i = 0; i < cf->count; i++)
		groups[i].group = code->groups[cf->first + i].group;
	for (unsigned r = 0; r < kernel->registers; r++)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++)
			codegen_add(&live, r, c);
	result = codegen_schedule(&clause);
	if (result.found) {
		ours = result.found;
	} else {
		printf("# %s, clause at %u: %s\n", kernel->name, cf->address,
		       result.kept);
		tally->kept++;
	}
	if (ours > cf->count)
		printf("# %s, clause at %u: %u groups, ours %u\n", kernel->name,
		       cf->address, cf->count, ours);
	tally->clauses++;
	tally->groups += cf->count;
	tally->ours += ours;
	tally->bound += result.bound ? result.bound : ours;
	tally->more += ours > cf->count;
	free(result.groups);
	free(groups);
}

static bool reschedule(const struct evg_program *program,
		       const struct evg_kernel *kernel)
{
	struct tally tally = { 0 };
	struct error error;
	struct evg_code *code = evg_code_decode(
		program->text + kernel->code_offset, kernel->code_size, &error);

	if (!code) {
		fprintf(stderr, "%s: %s\n", kernel->name, error.text);
		return false;
	}
	for (unsigned i = 0; i < code->cf_count; i++)
		if (code->cf[i].size && code->cf[i].clause == EVG_CLAUSE_ALU)
			schedule(code, &code->cf[i], kernel, &tally);
	printf("%-24s %3u clauses, %4u groups, ours %4u, at least %4u; "
	       "%u clauses not scheduled\n", kernel->name, tally.clauses,
	       tally.groups, tally.ours, tally.bound, tally.kept);
	evg_code_free(code);
	return !tally.more;
}

static bool reschedule_file(const char *name)
{
	enum { MOST = 1 << 24 };
	char *image = xmalloc(MOST);
	FILE *file = fopen(name, "rb");
	size_t size = file ? fread(image, 1, MOST, file) : 0;
	struct evg_program *program;
	struct error error;
	bool good = true;

	if (file)
		fclose(file);
	program = evg_program_read(name, image, size, &error);
	free(image);
	if (!program) {
		fprintf(stderr, "%s\n", error.text);
		return false;
	}
	for (uint32_t k = 0; k < program->kernel_count; k++)
		good &= reschedule(program, &program->kernels[k]);
	evg_program_free(program);
	return good;
}

int main(int argc, char **argv)
{
	bool good = argc > 1;

	for (int i = 1; i < argc; i++)
		good &= reschedule_file(argv[i]);
	return !good;
}
