#include "x86/timing/random-program.h"

#include <string.h>

#include "unit/random.h"

enum { ALIAS = 1 << 20 };

static unsigned draw(uint64_t *seed, unsigned below)
{
	return (unsigned)(random_draw(seed) % below);
}

/* ---- Figures ---- */

void random_figures(struct x86_core_figures *f, uint64_t *seed)
{
	static const char *const names[] = {
		"nehalem", "sandybridge", "ivybridge", "haswell", "skylake",
	};

	x86_core_figures_find(names[draw(seed, 5)], f, NULL);
	f->predecode_bytes = 8u << draw(seed, 2);
	f->predecode_width = 1 + draw(seed, 6);
	f->instruction_queue = f->predecode_width + 4 + draw(seed, 8);
	f->predecode_delay = 1 + draw(seed, 3);
	f->decoders = 1 + draw(seed, 4);
	/* With one decoder the last is the first: what may be fused would
	 * never pass. */
	f->fusible_last = f->decoders == 1 || draw(seed, 2);
	f->microcode_width = 1 + draw(seed, 4);
	f->microcode_switch = draw(seed, 5);
	f->uop_queue = 8 + draw(seed, 20);
	if (f->cache_sets) {
		f->cache_sets = 1 + draw(seed, 4);
		f->cache_ways = 1 + draw(seed, 8);
		f->cache_line_uops = 2 + draw(seed, 6);
		f->cache_lines = 1 + draw(seed, 4);
		f->cache_branches = 1 + draw(seed, 2);
		f->cache_width = 1 + draw(seed, 6);
		f->cache_pairs = draw(seed, 2);
		f->jump_erratum = draw(seed, 2);
	}
	f->loop_slots = draw(seed, 3) ? 4 + draw(seed, 40) : 0;
	f->loop_branches = 1 + draw(seed, 4);
	f->loop_unroll = draw(seed, 2);
	f->issue_width = 2 + draw(seed, 4);
	f->issue_delay = 1 + draw(seed, 6);
	f->pair_splits = draw(seed, 2);
	f->move_slots_general = draw(seed, 5);
	f->move_slots_vector = draw(seed, 5);
	f->move_pipeline = 1 + draw(seed, 3);
	f->move_free_at = draw(seed, 2);
	f->merge_alone = draw(seed, 2);
	f->reorder_buffer = 8 + draw(seed, 24);
	f->scheduler = 4 + draw(seed, 12);
	f->retire_width = 1 + draw(seed, 4);
	f->load_queue = 2 + draw(seed, 6);
	f->store_queue = 2 + draw(seed, 6);
	f->disambiguation = draw(seed, 5);
	if (f->disambiguation > 3)
		f->disambiguation = 2;
	f->memory_renaming = draw(seed, 3) != 0;
	f->renamed_latency = draw(seed, 3);
	f->order_counters = 1 + draw(seed, 40);
	f->order_trust = 1 + draw(seed, 4);
	f->order_start = draw(seed, 8);
	f->order_delay = 1 + draw(seed, 4);
}

/* ---- Instructions ---- */

static uint8_t general(uint64_t *seed)
{
	return (uint8_t)draw(seed, 6);
}

static uint16_t some_ports(uint64_t *seed)
{
	static const uint16_t ports[] = {
		0x01, 0x02, 0x20, 0x21, 0x22, 0x23, 0x40, 0x41, 0x63, 0x61,
	};

	return ports[draw(seed, 10)];
}

static struct x86_uop *add_uop(struct random_program *p, unsigned n,
			       unsigned kind, unsigned slot)
{
	unsigned number = p->form[n].uop_count++;
	struct x86_uop *u = &p->uop[n][number];

	*u = (struct x86_uop){ .kind = (uint8_t)kind, .slot = (uint8_t)slot,
			       .port_cycles = 1 };
	if (kind == X86_UOP_COMPUTE)
		u->domain = (uint8_t)((n + number) % 3);
	return u;
}

static void source(struct x86_uop *u, unsigned place)
{
	u->source[u->source_count++] = (uint8_t)place;
}

static void result(struct x86_uop *u, unsigned place, unsigned latency)
{
	u->result[u->result_count++] = (struct x86_result){
		(uint8_t)place, (uint8_t)latency };
}

static void operand(struct x86_inst *inst, unsigned place, unsigned size,
		    bool high, bool read, bool write)
{
	inst->operand[inst->operand_count++] = (struct x86_operand){
		.kind = X86_OPERAND_REGISTER, .location = (uint8_t)place,
		.size = (uint8_t)size, .high = high, .read = read,
		.write = write,
	};
	if (read)
		inst->read |= X86_AT(place);
	if (write)
		inst->written |= X86_AT(place);
}

static void address_of(struct random_program *p, unsigned n, uint64_t *seed)
{
	struct x86_memory *m = &p->inst[n].memory[p->inst[n].memory_count++];

	/* Some registers are never written. */
	m->base = draw(seed, 3) ? (uint8_t)(6 + draw(seed, 2)) : general(seed);
	m->index = draw(seed, 3) ? X86_NO_REGISTER : general(seed);
	m->displacement = (int64_t)draw(seed, 4096) - 512;
	/* Several that name the same memory. */
	if (draw(seed, 2))
		m->displacement = 8 * draw(seed, 3) + (draw(seed, 12) ? 0 : 1);
	m->size = draw(seed, 6) ? 8u >> draw(seed, 2) : 2;
	m->segment = !draw(seed, 12);
	p->inst[n].read |= X86_AT(m->base);
	if (m->index != X86_NO_REGISTER)
		p->inst[n].read |= X86_AT(m->index);
}

static void read_address(struct x86_uop *u, const struct x86_inst *inst)
{
	source(u, inst->memory[0].base);
	if (inst->memory[0].index != X86_NO_REGISTER)
		source(u, inst->memory[0].index);
}

static void compute(struct random_program *p, unsigned n, uint64_t *seed)
{
	unsigned uops = 1 + (draw(seed, 4) ? 0 : draw(seed, 3));
	unsigned size = draw(seed, 4) ? 8 : 1, to = general(seed);
	bool high = size == 1 && to < 4 && draw(seed, 2);
	unsigned place = high ? X86_PLACE_HIGH + to : to;

	operand(&p->inst[n], to, size, high, true, true);
	for (unsigned k = 0; k < uops; k++) {
		struct x86_uop *u = add_uop(p, n, X86_UOP_COMPUTE, k);

		u->ports = some_ports(seed);
		source(u, k ? X86_PLACE_INTERNAL : place);
		if (draw(seed, 2))
			source(u, general(seed));
		if (!draw(seed, 8))
			u->divider_cycles = (uint8_t)(2 + draw(seed, 9));
		if (!draw(seed, 8))
			u->port_cycles = 2;
		result(u, k + 1 < uops ? X86_PLACE_INTERNAL : place,
		       1 + draw(seed, 5));
		if (k + 1 == uops && draw(seed, 2))
			result(u, X86_PLACE_FLAGS, 1);
	}
	p->form[n].slots = p->form[n].slots_fused = (uint8_t)uops;
	p->form[n].minimum_cycles = draw(seed, 10) ? 0 :
				    (uint8_t)(1 + draw(seed, 12));
	if (uops == 1 && !draw(seed, 3))
		p->form[n].fuses_with = (uint16_t)random_draw(seed);
	if (!draw(seed, 30))
		p->form[n].serializing = true;
}

static void memory(struct random_program *p, unsigned n, uint64_t *seed)
{
	unsigned what = 1 + draw(seed, 3), slot = 0; /* 1 load, 2 store */
	bool add = draw(seed, 2);

	address_of(p, n, seed);
	p->form[n].masked = !draw(seed, 10);
	if (what & 1) {
		struct x86_uop *u = add_uop(p, n, X86_UOP_LOAD, 0);

		u->ports = 0x0c;
		u->load = (uint8_t)draw(seed, 5);
		u->port_cycles = (uint8_t)(draw(seed, 6) ? 1 : 2);
		read_address(u, &p->inst[n]);
		result(u, add ? X86_PLACE_INTERNAL : general(seed),
		       draw(seed, 3) ? 0 : draw(seed, 3));
		p->inst[n].memory[0].read = true;
	}
	if (add) {
		struct x86_uop *u = add_uop(p, n, X86_UOP_COMPUTE,
					    draw(seed, 3) ? 0 : 1);
		unsigned to = general(seed);

		slot = u->slot;
		u->ports = some_ports(seed);
		source(u, what & 1 ? X86_PLACE_INTERNAL : to);
		source(u, to);
		result(u, what & 2 ? X86_PLACE_INTERNAL + 1 : to, 1);
		operand(&p->inst[n], to, 8, false, true, !(what & 2));
	}
	if (what & 2) {
		struct x86_uop *u;
		bool apart = draw(seed, 2);

		slot += add || what & 1;
		u = add_uop(p, n, X86_UOP_STORE_ADDRESS, slot);
		u->ports = draw(seed, 2) ? 0x8c : 0x0c;
		read_address(u, &p->inst[n]);
		u = add_uop(p, n, X86_UOP_STORE_DATA, slot + apart);
		u->ports = 0x10;
		source(u, add ? X86_PLACE_INTERNAL + 1 : general(seed));
		p->inst[n].memory[0].write = true;
		slot += apart;
	}
	p->form[n].slots = (uint8_t)(slot + 1);
	p->form[n].slots_fused = (uint8_t)(slot + 1 -
			(slot ? draw(seed, (slot + 1) / 2 + 1) : 0));
}

/* No uop: NOP, a zero idiom, a move that the renamer makes. */
static void renamed(struct random_program *p, unsigned n, uint64_t *seed)
{
	bool vector = draw(seed, 2);
	unsigned at = vector ? X86_AT_VECTOR : 0;
	unsigned from = at + draw(seed, 4);
	unsigned to = at + (from - at + 1 + draw(seed, 3)) % 4;
	struct x86_uop *u;

	p->form[n].slots = p->form[n].slots_fused = 1;
	if (!draw(seed, 3))
		return;
	u = add_uop(p, n, X86_UOP_COMPUTE, 0);
	result(u, to, 1);
	operand(&p->inst[n], to, 8, false, false, true);
	if (!draw(seed, 3))
		return;
	u->ports = some_ports(seed);
	source(u, from);
	operand(&p->inst[n], from, 8, false, true, false);
	p->form[n].eliminable = true;
	p->form[n].vector_move = vector;
	p->form[n].move_from = (uint8_t)from;
	p->form[n].move_to = (uint8_t)to;
}

static void stack(struct random_program *p, unsigned n, uint64_t *seed)
{
	p->form[n].slots = p->form[n].slots_fused = 1;
	if (draw(seed, 3)) {
		struct x86_uop *u = add_uop(p, n, X86_UOP_LOAD, 0);

		p->form[n].stack_change = draw(seed, 2) ? 8 : -8;
		p->form[n].ends_decoding = !draw(seed, 4);
		p->form[n].complex_decoder = p->form[n].ends_decoding;
		u->ports = 0x0c;
		source(u, X86_RSP);
		p->inst[n].memory_count = 1;
		p->inst[n].memory[0] = (struct x86_memory){
			.base = X86_RSP, .index = X86_NO_REGISTER, .size = 8,
			.pushed = p->form[n].stack_change < 0 };
		if (p->form[n].stack_change > 0) {
			result(u, general(seed), 0);
			return;
		}
		u->kind = X86_UOP_STORE_ADDRESS;
		u = add_uop(p, n, X86_UOP_STORE_DATA, 0);
		u->ports = 0x10;
		source(u, general(seed));
	} else {
		struct x86_uop *u = add_uop(p, n, X86_UOP_COMPUTE, 0);

		p->form[n].stack_explicit = true;
		u->ports = some_ports(seed);
		source(u, X86_RSP);
		result(u, X86_RSP, 1);
		operand(&p->inst[n], X86_RSP, 8, false, true, true);
	}
}

static void x87(struct random_program *p, unsigned n, uint64_t *seed)
{
	struct x86_uop *u = add_uop(p, n, X86_UOP_COMPUTE, 0);

	p->form[n].slots = p->form[n].slots_fused = 1;
	p->inst[n].x87_push = (int8_t)((int)draw(seed, 3) - 1);
	u->ports = some_ports(seed);
	source(u, X86_AT_ST + draw(seed, 3));
	result(u, X86_AT_ST + draw(seed, 2), 1 + draw(seed, 4));
}

static void microcode(struct random_program *p, unsigned n, uint64_t *seed)
{
	unsigned uops = 5 + draw(seed, RANDOM_UOPS - 5);
	struct x86_template *t = &p->form[n];

	for (unsigned k = 0; k < uops; k++) {
		struct x86_uop *u = add_uop(p, n, X86_UOP_COMPUTE, k);

		u->ports = some_ports(seed);
		source(u, general(seed));
		result(u, k % 2 ? X86_PLACE_INTERNAL + k : general(seed), 1);
	}
	t->slots = t->slots_fused = (uint8_t)uops;
	t->decoder_uops = (uint8_t)draw(seed, 5);
	t->microcode_uops = (uint8_t)(uops - t->decoder_uops);
	t->complex_decoder = true;
}

static void jump(struct random_program *p, unsigned n, uint64_t *seed)
{
	struct x86_uop *u = add_uop(p, n, X86_UOP_COMPUTE, 0);

	p->form[n].slots = p->form[n].slots_fused = 1;
	u->ports = 0x41;
	source(u, X86_PLACE_FLAGS);
	p->form[n].conditional_jump = draw(seed, 4);
	p->form[n].condition = (uint8_t)draw(seed, 16);
	p->target[n] = draw(seed, RANDOM_CODE);
	p->inst[n].branch = p->form[n].conditional_jump ?
				    X86_BRANCH_CONDITIONAL : X86_BRANCH_JUMP;
}

static void instruction(struct random_program *p, unsigned n, uint64_t *seed)
{
	static void (*const kinds[])(struct random_program *, unsigned,
				     uint64_t *) = {
		compute, compute, memory, memory, memory, memory, memory,
		renamed, stack, stack, x87, jump,
	};
	struct x86_template *t = &p->form[n];
	struct x86_inst *inst = &p->inst[n];

	t->uop = p->uop[n];
	t->form = (uint16_t)draw(seed, 40);
	p->target[n] = RANDOM_CODE;
	inst->length = (uint8_t)(1 + draw(seed, draw(seed, 3) ? 5 : 11));
	inst->opcode_offset = (uint8_t)draw(seed, inst->length);
	if (!draw(seed, 12))
		inst->traits |= X86_LENGTH_PREFIX;
	inst->class = draw(seed, 2) ? X86_CLASS_MOVE : X86_CLASS_ARITHMETIC;
	if (!draw(seed, 24))
		microcode(p, n, seed);
	else
		kinds[draw(seed, 12)](p, n, seed);
	if (!t->microcode_uops) {
		t->decoder_uops = t->slots_fused;
		t->complex_decoder |= t->decoder_uops > 1 || !draw(seed, 12);
		t->simple_left = (uint8_t)draw(seed, 4);
	}
	t->retire_slots = t->slots;
	/* The renamer does the same where it knows that a template is simple. */
	if (n % 4)
		x86_template_complete(t, p->uop[n]);
}

/* ---- The walk ---- */

static uint64_t any_address(uint64_t *seed)
{
	uint64_t address = 0x10000 + draw(seed, 6) * 8 + draw(seed, 2) * 56;

	if (!draw(seed, 4))
		address += draw(seed, 8);
	if (!draw(seed, 6))
		address += 4096u << draw(seed, 2);
	if (!draw(seed, 12))
		address += ALIAS;
	return address;
}

/* Mostly, equal operands access the same place. */
static uint64_t named_address(const struct x86_memory *m, int64_t depth)
{
	if (m->base == X86_RSP)
		return (uint64_t)(0x10400 + (m->pushed ? depth - 8 : depth) %
					    512);
	return 0x10000 + m->base % 2u * 16 +
	       (uint64_t)(m->displacement & 0x3f);
}

static void refer(struct random_program *p, struct x86_core_input *step,
		  unsigned n, int64_t depth, uint64_t *seed)
{
	struct x86_reference *r = p->reference[step - p->step];
	bool loads = false, stores = false;
	uint64_t address = any_address(seed);
	unsigned size = draw(seed, 3) ? 8 : 1u << draw(seed, 6);

	if (p->inst[n].memory[0].size && draw(seed, 8)) {
		address = named_address(&p->inst[n].memory[0], depth);
		size = p->inst[n].memory[0].size;
	}
	for (unsigned k = 0; k < p->form[n].uop_count; k++) {
		loads |= p->uop[n][k].kind == X86_UOP_LOAD;
		stores |= p->uop[n][k].kind >= X86_UOP_STORE_ADDRESS;
	}
	step->reference = r;
	if (!draw(seed, 20))
		return; /* masked out */
	if (loads)
		r[step->references++] = (struct x86_reference){
			address, 1, (uint16_t)size, X86_LOAD };
	if (stores)
		r[step->references++] = (struct x86_reference){
			address, 1, (uint16_t)size, X86_STORE };
}

void random_program(struct random_program *p, uint64_t *seed)
{
	uint64_t address = 0x400000 + draw(seed, 64);
	unsigned at = 0, steady = draw(seed, 3) ? 12 : 2;
	int64_t depth = 0;

	memset(p, 0, sizeof *p);
	for (unsigned n = 0; n < RANDOM_CODE; n++) {
		instruction(p, n, seed);
		p->address[n] = address;
		p->inst[n].address = address;
		address += p->inst[n].length;
	}
	p->target[RANDOM_CODE - 1] = 0; /* a loop around all */
	p->length = 1 + draw(seed, RANDOM_LENGTH);
	for (unsigned k = 0; k < p->length; k++) {
		struct x86_core_input *step = &p->step[k];
		unsigned next = at + 1;

		if (p->target[at] < RANDOM_CODE &&
		    (at == RANDOM_CODE - 1 || draw(seed, steady)))
			next = p->target[at];
		*step = (struct x86_core_input){
			.inst = &p->inst[at], .form = &p->form[at],
			.address = p->address[at], .next = p->address[next],
		};
		refer(p, step, at, depth, seed);
		depth += p->form[at].stack_change;
		at = next;
	}
}

/* ---- Memory ---- */

static uint64_t place(void *owner, uint64_t address)
{
	(void)owner;
	return address & ~(uint64_t)ALIAS;
}

static unsigned access_time(void *owner, uint64_t address, unsigned size,
			    bool store, uint64_t cycle)
{
	(void)owner;
	(void)size;
	return (address / 8 + cycle) % 7 ? 0 : store ? 3 : 300;
}

const struct x86_core_memory random_memory = {
	.access = access_time, .place = place,
};
