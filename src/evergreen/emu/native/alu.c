/* Native code of ALU operations, as alu/operations.def says what they do. */
#include "evergreen/emu/native/words.h"

#define EMIT_CALL(id, ...)
#define EMIT_KNOWN(id, ...)                                                    \
	case EVG_ALU_##id:                                                     \
		return __VA_ARGS__;
#define EMIT_EMIT EMIT_KNOWN

static value value_of(struct native *n, value a, value b, value c)
{
	switch ((enum evg_alu_op)(n->uop->op - 1)) {
#define VALUE(id, nan, code, result) EMIT_##code(id, result)
#include "evergreen/emu/alu/operations.def"
	default:
		return a;
	}
}

static test test_of(struct native *n, value a, value b)
{
	switch ((enum evg_alu_op)(n->uop->op - 1)) {
#define PREDICATE(id, nan, code, test) EMIT_##code(id, test)
#include "evergreen/emu/alu/operations.def"
	default:
		return (test){0};
	}
}

static void modify_sources(struct native *n)
{
	const struct evg_modifiers *m = n->uop->extra;

	for (unsigned k = 0; m && k < 3; k++) {
		value *source = &n->source[k];

		if (m->source_and[k] != 0xffffffff)
			*source = bit_and(*source, constant(m->source_and[k]));
		if (m->source_xor[k])
			*source = bit_xor(*source, constant(m->source_xor[k]));
	}
	native_keep(n, n->source, 3);
}

struct native_place native_operation(struct native *n)
{
	const struct evg_modifiers *m = n->uop->extra;
	value result;

	modify_sources(n);
	result = only(value_of(n, n->source[0], n->source[1], n->source[2]));
	n->raw |= native_gives_number((enum evg_alu_op)(n->uop->op - 1));
	return m ? output_modified(result, m->output_modifier, m->clamp,
				   m->clamp_keeps_nan)
		 : result;
}

void native_predicate(struct native *n)
{
	modify_sources(n);
	native_store_pending(n, test_of(n, n->source[0], n->source[1]));
}
