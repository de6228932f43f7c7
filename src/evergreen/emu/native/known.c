/* What is known of ALU operations before their code is made. */
#include "evergreen/emu/native/build.h"

/* Columns `nan` and `code` of alu/operations.def. */
enum nan { NAN_BITS, NAN_FLOATS, NAN_NUMBER };
enum code { CODE_CALL, CODE_KNOWN, CODE_EMIT };

static const struct {
	uint8_t nan, code;
	bool is_predicate;
} rows[EVG_ALU_COUNT] = {
#define VALUE(id, nan, code, result)                                           \
	[EVG_ALU_##id] = {NAN_##nan, CODE_##code, false},
#define PREDICATE(id, nan, code, test)                                         \
	[EVG_ALU_##id] = {NAN_##nan, CODE_##code, true},
#include "evergreen/emu/alu/operations.def"
};

bool native_ignores_nan(enum evg_alu_op op)
{
	return rows[op].nan != NAN_BITS;
}

bool native_gives_number(enum evg_alu_op op)
{
	return rows[op].nan == NAN_NUMBER;
}

bool native_knows(const struct native *n, const struct evg_uop *uop, unsigned k)
{
	const struct evg_operand *operand = &uop->source[k];

	return operand->base == EVG_BASE_POOL && !uop->extra &&
	       n->plan->constants[operand->offset / EVG_CONSTANT_BYTES].kind ==
		       EVG_CONSTANT_VALUE;
}

bool native_has(const struct native *n, const struct evg_uop *uop)
{
	uint8_t code = uop->op ? rows[uop->op - 1].code : CODE_CALL;

	if (code == CODE_CALL ||
	    rows[uop->op - 1].is_predicate != (uop->dest == EVG_NO_ROW))
		return false;
	return code == CODE_EMIT || (native_knows(n, uop, 1) &&
				     native_knows(n, uop, 2));
}
