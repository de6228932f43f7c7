/* Native code of segments: the loop over vectors, calls of the interpreter's
 * functions. */
#include <string.h>

#include "evergreen/emu/chain.h"
#include "evergreen/emu/native/build.h"
#include "evergreen/emu/native/general.h"

#define OFFSET(field) NATIVE_OFFSET(field)

/* --- Blocks: uops that run together, vector by vector --------------------- */

bool native_is_side_row(const struct evg_plan *plan, uint32_t row)
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
	return next_group > group + 1 &&
	       native_is_side_row(n->plan, row);
}

static void translate(struct native *n, const struct evg_uop *uop)
{
	n->uop = uop;
	n->now++;
	for (unsigned k = 0; k < 3; k++)
		n->source[k] = native_read(n, &uop->source[k]);
	n->raw = uop->op - 1 == EVG_ALU_MOV && !n->source[0].in_memory &&
		 n->slots[n->source[0].reg].raw;
	if (uop->dest == EVG_NO_ROW)
		native_predicate(n);
	else
		native_write(n, native_operation(n));
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
	native_dword(&n->code, (uint32_t)OFFSET(masks.lanes));
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
		native_mask_load(
		    &n->code, NATIVE_K_ACTIVE,
		    native_memory(NATIVE_LANES, OFFSET(masks.lanes)));
	else if (n->masked)
		native_load_active(n);
	for (unsigned k = 0; predicated && n->code.evex && k < 2; k++)
		native_mask_load(
		    &n->code, NATIVE_K_PREDICATE_0 + k,
		    native_memory(NATIVE_LANES,
				  OFFSET(masks.lanes) + 8 + 8 * (int32_t)k));
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
	native_dword(&n->code, (uint32_t)OFFSET(masks.pending));
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
	native_rows_begin(n);
	for (const struct evg_uop *uop = block->uop; uop < block->end; uop++) {
		if (is_replaced(uop, block->end))
			continue;
		translate(n, uop);
	}
	for (unsigned i = 0; i < n->reg_count; i++)
		if (n->slots[i].dirty &&
		    !is_forgotten(n, n->slots[i].row, n->slots[i].group,
				  block->next_group))
			native_write_back(n, i);
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

static struct block begin_block(struct native *n, const struct evg_uop *uop,
				const struct evg_uop *end, uint32_t next_group)
{
	struct block block = {uop, end, next_group, false};

	n->has_predicate = false;
	for (const struct evg_uop *u = uop; u < end; u++) {
		block.predicated |= u->mask != EVG_MASK_ACTIVE;
		n->has_predicate |= u->dest == EVG_NO_ROW;
	}
	return block;
}

static void compile_block(struct native *n, const struct evg_uop *uop,
			  const struct evg_uop *end, uint32_t next_group)
{
	struct block block = begin_block(n, uop, end, next_group);
	size_t start;

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

/* A group, as what comes after others. */
static uint32_t group_after(const struct evg_clause_plan *clause,
			    uint32_t group)
{
	return group == clause->group_count ? UINT32_MAX : group;
}

/* r8, of packed lanes, becomes that of the wavefront's. */
static void spread_predicate(struct native *n)
{
	/* cmp byte [rbx + vector], packed; jne behind pdep */
	NATIVE_BYTES(&n->code, 0x80, 0xbb);
	native_dword(&n->code, (uint32_t)OFFSET(native.vector));
	NATIVE_BYTES(&n->code, EVG_VECTOR_PACKED, 0x75, 0x09);
	/* pdep r8, r8, [rbx + packed] */
	NATIVE_BYTES(&n->code, 0xc4, 0x62, 0xbb, 0xf5, 0x83);
	native_dword(&n->code, (uint32_t)OFFSET(native.packed));
}

void native_resident_segment(struct native *n,
			     const struct evg_clause_plan *clause,
			     const struct evg_segment *segment)
{
	const struct evg_uop *uop = clause->uops + segment->first_uop;
	struct block block = begin_block(
		n, uop, uop + segment->uop_count,
		group_after(clause,
			    segment->first_group + segment->group_count));
	struct native_place pending =
	    native_memory(NATIVE_WAVEFRONT, OFFSET(masks.pending));

	n->masked = true;
	general(&n->code, GENERAL_LOAD, NATIVE_LANES,
		native_memory(NATIVE_WAVEFRONT, OFFSET(native.lanes)));
	if (n->has_predicate) { /* xor r8d, r8d */
		NATIVE_BYTES(&n->code, 0x45, 0x31, 0xc0);
		general(&n->code, GENERAL_LOAD, NATIVE_RCX,
			native_memory(NATIVE_WAVEFRONT, OFFSET(native.first)));
	}
	compile_body(n, &block);
	if (!n->has_predicate)
		return;
	spread_predicate(n);
	general(&n->code, GENERAL_STORE, NATIVE_R8, pending);
}

const void *native_groups(struct native *n,
			  const struct evg_clause_plan *clause, uint32_t first,
			  uint32_t count, bool masked)
{
	const struct evg_group_plan *groups = clause->groups + first;
	const struct evg_group_plan *last_group = groups + count - 1;
	const struct evg_uop *uop = clause->uops + groups->first_uop;
	const struct evg_uop *end = clause->uops + last_group->first_uop +
				    last_group->uop_count;
	uint32_t after = group_after(clause, first + count);
	size_t start = n->code.used;

	n->homes = NULL;
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

const void *native_segment(struct native *n,
			   const struct evg_clause_plan *clause,
			   const struct evg_segment *segment, bool masked)
{
	return native_groups(n, clause, segment->first_group,
			     segment->group_count, masked);
}
