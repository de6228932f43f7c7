/* Which host registers hold which rows while native code of a block is made. */
#include "evergreen/emu/native/build.h"

enum {
	EVEX_MERGED = NATIVE_REGS, /* with EVEX: what is stored */
	VEX_ACTIVE = NATIVE_VEX_ACTIVE,
};

#define OFFSET(field) NATIVE_OFFSET(field)

static unsigned lanes_of_mask(uint8_t mask)
{
	return mask == EVG_MASK_PREDICATE_0   ? NATIVE_K_PREDICATE_0
	       : mask == EVG_MASK_PREDICATE_1 ? NATIVE_K_PREDICATE_1
					      : NATIVE_K_ACTIVE;
}

static struct native_place mask_row(uint8_t mask)
{
	return native_memory(NATIVE_LANES,
			     OFFSET(mask_rows.row) + mask * EVG_ROW_BYTES);
}

void native_rows_begin(struct native *n)
{
	for (unsigned i = 0; i < NATIVE_REGS; i++)
		n->slots[i] = (struct native_slot){.row = EVG_NO_ROW};
	for (unsigned i = 0; n->homes && i < n->homes->count; i++) {
		n->slots[i].row = n->homes->home[i].row;
		n->slots[i].raw = n->homes->home[i].raw;
	}
}

void native_load_active(struct native *n)
{
	native_vector(&n->code, NATIVE_LOAD, VEX_ACTIVE, 0,
		      native_memory(NATIVE_LANES, OFFSET(mask_rows.row)), -1, 0,
		      false);
}

/* The register's NaNs get their fixed encoding. That waits until somebody may
 * see their bits: most values are read by operations to which one NaN is as
 * good as another, and those do not wait for it. */
static void encode_nans(struct native *n, unsigned reg)
{
	struct native_place nan = native_constant(&n->code, NATIVE_NAN);
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
		native_load_active(n);
}

static unsigned home_count(const struct native *n)
{
	return n->homes ? n->homes->count : 0;
}

/* The register where a row stays, or NATIVE_REGS. */
static unsigned home_of(const struct native *n, uint32_t row)
{
	for (unsigned i = 0; i < home_count(n); i++)
		if (n->homes->home[i].row == row)
			return i;
	return NATIVE_REGS;
}

static void write_home(struct native *n, unsigned home, unsigned reg)
{
	if (!n->homes->home[home].raw)
		encode_nans(n, reg);
	n->slots[reg].dirty = false;
	if (reg == home)
		return;
	if (n->code.evex)
		native_vector(&n->code, NATIVE_LOAD, home, 0, native_reg(reg),
			      -1, lanes_of_mask(n->slots[reg].mask), false);
	else
		native_vector(&n->code, NATIVE_BLEND, home, home,
			      native_reg(reg), VEX_ACTIVE << 4, 0, false);
}

void native_write_back(struct native *n, unsigned reg)
{
	struct native_slot *slot = &n->slots[reg];
	struct native_place row =
		native_memory(NATIVE_STATE, (int32_t)slot->row);
	unsigned home = home_of(n, slot->row);

	if (home != NATIVE_REGS) {
		write_home(n, home, reg);
		return;
	}
	encode_nans(n, reg);
	slot->dirty = false;
	if (!n->masked && slot->mask == EVG_MASK_ACTIVE) {
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
			      native_reg(reg), -1, lanes_of_mask(slot->mask),
			      false);
		native_vector(&n->code, NATIVE_STORE, EVEX_MERGED, 0, row, -1,
			      0, false);
		return;
	}
	/* The register's lanes that are not active are of no use. */
	if (slot->mask != EVG_MASK_ACTIVE)
		native_vector(&n->code, NATIVE_LOAD, VEX_ACTIVE, 0,
			      mask_row(slot->mask), -1, 0, false);
	native_vector(&n->code, NATIVE_AND, reg, reg,
		      native_reg(VEX_ACTIVE), -1, 0, false);
	native_vector(&n->code, NATIVE_AND_NOT, VEX_ACTIVE, VEX_ACTIVE, row,
		      -1, 0, false);
	native_vector(&n->code, NATIVE_OR, reg, reg, native_reg(VEX_ACTIVE),
		      -1, 0, false);
	native_vector(&n->code, NATIVE_STORE, reg, 0, row, -1, 0, false);
	slot->mask = EVG_MASK_ACTIVE;
	if (n->masked)
		native_load_active(n);
}

unsigned native_scratch(struct native *n)
{
	unsigned best = NATIVE_REGS;

	for (unsigned i = home_count(n); i < n->reg_count; i++) {
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
		native_write_back(n, best);
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

/* A result that is put aside has a value in lanes, too, that a predicate keeps
 * out of the register: the plan then gives the function for all lanes. */
bool native_takes_all_lanes(const struct evg_uop *uop)
{
	return uop->dest != EVG_NO_ROW && uop->body[0] == uop->body[1];
}

/* The lanes in which somebody sees what the operation makes of its sources. */
static uint8_t lanes_wanted(const struct evg_uop *uop)
{
	return native_takes_all_lanes(uop) ? EVG_MASK_ACTIVE : uop->mask;
}

static void blend(struct native *n, unsigned dest, unsigned source,
		  uint8_t mask)
{
	unsigned lanes;

	if (n->code.evex) {
		native_vector(&n->code, NATIVE_LOAD, dest, 0,
			      native_reg(source), -1, lanes_of_mask(mask),
			      false);
		return;
	}
	lanes = native_in_register(n, mask_row(mask));
	native_vector(&n->code, NATIVE_BLEND, dest, dest, native_reg(source),
		      (int)(lanes << 4), 0, false);
}

/* A register with a predicate's lanes of a row: one with all active ones. */
static unsigned complete_lanes(struct native *n, unsigned reg)
{
	uint32_t row = n->slots[reg].row;
	unsigned whole = home_of(n, row);

	n->slots[reg].pinned = true;
	encode_nans(n, reg);
	if (whole == NATIVE_REGS) {
		whole = native_scratch(n);
		native_vector(&n->code, NATIVE_LOAD, whole, 0,
			      native_memory(NATIVE_STATE, (int32_t)row), -1, 0,
			      false);
	}
	blend(n, whole, reg, n->slots[reg].mask);
	n->slots[whole] = n->slots[reg];
	n->slots[whole].mask = EVG_MASK_ACTIVE;
	if (whole != reg)
		n->slots[reg] = (struct native_slot){.row = EVG_NO_ROW};
	return whole;
}

/* A row of the state, in a register from now on: lanes that the operation in
 * progress wants. */
static unsigned read_row(struct native *n, uint32_t row)
{
	unsigned reg = find_row(n, row), home = home_of(n, row);
	uint8_t mask = reg == NATIVE_REGS ? EVG_MASK_ACTIVE
					  : n->slots[reg].mask;

	if (mask != EVG_MASK_ACTIVE && mask != lanes_wanted(n->uop)) {
		if (n->slots[reg].dirty) {
			reg = complete_lanes(n, reg);
		} else {
			n->slots[reg] = (struct native_slot){.row = EVG_NO_ROW};
			reg = NATIVE_REGS;
		}
	}
	if (reg == NATIVE_REGS && home != NATIVE_REGS) {
		reg = home;
		n->slots[reg] = (struct native_slot){
			.row = row, .raw = n->homes->home[home].raw};
	}
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

/* MOV gives NaNs on as they are. */
bool native_takes_raw(const struct evg_uop *uop)
{
	enum evg_alu_op op = (enum evg_alu_op)(uop->op - 1);

	return native_ignores_nan(op) || (op == EVG_ALU_MOV && !uop->extra);
}

struct native_place native_read(struct native *n,
				const struct evg_operand *operand)
{
	unsigned reg;

	if (operand->base == EVG_BASE_POOL)
		return native_memory(NATIVE_POOL, (int32_t)operand->offset);
	reg = read_row(n, operand->offset);
	if (!native_takes_raw(n->uop))
		encode_nans(n, reg);
	return native_reg(reg);
}

bool native_known(const struct native *n, struct native_place place,
		  uint32_t *value)
{
	const struct evg_constant *constant;

	if (!place.in_memory)
		return false;
	if (place.reg == NATIVE_CONSTANT) {
		*value = n->code.constants[place.displacement /
					   NATIVE_CONSTANT_SIZE];
		return true;
	}
	if (place.reg != NATIVE_POOL)
		return false;
	constant = &n->plan->constants[place.displacement / EVG_CONSTANT_BYTES];
	*value = constant->value;
	return constant->kind == EVG_CONSTANT_VALUE;
}

/* --- Results -------------------------------------------------------------- */

/* Under a predicate: what the register has in its other lanes nobody sees, and
 * those of the row are left for later, when the row is written or they are
 * read, unless another register has something new in them. */
static unsigned write_predicated(struct native *n, unsigned result)
{
	unsigned old = find_row(n, n->uop->dest);
	uint8_t mask = n->uop->mask;

	if (old == result)
		return old;
	n->slots[result].raw = n->raw;
	n->slots[result].mask = mask;
	if (old == NATIVE_REGS)
		return result;
	if (!n->slots[old].dirty || n->slots[old].mask == mask) {
		n->slots[old] = (struct native_slot){.row = EVG_NO_ROW};
		return result;
	}
	if (n->slots[old].mask != EVG_MASK_ACTIVE)
		old = complete_lanes(n, old);
	n->slots[old].pinned = true;
	if (n->slots[old].raw != n->raw) { /* numbers are only some lanes' */
		encode_nans(n, old);
		encode_nans(n, result);
		n->raw = false;
	}
	blend(n, old, result, mask);
	n->slots[result] = (struct native_slot){.row = EVG_NO_ROW};
	return old;
}

void native_write(struct native *n, struct native_place value)
{
	unsigned reg = native_in_register(n, value), old;
	uint32_t row = n->uop->dest;

	if (n->slots[reg].row != EVG_NO_ROW &&
	    n->slots[reg].row != row) { /* another row's value: MOV */
		unsigned copy = native_scratch(n);

		native_vector(&n->code, NATIVE_LOAD, copy, 0, native_reg(reg),
			      -1, 0, false);
		reg = copy;
	}
	if (lanes_wanted(n->uop) != EVG_MASK_ACTIVE) {
		reg = write_predicated(n, reg);
	} else {
		old = find_row(n, row);
		if (old != NATIVE_REGS && old != reg)
			n->slots[old] =
				(struct native_slot){.row = EVG_NO_ROW};
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
