/* The spaces of memory: dwords, and the bytes and shorts that are left. */
#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/target.h"

/* A fetch adds this much to its address at most. */
enum { OFFSET_LIMIT = 0x8000 };

struct machine_source select_address(struct selection *selection,
				     const struct address *address)
{
	uint32_t number;

	if (select_is_number(&address->base, &number))
		return select_number(number + address->offset);
	return select_op2(selection, EVG_ALU_ADD_INT, address->base,
			  select_number(address->offset));
}

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

/* Bits by which a byte's place in its dword moves it. */
static struct machine_source bit_place(struct selection *selection,
				       struct machine_source byte)
{
	return op2(selection, EVG_ALU_LSHL_INT,
		   op2(selection, EVG_ALU_AND_INT, byte, select_number(3)),
		   select_number(3));
}

static uint32_t mask_of(unsigned unit)
{
	return (1u << 8 * unit) - 1;
}

/* --- Fetches -------------------------------------------------------------- */

/* `count` elements of `unit` bytes: up to four dwords at once into a register's
 * channels, or one byte or short. */
static void fetch(struct selection *selection, unsigned resource,
		  struct address address, unsigned unit, unsigned count,
		  struct machine_source *parts)
{
	struct machine_inst *inst;
	struct machine_source base;
	int tuple;

	if (address.offset >= OFFSET_LIMIT) {
		address.base = select_address(selection, &address);
		address.offset = 0;
	}
	base = select_in_register(selection, address.base);
	tuple = (int)selection->machine.register_count;
	for (unsigned k = 0; k < count; k++) {
		int reg = machine_register(&selection->machine);

		if (count > 1)
			selection->machine.registers[reg].tuple = tuple;
		parts[k] = select_register(reg);
	}
	inst = machine_add(&selection->machine, MACHINE_FETCH);
	inst->source[0] = base;
	inst->source_count = 1;
	inst->offset = address.offset;
	inst->resource = (uint8_t)resource;
	inst->unit = (uint8_t)unit;
	inst->dest_count = count;
	for (unsigned k = 0; k < count; k++)
		inst->dest[k] = parts[k].reg;
}

/* --- Stores to global memory ---------------------------------------------- */

/* Data in a register's channels of the `mask`, which others of its channels
 * share. */
static struct machine_inst *store(struct selection *selection,
				  struct machine_source index, unsigned count,
				  const struct machine_source *data)
{
	struct machine *machine = &selection->machine;
	struct machine_inst *inst;
	int first;

	index = select_in_register(selection, index);
	machine->registers[index.reg].channel = 0;
	first = (int)machine->register_count;
	for (unsigned k = 0; k < count; k++) {
		int reg = machine_register(machine);

		machine->registers[reg].channel = (int8_t)k;
		if (count > 1)
			machine->registers[reg].tuple = first;
	}
	for (unsigned k = 0; k < count; k++)
		select_copy(selection, first + (int)k, data[k]);
	inst = machine_add(machine, MACHINE_STORE);
	inst->source[0] = index;
	for (unsigned k = 0; k < count; k++)
		inst->source[1 + k] = select_register(first + (int)k);
	inst->source_count = 1 + count;
	return inst;
}

static struct machine_source index_of_dword(struct selection *selection,
					 const struct address *address)
{
	return op2(selection, EVG_ALU_LSHR_INT,
		   select_address(selection, address), select_number(2));
}

struct machine_inst *select_global(struct selection *selection,
				   struct address address, unsigned count,
				   const struct machine_source *data)
{
	return store(selection, index_of_dword(selection, &address), count, data);
}

/* Up to four dwords at once; three are two and one. */
static void store_dwords(struct selection *selection, struct address address,
			 unsigned count, const struct machine_source *data)
{
	unsigned own = count == 3 ? 2 : count;

	store(selection, index_of_dword(selection, &address), own, data)->rat_op =
		EVG_RAT_STORE_RAW;
	address.offset += 4 * own;
	if (own < count)
		store_dwords(selection, address, count - own, data + own);
}

/* The bits of a mask in w become those of x, in one step that nobody can come
 * between. */
static void store_small(struct selection *selection, struct address address,
			unsigned unit, struct machine_source data)
{
	struct machine_source place = bit_place(
		selection, select_address(selection, &address));
	struct machine_source mask = select_number(mask_of(unit));
	struct machine_source parts[MACHINE_DWORDS];

	parts[0] = op2(selection, EVG_ALU_LSHL_INT,
		       op2(selection, EVG_ALU_AND_INT, data, mask), place);
	parts[1] = parts[2] = select_number(0);
	parts[3] = op2(selection, EVG_ALU_LSHL_INT, mask, place);
	store(selection, index_of_dword(selection, &address), MACHINE_DWORDS,
	      parts)
		->rat_op = EVG_RAT_MSKOR;
}

/* --- Local memory --------------------------------------------------------- */

static struct machine_inst *add_local(struct selection *selection,
				      enum evg_lds_op op, unsigned count,
				      const struct machine_source *sources)
{
	struct machine_inst *inst =
		machine_add(&selection->machine, MACHINE_ALU);

	inst->op = EVG_ALU_LDS_IDX_OP;
	inst->lds_op = op;
	inst->source_count = count;
	for (unsigned k = 0; k < count; k++)
		inst->source[k] = sources[k];
	return inst;
}

static struct machine_source take_local(struct selection *selection,
					unsigned queue)
{
	return select_op1(selection, EVG_ALU_MOV,
			  (struct machine_source){
				  .reg = MACHINE_NONE,
				  .select = (uint16_t)(EVG_SELECT_LDS_OQ_A_POP +
						       queue),
			  });
}

struct machine_source select_local(struct selection *selection,
				   enum evg_lds_op op, struct address address,
				   unsigned count,
				   const struct machine_source *operands)
{
	struct machine_source sources[3] = {
		select_address(selection, &address),
	};

	for (unsigned k = 0; k < count; k++)
		sources[1 + k] = select_in_register(selection, operands[k]);
	add_local(selection, op, 1 + count, sources);
	return evg_lds_info[op].returns ? take_local(selection, 0)
					: select_number(0);
}

static struct machine_source load_local(struct selection *selection,
					struct address address, unsigned unit)
{
	return select_local(selection,
			    unit == 4	? EVG_LDS_READ_RET
			    : unit == 2 ? EVG_LDS_USHORT_READ_RET
					: EVG_LDS_UBYTE_READ_RET,
			    address, 0, NULL);
}

/* Two at once: the second comes through queue B. */
static void load_locals(struct selection *selection, struct address address,
			unsigned count, struct machine_source *dwords)
{
	for (unsigned k = 0; k + 1 < count; k += 2) {
		struct machine_source from =
			select_address(selection, &address);
		struct machine_inst *inst = add_local(
			selection, EVG_LDS_READ_REL_RET, 1, &from);

		inst->offset = 1;
		dwords[k] = take_local(selection, 0);
		dwords[k + 1] = take_local(selection, 1);
		address.offset += 8;
	}
	if (count % 2)
		dwords[count - 1] = load_local(selection, address, 4);
}

static void store_locals(struct selection *selection, struct address address,
			 const struct machine_source *data)
{
	const struct machine_source sources[] = {
		select_address(selection, &address),
		select_in_register(selection, data[0]),
		select_in_register(selection, data[1]),
	};

	add_local(selection, EVG_LDS_WRITE_REL, 3, sources)->offset = 1;
}

static void store_local(struct selection *selection, struct address address,
			unsigned unit, struct machine_source data)
{
	select_local(selection,
		     unit == 4	 ? EVG_LDS_WRITE
		     : unit == 2 ? EVG_LDS_SHORT_WRITE
				 : EVG_LDS_BYTE_WRITE,
		     address, 1, &data);
}

/* --- Private memory ------------------------------------------------------- */

/* Each lane's own dwords, by their index. */
static struct machine_source load_private(struct selection *selection,
					  struct address address, unsigned unit)
{
	struct machine_source at = select_address(selection, &address), dword;
	struct machine_inst *inst;
	struct machine_source index = select_in_register(
		selection, index_of_dword(selection, &address));
	int reg = machine_register(&selection->machine);

	inst = machine_add(&selection->machine, MACHINE_FETCH);
	inst->scratch = true;
	inst->source[0] = index;
	inst->source_count = 1;
	inst->unit = 4;
	inst->dest[0] = reg;
	inst->dest_count = 1;
	dword = select_register(reg);
	if (unit == 4)
		return dword;
	dword = op2(selection, EVG_ALU_LSHR_INT, dword,
		    bit_place(selection, at));
	return op2(selection, EVG_ALU_AND_INT, dword,
		   select_number(mask_of(unit)));
}

static void store_private(struct selection *selection, struct address address,
			  unsigned unit, struct machine_source data)
{
	struct machine_source at = select_address(selection, &address);
	struct machine_source place, mask, old;

	if (unit != 4) {
		struct address whole = { op2(selection, EVG_ALU_AND_INT, at,
					     select_number(~3u)), 0 };

		place = bit_place(selection, at);
		mask = op2(selection, EVG_ALU_LSHL_INT,
			   select_number(mask_of(unit)), place);
		data = op2(selection, EVG_ALU_LSHL_INT, data, place);
		old = load_private(selection, whole, 4);
		data = select_op3(selection, EVG_ALU_BFI_INT, mask, data, old);
	}
	store(selection, index_of_dword(selection, &address), 1, &data)->scratch =
		true;
}

/* --- Images --------------------------------------------------------------- */

static struct machine_source load_small(struct selection *selection,
					unsigned space, struct address address,
					unsigned unit)
{
	struct machine_source value = select_number(0);

	switch (space) {
	case SPACE_LOCAL:
		return load_local(selection, address, unit);
	case SPACE_PRIVATE:
		return load_private(selection, address, unit);
	default:
		fetch(selection,
		      space == SPACE_PARAMETERS ? CLC_RESOURCE_PARAMETERS
						: CLC_RESOURCE_GLOBAL,
		      address, unit, 1, &value);
		return value;
	}
}

static void load_dwords(struct selection *selection, unsigned space,
			struct address address, unsigned count,
			struct machine_source *dwords)
{
	if (space == SPACE_LOCAL) {
		load_locals(selection, address, count, dwords);
		return;
	}
	if (space == SPACE_PRIVATE) {
		for (unsigned k = 0; k < count; k++) {
			dwords[k] = load_small(selection, space, address, 4);
			address.offset += 4;
		}
		return;
	}
	fetch(selection,
	      space == SPACE_PARAMETERS ? CLC_RESOURCE_PARAMETERS
					: CLC_RESOURCE_GLOBAL,
	      address, 4, count, dwords);
}

/* Arguments whose place is known are constants. */
static bool load_constants(struct selection *selection, struct address address,
			   struct image *image)
{
	uint32_t base, place, bits;

	if (!select_is_number(&address.base, &base))
		return false;
	base += address.offset;
	bits = 8 * (base % 4);
	place = base - base % 4;
	if (place + image->bytes >= 4 * SELECT_CONSTANT_DWORDS ||
	    (bits && base % 4 + image->bytes > 4))
		return false;
	for (unsigned k = 0; k < (image->bytes + 3) / 4; k++)
		image->dword[k] = op2(selection, EVG_ALU_LSHR_INT,
				      select_constant(selection,
						      place + 4 * k),
				      select_number(bits));
	return true;
}

/* The largest unit that may be accessed at this byte: a dword, a short, a
 * byte. */
static unsigned unit_at(uint32_t at, uint32_t bytes, unsigned alignment)
{
	unsigned unit = 4;

	while (unit > 1 && (at % unit || alignment < unit ||
			    bytes - at < unit))
		unit /= 2;
	return unit;
}

/* Dwords in a row from this byte on, at most four. */
static unsigned dwords_at(uint32_t at, uint32_t bytes)
{
	unsigned count = (bytes - at) / 4;

	return count < MACHINE_DWORDS ? count : MACHINE_DWORDS;
}

static bool is_space(unsigned space, bool stores)
{
	return space == SPACE_GLOBAL || space == SPACE_LOCAL ||
	       space == SPACE_PRIVATE ||
	       (!stores && (space == SPACE_CONSTANT ||
			    space == SPACE_PARAMETERS));
}

bool select_load_image(struct selection *selection, unsigned space,
		       struct address address, unsigned alignment,
		       struct image *image)
{
	uint32_t at = 0;

	if (!is_space(space, false))
		return false;
	if (space == SPACE_PARAMETERS &&
	    load_constants(selection, address, image))
		return true;
	while (at < image->bytes) {
		unsigned unit = unit_at(at, image->bytes, alignment);
		struct address from = { address.base, address.offset + at };
		struct machine_source value, *dword = &image->dword[at / 4];

		if (unit == 4) {
			unsigned count = dwords_at(at, image->bytes);

			load_dwords(selection, space, from, count, dword);
			at += 4 * count;
			continue;
		}
		value = load_small(selection, space, from, unit);
		value = op2(selection, EVG_ALU_LSHL_INT, value,
			    select_number(at % 4 * 8));
		*dword = at % 4 ? op2(selection, EVG_ALU_OR_INT, *dword, value)
				: value;
		at += unit;
	}
	return true;
}

/* Not a whole dword of global memory. */
static void store_unit(struct selection *selection, unsigned space,
		       struct address address, unsigned unit,
		       struct machine_source value)
{
	if (space == SPACE_LOCAL)
		store_local(selection, address, unit, value);
	else if (space == SPACE_PRIVATE)
		store_private(selection, address, unit, value);
	else
		store_small(selection, address, unit, value);
}

bool select_store_image(struct selection *selection, unsigned space,
			struct address address, unsigned alignment,
			const struct image *image)
{
	uint32_t at = 0;

	if (!is_space(space, true))
		return false;
	while (at < image->bytes) {
		unsigned unit = unit_at(at, image->bytes, alignment), count = 1;
		struct address to = { address.base, address.offset + at };

		if (unit == 4 && space == SPACE_GLOBAL) {
			count = dwords_at(at, image->bytes);
			store_dwords(selection, to, count,
				     &image->dword[at / 4]);
		} else if (unit == 4 && space == SPACE_LOCAL &&
			   dwords_at(at, image->bytes) > 1) {
			count = 2;
			store_locals(selection, to, &image->dword[at / 4]);
		} else {
			store_unit(selection, space, to, unit,
				   op2(selection, EVG_ALU_LSHR_INT,
				       image->dword[at / 4],
				       select_number(at % 4 * 8)));
		}
		at += unit * count;
	}
	return true;
}
