/* From a row of measurements to micro-operations.
 *
 * A row says which ports an instruction's uops use, and how long each output
 * takes from each input, but not which uop does what. The rules here are the
 * simplest that have these latencies:
 *
 * - What uses only load ports loads, as many of them store as there is store
 *   data.
 * - Outputs that wait for the same inputs come from one uop; others from others
 *   as long as there are any. Its latency to an output is the smallest measured
 *   one. An input that takes longer goes into a uop in front, which takes the
 *   difference (ADC: the sources meet before the carry comes in). CPUs work like
 *   that where it is known.
 * - The rest takes up its ports as soon as the inputs are there.
 *
 * Loads are fused with the uop that uses them, addresses with data of stores,
 * until as many issue slots are left as were measured. */
#include "x86/timing/uops/build.h"

#include <string.h>

/* ---- Ports ---- */

struct pool {
	uint16_t ports[X86_BUILD_UOPS];
	unsigned count;
};

static uint16_t take(struct pool *pool, unsigned at)
{
	uint16_t ports = pool->ports[at];

	memmove(&pool->ports[at], &pool->ports[at + 1],
		(pool->count - at - 1) * sizeof pool->ports[0]);
	pool->count--;
	return ports;
}

/* "2*p0156+p23" */
static void parse_ports(struct pool *pool, const char *text)
{
	pool->count = 0;
	while (*text) {
		unsigned times = 1;
		uint16_t ports = 0;

		if (*text != 'p') {
			times = 0;
			while (*text >= '0' && *text <= '9')
				times = times * 10 + (unsigned)(*text++ - '0');
			text++; /* * */
		}
		for (text++; *text >= '0' && *text <= '9'; text++)
			ports |= (uint16_t)(1u << (*text - '0'));
		while (times-- && pool->count < X86_BUILD_UOPS)
			pool->ports[pool->count++] = ports;
		text += *text == '+';
	}
}

struct roles {
	struct pool compute, load, address, data;
};

static void assign_roles(struct x86_build *b, struct roles *roles)
{
	const struct x86_uop_core *core = b->core;
	unsigned reads = 0, writes = 0, stores;
	struct pool all, agu = { .count = 0 };

	memset(roles, 0, sizeof *roles);
	parse_ports(&all, b->line->ports);
	for (unsigned i = 0; i < b->inst->memory_count; i++) {
		reads += b->inst->memory[i].read;
		writes += b->inst->memory[i].write;
	}
	for (unsigned i = 0; i < all.count; i++) {
		uint16_t ports = all.ports[i];
		struct pool *to = &roles->compute;

		if (writes && ports == core->data_ports)
			to = &roles->data;
		else if ((reads || writes || b->inst->memory_count) &&
			 !(ports & ~(core->address_ports |
				     core->store_address_ports)))
			to = &agu;
		to->ports[to->count++] = ports;
	}
	/* Addresses of stores: first what only these can use. */
	stores = roles->data.count;
	for (unsigned i = 0; i < agu.count && stores;)
		if (agu.ports[i] & core->store_address_ports) {
			roles->address.ports[roles->address.count++] =
				take(&agu, i);
			stores--;
		} else {
			i++;
		}
	while (stores && agu.count > (reads ? 1 : 0)) {
		roles->address.ports[roles->address.count++] =
			take(&agu, agu.count - 1);
		stores--;
	}
	roles->load = agu;
}

/* ---- Uops ---- */

static struct x86_uop *new_uop(struct x86_build *b, enum x86_uop_kind kind,
			       uint16_t ports)
{
	struct x86_uop *uop;

	if (b->count == X86_BUILD_UOPS)
		b->count--;
	uop = &b->uop[b->count++];
	*uop = (struct x86_uop){
		.kind = (uint8_t)kind, .ports = ports, .port_cycles = 1,
	};
	return uop;
}

static void add_source(struct x86_uop *uop, unsigned place)
{
	for (unsigned i = 0; i < uop->source_count; i++)
		if (uop->source[i] == place)
			return;
	if (uop->source_count < X86_UOP_SOURCES)
		uop->source[uop->source_count++] = (uint8_t)place;
}

static void add_result(struct x86_uop *uop, unsigned place, int latency)
{
	if (uop->result_count < X86_UOP_RESULTS)
		uop->result[uop->result_count++] = (struct x86_result){
			(uint8_t)place, (uint8_t)latency,
		};
}

static uint8_t load_class(const struct x86_inst *inst)
{
	uint8_t class = inst->class == X86_CLASS_X87 ? X86_LOAD_X87 :
			inst->class == X86_CLASS_MMX ? X86_LOAD_MMX :
						       X86_LOAD_GENERAL;

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct x86_operand *operand = &inst->operand[i];

		if ((operand->kind != X86_OPERAND_REGISTER &&
		     operand->kind != X86_OPERAND_MEMORY) ||
		    inst->class != X86_CLASS_VECTOR)
			continue;
		if (operand->size == 32)
			return X86_LOAD_YMM;
		if (operand->kind == X86_OPERAND_REGISTER &&
		    operand->location >= X86_AT_VECTOR &&
		    operand->location < X86_AT_VECTOR + 16)
			class = X86_LOAD_XMM;
	}
	return class;
}

static void add_address(struct x86_uop *uop, const struct x86_memory *memory)
{
	if (memory->base != X86_NO_REGISTER)
		add_source(uop, memory->base);
	if (memory->index != X86_NO_REGISTER)
		add_source(uop, memory->index);
}

/* The n-th memory operand that is read, or written; going round. */
static unsigned memory_at(const struct x86_inst *inst, bool write, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < inst->memory_count; i++)
		count += write ? inst->memory[i].write : inst->memory[i].read;
	if (!count)
		return 0;
	n %= count;
	for (unsigned i = 0; i < inst->memory_count; i++)
		if ((write ? inst->memory[i].write : inst->memory[i].read) &&
		    !n--)
			return i;
	return 0;
}

/* ---- Loads ---- */

/* An output that is what was loaded, and nothing else. */
static bool is_loaded(const struct x86_latencies *l, unsigned o, bool computes)
{
	bool loaded = false;

	if (l->output[o] >= X86_OUTPUT_MEMORY)
		return false;
	for (unsigned i = 0; i < l->inputs; i++) {
		if (l->latency[i][o] < 0)
			continue;
		if (l->input[i] < X86_INPUT_MEMORY) {
			if (computes)
				return false;
			continue;
		}
		if (computes && l->latency[i][o])
			return false;
		loaded = true;
	}
	return loaded;
}

static void build_loads(struct x86_build *b, struct x86_latencies *l,
			const struct pool *loads, bool computes)
{
	for (unsigned n = 0; n < loads->count; n++) {
		unsigned memory = memory_at(b->inst, false, n);
		const struct x86_memory *m = &b->inst->memory[memory];
		struct x86_uop *uop = new_uop(b, X86_UOP_LOAD,
					      loads->ports[n]);
		int in = -1;

		uop->memory = (uint8_t)memory;
		uop->load = load_class(b->inst);
		if (m->size == 32)
			uop->port_cycles = b->core->wide_access_cycles;
		add_address(uop, m);
		add_result(uop, X86_INPUT_MEMORY + memory, 0);
		for (unsigned i = 0; i < l->inputs; i++)
			if (l->input[i] == X86_INPUT_MEMORY + memory)
				in = (int)i;
		for (unsigned o = 0; o < l->outputs && in >= 0; o++)
			if (is_loaded(l, o, computes) &&
			    l->latency[in][o] >= 0)
				add_result(uop, l->output[o],
					   l->latency[in][o]);
	}
	for (unsigned o = 0; o < l->outputs && loads->count; o++)
		if (is_loaded(l, o, computes))
			for (unsigned i = 0; i < l->inputs; i++)
				l->latency[i][o] = -1;
}

/* ---- Computing ---- */

/* Outputs that wait for the same inputs. */
struct group {
	uint32_t inputs, outputs; /* sets */
	int longest;
};

static unsigned make_groups(const struct x86_latencies *l, struct group *group,
			    unsigned most)
{
	unsigned count = 0;

	for (unsigned o = 0; o < l->outputs; o++) {
		uint32_t inputs = 0;
		unsigned g;
		int longest = 0;

		for (unsigned i = 0; i < l->inputs; i++)
			if (l->latency[i][o] >= 0) {
				inputs |= 1u << i;
				if (l->latency[i][o] > longest)
					longest = l->latency[i][o];
			}
		/* What is stored as it is is not computed. */
		if (l->output[o] >= X86_OUTPUT_MEMORY && !longest)
			continue;
		for (g = 0; g < count; g++)
			if (group[g].inputs == inputs)
				break;
		if (g == count) {
			if (count == most)
				g = count - 1;
			else
				group[count++] = (struct group){ 0 };
		}
		group[g].inputs |= inputs;
		group[g].outputs |= 1u << o;
		if (longest > group[g].longest)
			group[g].longest = longest;
	}
	return count;
}

/* Flexible ones first. */
static int restriction(uint16_t ports)
{
	return -__builtin_popcount(ports);
}

/* The uop that gives a result that takes so long: what divides, what only few
 * ports can for long ones, else the least flexible one. */
static unsigned choose_main(const struct x86_build *b, const struct pool *pool,
			    int longest)
{
	bool vector = b->inst->class == X86_CLASS_VECTOR ||
		      b->inst->class == X86_CLASS_MMX ||
		      b->inst->class == X86_CLASS_X87;
	unsigned best = 0;

	for (unsigned i = 1; i < pool->count; i++) {
		uint16_t ports = pool->ports[i], other = pool->ports[best];
		int order = restriction(ports) - restriction(other);

		/* Ports 0 and 1 have the long units; shuffles (5) and
		 * branches (6) take one cycle. */
		if ((longest >= 3 || vector) && ports != other) {
			bool here = !(ports & ~3), there = !(other & ~3);

			if (here != there) {
				if (here)
					best = i;
				continue;
			}
			/* Multipliers are at port 1, dividers at 0. */
			if (here && !b->line->divider && ports == 2 &&
			    !vector) {
				best = i;
				continue;
			}
			if (here && (b->line->divider || vector) &&
			    ports == 1) {
				best = i;
				continue;
			}
		}
		if (order >= 0)
			best = i;
	}
	return best;
}

static unsigned choose_first(const struct pool *pool)
{
	unsigned best = 0;

	for (unsigned i = 1; i < pool->count; i++)
		if (restriction(pool->ports[i]) <
		    restriction(pool->ports[best]))
			best = i;
	return best;
}

static void build_group(struct x86_build *b, const struct x86_latencies *l,
			const struct group *group, struct pool *pool,
			unsigned *spare, unsigned *internal)
{
	unsigned at = choose_main(b, pool, group->longest);
	uint16_t ports = take(pool, at);
	int least[X86_BUILD_PLACES], excess[X86_BUILD_PLACES] = { 0 };
	struct x86_uop *uop, main = { 0 };

	for (unsigned o = 0; o < l->outputs; o++) {
		least[o] = 0;
		if (!(group->outputs >> o & 1))
			continue;
		for (unsigned i = 0; i < l->inputs; i++) {
			int latency = l->latency[i][o];

			if (latency < 0)
				continue;
			/* Without another uop the longest counts. */
			if (!least[o] || (*spare ? latency < least[o]
						 : latency > least[o]))
				least[o] = latency;
		}
		if (least[o] < 1)
			least[o] = 1;
	}
	for (unsigned i = 0; i < l->inputs; i++) {
		for (unsigned o = 0; o < l->outputs; o++)
			if (group->outputs >> o & 1 && l->latency[i][o] >= 0 &&
			    l->latency[i][o] - least[o] > excess[i])
				excess[i] = l->latency[i][o] - least[o];
		if (!(group->inputs >> i & 1))
			continue;
		if (!excess[i])
			add_source(&main, l->input[i]);
	}
	/* A uop in front for each excess, the largest for the rest. */
	for (;;) {
		int largest = 0;
		unsigned place;

		for (unsigned i = 0; i < l->inputs; i++)
			if (excess[i] > largest)
				largest = excess[i];
		if (!largest)
			break;
		if (!*spare || *internal >= X86_PLACE_COUNT) {
			for (unsigned i = 0; i < l->inputs; i++)
				if (excess[i])
					add_source(&main, l->input[i]);
			break;
		}
		(*spare)--;
		uop = new_uop(b, X86_UOP_COMPUTE,
			      take(pool, choose_first(pool)));
		for (unsigned i = 0; i < l->inputs; i++)
			if (excess[i] == largest ||
			    (!*spare && excess[i])) {
				add_source(uop, l->input[i]);
				excess[i] = 0;
			}
		place = (*internal)++;
		add_result(uop, place, largest);
		add_source(&main, place);
	}
	uop = new_uop(b, X86_UOP_COMPUTE, ports);
	memcpy(uop->source, main.source, sizeof main.source);
	uop->source_count = main.source_count;
	for (unsigned o = 0; o < l->outputs; o++)
		if (group->outputs >> o & 1)
			add_result(uop, l->output[o], least[o]);
}

static void build_computes(struct x86_build *b, const struct x86_latencies *l,
			   struct pool *pool)
{
	unsigned internal = X86_BUILD_INTERNAL, spare, groups = 0;
	struct group group[X86_BUILD_PLACES];
	unsigned divider = b->line->divider, first = b->count, rest, others;
	struct x86_uop other[X86_BUILD_UOPS];

	if (!pool->count)
		return;
	/* Outputs that the loads have given are no more. */
	groups = make_groups(l, group, pool->count);
	spare = pool->count - groups;
	for (unsigned g = 0; g < groups; g++)
		build_group(b, l, &group[g], pool, &spare, &internal);
	rest = b->count;
	while (pool->count) {
		struct x86_uop *uop = new_uop(b, X86_UOP_COMPUTE,
					      take(pool, 0));

		for (unsigned i = 0; i < l->inputs; i++)
			add_source(uop, l->input[i]);
	}
	/* They come first: their inputs are those of the instruction. */
	others = b->count - rest;
	memcpy(other, &b->uop[rest], others * sizeof other[0]);
	memmove(&b->uop[first + others], &b->uop[first],
		(rest - first) * sizeof b->uop[0]);
	memcpy(&b->uop[first], other, others * sizeof other[0]);
	/* The divider is port 0's. */
	for (unsigned i = first; i < b->count && divider; i++)
		if (b->uop[i].kind == X86_UOP_COMPUTE &&
		    b->uop[i].ports == 1 && b->uop[i].result_count) {
			b->uop[i].divider_cycles = (uint8_t)divider;
			return;
		}
	for (unsigned i = first; i < b->count && divider; i++)
		if (b->uop[i].ports & 1) {
			b->uop[i].divider_cycles = (uint8_t)divider;
			return;
		}
}

/* ---- Stores ---- */

static void build_stores(struct x86_build *b, const struct x86_latencies *l,
			 const struct roles *roles, bool computes)
{
	for (unsigned n = 0; n < roles->address.count; n++) {
		unsigned memory = memory_at(b->inst, true, n);
		struct x86_uop *uop = new_uop(b, X86_UOP_STORE_ADDRESS,
					      roles->address.ports[n]);

		uop->memory = (uint8_t)memory;
		add_address(uop, &b->inst->memory[memory]);
	}
	for (unsigned n = 0; n < roles->data.count; n++) {
		unsigned memory = memory_at(b->inst, true, n), o;
		struct x86_uop *uop = new_uop(b, X86_UOP_STORE_DATA,
					      roles->data.ports[n]);
		bool produced = false;

		uop->memory = (uint8_t)memory;
		if (b->inst->memory[memory].size == 32)
			uop->port_cycles = b->core->wide_access_cycles;
		for (o = 0; o < l->outputs; o++)
			if (l->output[o] == X86_OUTPUT_MEMORY + memory)
				break;
		for (unsigned u = 0; u < b->count && computes; u++)
			for (unsigned r = 0; r < b->uop[u].result_count; r++)
				produced |= b->uop[u].result[r].place ==
					    X86_OUTPUT_MEMORY + memory;
		if (produced) {
			add_source(uop, X86_OUTPUT_MEMORY + memory);
			continue;
		}
		for (unsigned i = 0; i < l->inputs && o < l->outputs; i++)
			if (l->latency[i][o] >= 0)
				add_source(uop, l->input[i]);
	}
}

/* ---- Slots ---- */

static bool waits_for(const struct x86_uop *uop, unsigned place)
{
	for (unsigned i = 0; i < uop->source_count; i++)
		if (uop->source[i] == place)
			return true;
	return false;
}

/* Slots in order. Pairs are fused from the end, so that stores are first. */
static void give_slots(struct x86_build *b, const struct x86_latencies *l)
{
	uint8_t partner[X86_BUILD_UOPS];
	struct x86_uop sorted[X86_BUILD_UOPS];
	bool done[X86_BUILD_UOPS] = { false };
	unsigned count = b->count, used = count, to = 0, slot = 0;

	memset(partner, 0xff, sizeof partner);
	for (unsigned i = 0; i < count && used > b->line->slots; i++) {
		if (b->uop[i].kind != X86_UOP_STORE_ADDRESS)
			continue;
		for (unsigned k = 0; k < count; k++)
			if (b->uop[k].kind == X86_UOP_STORE_DATA &&
			    partner[k] == 0xff) {
				partner[i] = (uint8_t)k;
				partner[k] = (uint8_t)i;
				used--;
				break;
			}
	}
	for (unsigned i = 0; i < count && used > b->line->slots; i++) {
		if (b->uop[i].kind != X86_UOP_LOAD)
			continue;
		for (unsigned k = i + 1; k < count; k++)
			if (b->uop[k].kind == X86_UOP_COMPUTE &&
			    partner[k] == 0xff &&
			    waits_for(&b->uop[k], X86_INPUT_MEMORY +
					       b->uop[i].memory) &&
			    !waits_for(&b->uop[k], X86_INPUT_MEMORY +
					       !b->uop[i].memory)) {
				partner[i] = (uint8_t)k;
				partner[k] = (uint8_t)i;
				used--;
				break;
			}
	}
	/* The first of a pair stands right before the second: a load waits for
	 * nothing in between. */
	for (unsigned i = 0; i < count; i++) {
		if (done[i] || (partner[i] != 0xff && partner[i] > i))
			continue;
		if (partner[i] != 0xff) {
			sorted[to] = b->uop[partner[i]];
			sorted[to++].slot = (uint8_t)slot;
			done[partner[i]] = true;
		}
		sorted[to] = b->uop[i];
		sorted[to++].slot = (uint8_t)slot++;
		done[i] = true;
	}
	memcpy(b->uop, sorted, count * sizeof sorted[0]);
	/* Slots without a uop that runs. */
	while (slot < b->line->slots && b->count < X86_BUILD_UOPS)
		new_uop(b, X86_UOP_COMPUTE, 0)->slot = (uint8_t)slot++;
	/* What nothing computes is there at once: zero idioms. */
	if (!*b->line->ports && b->count)
		for (unsigned o = 0; o < l->outputs; o++)
			if (l->output[o] < X86_PLACE_INTERNAL)
				add_result(&b->uop[0], l->output[o], 0);
	b->slots = slot;
}

/* Where a row has no uop that loads, nobody waits for one. */
static void drop_missing(struct x86_build *b)
{
	uint32_t there = 0;

	for (unsigned i = 0; i < b->count; i++) {
		struct x86_uop *uop = &b->uop[i];
		unsigned kept = 0;

		for (unsigned s = 0; s < uop->source_count; s++) {
			uint8_t place = uop->source[s];

			if (place < X86_PLACE_INTERNAL ||
			    there >> (place - X86_PLACE_INTERNAL) & 1)
				uop->source[kept++] = place;
		}
		memset(uop->source + kept, 0, uop->source_count - kept);
		uop->source_count = (uint8_t)kept;
		for (unsigned r = 0; r < uop->result_count; r++)
			if (uop->result[r].place >= X86_PLACE_INTERNAL)
				there |= 1u << (uop->result[r].place -
						X86_PLACE_INTERNAL);
	}
}

void x86_build_uops(struct x86_build *b)
{
	struct x86_latencies latencies;
	struct roles roles;
	bool computes;

	b->count = 0;
	assign_roles(b, &roles);
	x86_latencies_of(&latencies, b->core, b->inst, b->line);
	computes = roles.compute.count;
	build_loads(b, &latencies, &roles.load, computes);
	build_computes(b, &latencies, &roles.compute);
	build_stores(b, &latencies, &roles, computes);
	drop_missing(b);
	give_slots(b, &latencies);
}
