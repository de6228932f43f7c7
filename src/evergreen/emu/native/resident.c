/* The code of regions. */
#include "evergreen/emu/native/region.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
	K_WRONG = 2, /* mask registers that are free */
	K_TEST = 3,
	VEX_ACTIVE = NATIVE_VEX_ACTIVE,
	VEX_TEST = NATIVE_VEX_REGS - 1, /* no home is in these */
	VEX_WRONG = NATIVE_VEX_REGS - 2,
	VEX_OTHER = NATIVE_VEX_REGS - 3,
};

/* Conditions of COMPARE_INT. */
enum { NOT_EQUAL = 4 };

/* Lanes are packed in the round of this number, or later with many rows. */
enum { ROUNDS = 3, ROWS_PER_ROUND = 4 };

static struct native_place row_of(const struct native_home *home)
{
	return native_memory(NATIVE_STATE, (int32_t)home->row);
}

static void load_homes(struct flow *f, const struct native_homes *homes)
{
	for (unsigned i = 0; i < homes->count; i++)
		native_vector(f->code, NATIVE_LOAD, i, 0,
			      row_of(&homes->home[i]), -1, 0, false);
}

static void store_homes(struct flow *f, const struct native_homes *homes)
{
	for (unsigned i = 0; i < homes->count; i++)
		if (homes->home[i].written)
			native_vector(f->code, NATIVE_STORE, i, 0,
				      row_of(&homes->home[i]), -1, 0, false);
}

static struct native_place lanes_field(int32_t offset)
{
	return native_memory(NATIVE_LANES, offset);
}

/* The zero flag becomes whether no active lane has a NaN with another
 * encoding. */
static void find_wrong_evex(struct flow *f, const struct native_homes *homes)
{
	struct native_place nan = native_constant(f->code, NATIVE_NAN);

	native_mask_load(f->code, NATIVE_K_ACTIVE,
			 lanes_field(NATIVE_OFFSET(masks.lanes)));
	native_mask(f->code, 0x47, true, K_WRONG, K_WRONG, K_WRONG); /* kxorw */
	for (unsigned i = 0; i < homes->count; i++) {
		if (!homes->home[i].raw)
			continue;
		native_vector(f->code, NATIVE_COMPARE_FLOAT, K_TEST, i,
			      native_reg(i), NATIVE_UNORDERED, NATIVE_K_ACTIVE,
			      false);
		native_vector(f->code, NATIVE_COMPARE_INT, K_TEST, i, nan,
			      NOT_EQUAL, K_TEST, false);
		/* korw */
		native_mask(f->code, 0x45, true, K_WRONG, K_WRONG, K_TEST);
	}
	native_mask(f->code, 0x98, false, K_WRONG, 0, K_WRONG); /* kortestw */
}

static void and_not(struct flow *f, unsigned dest, unsigned not, unsigned other)
{
	native_vector(f->code, NATIVE_AND_NOT, dest, not, native_reg(other), -1,
		      0, false);
}

static void find_wrong_vex(struct flow *f, const struct native_homes *homes)
{
	struct native_place nan = native_constant(f->code, NATIVE_NAN);

	native_load_active(f->native);
	native_vector(f->code, NATIVE_STORE, VEX_ACTIVE, 0,
		      flow_field(NATIVE_OFFSET(native_rows.entered)), -1, 0,
		      false);
	native_vector(f->code, NATIVE_XOR, VEX_WRONG, VEX_WRONG,
		      native_reg(VEX_WRONG), -1, 0, false);
	for (unsigned i = 0; i < homes->count; i++) {
		if (!homes->home[i].raw)
			continue;
		native_vector(f->code, NATIVE_COMPARE_FLOAT, VEX_TEST, i,
			      native_reg(i), NATIVE_UNORDERED, 0, false);
		native_vector(f->code, NATIVE_EQUAL_INT, VEX_OTHER, i, nan, -1,
			      0, false);
		and_not(f, VEX_TEST, VEX_OTHER, VEX_TEST);
		native_vector(f->code, NATIVE_AND, VEX_TEST, VEX_TEST,
			      native_reg(VEX_ACTIVE), -1, 0, false);
		native_vector(f->code, NATIVE_OR, VEX_WRONG, VEX_WRONG,
			      native_reg(VEX_TEST), -1, 0, false);
	}
	native_vector(f->code, NATIVE_SIGNS, NATIVE_RAX, 0,
		      native_reg(VEX_WRONG), -1, 0, false);
	general(f->code, GENERAL_TEST, NATIVE_RAX, native_reg(NATIVE_RAX));
}

/* cmp byte [rbx + vector], value */
static void compare_vector(struct flow *f, unsigned value)
{
	NATIVE_BYTES(f->code, 0x80, 0xbb);
	native_dword(f->code, (uint32_t)NATIVE_OFFSET(native.vector));
	NATIVE_BYTES(f->code, (uint8_t)value);
}

/* The lanes that were active at the beginning may have NaNs to encode. */
static void encode_home(struct flow *f, unsigned home)
{
	struct native_place nan = native_constant(f->code, NATIVE_NAN);

	if (f->code->evex) {
		native_vector(f->code, NATIVE_COMPARE_FLOAT, K_TEST, home,
			      native_reg(home), NATIVE_UNORDERED,
			      NATIVE_K_ACTIVE, false);
		native_vector(f->code, NATIVE_LOAD, home, 0, nan, -1, K_TEST,
			      false);
		return;
	}
	native_vector(f->code, NATIVE_COMPARE_FLOAT, VEX_TEST, home,
		      native_reg(home), NATIVE_UNORDERED, 0, false);
	native_vector(f->code, NATIVE_AND, VEX_TEST, VEX_TEST,
		      flow_field(NATIVE_OFFSET(native_rows.entered)), -1, 0,
		      false);
	native_vector(f->code, NATIVE_BLEND, home, home, nan, VEX_TEST << 4, 0,
		      false);
}

static void load_lanes(struct flow *f)
{
	general(f->code, GENERAL_LOAD, NATIVE_LANES,
		flow_field(NATIVE_OFFSET(native.lanes)));
}

static void load_state(struct flow *f)
{
	general(f->code, GENERAL_LOAD, NATIVE_STATE,
		flow_field(NATIVE_OFFSET(registers.base[EVG_BASE_STATE])));
}

/* With the region's rows. */
static void call_packing(struct flow *f, const struct native_region *region,
			 void (*function)(void))
{
	NATIVE_BYTES(f->code, 0x48, 0x83, 0xec, 0x08); /* sub rsp, 8 */
	general_load_number(f->code, NATIVE_RSI,
			    (uint64_t)(uintptr_t)region->rows);
	flow_call(f, function);
	NATIVE_BYTES(f->code, 0x48, 0x83, 0xc4, 0x08); /* add rsp, 8 */
}

/* Lanes that are spread are packed after some rounds; until then it returns
 * from the subroutine with eax not 0. */
static void pack(struct flow *f, const struct native_region *region)
{
	unsigned rounds = ROUNDS + region->rows->count / ROWS_PER_ROUND;
	size_t now;

	/* inc byte [rbx + vector] */
	NATIVE_BYTES(f->code, 0xfe, 0x83);
	native_dword(f->code, (uint32_t)NATIVE_OFFSET(native.vector));
	compare_vector(f, EVG_VECTOR_SPREAD + rounds);
	now = general_jump(f->code, NATIVE_NOT_BELOW);
	general_load_number(f->code, NATIVE_RAX, 1);
	NATIVE_BYTES(f->code, 0x85, 0xc0, 0xc3); /* test eax, eax; ret */
	native_fill(f->code, now, f->code->used);
	call_packing(f, region, (void (*)(void))evg_chain_pack);
}

static void compile_enter(struct flow *f, struct native_region *region)
{
	size_t one, wrong, never = 0;

	region->enter = f->code->used;
	compare_vector(f, EVG_VECTOR_ONE);
	one = general_jump(f->code, NATIVE_EQUAL);
	if (region->rows)
		pack(f, region);
	else
		never = general_jump(f->code, NATIVE_ALWAYS);
	native_fill(f->code, one, f->code->used);
	general(f->code, GENERAL_LOAD, NATIVE_STATE,
		flow_field(NATIVE_OFFSET(native.state)));
	load_lanes(f);
	load_homes(f, &region->homes);
	if (f->code->evex)
		find_wrong_evex(f, &region->homes);
	else
		find_wrong_vex(f, &region->homes);
	wrong = general_jump(f->code, NATIVE_NOT_EQUAL);
	if (f->code->evex)
		native_mask_store(f->code, NATIVE_K_ACTIVE,
				  flow_field(NATIVE_OFFSET(native.entered)));
	NATIVE_BYTES(f->code, 0x31, 0xc0, 0xc3); /* xor eax, eax; ret */
	/* Not before the mask is another one. */
	native_fill(f->code, wrong, f->code->used);
	if (never)
		native_fill(f->code, never, f->code->used);
	/* mov byte [rbx + vector], none */
	NATIVE_BYTES(f->code, 0xc6, 0x83);
	native_dword(f->code, (uint32_t)NATIVE_OFFSET(native.vector));
	NATIVE_BYTES(f->code, EVG_VECTOR_NONE);
	load_state(f);
	general_load_number(f->code, NATIVE_RAX, 1);
	NATIVE_BYTES(f->code, 0x85, 0xc0, 0xc3); /* test eax, eax; ret */
}

static void compile_leave(struct flow *f, struct native_region *region)
{
	region->leave = f->code->used;
	if (f->code->evex)
		native_mask_load(f->code, NATIVE_K_ACTIVE,
				 flow_field(NATIVE_OFFSET(native.entered)));
	for (unsigned i = 0; i < region->homes.count; i++)
		if (region->homes.home[i].raw)
			encode_home(f, i);
	store_homes(f, &region->homes);
	if (region->rows) {
		size_t one;

		compare_vector(f, EVG_VECTOR_PACKED);
		one = general_jump(f->code, NATIVE_NOT_EQUAL);
		call_packing(f, region, (void (*)(void))evg_chain_unpack);
		native_fill(f->code, one, f->code->used);
	}
	load_state(f);
	NATIVE_BYTES(f->code, 0xc3); /* ret */
}

static void compile_activate(struct flow *f, struct native_region *region)
{
	region->activate = f->code->used;
	/* mov rsi, rax; sub rsp, 8 */
	NATIVE_BYTES(f->code, 0x48, 0x89, 0xc6, 0x48, 0x83, 0xec, 0x08);
	store_homes(f, &region->homes);
	flow_call_counting(f, (void (*)(void))evg_chain_set_in_vector);
	load_homes(f, &region->homes);
	/* add rsp, 8; test al, al; ret */
	NATIVE_BYTES(f->code, 0x48, 0x83, 0xc4, 0x08, 0x84, 0xc0, 0xc3);
}

/* --- In and out ----------------------------------------------------------- */

void region_look(struct flow *f)
{
	if (f->region || f->lanes != EVG_LANES_SOME ||
	    !region_at(f, f->address))
		return;
	compare_vector(f, EVG_VECTOR_NONE);
	ARRAY_GROW(f->entries, f->entry_count, f->entry_capacity);
	f->entries[f->entry_count++] = (struct flow_way){
	    general_jump(f->code, NATIVE_NOT_EQUAL), f->address};
}

void region_leave(struct flow *f, enum native_condition condition,
		  uint32_t label)
{
	uint32_t next = f->labels.next;

	if (condition == NATIVE_ALWAYS) {
		f->labels.next = UINT32_MAX;
		native_fill(f->code, general_call(f->code), f->region->leave);
		native_jump(&f->labels, NATIVE_ALWAYS, label);
		f->labels.next = next;
		return;
	}
	ARRAY_GROW(f->leaves, f->leave_count, f->leave_capacity);
	f->leaves[f->leave_count++] =
	    (struct flow_way){general_jump(f->code, condition), label};
}

/* --- Regions -------------------------------------------------------------- */

static void compile_entries(struct flow *f, const struct native_region *region)
{
	for (uint32_t i = 0; i < f->entry_count; i++) {
		const struct flow_way *way = &f->entries[i];

		if (way->to < region->first || way->to > region->last)
			continue;
		native_fill(f->code, way->hole, f->code->used);
		native_fill(f->code, general_call(f->code), region->enter);
		native_jump(&f->labels, NATIVE_EQUAL,
			    native_label(&f->labels, way->to, 0,
					 NATIVE_RESIDENT_SOME));
		native_fill(f->code, general_jump(f->code, NATIVE_ALWAYS),
			    way->hole + 4);
	}
}

static void compile_leaves(struct flow *f)
{
	for (uint32_t i = 0; i < f->leave_count; i++) {
		native_fill(f->code, f->leaves[i].hole, f->code->used);
		region_leave(f, NATIVE_ALWAYS, f->leaves[i].to);
	}
	f->leave_count = 0;
}

void region_compile(struct flow *f,
		    void (*compile)(struct flow *f, uint32_t address,
				    uint32_t next))
{
	for (uint32_t r = 0; r < f->region_count; r++) {
		struct native_region *region = &f->regions[r];

		f->labels.next = UINT32_MAX;
		f->region = region;
		f->native->homes = &region->homes;
		compile_enter(f, region);
		compile_leave(f, region);
		compile_activate(f, region);
		compile_entries(f, region);
		for (int lanes = EVG_LANES_SOME; lanes <= EVG_LANES_NONE;
		     lanes++) {
			f->lanes = (enum evg_lanes)lanes;
			for (uint32_t i = region->first; i <= region->last;
			     i++) {
				uint32_t next = i + 1;

				while (next <= region->last && !f->parts[next])
					next++;
				if (f->parts[i])
					compile(f, i,
						next <= region->last
						    ? next
						    : UINT32_MAX);
			}
		}
		f->labels.next = UINT32_MAX;
		compile_leaves(f);
		f->region = NULL;
		f->native->homes = NULL;
	}
}
