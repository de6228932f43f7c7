#include "evergreen/isa/table.h"

#include "base/memory.h"

/* --- Rows --------------------------------------------------------------- */

const struct evg_cf_info evg_cf_info[EVG_CF_COUNT] = {
#define CF(id, text, format, operands, code, compute, llvm, meaning)           \
	[EVG_CF_##id] = {#id,  text,   llvm,                                   \
			 EVG_CF_##format, EVG_OPERANDS_##operands,             \
			 code, compute > 0, compute == 2},
#include "evergreen/isa/cf.def"
};

enum { OP2 = 0, OP3 = 1 };
enum { NONE, B32, I32, F32, F64 };
enum { PLAIN, PREDICATE, KILL, SELECT };

const struct evg_alu_info evg_alu_info[EVG_ALU_COUNT] = {
#define ALU(id, text, form, number, sources, takes, issued, result, kind,      \
	    is_compute, meaning)                                               \
	[EVG_ALU_##id] = {                                                     \
		.name = #id,                                                   \
		.amd_text = text,                                              \
		.op3 = form,                                                   \
		.code = number,                                                \
		.source_count = sources,                                       \
		.slots = EVG_SLOTS_##issued,                                   \
		.takes_doubles = takes == F64,                                 \
		.gives_double = result == F64,                                 \
		.has_result = result != NONE,                                  \
		.is_float = result == F32,                                     \
		.is_predicate = kind == PREDICATE,                             \
		.selects = kind == SELECT,                                     \
		.compute = is_compute,                                         \
	},
#include "evergreen/isa/alu.def"
};

const struct evg_lds_info evg_lds_info[EVG_LDS_COUNT] = {
#define LDS(id, code, sources, returns, compute, element, step, does, meaning) \
	[EVG_LDS_##id] = {#id,     code,                                       \
			  sources, returns,                                    \
			  compute, EVG_LDS_ELEMENT_##element,                  \
			  step},
#include "evergreen/isa/lds.def"
};

const struct evg_rat_info evg_rat_info[EVG_RAT_COUNT] = {
#define RAT(id, code, returns, compute, does, meaning)                         \
	[EVG_RAT_##id] = {#id, code, returns, compute},
#include "evergreen/isa/rat.def"
};

enum { ANY = EVG_MOD_ANY };

const struct evg_fetch_info evg_fetch_info[EVG_FETCH_COUNT] = {
#define FETCH(id, layout, code, mod, gds_op, compute, meaning)                 \
	[EVG_FETCH_##id] = {#id, EVG_LAYOUT_##layout, code, mod, gds_op,       \
			    compute},
#include "evergreen/isa/fetch.def"
};

/* --- Codes to rows ------------------------------------------------------ */

/* Each entry is the id + 1, so that 0 means "no instruction". */

static const uint8_t cf_by_code[2][256] = {
	{
#define CF_8BIT_WORD(id, code) [code] = EVG_CF_##id + 1,
#define CF_8BIT_GWS CF_8BIT_WORD
#define CF_8BIT_EXPORT_BUF CF_8BIT_WORD
#define CF_8BIT_EXPORT_SWIZ CF_8BIT_WORD
#define CF_8BIT_EXPORT_RAT CF_8BIT_WORD
#define CF_8BIT_ALU_WORD(id, code)
#define CF_8BIT_ALU_EXTENDED_WORD(id, code)
#define CF(id, text, format, operands, code, ...) CF_8BIT_##format(id, code)
#include "evergreen/isa/cf.def"
	},
	{
#define CF_4BIT_WORD(id, code)
#define CF_4BIT_GWS CF_4BIT_WORD
#define CF_4BIT_EXPORT_BUF CF_4BIT_WORD
#define CF_4BIT_EXPORT_SWIZ CF_4BIT_WORD
#define CF_4BIT_EXPORT_RAT CF_4BIT_WORD
#define CF_4BIT_ALU_WORD(id, code) [code] = EVG_CF_##id + 1,
#define CF_4BIT_ALU_EXTENDED_WORD CF_4BIT_ALU_WORD
#define CF(id, text, format, operands, code, ...) CF_4BIT_##format(id, code)
#include "evergreen/isa/cf.def"
	},
};

static const uint8_t alu_by_code[2][256] = {
	{
#define ALU_OP2_IF_OP2(id, code) [code] = EVG_ALU_##id + 1,
#define ALU_OP2_IF_OP3(id, code)
#define ALU(id, text, form, code, ...) ALU_OP2_IF_##form(id, code)
#include "evergreen/isa/alu.def"
	},
	{
#define ALU_OP3_IF_OP2(id, code)
#define ALU_OP3_IF_OP3(id, code) [code] = EVG_ALU_##id + 1,
#define ALU(id, text, form, code, ...) ALU_OP3_IF_##form(id, code)
#include "evergreen/isa/alu.def"
	},
};

static const uint8_t lds_by_code[64] = {
#define LDS(id, code, ...) [code] = EVG_LDS_##id + 1,
#include "evergreen/isa/lds.def"
};

static const uint8_t rat_by_code[64] = {
#define RAT(id, code, ...) [code] = EVG_RAT_##id + 1,
#include "evergreen/isa/rat.def"
};

_Static_assert(EVG_ALU_COUNT < 256 && EVG_CF_COUNT < 256 &&
		       EVG_LDS_COUNT < 256 && EVG_RAT_COUNT < 256,
	       "ids fit the tables");

int evg_cf_find(bool is_alu, unsigned code)
{
	return code < 256 ? cf_by_code[is_alu][code] - 1 : -1;
}

int evg_alu_find(bool op3, unsigned code)
{
	return code < 256 ? alu_by_code[op3][code] - 1 : -1;
}

int evg_lds_find(unsigned code)
{
	return code < ARRAY_SIZE(lds_by_code) ? lds_by_code[code] - 1 : -1;
}

int evg_rat_find(unsigned code)
{
	return code < ARRAY_SIZE(rat_by_code) ? rat_by_code[code] - 1 : -1;
}

/* A fetch is decoded once per kernel: a search is quick enough. */
int evg_fetch_find(enum evg_fetch_layout layout, unsigned code, unsigned mod,
		   unsigned gds_op)
{
	for (int i = 0; i < EVG_FETCH_COUNT; i++) {
		const struct evg_fetch_info *info = &evg_fetch_info[i];

		if (info->layout != layout || info->code != code)
			continue;
		if (info->mod != EVG_MOD_ANY && (unsigned)info->mod != mod)
			continue;
		/* TF_WRITE has no GDS_OP. */
		if (layout == EVG_LAYOUT_GDS && i != EVG_FETCH_TF_WRITE &&
		    info->gds_op != gds_op)
			continue;
		return i;
	}
	return -1;
}

bool evg_cf_has_alu_clause(enum evg_cf_op op)
{
	return evg_cf_info[op].format == EVG_CF_ALU_WORD;
}

bool evg_cf_has_fetch_clause(enum evg_cf_op op)
{
	return evg_cf_info[op].operands == EVG_OPERANDS_CLAUSE ||
	       evg_cf_info[op].operands == EVG_OPERANDS_ACK_CLAUSE;
}

bool evg_cf_waits(enum evg_cf_op op)
{
	return evg_cf_info[op].operands == EVG_OPERANDS_ACKS ||
	       evg_cf_info[op].operands == EVG_OPERANDS_ACK_CLAUSE;
}

bool evg_cf_has_target(enum evg_cf_op op)
{
	return evg_cf_info[op].operands >= EVG_OPERANDS_LOOP;
}
