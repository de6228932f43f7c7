/* Addition, subtraction, logic, comparison. */
#include "x86/emu/integer/bodies.h"

/* ---- ADD OR AND SUB XOR CMP TEST: all forms ---- */

#define HANDLER(name, form, bits) X86_OP_OF_BODY(name##bits##_##form)
#define HANDLERS(name) \
	X86_SIZES(HANDLER, name, rm) \
	HANDLERS_NO_RM(name)
#define HANDLERS_NO_RM(name) \
	X86_SIZES(HANDLER, name, rr) \
	X86_SIZES(HANDLER, name, ri) \
	X86_SIZES(HANDLER, name, mr) \
	X86_SIZES(HANDLER, name, mi)
HANDLERS(add)
HANDLERS(sub)
HANDLERS(and)
HANDLERS(or)
HANDLERS(xor)
HANDLERS(cmp)
HANDLERS_NO_RM(test)

/* ---- ADC SBB ---- */

#define CARRIES_ADC(bits) ((a & b) | ((a | b) & (UINT(bits))~r))
#define CARRIES_SBB(bits) (((UINT(bits))~a & b) | (((UINT(bits))~a | b) & r))
#define FLAGS_ADC(bits) \
	x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
		  x86_carry_flags(CARRIES_ADC(bits), bits))
#define FLAGS_SBB(bits) \
	x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
		  x86_carry_flags(CARRIES_SBB(bits), bits))

X86_ALU_BODIES(adc, a + b + x86_carry(cpu), KEEP, FLAGS_ADC)
X86_ALU_BODIES(sbb, a - b - x86_carry(cpu), KEEP, FLAGS_SBB)
HANDLERS(adc)
HANDLERS(sbb)

/* ---- With LOCK ---- */

#define LOCK_FETCH(name, FETCH, RESULT, FLAGS, form, SOURCE, bits) \
	X86_OP(name##bits##_lock_##form) \
	{ \
		X86_ATOMIC(bits) *memory = (void *)x86_host_for( \
			cpu, op, x86_address(cpu, op), bits / 8, \
			X86_MODIFY); \
		UINT(bits) b = (UINT(bits))(SOURCE(bits)); \
		UINT(bits) a = FETCH(memory, b, __ATOMIC_SEQ_CST); \
		UINT(bits) r = (UINT(bits))(RESULT); \
		(void)r; \
		FLAGS(bits); \
		X86_NEXT; \
	}
#define SOURCE_R(bits) X86_REG##bits(cpu, op->src)
#define SOURCE_I(bits) op->imm
#define LOCK_FORMS(name, FETCH, RESULT, FLAGS) \
	X86_SIZES(LOCK_FETCH, name, FETCH, RESULT, FLAGS, mr, SOURCE_R) \
	X86_SIZES(LOCK_FETCH, name, FETCH, RESULT, FLAGS, mi, SOURCE_I)

LOCK_FORMS(add, __atomic_fetch_add, a + b, FLAGS_ADD)
LOCK_FORMS(sub, __atomic_fetch_sub, a - b, FLAGS_SUB)
LOCK_FORMS(and, __atomic_fetch_and, a & b, FLAGS_LOGIC)
LOCK_FORMS(or, __atomic_fetch_or, a | b, FLAGS_LOGIC)
LOCK_FORMS(xor, __atomic_fetch_xor, a ^ b, FLAGS_LOGIC)

/* Other operations replace memory by a function of it, in a loop. */
#define LOCK_LOOP(name, PREPARE, RESULT, FLAGS, form, SOURCE, bits) \
	X86_OP(name##bits##_lock_##form) \
	{ \
		X86_ATOMIC(bits) *memory = (void *)x86_host_for( \
			cpu, op, x86_address(cpu, op), bits / 8, \
			X86_MODIFY); \
		UINT(bits) b = (UINT(bits))(SOURCE(bits)); \
		UINT(bits) a = __atomic_load_n(memory, __ATOMIC_SEQ_CST); \
		UINT(bits) r; \
		bool c = PREPARE; \
		(void)b; \
		(void)c; \
		do { \
			r = (UINT(bits))(RESULT); \
		} while (!__atomic_compare_exchange_n(memory, &a, r, false, \
						      __ATOMIC_SEQ_CST, \
						      __ATOMIC_SEQ_CST)); \
		FLAGS(bits); \
		X86_NEXT; \
	}
#define SOURCE_0(bits) 0
#define SOURCE_1(bits) 1
X86_SIZES(LOCK_LOOP, adc, x86_carry(cpu), a + b + c, FLAGS_ADC, mr, SOURCE_R)
X86_SIZES(LOCK_LOOP, adc, x86_carry(cpu), a + b + c, FLAGS_ADC, mi, SOURCE_I)
X86_SIZES(LOCK_LOOP, sbb, x86_carry(cpu), a - b - c, FLAGS_SBB, mr, SOURCE_R)
X86_SIZES(LOCK_LOOP, sbb, x86_carry(cpu), a - b - c, FLAGS_SBB, mi, SOURCE_I)

/* ---- INC DEC NEG NOT ---- */

/* INC and DEC keep CF. */
#define FLAGS_INC(bits) \
	x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
		  (x86_carry_flags(CARRIES_ADC(bits), bits) & \
		   ~(uint32_t)X86_CF) | x86_carry(cpu))
#define FLAGS_DEC(bits) \
	x86_flags(cpu, X86_FLAGS_RESULT, (INT(bits))r, \
		  (x86_carry_flags(CARRIES_SBB(bits), bits) & \
		   ~(uint32_t)X86_CF) | x86_carry(cpu))
/* NEG is 0 - x. */
#define FLAGS_NEG(bits) \
	x86_flags(cpu, X86_FLAGS_SUB##bits, 0, (INT(bits))a)
#define FLAGS_NONE(bits) (void)0

#define UNARY_R(name, RESULT, B, FLAGS, bits) \
	X86_OP(name##bits##_r) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		UINT(bits) b = B; \
		UINT(bits) r = (UINT(bits))(RESULT); \
		(void)b; \
		x86_set##bits(cpu, op->dst, r); \
		FLAGS(bits); \
		X86_NEXT; \
	}
#define UNARY_M(name, RESULT, B, FLAGS, bits) \
	X86_OP(name##bits##_m) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		UINT(bits) a = x86_load##bits(cpu, op, address); \
		UINT(bits) b = B; \
		UINT(bits) r = (UINT(bits))(RESULT); \
		(void)b; \
		x86_store##bits(cpu, op, address, r); \
		FLAGS(bits); \
		X86_NEXT; \
	}
#define UNARY(name, RESULT, B, FLAGS) \
	X86_SIZES(UNARY_R, name, RESULT, B, FLAGS) \
	X86_SIZES(UNARY_M, name, RESULT, B, FLAGS)

UNARY(inc, a + 1, 1, FLAGS_INC)
UNARY(dec, a - 1, 1, FLAGS_DEC)
UNARY(neg, 0 - a, 0, FLAGS_NEG)
UNARY(not, ~a, 0, FLAGS_NONE)
X86_SIZES(LOCK_LOOP, inc, false, a + 1, FLAGS_INC, m, SOURCE_1)
X86_SIZES(LOCK_LOOP, dec, false, a - 1, FLAGS_DEC, m, SOURCE_1)
X86_SIZES(LOCK_LOOP, neg, false, 0 - a, FLAGS_NEG, m, SOURCE_0)
X86_SIZES(LOCK_LOOP, not, false, ~a, FLAGS_NONE, m, SOURCE_0)

/* ---- XADD CMPXCHG: the sum's or comparison's flags ---- */

#define XADD_RR(bits) \
	X86_OP(xadd##bits##_rr) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		UINT(bits) b = X86_REG##bits(cpu, op->src); \
		UINT(bits) r = (UINT(bits))(a + b); \
		x86_set##bits(cpu, op->src, a); \
		x86_set##bits(cpu, op->dst, r); \
		FLAGS_ADD(bits); \
		X86_NEXT; \
	}
/* Always atomic; LOCK makes no other difference. */
#define XADD_MR(bits) \
	X86_OP(xadd##bits##_mr) \
	{ \
		X86_ATOMIC(bits) *memory = (void *)x86_host_for( \
			cpu, op, x86_address(cpu, op), bits / 8, \
			X86_MODIFY); \
		UINT(bits) b = X86_REG##bits(cpu, op->src); \
		UINT(bits) a = __atomic_fetch_add(memory, b, \
						  __ATOMIC_SEQ_CST); \
		UINT(bits) r = (UINT(bits))(a + b); \
		x86_set##bits(cpu, op->src, a); \
		FLAGS_ADD(bits); \
		X86_NEXT; \
	}
XADD_RR(8) XADD_RR(16) XADD_RR(32) XADD_RR(64)
XADD_MR(8) XADD_MR(16) XADD_MR(32) XADD_MR(64)

/* A 32-bit CMPXCHG zero-extends only the register that it writes. */
#define CMPXCHG_RR(bits) \
	X86_OP(cmpxchg##bits##_rr) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, X86_RAX * 8); \
		UINT(bits) b = X86_REG##bits(cpu, op->dst); \
		if (a == b) \
			x86_set##bits(cpu, op->dst, \
				      X86_REG##bits(cpu, op->src)); \
		else \
			x86_set##bits(cpu, X86_RAX * 8, b); \
		FLAGS_SUB(bits); \
		X86_NEXT; \
	}
#define CMPXCHG_MR(bits) \
	X86_OP(cmpxchg##bits##_mr) \
	{ \
		X86_ATOMIC(bits) *memory = (void *)x86_host_for( \
			cpu, op, x86_address(cpu, op), bits / 8, \
			X86_MODIFY); \
		UINT(bits) a = X86_REG##bits(cpu, X86_RAX * 8); \
		UINT(bits) b = a; \
		if (!__atomic_compare_exchange_n( \
			    memory, &b, X86_REG##bits(cpu, op->src), false, \
			    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
			x86_set##bits(cpu, X86_RAX * 8, b); \
		FLAGS_SUB(bits); \
		X86_NEXT; \
	}
CMPXCHG_RR(8) CMPXCHG_RR(16) CMPXCHG_RR(32) CMPXCHG_RR(64)
CMPXCHG_MR(8) CMPXCHG_MR(16) CMPXCHG_MR(32) CMPXCHG_MR(64)

X86_OP(cmpxchg8b)
{
	x86_atomic64 *memory = (void *)x86_host_for(
		cpu, op, x86_address(cpu, op), 8, X86_MODIFY);
	uint64_t expected = X86_REG32(cpu, X86_RAX * 8) |
			    (uint64_t)X86_REG32(cpu, X86_RDX * 8) << 32;
	uint64_t desired = X86_REG32(cpu, X86_RBX * 8) |
			   (uint64_t)X86_REG32(cpu, X86_RCX * 8) << 32;
	bool same = __atomic_compare_exchange_n(memory, &expected, desired,
						false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST);

	if (!same) {
		x86_set32(cpu, X86_RAX * 8, (uint32_t)expected);
		x86_set32(cpu, X86_RDX * 8, (uint32_t)(expected >> 32));
	}
	x86_change_arithmetic_flags(cpu, X86_ZF, same ? X86_ZF : 0);
	X86_NEXT;
}

/* Not atomic for other processes: C has no portable 16-byte exchange without a
 * library. Guest threads never run at the same time. The instruction always
 * writes, as the hardware does. */
X86_OP(cmpxchg16b)
{
	uint64_t address = x86_address(cpu, op), low, high;
	x86_guest64 *memory;
	bool same;

	if (address & 15)
		x86_raise_alignment(cpu, op);
	x86_probe_write(cpu, op, address, 16);
	memory = (void *)x86_host_for(cpu, op, address, 16, X86_MODIFY);
	low = memory[0];
	high = memory[1];
	same = low == cpu->reg[X86_RAX] && high == cpu->reg[X86_RDX];
	if (same) {
		memory[0] = cpu->reg[X86_RBX];
		memory[1] = cpu->reg[X86_RCX];
	} else {
		cpu->reg[X86_RAX] = low;
		cpu->reg[X86_RDX] = high;
	}
	x86_change_arithmetic_flags(cpu, X86_ZF, same ? X86_ZF : 0);
	X86_NEXT;
}

/* ---- ADCX ADOX: addition through CF or OF alone ---- */

#define ADDX(name, FLAG, bits) \
	static void name##bits(struct x86_cpu *cpu, const struct x86_op *op, \
			       UINT(bits) b) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, op->dst), r; \
		bool c = x86_arithmetic_flags(cpu) & FLAG; \
		bool out = __builtin_add_overflow(a, b, &r); \
		out |= __builtin_add_overflow(r, (UINT(bits))c, &r); \
		x86_set##bits(cpu, op->dst, r); \
		x86_change_arithmetic_flags(cpu, FLAG, out ? FLAG : 0); \
	} \
	X86_OP(name##bits##_rr) \
	{ \
		name##bits(cpu, op, X86_REG##bits(cpu, op->src)); \
		X86_NEXT; \
	} \
	X86_OP(name##bits##_rm) \
	{ \
		name##bits(cpu, op, \
			   x86_load##bits(cpu, op, x86_address(cpu, op))); \
		X86_NEXT; \
	}
ADDX(adcx, X86_CF, 32)
ADDX(adcx, X86_CF, 64)
ADDX(adox, X86_OF, 32)
ADDX(adox, X86_OF, 64)
