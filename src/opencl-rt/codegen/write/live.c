#include "opencl-rt/codegen/write/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/registers.h"

void write_live_begin(struct write_live *live, const struct machine *machine)
{
	*live = (struct write_live){
		.machine = machine,
		.begins = xcalloc(machine->inst_count + 1, sizeof(int)),
		.next = xcalloc(machine->register_count + 1, sizeof(int)),
		.live = xcalloc(machine->register_count + 1, sizeof(unsigned)),
	};
	for (unsigned i = 0; i < machine->inst_count; i++)
		live->begins[i] = MACHINE_NONE;
	for (unsigned r = 0; r < machine->register_count; r++) {
		const struct machine_register *reg = &machine->registers[r];

		if (reg->last < reg->first)
			continue;
		if (reg->first < 0) {
			live->live[live->count++] = r;
			continue;
		}
		live->next[r] = live->begins[reg->first];
		live->begins[reg->first] = (int)r;
	}
}

void write_live_find(struct write_live *live, unsigned place,
		     struct codegen_registers *places)
{
	unsigned kept = 0;

	for (; live->place < place; live->place++)
		for (int r = live->begins[live->place]; r != MACHINE_NONE;
		     r = live->next[r])
			live->live[live->count++] = (unsigned)r;
	memset(places, 0, sizeof *places);
	for (unsigned i = 0; i < live->count; i++) {
		const struct machine_register *reg =
			&live->machine->registers[live->live[i]];

		if (reg->last < (int)place)
			continue;
		live->live[kept++] = live->live[i];
		codegen_add(places, reg->number, (unsigned)reg->channel);
	}
	live->count = kept;
}

void write_live_end(struct write_live *live)
{
	free(live->begins);
	free(live->next);
	free(live->live);
}
