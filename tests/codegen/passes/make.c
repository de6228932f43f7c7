#include "codegen/passes/make.h"

#include "codegen/passes/lane.h"
#include "opencl-rt/codegen/target.h"
#include "unit/random.h"

enum {
	VARIABLES = 5,
	FIRST_VARIABLE = LANE_GIVEN,
	TURNS = 4,
	DONE_MAX = 256,
};

/* An operation that may come again: with other values in its sources, or with
 * the same. */
struct done {
	enum evg_alu_op op;
	struct machine_source a, b;
};

/* What has a value on every way to a place. */
struct scope {
	unsigned known, done;
};

struct maker {
	struct machine *machine;
	uint64_t state;
	int known[LANE_VALUES];
	struct done done[DONE_MAX];
	struct scope scope;
	unsigned loops;        /* around the place */
};

static unsigned draw(struct maker *maker, unsigned count)
{
	return (unsigned)(random_draw(&maker->state) >> 33) % count;
}

static struct machine_source reg(int number)
{
	return (struct machine_source){ .reg = number };
}

/* As selection writes them: some have a source of their own. */
static struct machine_source number(uint32_t value)
{
	struct machine_source source = { .reg = MACHINE_NONE,
					 .select = EVG_SELECT_LITERAL };

	switch (value) {
	case 0:
		source.select = EVG_SELECT_0;
		break;
	case 1:
		source.select = EVG_SELECT_1_INT;
		break;
	case UINT32_MAX:
		source.select = EVG_SELECT_M1_INT;
		break;
	default:
		source.literal = value;
		break;
	}
	return source;
}

static struct machine_source queue(unsigned which)
{
	return (struct machine_source){
		.reg = MACHINE_NONE,
		.select = (uint16_t)(EVG_SELECT_LDS_OQ_A_POP + which),
	};
}

static int any_register(struct maker *maker)
{
	return maker->known[draw(maker, maker->scope.known)];
}

static int any_variable(struct maker *maker)
{
	return FIRST_VARIABLE + (int)draw(maker, VARIABLES);
}

/* A dword of the kernel's arguments. */
static struct machine_source argument(struct maker *maker)
{
	return (struct machine_source){
		.reg = MACHINE_NONE,
		.select = (uint16_t)(EVG_SELECT_KCACHE0 + draw(maker, 2)),
		.channel = (uint8_t)draw(maker, CODEGEN_CHANNELS),
	};
}

static struct machine_source any(struct maker *maker)
{
	switch (draw(maker, 10)) {
	case 0:
	case 1:
		return number(draw(maker, 9) - 1);
	case 2:
		return argument(maker);
	default:
		return reg(any_register(maker));
	}
}

/* An operand of an operation on floats. */
static struct machine_source any_float(struct maker *maker)
{
	struct machine_source source = any(maker);

	source.negate = draw(maker, 2);
	source.absolute = !draw(maker, 4);
	return source;
}

static void know(struct maker *maker, int made)
{
	maker->known[maker->scope.known++] = made;
}

static struct machine_inst *add(struct maker *maker, enum machine_kind kind,
				enum evg_alu_op op, int result,
				struct machine_source a,
				struct machine_source b)
{
	struct machine_inst *inst = machine_add(maker->machine, kind);

	inst->op = op;
	if (result != MACHINE_NONE)
		inst->dest[inst->dest_count++] = result;
	inst->source[inst->source_count++] = a;
	if (evg_alu_info[op].source_count > 1)
		inst->source[inst->source_count++] = b;
	return inst;
}

static void copy(struct maker *maker, int to, struct machine_source from)
{
	add(maker, MACHINE_ALU, EVG_ALU_MOV, to, from, number(0));
}

static int compute_new(struct maker *maker, enum evg_alu_op op,
		       struct machine_source a, struct machine_source b)
{
	int made = machine_register(maker->machine);

	add(maker, MACHINE_ALU, op, made, a, b);
	know(maker, made);
	if (maker->scope.done < DONE_MAX)
		maker->done[maker->scope.done++] = (struct done){ op, a, b };
	return made;
}

/* --- Memory --------------------------------------------------------------- */

/* The address of a dword beside others of the same base. */
static int make_address(struct maker *maker)
{
	int base = compute_new(maker, EVG_ALU_AND_INT,
			       reg(maker->known[draw(maker, LANE_GIVEN)]),
			       number(60));

	return compute_new(maker, EVG_ALU_ADD_INT, reg(base),
			   number(4 * (1 + draw(maker, 4))));
}

static void make_fetch(struct maker *maker)
{
	int address = make_address(maker);
	int made = machine_register(maker->machine);
	struct machine_inst *inst = machine_add(maker->machine, MACHINE_FETCH);

	inst->resource = CLC_RESOURCE_GLOBAL;
	inst->unit = 4;
	inst->source[inst->source_count++] = reg(address);
	inst->dest[inst->dest_count++] = made;
	know(maker, made);
}

static void make_store(struct maker *maker, struct machine_source value)
{
	int index = compute_new(maker, EVG_ALU_LSHR_INT,
				reg(make_address(maker)), number(2));
	int data = machine_register(maker->machine);
	struct machine_inst *inst;

	/* A copy for the store alone, and channels, as selection has them. */
	maker->machine->registers[index].channel = 0;
	maker->machine->registers[data].channel = 0;
	copy(maker, data, value);
	inst = machine_add(maker->machine, MACHINE_STORE);
	inst->rat_op = EVG_RAT_STORE_RAW;
	inst->source[inst->source_count++] = reg(index);
	inst->source[inst->source_count++] = reg(data);
}

static struct machine_inst *add_local(struct maker *maker, enum evg_lds_op op,
				      int address)
{
	struct machine_inst *inst = machine_add(maker->machine, MACHINE_ALU);

	inst->op = EVG_ALU_LDS_IDX_OP;
	inst->lds_op = op;
	inst->source[inst->source_count++] = reg(address);
	return inst;
}

/* One dword or two, or a write. */
static void make_local(struct maker *maker)
{
	int address = make_address(maker);
	unsigned count = 1 + draw(maker, 2);
	struct machine_inst *inst;

	if (!draw(maker, 3)) {
		inst = add_local(maker, EVG_LDS_WRITE, address);
		inst->source[inst->source_count++] =
			reg(any_variable(maker));
		return;
	}
	inst = add_local(maker,
			 count == 1 ? EVG_LDS_READ_RET : EVG_LDS_READ_REL_RET,
			 address);
	inst->offset = count - 1;
	for (unsigned k = 0; k < count; k++) {
		int taken = machine_register(maker->machine);

		copy(maker, taken, queue(k));
		know(maker, taken);
	}
}

/* --- Operations ----------------------------------------------------------- */

static enum evg_alu_op draw_operation(struct maker *maker)
{
	static const enum evg_alu_op operations[] = {
		EVG_ALU_ADD_INT,   EVG_ALU_SUB_INT,  EVG_ALU_AND_INT,
		EVG_ALU_XOR_INT,   EVG_ALU_LSHL_INT, EVG_ALU_LSHR_INT,
		EVG_ALU_SETE_INT,  EVG_ALU_SETGT_INT, EVG_ALU_SETGE_UINT,
	};

	return operations[draw(maker, 9)];
}

static void make_operation(struct maker *maker)
{
	const struct done *done =
		maker->scope.done && !draw(maker, 3)
			? &maker->done[draw(maker, maker->scope.done)]
			: NULL;

	if (done)
		compute_new(maker, done->op, done->a, done->b);
	else
		compute_new(maker, draw_operation(maker), any(maker),
			    any(maker));
}

static enum evg_alu_op draw_comparison(struct maker *maker)
{
	static const enum evg_alu_op comparisons[] = {
		EVG_ALU_SETE_DX10, EVG_ALU_SETNE_DX10, EVG_ALU_SETGT_DX10,
		EVG_ALU_SETGE_DX10,
	};

	return comparisons[draw(maker, 4)];
}

/* A number with another sign, or a comparison. */
static void make_float(struct maker *maker)
{
	if (draw(maker, 2))
		compute_new(maker, EVG_ALU_MOV, any_float(maker), number(0));
	else
		compute_new(maker, draw_comparison(maker), any_float(maker),
			    any_float(maker));
}

/* Two operations on fields of bits, and a choice by a comparison with 0. */
static void make_fields(struct maker *maker)
{
	static const enum evg_alu_op comparisons[] = {
		EVG_ALU_SETE_INT, EVG_ALU_SETNE_INT, EVG_ALU_SETGT_INT,
		EVG_ALU_SETGE_INT,
	};
	uint32_t mask = (1u << draw(maker, 32)) - draw(maker, 2);
	struct machine_source a = draw(maker, 4) ? reg(any_register(maker))
						 : argument(maker);
	struct machine_source zero = number(0);
	bool zero_first = draw(maker, 2);
	int test, field, rest;
	struct machine_inst *choice;

	field = compute_new(maker, EVG_ALU_LSHR_INT, a,
			    number(draw(maker, 32)));
	field = compute_new(maker, EVG_ALU_AND_INT, reg(field), number(mask));
	rest = compute_new(maker, EVG_ALU_AND_INT, any(maker),
			   number(draw(maker, 4) ? ~mask : mask));
	compute_new(maker, EVG_ALU_OR_INT,
		    draw(maker, 3) ? reg(rest) : number(~mask & 0x5a5a5a5a),
		    reg(field));
	/* Bits of two arguments. */
	field = compute_new(maker, EVG_ALU_AND_INT, argument(maker),
			    number(mask));
	rest = compute_new(maker, EVG_ALU_AND_INT,
			   draw(maker, 2) ? argument(maker) : a,
			   number(~mask));
	compute_new(maker, EVG_ALU_OR_INT, reg(field), reg(rest));
	test = compute_new(maker, comparisons[draw(maker, 4)],
			   zero_first ? zero : a, zero_first ? a : zero);
	choice = add(maker, MACHINE_ALU, EVG_ALU_CNDE_INT,
		     machine_register(maker->machine), reg(test), any(maker));
	choice->source[choice->source_count++] = any(maker);
	know(maker, choice->dest[0]);
}

static void change_variable(struct maker *maker)
{
	add(maker, MACHINE_ALU, draw_operation(maker), any_variable(maker),
	    any(maker), any(maker));
}

/* Variables take each other's values, as a loop's next turn has them. */
static void rotate_variables(struct maker *maker)
{
	int first = any_variable(maker), second = any_variable(maker);
	int kept = machine_register(maker->machine);

	copy(maker, kept, reg(first));
	copy(maker, first, reg(second));
	copy(maker, second, reg(kept));
}

/* Doubles: two dwords in channels beside each other. */
static void make_pair(struct maker *maker)
{
	int low = machine_register(maker->machine);
	int high = machine_register(maker->machine);
	int first = 2 * (int)draw(maker, 2);
	struct machine_inst *inst;

	maker->machine->registers[low].channel = (int8_t)first;
	maker->machine->registers[high].channel = (int8_t)(first + 1);
	inst = machine_add(maker->machine, MACHINE_ALU);
	inst->op = EVG_ALU_ADD_64;
	for (unsigned k = 0; k < 4; k++)
		inst->source[inst->source_count++] = reg(any_register(maker));
	inst->dest[inst->dest_count++] = low;
	inst->dest[inst->dest_count++] = high;
	know(maker, low);
	know(maker, high);
}

/* --- Control flow --------------------------------------------------------- */

static void make_list(struct maker *maker, unsigned depth);

static int make_test(struct maker *maker)
{
	static const enum evg_alu_op comparisons[] = {
		EVG_ALU_SETE_INT, EVG_ALU_SETNE_INT, EVG_ALU_SETGT_INT,
		EVG_ALU_SETGE_INT, EVG_ALU_SETGT_UINT, EVG_ALU_SETGE_UINT,
	};
	int made = draw(maker, 4)
			   ? compute_new(maker, comparisons[draw(maker, 6)],
					 any(maker), any(maker))
			   : compute_new(maker, draw_comparison(maker),
					 any_float(maker), any_float(maker));

	/* Its opposite, since it is 0 or -1. */
	return draw(maker, 4) ? made
			      : compute_new(maker, EVG_ALU_NOT_INT, reg(made),
					    number(0));
}

static enum evg_alu_op draw_test(struct maker *maker)
{
	return draw(maker, 2) ? EVG_ALU_PRED_SETNE_INT : EVG_ALU_PRED_SETE_INT;
}

/* What is compared may change between a comparison and its test. */
static void make_branch(struct maker *maker, unsigned depth)
{
	int test = make_test(maker);
	struct scope before = maker->scope;

	if (!draw(maker, 3))
		change_variable(maker);
	add(maker, MACHINE_IF, draw_test(maker), MACHINE_NONE, reg(test),
	    number(0));
	make_list(maker, depth - 1);
	maker->scope = before;
	if (draw(maker, 2)) {
		machine_add(maker->machine, MACHINE_ELSE);
		make_list(maker, depth - 1);
	}
	machine_add(maker->machine, MACHINE_END_IF);
	maker->scope = before;
}

/* Some lanes leave the loop, some of them having changed a variable, and do not
 * take a copy behind that along. Its value may be read later, also where the
 * variable has another one. */
static void make_way_out(struct maker *maker)
{
	int made = machine_register(maker->machine);

	add(maker, MACHINE_ALU, draw_operation(maker), made, any(maker),
	    any(maker));
	add(maker, MACHINE_IF, draw_test(maker), MACHINE_NONE,
	    reg(make_test(maker)), number(0));
	if (draw(maker, 2))
		change_variable(maker);
	machine_add(maker->machine, MACHINE_BREAK);
	machine_add(maker->machine, MACHINE_END_IF);
	copy(maker, any_variable(maker), reg(made));
	if (draw(maker, 2))
		know(maker, made);
}

/* A value from before the loop is read in every turn; what is computed before
 * the first way out is read behind it, too. */
static void make_loop(struct maker *maker, unsigned depth)
{
	int counter = machine_register(maker->machine), test;
	int kept = compute_new(maker, draw_operation(maker), any(maker),
			       any(maker));
	struct scope before;

	copy(maker, counter, number(0));
	machine_add(maker->machine, MACHINE_LOOP);
	maker->loops++;
	know(maker, counter);
	compute_new(maker, EVG_ALU_XOR_INT, reg(kept),
		    reg(any_variable(maker)));
	test = compute_new(maker, EVG_ALU_SETGT_INT,
			   number(1 + draw(maker, TURNS)), reg(counter));
	before = maker->scope;
	add(maker, MACHINE_BREAK, EVG_ALU_PRED_SETNE_INT, MACHINE_NONE,
	    reg(test), number(0));
	make_list(maker, depth - 1);
	add(maker, MACHINE_ALU, EVG_ALU_ADD_INT, counter, reg(counter),
	    number(1));
	machine_add(maker->machine, MACHINE_END_LOOP);
	maker->loops--;
	maker->scope = before;
}

static void make_list(struct maker *maker, unsigned depth)
{
	for (unsigned i = 1 + draw(maker, 6); i--;)
		switch (draw(maker, depth ? 15 : 12)) {
		case 0:
			make_fetch(maker);
			break;
		case 1:
			make_store(maker, any(maker));
			break;
		case 2:
		case 3:
			change_variable(maker);
			break;
		case 4:
			make_local(maker);
			break;
		case 5:
			make_pair(maker);
			break;
		case 6:
			rotate_variables(maker);
			break;
		case 7:
			if (maker->loops)
				make_way_out(maker);
			break;
		case 8:
			make_fields(maker);
			break;
		case 9:
			make_float(maker);
			break;
		case 12:
			make_branch(maker, depth);
			break;
		case 13:
		case 14:
			make_loop(maker, depth);
			break;
		default:
			make_operation(maker);
		}
}

void make_program(struct machine *machine, uint64_t seed)
{
	static struct maker maker;

	maker = (struct maker){ .machine = machine, .state = seed };
	for (int i = 0; i < LANE_GIVEN; i++) {
		int id = machine_register(machine);

		machine->registers[id].given = true;
		machine->registers[id].channel = (int8_t)i;
		know(&maker, id);
	}
	for (unsigned i = 0; i < VARIABLES; i++) {
		int made = machine_register(machine);

		know(&maker, made);
		copy(&maker, made, number(draw(&maker, 16)));
	}
	make_list(&maker, 3);
	make_list(&maker, 3);
	for (int i = 0; i < VARIABLES; i++)
		make_store(&maker, reg(FIRST_VARIABLE + i));
}
