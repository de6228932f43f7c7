#include "evergreen/listing/directives.h"

#include "evergreen/asm/directive-words.h"

static const char *kind_word(const struct evg_argument *argument)
{
	for (size_t i = 0; i < EVG_KIND_WORDS; i++)
		if (evg_kind_words[i].kind == argument->kind &&
		    (argument->kind != EVG_ARGUMENT_POINTER ||
		     evg_kind_words[i].space == argument->address_space))
			return evg_kind_words[i].word;
	return evg_kind_words[0].word;
}

static void print_float_mode(const struct evg_float_mode *mode, FILE *file)
{
	uint32_t bits = evg_float_mode_encode(mode) |
			(uint32_t)!mode->clamp_keeps_nan << 8;

	if (bits == (EVG_FLOAT_MODE_DEFAULT | 1 << 8))
		return;
	fprintf(file, ".float_mode");
	for (size_t i = 0; i < EVG_MODE_WORDS; i++)
		fprintf(file, " %s(%u)", evg_mode_words[i].word,
			bits >> evg_mode_words[i].shift & evg_mode_words[i].limit);
	fputc('\n', file);
}

static void print_three(const char *word, const uint32_t size[3], FILE *file)
{
	if (size[0])
		fprintf(file, "%s %u %u %u\n", word, size[0], size[1], size[2]);
}

static void print_flow(const struct evg_flow_constants *flow, FILE *file)
{
	for (unsigned n = 0; n < EVG_LOOP_CONSTANTS; n++) {
		const int32_t *loop = flow->loops[n];

		if (!(flow->loops_given >> n & 1))
			continue;
		fprintf(file, ".loop %u %u %d %d", n, (uint32_t)loop[0],
			loop[1], loop[2]);
		if (loop[3])
			fprintf(file, " %d", loop[3]);
		fputc('\n', file);
	}
	for (unsigned n = 0; n < EVG_LOOP_CONSTANTS; n++)
		if (flow->bools_given >> n & 1)
			fprintf(file, ".bool %u %u\n", n,
				flow->bools >> n & 1);
}

void evg_directives_print(const struct evg_kernel *kernel, FILE *file)
{
	const struct evg_program *program = kernel->program;

	/* Only the first kernel can have it before it. */
	if (program && program->chip != EVG_CHIP_CYPRESS &&
	    kernel == program->kernels)
		fprintf(file, ".chip %s\n", evg_chip_info[program->chip].name);
	fprintf(file, ".kernel %s\n.registers %u\n.stack %u\n.local %u\n",
		kernel->name, kernel->registers, kernel->stack_size,
		kernel->local_size);
	if (kernel->scratch_size)
		fprintf(file, ".scratch %u\n", kernel->scratch_size);
	print_float_mode(&kernel->float_mode, file);
	print_three(".reqd_work_group_size", kernel->reqd_work_group_size,
		    file);
	print_three(".work_group_size_hint", kernel->work_group_size_hint,
		    file);
	print_flow(&kernel->flow, file);
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct evg_argument *argument = &kernel->arguments[i];

		fprintf(file, ".argument %s \"%s\" %s SIZE(%u) ALIGN(%u) "
			"OFFSET(%u)", kind_word(argument),
			argument->type_name,
			*argument->name ? argument->name : "_", argument->size,
			argument->alignment, argument->offset);
		if (evg_argument_has_number(argument))
			fprintf(file, " NUMBER(%u)", argument->number);
		for (size_t j = 0; j < EVG_FLAG_WORDS; j++)
			if (evg_flag_words[j].access
				    ? argument->access == evg_flag_words[j].access
				    : argument->qualifiers & evg_flag_words[j].qualifier)
				fprintf(file, " %s", evg_flag_words[j].word);
		fputc('\n', file);
	}
	for (uint32_t i = 0; i < kernel->sampler_count; i++)
		fprintf(file, ".sampler %u 0x%x\n",
			kernel->samplers[i].number, kernel->samplers[i].bits);
}
