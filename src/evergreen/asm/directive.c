#include "evergreen/asm/directive.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/directive-words.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/metadata.h"

enum {
	STACK_MAX = 255,
	SAMPLER_BITS_MAX = 63,
	/* A fetch adds at most so many bytes to its address. */
	OFFSET_MAX = 1 << 15,
};

/* ---- Types ---- */

static const struct {
	const char *name;
	uint32_t size;
} scalars[] = {
	{ "char", 1 }, { "uchar", 1 }, { "short", 2 }, { "ushort", 2 },
	{ "half", 2 }, { "int", 4 }, { "uint", 4 }, { "float", 4 },
	{ "size_t", 4 }, { "long", 8 }, { "ulong", 8 }, { "double", 8 },
};

/* Bytes of an OpenCL type such as float4, or 0. */
static uint32_t type_size(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(scalars); i++) {
		size_t length = strlen(scalars[i].name);
		char *end;
		unsigned long count;

		if (strncmp(type, scalars[i].name, length))
			continue;
		if (!type[length])
			return scalars[i].size;
		count = strtoul(type + length, &end, 10);
		if (!*end && (count == 2 || count == 3 || count == 4 ||
			      count == 8 || count == 16))
			return scalars[i].size *
			       (uint32_t)(count == 3 ? 4 : count);
	}
	return 0;
}

/* ---- Arguments ---- */

static int parse_type(struct evg_scan *scan, struct evg_argument *argument)
{
	const char *end;
	char name[EVG_WORD_SIZE];

	if (evg_scan_need(scan, "\""))
		return -1;
	end = strchr(scan->at, '"');
	if (!end)
		return evg_scan_expected(scan, "a type and '\"'");
	argument->type_name = xasprintf("%.*s", (int)(end - scan->at),
					scan->at);
	scan->at = end + 1;
	if (!evg_scan_word(scan, name))
		return evg_scan_expected(scan, "the argument's name");
	argument->name = xstrdup(name);
	return 0;
}

/* "SIZE(4)" and its like: 1, 0 when none comes, or -1. */
static int parse_number(struct evg_scan *scan, const char *word,
			uint32_t *value)
{
	if (!evg_scan_keyword(scan, word))
		return 0;
	return evg_scan_need(scan, "(") || evg_scan_need_number(scan, value) ||
	       evg_scan_need(scan, ")")
		       ? -1
		       : 1;
}

/* What has been said with a number. */
struct given {
	bool offset, number;
};

static int parse_flags(struct evg_scan *scan, struct evg_argument *argument,
		       struct given *said)
{
	while (!evg_scan_end(scan)) {
		int found = parse_number(scan, "SIZE", &argument->size);

		if (!found)
			found = parse_number(scan, "ALIGN",
					     &argument->alignment);
		if (!found) {
			found = parse_number(scan, "OFFSET",
					     &argument->offset);
			said->offset |= found > 0;
		}
		if (!found) {
			found = parse_number(scan, "NUMBER",
					     &argument->number);
			said->number |= found > 0;
		}
		for (size_t i = 0; i < EVG_FLAG_WORDS && !found; i++) {
			if (!evg_scan_keyword(scan, evg_flag_words[i].word))
				continue;
			found = 1;
			argument->qualifiers |= evg_flag_words[i].qualifier;
			if (evg_flag_words[i].access)
				argument->access = evg_flag_words[i].access;
		}
		if (found < 0)
			return -1;
		if (!found)
			return evg_scan_expected(scan, "SIZE(), ALIGN(), "
						 "OFFSET(), NUMBER() or a "
						 "qualifier");
	}
	return 0;
}

/* The number of an image or sampler: if none is given, the one that m2s-clc
 * would give. */
static int complete_number(struct evg_scan *scan,
			   const struct evg_kernel *kernel,
			   struct evg_argument *argument, bool has)
{
	uint32_t limit = EVG_SAMPLERS;

	if (!evg_argument_has_number(argument))
		return has ? evg_scan_fail(scan, "%s: NUMBER() is for images "
					   "and samplers", argument->name)
			   : 0;
	if (argument->kind == EVG_ARGUMENT_IMAGE)
		limit = argument->access == EVG_ACCESS_WRITE_ONLY
				? EVG_RATS
				: EVG_FETCH_RESOURCES;
	if (!has) {
		argument->number = limit == EVG_SAMPLERS ? 0
				   : limit == EVG_RATS ? EVG_WRITE_IMAGE_FIRST
						       : EVG_READ_IMAGE_FIRST;
		for (const struct evg_argument *a = kernel->arguments;
		     a != argument; a++)
			argument->number += a->kind == argument->kind &&
					    a->access == argument->access;
	}
	if (argument->number >= limit)
		return evg_scan_fail(scan, "%s: NUMBER(%u): expected at most "
					   "%u",
				     argument->name, argument->number,
				     limit - 1);
	return 0;
}

/* What the words have left open, and whether all of it makes sense. */
static int complete(struct evg_scan *scan, struct asm_kernel *given,
		    struct evg_argument *argument, bool has_offset)
{
	uint32_t end = given->arguments_end ? given->arguments_end
					    : EVG_ARGUMENTS_START;
	uint32_t align;

	if (argument->kind != EVG_ARGUMENT_VALUE && !argument->size)
		argument->size = argument->kind == EVG_ARGUMENT_IMAGE
					 ? EVG_IMAGE_ARGUMENT_SIZE
					 : 4;
	if (!argument->size)
		argument->size = type_size(argument->type_name);
	if (argument->kind != EVG_ARGUMENT_VALUE &&
	    argument->size != (argument->kind == EVG_ARGUMENT_IMAGE
				       ? EVG_IMAGE_ARGUMENT_SIZE
				       : 4))
		return evg_scan_fail(scan, "%s: SIZE(%u): expected 4 for a "
				     "pointer or sampler, %d for an image",
				     argument->name, argument->size,
				     EVG_IMAGE_ARGUMENT_SIZE);
	if (!argument->size)
		return evg_scan_fail(scan, "%s: the size of type %s is "
					   "unknown; add SIZE(n)",
				     argument->name, argument->type_name);
	if (!argument->alignment)
		argument->alignment = type_size(argument->type_name);
	if (!argument->alignment)
		argument->alignment = 4;
	align = argument->kind == EVG_ARGUMENT_VALUE ? argument->alignment : 4;
	if (argument->alignment & (argument->alignment - 1) ||
	    argument->alignment > 128 || argument->size > 4096)
		return evg_scan_fail(scan, "%s: SIZE(%u) ALIGN(%u): expected at "
				     "most 4096, and a power of two up to 128",
				     argument->name, argument->size,
				     argument->alignment);
	/* From the first argument on, as m2s-clc lays them out. */
	if (!has_offset)
		argument->offset = EVG_ARGUMENTS_START +
			(end - EVG_ARGUMENTS_START + align - 1) / align * align;
	if (argument->offset < end || argument->offset > OFFSET_MAX)
		return evg_scan_fail(scan, "%s: OFFSET(%u): expected %u to %d",
				     argument->name, argument->offset, end,
				     OFFSET_MAX);
	given->arguments_end = argument->offset + argument->size;
	return 0;
}

static int parse_argument(struct evg_scan *scan, struct asm_kernel *given,
			  struct evg_kernel *kernel)
{
	struct evg_argument *list = (struct evg_argument *)kernel->arguments;
	struct evg_argument *argument;
	struct given said = { false, false };
	size_t i = 0;

	if (kernel->argument_count == EVG_ARGUMENT_COUNT_MAX)
		return evg_scan_fail(scan, "more than %d arguments",
				     EVG_ARGUMENT_COUNT_MAX);
	while (i < EVG_KIND_WORDS && !evg_scan_keyword(scan, evg_kind_words[i].word))
		i++;
	if (i == EVG_KIND_WORDS)
		return evg_scan_expected(scan, "value, global, constant, "
					 "local, image or sampler");
	list = xrealloc(list, (kernel->argument_count + 1) * sizeof *list);
	kernel->arguments = list;
	argument = &list[kernel->argument_count++];
	*argument = (struct evg_argument){
		.kind = evg_kind_words[i].kind, .address_space = evg_kind_words[i].space,
	};
	return parse_type(scan, argument) ||
	       parse_flags(scan, argument, &said) ||
	       complete(scan, given, argument, said.offset) ||
	       complete_number(scan, kernel, argument, said.number)
		       ? -1
		       : 0;
}

/* ".sampler 1 0x14": number and bits of one that no argument is. */
static int parse_sampler(struct evg_scan *scan, struct evg_kernel *kernel)
{
	struct evg_literal_sampler *list =
		(struct evg_literal_sampler *)kernel->samplers, sampler;

	if (evg_scan_need_number(scan, &sampler.number) ||
	    evg_scan_need_number(scan, &sampler.bits))
		return -1;
	if (sampler.number >= EVG_SAMPLERS || sampler.bits > SAMPLER_BITS_MAX ||
	    kernel->sampler_count == EVG_SAMPLERS)
		return evg_scan_fail(scan, ".sampler %u 0x%x: expected a number "
				     "below %d and six bits, %d times at most",
				     sampler.number, sampler.bits,
				     EVG_SAMPLERS, EVG_SAMPLERS);
	list = xrealloc(list, (kernel->sampler_count + 1) * sizeof *list);
	list[kernel->sampler_count++] = sampler;
	kernel->samplers = list;
	return evg_scan_end(scan) ? 0 : evg_scan_expected(scan, "nothing more");
}

/* ---- The others ---- */

static int parse_limited(struct evg_scan *scan, const char *what,
			 uint32_t limit, uint32_t *value)
{
	if (evg_scan_need_number(scan, value))
		return -1;
	if (*value > limit)
		return evg_scan_fail(scan, "%s %u: expected at most "
					   "%u", what, *value,
				     limit);
	return evg_scan_end(scan) ? 0 : evg_scan_expected(scan, "nothing more");
}

static int parse_three(struct evg_scan *scan, uint32_t size[3])
{
	for (int i = 0; i < 3; i++)
		if (evg_scan_need_number(scan, &size[i]))
			return -1;
	return evg_scan_end(scan) ? 0 : evg_scan_expected(scan, "nothing more");
}

static int parse_float_mode(struct evg_scan *scan, struct evg_float_mode *mode)
{
	uint32_t bits = EVG_FLOAT_MODE_DEFAULT | 1 << 8;

	while (!evg_scan_end(scan)) {
		int found = 0;

		for (size_t i = 0; i < EVG_MODE_WORDS && !found; i++) {
			uint32_t value;

			found = parse_number(scan, evg_mode_words[i].word, &value);
			if (found < 0)
				return -1;
			if (found && value > evg_mode_words[i].limit)
				return evg_scan_fail(
					scan, "%s(%u): expected at most %u",
					evg_mode_words[i].word, value,
					evg_mode_words[i].limit);
			if (found)
				bits = (bits & ~(evg_mode_words[i].limit
						 << evg_mode_words[i].shift)) |
				       value << evg_mode_words[i].shift;
		}
		if (!found)
			return evg_scan_expected(
				scan, "SINGLE_ROUND(), DOUBLE_ROUND(), "
				"SINGLE_DENORM_IN(), SINGLE_DENORM_OUT(), "
				"DOUBLE_DENORM_IN(), DOUBLE_DENORM_OUT() or "
				"DX10_CLAMP()");
	}
	*mode = evg_float_mode_decode(bits, bits >> 8 & 1);
	return 0;
}

/* ".loop 3 10 0 -1": number, trip count, first aL, step, fourth component. */
static int parse_loop(struct evg_scan *scan, struct evg_flow_constants *flow)
{
	uint32_t number;

	if (evg_scan_need_number(scan, &number))
		return -1;
	if (number >= EVG_LOOP_CONSTANTS)
		return evg_scan_fail(scan, ".loop %u: expected a number below "
					   "%d", number,
				     EVG_LOOP_CONSTANTS);
	if (flow->loops_given >> number & 1)
		return evg_scan_fail(scan, ".loop %u is given twice", number);
	flow->loops_given |= UINT32_C(1) << number;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t value = 0;

		if (i > 0 && evg_scan_end(scan))
			break;
		if (!evg_scan_signed(scan, &flow->loops[number][i])) {
			if (evg_scan_need_number(scan, &value))
				return -1;
			flow->loops[number][i] = (int32_t)value;
		}
	}
	return evg_scan_end(scan) ? 0 : evg_scan_expected(scan, "nothing more");
}

/* ".bool 3", ".bool 3 0". */
static int parse_bool(struct evg_scan *scan, struct evg_flow_constants *flow)
{
	uint32_t number, value = 1;

	if (evg_scan_need_number(scan, &number))
		return -1;
	if (number >= EVG_LOOP_CONSTANTS)
		return evg_scan_fail(scan, ".bool %u: expected a number below "
					   "%d", number,
				     EVG_LOOP_CONSTANTS);
	if (flow->bools_given >> number & 1)
		return evg_scan_fail(scan, ".bool %u is given twice", number);
	if (!evg_scan_end(scan) && evg_scan_need_number(scan, &value))
		return -1;
	if (value > 1)
		return evg_scan_fail(scan, ".bool %u %u: expected 0 or 1",
				     number, value);
	flow->bools_given |= UINT32_C(1) << number;
	flow->bools |= value << number;
	return evg_scan_end(scan) ? 0 : evg_scan_expected(scan, "nothing more");
}

int asm_directive(struct evg_scan *scan, struct asm_kernel *given,
		  struct evg_kernel *kernel)
{
	if (evg_scan_keyword(scan, ".argument"))
		return parse_argument(scan, given, kernel);
	if (evg_scan_keyword(scan, ".sampler"))
		return parse_sampler(scan, kernel);
	if (evg_scan_keyword(scan, ".registers")) {
		given->has_registers = true;
		return parse_limited(scan, ".registers", EVG_REGISTERS,
				     &kernel->registers);
	}
	if (evg_scan_keyword(scan, ".stack")) {
		given->has_stack = true;
		return parse_limited(scan, ".stack", STACK_MAX,
				     &kernel->stack_size);
	}
	if (evg_scan_keyword(scan, ".local"))
		return parse_limited(scan, ".local", EVG_MAX_LOCAL_MEMORY,
				     &kernel->local_size);
	if (evg_scan_keyword(scan, ".scratch")) {
		if (parse_limited(scan, ".scratch", EVG_SCRATCH_SIZE_MAX,
				  &kernel->scratch_size))
			return -1;
		return kernel->scratch_size % 4
			       ? evg_scan_fail(scan, ".scratch %u: expected a "
					       "multiple of 4",
					       kernel->scratch_size)
			       : 0;
	}
	if (evg_scan_keyword(scan, ".float_mode"))
		return parse_float_mode(scan, &kernel->float_mode);
	if (evg_scan_keyword(scan, ".reqd_work_group_size"))
		return parse_three(scan, kernel->reqd_work_group_size);
	if (evg_scan_keyword(scan, ".work_group_size_hint"))
		return parse_three(scan, kernel->work_group_size_hint);
	if (evg_scan_keyword(scan, ".loop"))
		return parse_loop(scan, &kernel->flow);
	if (evg_scan_keyword(scan, ".bool"))
		return parse_bool(scan, &kernel->flow);
	return evg_scan_expected(scan, ".kernel, .argument, .sampler, "
				 ".registers, "
				 ".stack, .local, .scratch, .loop, .bool, "
				 ".float_mode, "
				 ".reqd_work_group_size or "
				 ".work_group_size_hint");
}

void asm_kernel_end(const struct asm_kernel *given, struct evg_kernel *kernel,
		    uint32_t registers, uint32_t pushes)
{
	uint32_t end = given->arguments_end ? given->arguments_end
					    : EVG_ARGUMENTS_START;

	if (!given->has_registers)
		kernel->registers = registers;
	if (!given->has_stack)
		kernel->stack_size = pushes < STACK_MAX ? pushes : STACK_MAX;
	kernel->tail_offset = EVG_ARGUMENTS_START +
			      (end - EVG_ARGUMENTS_START + 3) / 4 * 4;
}
