/* Native code of segments: which registers hold which rows, the loop over
 * vectors, calls of the interpreter's functions. */
#include <string.h>

#include "evergreen/emu/native-build.h"

enum {
	EVEX_MERGED = NATIVE_REGS,    /* with EVEX: what is stored */
	VEX_ACTIVE = NATIVE_VEX_REGS, /* with VEX: the active lanes */
	FLOAT_NAN = 0x7fc00000,
};

#define OFFSET(field) NATIVE_OFFSET(field)

/* --- Registers ------------------------------------------------------------ */

static unsigned lanes_of_mask(const struct evg_uop *uop)
{
	return uop->mask == EVG_MASK_PREDICATE_0   ? NATIVE_K_PREDICATE_0
	       : uop->mask == EVG_MASK_PREDICATE_1 ? NATIVE_K_PREDICATE_1
						   : NATIVE_K_ACTIVE;
}

static void load_active(struct native *n)
{
	native_vector(&n->code, NATIVE_LOAD, VEX_ACTIVE, 0,
		      native_memory(NATIVE_LANES, OFFSET(mask_row)), -1, 0,
		      false);
}

/* The register's NaNs get their fixed encoding. That waits until somebody may
 * see their bits: most values are read by operations to which one NaN is as
 * good as another, and those do not wait for it. */
static void encode_nans(struct native *n, unsigned reg)
{
	struct native_place nan = native_constant(&n->code, FLOAT_NAN);
	unsigned test = n->code.evex ? NATIVE_K_NAN : VEX_ACTIVE;

	if (!n->slots[reg].raw)
		return;
	n->slots[reg].raw = false;
	native_vector(&n->code, NATIVE_COMPARE_FLOAT, test, reg,
		      native_reg(reg), NATIVE_UNORDERED, 0, false);
	if (n->code.evex) {
		native_vector(&n->code, NATIVE_LOAD, reg, 0, nan, -1, test,
			      false);
		return;
	}
	native_vector(&n->code, NATIVE_BLEND, reg, reg, nan, (int)(test << 4),
		      0, false);
	if (n->masked)
		load_active(n);
}

static void write_back(struct native *n, unsigned reg)
{
	struct native_slot *slot = &n->slots[reg];
	struct native_place row =
		native_memory(NATIVE_STATE, (int32_t)slot->row);

	encode_nans(n, reg);
	slot->dirty = false;
	if (!n->masked) {
		native_vector(&n->code, NATIVE_STORE, reg, 0, row, -1, 0,
			      false);
		return;
	}
	/* Whole vectors are loaded and stored: what goes through a mask the
	 * host does not forward to a load that comes soon after, as in the next
	 * round of a loop. */
	if (n->code.evex) {
		native_vector(&n->code, NATIVE_LOAD, EVEX_MERGED, 0, row, -1, 0,
			      false);
		native_vector(&n->code, NATIVE_LOAD, EVEX_MERGED, 0,
			      native_reg(reg), -1, NATIVE_K_ACTIVE, false);
		native_vector(&n->code, NATIVE_STORE, EVEX_MERGED, 0, row, -1,
			      0, false);
		return;
	}
	/* The register's lanes that are not active are of no use. */
	native_vector(&n->code, NATIVE_AND, reg, reg,
		      native_reg(VEX_ACTIVE), -1, 0, false);
	native_vector(&n->code, NATIVE_AND_NOT, VEX_ACTIVE, VEX_ACTIVE, row,
		      -1, 0, false);
	native_vector(&n->code, NATIVE_OR, reg, reg, native_reg(VEX_ACTIVE),
		      -1, 0, false);
	native_vector(&n->code, NATIVE_STORE, reg, 0, row, -1, 0, false);
	load_active(n);
}

unsigned native_scratch(struct native *n)
{
	unsigned best = NATIVE_REGS;

	for (unsigned i = 0; i < n->reg_count; i++) {
		const struct native_slot *slot = &n->slots[i];

		if (slot->pinned)
			continue;
		if (slot->row == EVG_NO_ROW) {
			best = i;
			break;
		}
		if (best == NATIVE_REGS || slot->used < n->slots[best].used)
			best = i;
	}
	if (best == NATIVE_REGS) {
		n->failed = true;
		return 0;
	}
	if (n->slots[best].dirty)
		write_back(n, best);
	n->slots[best] = (struct native_slot){
		.row = EVG_NO_ROW, .pinned = true, .used = n->now};
	return best;
}

void native_keep(struct native *n, const struct native_place *values,
		 unsigned count)
{
	for (unsigned i = 0; i < n->reg_count; i++)
		n->slots[i].pinned = false;
	for (unsigned k = 0; k < count; k++)
		if (!values[k].in_memory)
			n->slots[values[k].reg].pinned = true;
}

unsigned native_in_register(struct native *n, struct native_place value)
{
	unsigned reg;

	if (!value.in_memory)
		return value.reg;
	reg = native_scratch(n);
	native_vector(&n->code, NATIVE_LOAD, reg, 0, value, -1, 0, false);
	return reg;
}

static unsigned find_row(const struct native *n, uint32_t row)
{
	for (unsigned i = 0; i < n->reg_count; i++)
		if (n->slots[i].row == row)
			return i;
	return NATIVE_REGS;
}

/* A row of the state, in a register from now on. */
static unsigned read_row(struct native *n, uint32_t row)
{
	unsigned reg = find_row(n, row);

	if (reg == NATIVE_REGS) {
		reg = native_scratch(n);
		native_vector(&n->code, NATIVE_LOAD, reg, 0,
			      native_memory(NATIVE_STATE, (int32_t)row), -1, 0,
			      false);
		n->slots[reg].row = row;
	}
	n->slots[reg].pinned = true;
	n->slots[reg].used = n->now;
	return reg;
}

/* Whether the bits of a NaN in a source are of no interest. MOV gives them on,
 * as they are. */
static bool takes_raw(const struct evg_uop *uop)
{
	enum evg_alu_op op = (enum evg_alu_op)(uop->op - 1);

	return native_ignores_nan(op) || (op == EVG_ALU_MOV && !uop->extra);
}

static struct native_place read_operand(struct native *n,
					const struct evg_operand *operand)
{
	unsigned reg;

	if (operand->base == EVG_BASE_POOL)
		return native_memory(NATIVE_POOL, (int32_t)operand->offset);
	reg = read_row(n, operand->offset);
	if (!takes_raw(n->uop))
		encode_nans(n, reg);
	return native_reg(reg);
}

bool native_known(const struct native *n, const struct evg_uop *uop,
		  unsigned k, uint32_t *value)
{
	const struct evg_operand *operand = &uop->source[k];
	const struct evg_constant *constant;

	if (operand->base != EVG_BASE_POOL || uop->extra)
		return false;
	constant = &n->plan->constants[operand->offset / EVG_CONSTANT_BYTES];
	*value = constant->value;
	return constant->kind == EVG_CONSTANT_VALUE;
}

/* --- Results -------------------------------------------------------------- */

/* Where lanes are not all, the result goes to those of the uop's mask only;
 * what a register has in lanes that are not active nobody ever sees. */
static unsigned merge_predicated(struct native *n, unsigned result)
{
	unsigned old = read_row(n, n->uop->dest), mask;

	n->slots[result].raw = n->raw;
	if (n->slots[old].raw != n->raw) { /* numbers are only some lanes' */
		encode_nans(n, old);
		encode_nans(n, result);
		n->raw = false;
	}
	if (n->code.evex) {
		native_vector(&n->code, NATIVE_LOAD, old, 0,
			      native_reg(result), -1, lanes_of_mask(n->uop),
			      false);
		return old;
	}
	mask = native_in_register(
		n, native_memory(NATIVE_LANES,
				 OFFSET(mask_row) + n->uop->mask *
							    EVG_ROW_BYTES));
	native_vector(&n->code, NATIVE_BLEND, old, old, native_reg(result),
		      (int)(mask << 4), 0, false);
	return old;
}

/* A result that is put aside has a value in lanes, too, that a predicate keeps
 * out of the register: the plan then gives the function for all lanes. */
static bool takes_all_lanes(const struct evg_uop *uop)
{
	return uop->body[0] == uop->body[1] &&
	       !evg_alu_info[uop->op].is_predicate;
}

static void write_row(struct native *n, struct native_place value)
{
	uint32_t row = n->uop->dest;
	unsigned reg, old;

	if (n->uop->mask != EVG_MASK_ACTIVE && !takes_all_lanes(n->uop)) {
		reg = merge_predicated(n, native_in_register(n, value));
	} else {
		reg = native_in_register(n, value);
		if (n->slots[reg].row != EVG_NO_ROW &&
		    n->slots[reg].row != row) { /* another row's value: MOV */
			unsigned copy = native_scratch(n);

			native_vector(&n->code, NATIVE_LOAD, copy, 0,
				      native_reg(reg), -1, 0, false);
			reg = copy;
		}
		old = find_row(n, row);
		if (old != NATIVE_REGS && old != reg)
			n->slots[old] = (struct native_slot){
				.row = EVG_NO_ROW};
	}
	n->slots[reg].row = row;
	n->slots[reg].dirty = true;
	n->slots[reg].raw = n->raw;
	n->slots[reg].group = n->uop->group;
	n->slots[reg].used = n->now;
}

void native_store_pending(struct native *n, struct native_test test)
{
	if (n->code.evex) /* kmovw eax, k */
		native_mask(&n->code, 0x93, false, NATIVE_RAX, 0, test.reg);
	else
		native_vector(&n->code, NATIVE_SIGNS, NATIVE_RAX, 0,
			      native_reg(test.reg), -1, 0, false);
	/* shlx rax, rax, rcx; or r8, rax */
	NATIVE_BYTES(&n->code, 0xc4, 0xe2, 0xf1, 0xf7, 0xc0, 0x49, 0x09, 0xc0);
}

/* --- Blocks: uops that run together, vector by vector --------------------- */

static bool is_side_row(const struct evg_plan *plan, uint32_t row)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
			if (plan->result_row[i][s] == row)
				return true;
	return false;
}

/* A result that goes to no register is gone after the next group. */
static bool is_forgotten(const struct native *n, uint32_t row, uint32_t group,
			 uint32_t next_group)
{
	return next_group > group + 1 && is_side_row(n->plan, row);
}

static void translate(struct native *n, const struct evg_uop *uop)
{
	n->uop = uop;
	n->now++;
	for (unsigned k = 0; k < 3; k++)
		n->source[k] = read_operand(n, &uop->source[k]);
	n->raw = uop->op - 1 == EVG_ALU_MOV && !n->source[0].in_memory &&
		 n->slots[n->source[0].reg].raw;
	if (uop->dest == EVG_NO_ROW)
		native_predicate(n);
	else
		write_row(n, native_operation(n));
	native_keep(n, NULL, 0);
}

/* r8 collects the vectors' predicates; rcx is the vector's first lane. */
static void loop_begin(struct native *n)
{
	if (n->has_predicate) /* xor r8d, r8d; xor ecx, ecx */
		NATIVE_BYTES(&n->code, 0x45, 0x31, 0xc0, 0x31, 0xc9);
	/* mov r9, rbx; lea r11, [rbp + row] */
	NATIVE_BYTES(&n->code, 0x49, 0x89, 0xd9);
	NATIVE_BYTES(&n->code, 0x4c, 0x8d, 0x9d, 0x00, 0x01, 0x00, 0x00);
	if (!n->masked)
		return;
	NATIVE_BYTES(&n->code, 0x4c, 0x8b, 0x93); /* mov r10, [rbx + mask] */
	native_dword(&n->code, (uint32_t)OFFSET(mask));
}

/* Where a vector without an active lane, and one with all, leave: holes. */
struct ways {
	size_t none, all;
};

static struct ways look_at_mask(struct native *n)
{
	struct ways ways;

	/* movzx eax, r10w or r10b */
	NATIVE_BYTES(&n->code, 0x41, 0x0f, n->code.evex ? 0xb7 : 0xb6, 0xc2);
	NATIVE_BYTES(&n->code, 0x85, 0xc0, 0x0f, 0x84); /* test eax, eax; je */
	ways.none = native_hole(&n->code);
	NATIVE_BYTES(&n->code, 0x3d); /* cmp eax, all lanes; je */
	native_dword(&n->code, n->code.evex ? 0xffff : 0xff);
	NATIVE_BYTES(&n->code, 0x0f, 0x84);
	ways.all = native_hole(&n->code);
	return ways;
}

static void load_masks(struct native *n, bool predicated)
{
	if (n->masked && n->code.evex)
		native_mask_load(&n->code, NATIVE_K_ACTIVE,
				 native_memory(NATIVE_LANES, OFFSET(mask)));
	else if (n->masked)
		load_active(n);
	for (unsigned k = 0; predicated && n->code.evex && k < 2; k++)
		native_mask_load(&n->code, NATIVE_K_PREDICATE_0 + k,
				 native_memory(NATIVE_LANES,
					       OFFSET(mask) + 8 +
						       8 * (int32_t)k));
}

/* Where not all lanes may be active, vectors behind the last one that is are
 * not looked at. */
static void loop_end(struct native *n, size_t start)
{
	unsigned bytes = native_vector_bytes(&n->code), lanes = bytes / 4;

	/* add rbp, vector; add r9, its lanes; add ecx, lanes */
	NATIVE_BYTES(&n->code, 0x48, 0x83, 0xc5, (uint8_t)bytes);
	NATIVE_BYTES(&n->code, 0x49, 0x83, 0xc1,
		     (uint8_t)(n->code.evex ? bytes / 32 : bytes));
	if (n->has_predicate)
		NATIVE_BYTES(&n->code, 0x83, 0xc1, (uint8_t)lanes);
	if (n->masked) /* shr r10, lanes */
		NATIVE_BYTES(&n->code, 0x49, 0xc1, 0xea, (uint8_t)lanes);
	else /* cmp rbp, r11 */
		NATIVE_BYTES(&n->code, 0x4c, 0x39, 0xdd);
	NATIVE_BYTES(&n->code, 0x0f, 0x85); /* jne start */
	native_fill(&n->code, native_hole(&n->code), start);
	/* lea rbp, [r11 - row] */
	NATIVE_BYTES(&n->code, 0x49, 0x8d, 0xab, 0x00, 0xff, 0xff, 0xff);
	if (!n->has_predicate)
		return;
	NATIVE_BYTES(&n->code, 0x4c, 0x89, 0x83); /* mov [rbx + pending], r8 */
	native_dword(&n->code, (uint32_t)OFFSET(pending));
}

/* A block's uops, and the group of what comes after it. */
struct block {
	const struct evg_uop *uop, *end;
	uint32_t next_group;
	bool predicated;
};

/* A predicate which another one follows that takes its place. */
static bool is_replaced(const struct evg_uop *uop, const struct evg_uop *end)
{
	if (uop->dest != EVG_NO_ROW)
		return false;
	while (++uop < end)
		if (uop->dest == EVG_NO_ROW)
			return true;
	return false;
}

/* For one vector. */
static void compile_body(struct native *n, const struct block *block)
{
	load_masks(n, block->predicated);
	for (unsigned i = 0; i < NATIVE_REGS; i++)
		n->slots[i] = (struct native_slot){.row = EVG_NO_ROW};
	for (const struct evg_uop *uop = block->uop; uop < block->end; uop++) {
		if (is_replaced(uop, block->end))
			continue;
		translate(n, uop);
	}
	for (unsigned i = 0; i < n->reg_count; i++)
		if (n->slots[i].dirty &&
		    !is_forgotten(n, n->slots[i].row, n->slots[i].group,
				  block->next_group))
			write_back(n, i);
}

/* For a vector with some of its lanes, with all, and with none. */
static void compile_bodies(struct native *n, const struct block *block)
{
	struct ways ways = look_at_mask(n);
	size_t end;

	compile_body(n, block);
	NATIVE_BYTES(&n->code, 0xe9); /* jmp */
	end = native_hole(&n->code);
	native_fill(&n->code, ways.all, n->code.used);
	n->masked = false;
	compile_body(n, block);
	n->masked = true;
	native_fill(&n->code, end, n->code.used);
	native_fill(&n->code, ways.none, n->code.used);
}

static void compile_block(struct native *n, const struct evg_uop *uop,
			  const struct evg_uop *end, uint32_t next_group)
{
	struct block block = {uop, end, next_group, false};
	size_t start;

	n->has_predicate = false;
	for (const struct evg_uop *u = uop; u < end; u++) {
		block.predicated |= u->mask != EVG_MASK_ACTIVE;
		n->has_predicate |= u->dest == EVG_NO_ROW;
	}
	loop_begin(n);
	start = n->code.used;
	if (n->masked)
		compile_bodies(n, &block);
	else
		compile_body(n, &block);
	loop_end(n, start);
}

/* --- Segments ------------------------------------------------------------- */

static void compile_call(struct native *n, const struct evg_uop *uop)
{
	evg_body *body = uop->body[!n->masked];
	uint64_t address;

	if (uop->mask != EVG_MASK_ACTIVE)
		body = uop->body[0];
	memcpy(&address, &body, sizeof address);
	/* sub rsp, 8; mov rdi, rbx; mov rsi, uop; mov rax, body; call rax;
	 * add rsp, 8 */
	NATIVE_BYTES(&n->code, 0x48, 0x83, 0xec, 0x08, 0x48, 0x89, 0xdf, 0x48,
		     0xbe);
	native_quad(&n->code, (uint64_t)(uintptr_t)uop);
	NATIVE_BYTES(&n->code, 0x48, 0xb8);
	native_quad(&n->code, address);
	NATIVE_BYTES(&n->code, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08);
}

const void *native_segment(struct native *n,
			   const struct evg_clause_plan *clause,
			   const struct evg_segment *segment, bool masked)
{
	const struct evg_uop *uop = clause->uops + segment->first_uop;
	const struct evg_uop *end = uop + segment->uop_count;
	uint32_t after = segment->first_group + segment->group_count;
	size_t start = n->code.used;

	if (after == clause->group_count)
		after = UINT32_MAX;
	n->masked = masked;
	n->failed = false;
	while (uop < end) {
		const struct evg_uop *last = uop;

		while (last < end && native_has(n, last))
			last++;
		if (last > uop)
			compile_block(n, uop, last,
				      last < end ? last->group : after);
		for (uop = last; uop < end && !native_has(n, uop); uop++)
			compile_call(n, uop);
	}
	NATIVE_BYTES(&n->code, 0xc3); /* ret */
	if (n->failed || native_code_is_full(&n->code)) {
		n->code.used = start;
		return NULL;
	}
	return n->code.bytes + start;
}
