/* Operations on integers whose result is known before the kernel runs. */
#include "opencl-rt/codegen/select/select.h"

enum { BITS = 32 };

/* Of numbers; false: not computed here. */
static bool compute(enum evg_alu_op op, const uint32_t *n, uint32_t *result)
{
	switch (op) {
	case EVG_ALU_ADD_INT:
		*result = n[0] + n[1];
		return true;
	case EVG_ALU_SUB_INT:
		*result = n[0] - n[1];
		return true;
	case EVG_ALU_MULLO_INT:
		*result = n[0] * n[1];
		return true;
	case EVG_ALU_AND_INT:
		*result = n[0] & n[1];
		return true;
	case EVG_ALU_OR_INT:
		*result = n[0] | n[1];
		return true;
	case EVG_ALU_XOR_INT:
		*result = n[0] ^ n[1];
		return true;
	case EVG_ALU_NOT_INT:
		*result = ~n[0];
		return true;
	case EVG_ALU_LSHL_INT:
		*result = n[0] << n[1] % BITS;
		return true;
	case EVG_ALU_LSHR_INT:
		*result = n[0] >> n[1] % BITS;
		return true;
	case EVG_ALU_BIT_ALIGN_INT:
		*result = (uint32_t)(((uint64_t)n[0] << BITS | n[1]) >>
				     n[2] % BITS);
		return true;
	case EVG_ALU_ADDC_UINT:
		*result = n[0] + n[1] < n[0];
		return true;
	case EVG_ALU_SUBB_UINT:
		*result = n[0] < n[1];
		return true;
	default:
		return false;
	}
}

/* What an operation of two gives for a number beside any other operand: that
 * operand, or always the same. */
static const struct rule {
	enum evg_alu_op op;
	unsigned place; /* of the number */
	uint32_t number;
	enum { OTHER, SAME } gives; /* the other operand, or the number */
} rules[] = {
	{ EVG_ALU_ADD_INT, 0, 0, OTHER },
	{ EVG_ALU_ADD_INT, 1, 0, OTHER },
	{ EVG_ALU_SUB_INT, 1, 0, OTHER },
	{ EVG_ALU_OR_INT, 0, 0, OTHER },
	{ EVG_ALU_OR_INT, 1, 0, OTHER },
	{ EVG_ALU_OR_INT, 0, UINT32_MAX, SAME },
	{ EVG_ALU_OR_INT, 1, UINT32_MAX, SAME },
	{ EVG_ALU_XOR_INT, 0, 0, OTHER },
	{ EVG_ALU_XOR_INT, 1, 0, OTHER },
	{ EVG_ALU_AND_INT, 0, 0, SAME },
	{ EVG_ALU_AND_INT, 1, 0, SAME },
	{ EVG_ALU_AND_INT, 0, UINT32_MAX, OTHER },
	{ EVG_ALU_AND_INT, 1, UINT32_MAX, OTHER },
	{ EVG_ALU_LSHL_INT, 0, 0, SAME },
	{ EVG_ALU_LSHL_INT, 1, 0, OTHER },
	{ EVG_ALU_LSHR_INT, 0, 0, SAME },
	{ EVG_ALU_LSHR_INT, 1, 0, OTHER },
	{ EVG_ALU_ASHR_INT, 0, 0, SAME },
	{ EVG_ALU_ASHR_INT, 1, 0, OTHER },
	{ EVG_ALU_ADDC_UINT, 0, 0, SAME },
	{ EVG_ALU_ADDC_UINT, 1, 0, SAME },
	{ EVG_ALU_SUBB_UINT, 1, 0, SAME },
};

bool select_fold(enum evg_alu_op op, unsigned count,
		 const struct machine_source *sources,
		 struct machine_source *result)
{
	uint32_t n[3] = { 0 }, number;
	bool known[3] = { false };
	unsigned all = 0;

	for (unsigned k = 0; k < count; k++) {
		known[k] = select_is_number(&sources[k], &n[k]);
		all += known[k];
	}
	if (all == count && compute(op, n, &number)) {
		*result = select_number(number);
		return true;
	}
	if (op == EVG_ALU_CNDE_INT && known[0]) {
		*result = sources[n[0] ? 2 : 1];
		return true;
	}
	if (op == EVG_ALU_BIT_ALIGN_INT && known[2] && !(n[2] % BITS)) {
		*result = sources[1];
		return true;
	}
	for (size_t i = 0; count == 2 && i < sizeof rules / sizeof *rules; i++) {
		const struct rule *rule = &rules[i];

		if (rule->op != op || !known[rule->place] ||
		    n[rule->place] != rule->number)
			continue;
		*result = sources[rule->gives == SAME ? rule->place
						      : 1 - rule->place];
		return true;
	}
	return false;
}
