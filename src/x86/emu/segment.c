/* Segment selectors: what Linux' descriptor table shows to user code, and the
 * instructions that load, test and reveal selectors. */
#include "x86/emu/integer.h"
#include "x86/emu/segment.h"

/* Linux' GDT (arch/x86/include/asm/segment.h): 4 32-bit code, 5 data, 6 64-bit
 * code, 12 to 14 TLS, 15 data whose limit is the processor's number. User code
 * does not see the kernel's. Access rights are as LAR shows them. */
bool x86_descriptor(const struct x86_cpu *cpu, uint16_t selector,
		    struct x86_descriptor *descriptor)
{
	const struct x86_tls_entry *tls;
	unsigned entry = selector >> 3;

	if (selector & 4) /* the local table is empty */
		return false;
	*descriptor = (struct x86_descriptor){ .limit = UINT32_MAX };
	switch (entry) {
	case X86_SELECTOR_CS32 >> 3:
		descriptor->access = 0xcffb00;
		return true;
	case X86_SELECTOR_DATA >> 3:
		descriptor->access = 0xcff300;
		return true;
	case X86_SELECTOR_CS64 >> 3:
		descriptor->access = 0xaffb00;
		return true;
	case 15:
		descriptor->access = 0x40f500;
		descriptor->limit = 0;
		return true;
	default:
		break;
	}
	if (entry < X86_TLS_ENTRY_FIRST ||
	    entry >= X86_TLS_ENTRY_FIRST + X86_TLS_ENTRIES)
		return false;
	tls = &cpu->tls[entry - X86_TLS_ENTRY_FIRST];
	if (!tls->present)
		return false;
	/* struct user_desc's bits: 0 32-bit, 1-2 contents, 3 read-only,
	 * 4 limit in pages, 5 not present, 6 usable. */
	descriptor->access =
		(uint32_t)(0x7100 | /* DPL 3, a segment, accessed */
			   (tls->flags & 6) << 9 |
			   (tls->flags & 8 ? 0 : 0x200) |
			   (tls->flags & 32 ? 0 : 0x8000) |
			   (tls->limit & 0xf0000) |
			   (tls->flags & 64 ? 1 << 20 : 0) |
			   (tls->flags & 1) << 22 |
			   (tls->flags & 16) << 19);
	descriptor->limit = tls->flags & 16 ? tls->limit << 12 | 0xfff
					    : tls->limit;
	descriptor->base = tls->base;
	return true;
}

static bool is_code(const struct x86_descriptor *descriptor)
{
	return descriptor->access & 0x800;
}

static bool readable(const struct x86_descriptor *descriptor)
{
	return !is_code(descriptor) || descriptor->access & 0x200;
}

static bool writable(const struct x86_descriptor *descriptor)
{
	return !is_code(descriptor) && descriptor->access & 0x200;
}

int x86_segment_load(struct x86_cpu *cpu, int segment, uint16_t selector)
{
	struct x86_descriptor descriptor = { 0 };
	bool valid;

	if (segment == X86_CS)
		return -1;
	if (selector <= 3) /* null: no base; not allowed for the stack */
		valid = segment != X86_SS;
	else if (!x86_descriptor(cpu, selector, &descriptor))
		valid = false;
	else if (segment == X86_SS)
		valid = writable(&descriptor) && (selector & 3) == 3;
	else
		valid = readable(&descriptor);
	if (!valid)
		return -1;
	cpu->segment[segment].selector = selector;
	cpu->segment[segment].base = descriptor.base;
	return 0;
}

int x86_selector_fault(struct x86_cpu *cpu, const struct x86_op *op,
		       uint16_t selector)
{
	x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	cpu->fault.error_code = selector & 0xfffcu;
	return X86_LEAVE_FAULT;
}

/* ---- Loads ---- */

X86_OP(mov_sr)
{
	uint16_t selector = X86_REG16(cpu, op->src);

	if (x86_segment_load(cpu, op->dst, selector))
		return x86_selector_fault(cpu, op, selector);
	X86_NEXT;
}

X86_OP(mov_sm)
{
	uint16_t selector = x86_load16(cpu, op, x86_address(cpu, op));

	if (x86_segment_load(cpu, op->dst, selector))
		return x86_selector_fault(cpu, op, selector);
	X86_NEXT;
}

/* LDS and the like: an offset and behind it a selector. */
#define FAR_POINTER(name, segment, bits) \
	X86_OP(name##bits) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		UINT(bits) offset = x86_load##bits(cpu, op, address); \
		uint16_t selector = x86_load16( \
			cpu, op, (address + bits / 8) & cpu->address_mask); \
		if (x86_segment_load(cpu, segment, selector)) \
			return x86_selector_fault(cpu, op, selector); \
		x86_set##bits(cpu, op->dst, offset); \
		X86_NEXT; \
	}
FAR_POINTER(les, X86_ES, 16)
FAR_POINTER(les, X86_ES, 32)
FAR_POINTER(lds, X86_DS, 16)
FAR_POINTER(lds, X86_DS, 32)
X86_SIZES_16_UP(FAR_POINTER, lss, X86_SS)
X86_SIZES_16_UP(FAR_POINTER, lfs, X86_FS)
X86_SIZES_16_UP(FAR_POINTER, lgs, X86_GS)

/* ---- Questions: ZF says whether the selector may be used ---- */

static void set_zero(struct x86_cpu *cpu, bool zero)
{
	x86_change_arithmetic_flags(cpu, X86_ZF, zero ? X86_ZF : 0);
}

#define ASK(name, bits, form, selector_) \
	X86_OP(name##bits##form) \
	{ \
		uint16_t selector = selector_; \
		struct x86_descriptor descriptor; \
		bool found = x86_descriptor(cpu, selector, &descriptor); \
		if (found) \
			x86_set##bits(cpu, op->dst, \
				      (UINT(bits))descriptor.name##_result); \
		set_zero(cpu, found); \
		X86_NEXT; \
	}
#define lar_result access
#define lsl_result limit
#define ASK_BOTH(name, bits) \
	ASK(name, bits, _rr, X86_REG16(cpu, op->src)) \
	ASK(name, bits, _rm, x86_load16(cpu, op, x86_address(cpu, op)))
ASK_BOTH(lar, 16)
ASK_BOTH(lar, 32)
ASK_BOTH(lar, 64)
ASK_BOTH(lsl, 16)
ASK_BOTH(lsl, 32)
ASK_BOTH(lsl, 64)

#define VERIFY(name, allowed, form, selector_) \
	X86_OP(name##form) \
	{ \
		uint16_t selector = selector_; \
		struct x86_descriptor descriptor; \
		set_zero(cpu, x86_descriptor(cpu, selector, &descriptor) && \
			 allowed(&descriptor)); \
		X86_NEXT; \
	}
VERIFY(verr, readable, _r, X86_REG16(cpu, op->dst))
VERIFY(verr, readable, _m, x86_load16(cpu, op, x86_address(cpu, op)))
VERIFY(verw, writable, _r, X86_REG16(cpu, op->dst))
VERIFY(verw, writable, _m, x86_load16(cpu, op, x86_address(cpu, op)))

/* ARPL: raises the destination's privilege number to the source's. */
X86_OP(arpl_rr)
{
	uint16_t to = X86_REG16(cpu, op->dst);
	uint16_t level = X86_REG16(cpu, op->src) & 3;
	bool lower = (to & 3) < level;

	if (lower)
		X86_REG16(cpu, op->dst) = (uint16_t)((to & ~3) | level);
	set_zero(cpu, lower);
	X86_NEXT;
}

X86_OP(arpl_mr)
{
	uint64_t address = x86_address(cpu, op);
	uint16_t to = x86_load16(cpu, op, address);
	uint16_t level = X86_REG16(cpu, op->src) & 3;
	bool lower = (to & 3) < level;

	/* The processor writes even what does not change. */
	x86_store16(cpu, op, address,
		    lower ? (uint16_t)((to & ~3) | level) : to);
	set_zero(cpu, lower);
	X86_NEXT;
}

/* ---- What user code is not to know ----
 *
 * Where the processor keeps it secret (UMIP), Linux answers with these
 * (arch/x86/kernel/umip.c); so do we for every model. A register keeps its
 * bits above the operand, even of 32. */

enum { TASK_SELECTOR = 0x40, LOCAL_TABLE = 0 };
#define STATUS_WORD UINT32_C(0x80050033)
#define GLOBAL_TABLE UINT64_C(0xfffffffffffe0000)
#define INTERRUPT_TABLE UINT64_C(0xffffffffffff0000)

#define REVEAL(name, value) \
	X86_OP(name##16_r) \
	{ \
		X86_REG16(cpu, op->dst) = (uint16_t)(value); \
		X86_NEXT; \
	} \
	X86_OP(name##32_r) \
	{ \
		X86_REG32(cpu, op->dst) = (value); \
		X86_NEXT; \
	} \
	X86_OP(name##64_r) \
	{ \
		X86_REG64(cpu, op->dst) = (value); \
		X86_NEXT; \
	} \
	X86_OP(name##_m) \
	{ \
		x86_store16(cpu, op, x86_address(cpu, op), \
			    (uint16_t)(value)); \
		X86_NEXT; \
	}
REVEAL(sldt, LOCAL_TABLE)
REVEAL(str, TASK_SELECTOR)
REVEAL(smsw, STATUS_WORD)

#define REVEAL_TABLE(name, base) \
	X86_OP(name) \
	{ \
		uint8_t bytes[10] = { 0 }; \
		const uint64_t value = base; \
		memcpy(bytes + 2, &value, sizeof value); \
		x86_store_bytes(cpu, op, x86_address(cpu, op), bytes, \
				cpu->mode == X86_MODE_64 ? 10 : 6); \
		X86_NEXT; \
	}
REVEAL_TABLE(sgdt, GLOBAL_TABLE)
REVEAL_TABLE(sidt, INTERRUPT_TABLE)
