/* Handlers of conditions, specialized by the instruction that set the flags.
 * Internal to x86/emu.
 *
 * When the decoder knows which kind of flags an earlier instruction of the
 * block left, it picks the handler of that kind: SUB compares the operands of
 * the comparison, LOGIC and RESULT look at the result. ANY works for all
 * kinds. */
#ifndef M2S_X86_EMU_CONDITION_H
#define M2S_X86_EMU_CONDITION_H

#include "x86/emu/flags.h"

/* The rows that exist; `integer.def` names the same handlers. */
#define X86_CONDITIONS(MACRO) \
	MACRO(o, any) MACRO(no, any) \
	MACRO(b, any) MACRO(ae, any) \
	MACRO(e, any) MACRO(ne, any) \
	MACRO(be, any) MACRO(a, any) \
	MACRO(s, any) MACRO(ns, any) \
	MACRO(p, any) MACRO(np, any) \
	MACRO(l, any) MACRO(ge, any) \
	MACRO(le, any) MACRO(g, any) \
	MACRO(b, sub) MACRO(ae, sub) \
	MACRO(e, sub) MACRO(ne, sub) \
	MACRO(be, sub) MACRO(a, sub) \
	MACRO(l, sub) MACRO(ge, sub) \
	MACRO(le, sub) MACRO(g, sub) \
	MACRO(e, logic) MACRO(ne, logic) \
	MACRO(s, logic) MACRO(ns, logic) \
	MACRO(l, logic) MACRO(ge, logic) \
	MACRO(le, logic) MACRO(g, logic) \
	MACRO(e, result) MACRO(ne, result) \
	MACRO(s, result) MACRO(ns, result)

#define CONDITION(condition, kind) X86_COND_##kind##_##condition(cpu)

#define X86_COND_any_o(cpu) x86_condition(cpu, X86_IF_O)
#define X86_COND_any_no(cpu) x86_condition(cpu, X86_IF_NO)
#define X86_COND_any_b(cpu) x86_carry(cpu)
#define X86_COND_any_ae(cpu) (!x86_carry(cpu))
#define X86_COND_any_e(cpu) x86_condition(cpu, X86_IF_E)
#define X86_COND_any_ne(cpu) x86_condition(cpu, X86_IF_NE)
#define X86_COND_any_be(cpu) x86_condition(cpu, X86_IF_BE)
#define X86_COND_any_a(cpu) x86_condition(cpu, X86_IF_A)
#define X86_COND_any_s(cpu) x86_condition(cpu, X86_IF_S)
#define X86_COND_any_ns(cpu) x86_condition(cpu, X86_IF_NS)
#define X86_COND_any_p(cpu) x86_condition(cpu, X86_IF_P)
#define X86_COND_any_np(cpu) x86_condition(cpu, X86_IF_NP)
#define X86_COND_any_l(cpu) x86_condition(cpu, X86_IF_L)
#define X86_COND_any_ge(cpu) x86_condition(cpu, X86_IF_GE)
#define X86_COND_any_le(cpu) x86_condition(cpu, X86_IF_LE)
#define X86_COND_any_g(cpu) x86_condition(cpu, X86_IF_G)

#define X86_COND_sub_b(cpu) (cpu->flags_x < cpu->flags_y)
#define X86_COND_sub_ae(cpu) (cpu->flags_x >= cpu->flags_y)
#define X86_COND_sub_e(cpu) (cpu->flags_x == cpu->flags_y)
#define X86_COND_sub_ne(cpu) (cpu->flags_x != cpu->flags_y)
#define X86_COND_sub_be(cpu) (cpu->flags_x <= cpu->flags_y)
#define X86_COND_sub_a(cpu) (cpu->flags_x > cpu->flags_y)
#define X86_COND_sub_l(cpu) ((int64_t)cpu->flags_x < (int64_t)cpu->flags_y)
#define X86_COND_sub_ge(cpu) ((int64_t)cpu->flags_x >= (int64_t)cpu->flags_y)
#define X86_COND_sub_le(cpu) ((int64_t)cpu->flags_x <= (int64_t)cpu->flags_y)
#define X86_COND_sub_g(cpu) ((int64_t)cpu->flags_x > (int64_t)cpu->flags_y)

#define X86_COND_logic_e(cpu) (cpu->flags_x == 0)
#define X86_COND_logic_ne(cpu) (cpu->flags_x != 0)
#define X86_COND_logic_s(cpu) ((int64_t)cpu->flags_x < 0)
#define X86_COND_logic_ns(cpu) ((int64_t)cpu->flags_x >= 0)
#define X86_COND_logic_l(cpu) ((int64_t)cpu->flags_x < 0)
#define X86_COND_logic_ge(cpu) ((int64_t)cpu->flags_x >= 0)
#define X86_COND_logic_le(cpu) ((int64_t)cpu->flags_x <= 0)
#define X86_COND_logic_g(cpu) ((int64_t)cpu->flags_x > 0)

#define X86_COND_result_e(cpu) (cpu->flags_x == 0)
#define X86_COND_result_ne(cpu) (cpu->flags_x != 0)
#define X86_COND_result_s(cpu) ((int64_t)cpu->flags_x < 0)
#define X86_COND_result_ns(cpu) ((int64_t)cpu->flags_x >= 0)

#endif
