/* Segment selectors: the part of Linux' descriptor table that user code sees,
 * and the instructions that load, test and reveal selectors. */
#include "x86/emu/block.h"
#include "x86/emu/integer/integer.h"
#include "x86/emu/segment.h"

#ifndef X86_OBSERVED /* observed handlers are the same */

/* Intel SDM volume 3, "Segment Descriptors". */
static bool local_descriptor(const struct x86_emulator *emulator,
			     unsigned entry, struct x86_descriptor *descriptor)
{
	uint32_t low, high;

	if (entry >= emulator->ldt_count)
		return false;
	low = (uint32_t)emulator->ldt[entry];
	high = (uint32_t)(emulator->ldt[entry] >> 32);
	descriptor->access = high & 0xffff00;
	descriptor->base = low >> 16 | (high & 0xff) << 16 |
			   (high & 0xff000000);
	descriptor->limit = (low & 0xffff) | (high & 0xf0000);
	if (high >> 23 & 1)
		descriptor->limit = descriptor->limit << 12 | 0xfff;
	return descriptor->access >> 8 & X86_RIGHTS_SEGMENT;
}

/* Linux' GDT (arch/x86/include/asm/segment.h): 4 32-bit code, 5 data, 6 64-bit
 * code, 12 to 14 TLS, 15 data whose limit is the processor's number. User code
 * does not see the kernel's descriptors. Access rights are in the form of
 * LAR. */
bool x86_descriptor(const struct x86_cpu *cpu, uint16_t selector,
		    struct x86_descriptor *descriptor)
{
	const struct x86_tls_entry *tls;
	unsigned entry = selector >> 3;

	if (selector & 4)
		return local_descriptor(cpu->emulator, entry, descriptor);
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

#endif

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

#ifndef X86_OBSERVED

/* Whether a segment is writable data that expands upwards. For other segments
 * the run loop's slow path checks the rights. */
static bool is_plain(const struct x86_segment *segment)
{
	return segment->rights & X86_RIGHTS_WRITABLE &&
	       !(segment->rights & (X86_RIGHTS_DOWN | X86_RIGHTS_CODE));
}

static bool is_flat(const struct x86_segment *segment)
{
	return is_plain(segment) && !segment->base &&
	       segment->size == UINT64_C(1) << 32;
}

/* Base and limit of FS and GS always count (x86_op_address_in_segment). In most
 * programs FS and GS are null. */
static void note_segmented(struct x86_cpu *cpu)
{
	const struct x86_segment *segment = cpu->segment;

	cpu->segmented = cpu->mode == X86_MODE_32 &&
			 (!is_flat(segment + X86_DS) ||
			  !is_flat(segment + X86_ES) ||
			  (segment[X86_FS].rights &&
			   !is_plain(segment + X86_FS)) ||
			  (segment[X86_GS].rights &&
			   !is_plain(segment + X86_GS)));
}

/* Checks this emulator's restrictions: instructions lie at their offsets, and
 * the stack pointer is an address. */
static int check_flat(struct x86_cpu *cpu, int segment,
		      const struct x86_segment *new)
{
	uint16_t wide = X86_RIGHTS_32 | X86_RIGHTS_64;

	cpu->reason = NULL;
	if (cpu->mode == X86_MODE_64 && segment == X86_SS)
		return 0;
	if (!(new->rights & wide))
		cpu->reason = segment == X86_CS ? "a 16-bit code segment"
						: "a 16-bit stack segment";
	else if (segment == X86_CS && !(new->rights & X86_RIGHTS_64) !=
					      (cpu->mode == X86_MODE_32))
		cpu->reason = "code of the other mode";
	else if (cpu->mode == X86_MODE_32 &&
		 (new->base || new->size != UINT64_C(1) << 32 ||
		  (segment == X86_SS && new->rights & X86_RIGHTS_DOWN)))
		cpu->reason = segment == X86_CS
				      ? "a code segment with a base or limit"
				      : "a stack segment with a base or limit";
	return cpu->reason ? X86_SEGMENT_UNSUPPORTED : 0;
}

/* Whether a descriptor suits a segment register. */
static bool suits(const struct x86_descriptor *descriptor, int segment,
		  uint16_t selector)
{
	if (segment == X86_CS)
		return is_code(descriptor);
	if (segment == X86_SS)
		return writable(descriptor) && (selector & 3) == 3;
	return readable(descriptor);
}

int x86_segment_find(struct x86_cpu *cpu, int segment, uint16_t selector,
		     struct x86_segment *new)
{
	bool tied = segment == X86_CS || segment == X86_SS;
	struct x86_descriptor descriptor = { 0 };

	*new = (struct x86_segment){ .selector = selector };
	if (selector <= 3) /* null: no base; not for code and stack */
		return tied ? X86_SEGMENT_INVALID : 0;
	if (!x86_descriptor(cpu, selector, &descriptor) ||
	    !suits(&descriptor, segment, selector))
		return X86_SEGMENT_INVALID;
	new->rights = (uint16_t)(descriptor.access >> 8);
	new->size = (uint64_t)descriptor.limit + 1;
	if (cpu->mode == X86_MODE_32 || segment >= X86_FS)
		new->base = descriptor.base;
	if (!(new->rights & X86_RIGHTS_PRESENT))
		return X86_SEGMENT_ABSENT;
	return tied ? check_flat(cpu, segment, new) : 0;
}

int x86_segment_load(struct x86_cpu *cpu, int segment, uint16_t selector)
{
	struct x86_segment new;
	int error = x86_segment_find(cpu, segment, selector, &new);

	if (error)
		return error;
	cpu->segment[segment] = new;
	note_segmented(cpu);
	return 0;
}

void x86_segments_refresh(struct x86_cpu *cpu)
{
	static const uint8_t list[] = { X86_ES, X86_DS, X86_FS, X86_GS };

	for (unsigned i = 0; i < sizeof list; i++) {
		uint16_t selector = cpu->segment[list[i]].selector;

		/* A null selector may have a base that the program has set. */
		if (selector > 3 && x86_segment_load(cpu, list[i], selector))
			x86_segment_load(cpu, list[i], 0);
	}
}

void x86_segments_init(struct x86_cpu *cpu)
{
	bool wide = cpu->mode == X86_MODE_64;

	x86_segment_load(cpu, X86_CS, wide ? X86_SELECTOR_CS64
					   : X86_SELECTOR_CS32);
	x86_segment_load(cpu, X86_SS, X86_SELECTOR_DATA);
	x86_segment_load(cpu, X86_DS, wide ? 0 : X86_SELECTOR_DATA);
	x86_segment_load(cpu, X86_ES, wide ? 0 : X86_SELECTOR_DATA);
	x86_segment_load(cpu, X86_FS, 0);
	x86_segment_load(cpu, X86_GS, 0);
}

void x86_emulator_set_ldt(struct x86_emulator *emulator, const uint64_t *table,
			  size_t count)
{
	emulator->ldt = table;
	emulator->ldt_count = count;
}

int x86_selector_fault(struct x86_cpu *cpu, const struct x86_op *op,
		       uint16_t selector)
{
	x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	cpu->fault.error_code = selector & 0xfffcu;
	return X86_LEAVE_FAULT;
}

int x86_segment_fault(struct x86_cpu *cpu, const struct x86_op *op, int segment,
		      uint16_t selector, int error)
{
	if (error == X86_SEGMENT_UNSUPPORTED) {
		cpu->op = op;
		return X86_LEAVE_UNSUPPORTED;
	}
	if (error == X86_SEGMENT_INVALID)
		return x86_selector_fault(cpu, op, selector);
	x86_raise(cpu, op, SIGBUS, SI_KERNEL, 0, segment == X86_SS ? 12 : 11);
	cpu->fault.error_code = selector & 0xfffcu;
	return X86_LEAVE_FAULT;
}

#endif

/* ---- Loads ---- */

X86_OP(mov_sr)
{
	uint16_t selector = X86_REG16(cpu, op->src);
	int error = x86_segment_load(cpu, op->dst, selector);

	if (error)
		return x86_segment_fault(cpu, op, op->dst, selector, error);
	X86_NEXT_SEGMENTS;
}

X86_OP(mov_sm)
{
	uint16_t selector = x86_load16(cpu, op, x86_address(cpu, op));
	int error = x86_segment_load(cpu, op->dst, selector);

	if (error)
		return x86_segment_fault(cpu, op, op->dst, selector, error);
	X86_NEXT_SEGMENTS;
}

/* LDS and the like: an offset and behind it a selector. */
#define FAR_POINTER(name, segment, bits) \
	X86_OP(name##bits) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		UINT(bits) offset = x86_load##bits(cpu, op, address); \
		uint16_t selector = x86_load16( \
			cpu, op, (address + bits / 8) & cpu->address_mask); \
		int error = x86_segment_load(cpu, segment, selector); \
		if (error) \
			return x86_segment_fault(cpu, op, segment, selector, \
						 error); \
		x86_set##bits(cpu, op->dst, offset); \
		X86_NEXT_SEGMENTS; \
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

	/* The processor writes even an unchanged value. */
	x86_store16(cpu, op, address,
		    lower ? (uint16_t)((to & ~3) | level) : to);
	set_zero(cpu, lower);
	X86_NEXT;
}

/* ---- Kept from user code ----
 *
 * Where the processor hides these values (UMIP), Linux answers with the values
 * below (arch/x86/kernel/umip.c). So do we, for every model. A register keeps
 * its bits above the operand, even above 32. */

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
