#include "opencl-rt/codegen/image/image.h"

#include <string.h>

/* Operands of a fetch: the coordinates, three offsets, the numbers of image and
 * sampler, and for each coordinate whether it is normalized. */
enum { PLACE = 0, OFFSETS = 1, RESOURCE = 4, SAMPLER = 5, NORMALIZED = 6 };

/* Operands of a store. */
enum { DATA = 0, INDEX = 1, RAT = 2 };

/* The number of an image or sampler must be known. */
static unsigned number_of(struct selection *selection, LLVMValueRef call,
			  unsigned operand)
{
	LLVMValueRef value = LLVMGetOperand(call, operand);

	if (LLVMIsAConstantInt(value))
		return (unsigned)LLVMConstIntGetZExtValue(value);
	select_refuse(selection, call, "an image that is not known");
	return 0;
}

/* Of coordinates the instruction itself can say 0 and 1. */
static bool is_selected(const struct machine_source *source)
{
	return source->reg == MACHINE_NONE && !source->negate &&
	       !source->absolute && (source->select == EVG_SELECT_0 ||
				     source->select == EVG_SELECT_1);
}

/* The earlier of the first `count` coordinates that is the same; `count`: none
 * is. */
static unsigned find_same(const struct parts *parts, unsigned count)
{
	unsigned i = 0;

	while (i < count &&
	       !machine_same_source(&parts->part[i], &parts->part[count]))
		i++;
	return i;
}

/* Copies to channels of one register: coordinates that are the same share a
 * channel. */
static void gather(struct selection *selection, const struct parts *from,
		   struct machine_source *sources)
{
	int tuple = (int)selection->machine.register_count;

	for (unsigned k = 0; k < MACHINE_DWORDS; k++) {
		unsigned same = find_same(from, k);

		sources[k] = from->part[k];
		if (is_selected(&sources[k]))
			continue;
		if (same < k) {
			sources[k] = sources[same];
			continue;
		}
		sources[k] = select_register(
			machine_register(&selection->machine));
		selection->machine.registers[sources[k].reg].tuple = tuple;
	}
	for (unsigned k = 0; k < MACHINE_DWORDS; k++)
		if (!is_selected(&sources[k]) && find_same(from, k) == k)
			select_copy(selection, sources[k].reg, from->part[k]);
}

static void select_fetch(struct selection *selection, LLVMValueRef call,
			 enum machine_image image)
{
	struct parts place =
		select_parts(selection, LLVMGetOperand(call, PLACE));
	struct parts result = { .count = MACHINE_DWORDS };
	struct machine_source sources[MACHINE_DWORDS];
	struct machine_inst *inst;
	int tuple;

	gather(selection, &place, sources);
	tuple = (int)selection->machine.register_count;
	for (unsigned k = 0; k < MACHINE_DWORDS; k++) {
		int reg = machine_register(&selection->machine);

		selection->machine.registers[reg].tuple = tuple;
		result.part[k] = select_register(reg);
	}
	inst = machine_add(&selection->machine, MACHINE_FETCH);
	inst->image = image;
	memcpy(inst->source, sources, sizeof sources);
	inst->source_count = MACHINE_DWORDS;
	inst->unit = 4;
	inst->dest_count = MACHINE_DWORDS;
	for (unsigned k = 0; k < MACHINE_DWORDS; k++)
		inst->dest[k] = result.part[k].reg;
	inst->resource = (uint8_t)number_of(selection, call, RESOURCE);
	inst->sampler = (uint8_t)number_of(selection, call, SAMPLER);
	for (unsigned k = 0; k < MACHINE_DWORDS; k++)
		inst->normalized |= (uint8_t)(number_of(selection, call,
							NORMALIZED + k)
					      << k);
	for (unsigned k = 0; k < RESOURCE - OFFSETS; k++)
		if (number_of(selection, call, OFFSETS + k))
			select_refuse(selection, call,
				      "a fetch beside its coordinates");
	select_define(selection, call, &result);
}

/* Four registers, as channels of one. */
static int copy_all(struct selection *selection, const struct parts *from)
{
	struct machine *machine = &selection->machine;
	int first = (int)machine->register_count;

	for (unsigned k = 0; k < MACHINE_DWORDS; k++) {
		int reg = machine_register(machine);

		machine->registers[reg].channel = (int8_t)k;
		machine->registers[reg].tuple = first;
	}
	for (unsigned k = 0; k < MACHINE_DWORDS; k++)
		select_copy(selection, first + (int)k, from->part[k]);
	return first;
}

static void select_store(struct selection *selection, LLVMValueRef call)
{
	struct parts data = select_parts(selection, LLVMGetOperand(call, DATA));
	struct parts index =
		select_parts(selection, LLVMGetOperand(call, INDEX));
	unsigned rat = number_of(selection, call, RAT);
	int to = copy_all(selection, &index), from = copy_all(selection, &data);
	struct machine_inst *inst =
		machine_add(&selection->machine, MACHINE_STORE);

	inst->image = MACHINE_TEXEL;
	inst->rat_op = EVG_RAT_STORE_TYPED;
	inst->resource = (uint8_t)rat;
	for (int k = 0; k < MACHINE_DWORDS; k++) {
		inst->source[k] = select_register(to + k);
		inst->source[MACHINE_DWORDS + k] = select_register(from + k);
	}
	inst->source_count = 2 * MACHINE_DWORDS;
}

bool image_call(struct selection *selection, LLVMValueRef call,
		const char *name)
{
	if (!strcmp(name, "llvm.r600.tex"))
		select_fetch(selection, call, MACHINE_SAMPLE);
	else if (!strcmp(name, "llvm.r600.texc"))
		select_fetch(selection, call, MACHINE_TEXEL);
	else if (!strcmp(name, "llvm.r600.rat.store.typed"))
		select_store(selection, call);
	else
		return false;
	return true;
}
