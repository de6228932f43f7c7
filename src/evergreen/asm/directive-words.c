#include "evergreen/asm/directive-words.h"

const struct evg_kind_word evg_kind_words[EVG_KIND_WORDS] = {
	{ "value", EVG_ARGUMENT_VALUE, EVG_PRIVATE },
	{ "global", EVG_ARGUMENT_POINTER, EVG_GLOBAL },
	{ "constant", EVG_ARGUMENT_POINTER, EVG_CONSTANT },
	{ "local", EVG_ARGUMENT_POINTER, EVG_LOCAL },
	{ "image", EVG_ARGUMENT_IMAGE, EVG_GLOBAL },
	{ "sampler", EVG_ARGUMENT_SAMPLER, EVG_PRIVATE },
};

const struct evg_flag_word evg_flag_words[EVG_FLAG_WORDS] = {
	{ "READ_ONLY", EVG_ACCESS_READ_ONLY, 0 },
	{ "WRITE_ONLY", EVG_ACCESS_WRITE_ONLY, 0 },
	{ "READ_WRITE", EVG_ACCESS_READ_WRITE, 0 },
	{ "CONST", EVG_ACCESS_NONE, EVG_QUALIFIER_CONST },
	{ "RESTRICT", EVG_ACCESS_NONE, EVG_QUALIFIER_RESTRICT },
	{ "VOLATILE", EVG_ACCESS_NONE, EVG_QUALIFIER_VOLATILE },
};

const struct evg_mode_word evg_mode_words[EVG_MODE_WORDS] = {
	{ "SINGLE_ROUND", 0, 3 },     { "DOUBLE_ROUND", 2, 3 },
	{ "SINGLE_DENORM_IN", 4, 1 }, { "SINGLE_DENORM_OUT", 5, 1 },
	{ "DOUBLE_DENORM_IN", 6, 1 }, { "DOUBLE_DENORM_OUT", 7, 1 },
	{ "DX10_CLAMP", 8, 1 },
};

bool evg_argument_has_number(const struct evg_argument *argument)
{
	return argument->kind == EVG_ARGUMENT_IMAGE ||
	       argument->kind == EVG_ARGUMENT_SAMPLER;
}
