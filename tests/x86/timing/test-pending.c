/* The core before a memory that answers later: times follow by hand from those
 * of the memory, which this test plays. */
#include <string.h>

#include "unit/harness.h"
#include "x86/emu/step.h"
#include "x86/hex.h"
#include "x86/timing/core/core.h"

enum { CODE = 0x10000, MOST = 2000, WAITING = 64,
       RX = SPACE_READ | SPACE_WRITE | SPACE_EXECUTE };

/* A memory of which each line takes `latency` cycles and has `room` for so many
 * at once. Lines below HIT are there. */
enum { HIT = 0x1000 };
static struct fake {
	struct x86_core *core;
	struct { uint64_t ticket, cycle; } waiting[WAITING];
	unsigned count, room, latency, calls, most, fetch_latency, owned;
	unsigned store_latency;
	uint64_t stored[8];
	unsigned stores;
} fake;

static struct space *space;
static struct x86_emulator *emulator;
static struct x86_templates *templates;
static struct x86_core_figures figures;
static struct x86_core_input step[MOST];
static struct x86_reference reference[MOST];
static struct x86_core_retired seen[MOST];
static unsigned steps, retired;
static struct x86_core_counts counts;

static unsigned wait(uint64_t ticket, uint64_t cycle)
{
	if (fake.count == fake.room)
		return X86_CORE_BUSY;
	fake.waiting[fake.count].ticket = ticket;
	fake.waiting[fake.count++].cycle = cycle;
	if (fake.count > fake.most)
		fake.most = fake.count;
	return X86_CORE_PENDING;
}

static unsigned begin(void *owner, struct x86_core_request *request)
{
	(void)owner;
	if (request->store && fake.stores < 8)
		fake.stored[fake.stores++] = request->address;
	if (request->address < HIT || request->forwarded)
		return 0;
	request->part = X86_CORE_DRAM;
	return wait(request->ticket, request->cycle +
		    (request->store ? fake.store_latency : fake.latency));
}

static void own(void *owner, uint64_t address, unsigned size, uint64_t cycle)
{
	(void)owner, (void)address, (void)size, (void)cycle;
	fake.owned++;
}

static unsigned fetch(void *owner, uint64_t address, uint64_t cycle,
		      uint64_t ticket)
{
	(void)owner, (void)address;
	return fake.fetch_latency ? wait(ticket, cycle + fake.fetch_latency)
				  : 0;
}

static void advance(void *owner, uint64_t cycle)
{
	(void)owner;
	fake.calls++;
	for (unsigned i = 0; i < fake.count;) {
		uint64_t ticket = fake.waiting[i].ticket;
		uint64_t done = fake.waiting[i].cycle;

		if (done > cycle) {
			i++;
			continue;
		}
		fake.waiting[i] = fake.waiting[--fake.count];
		x86_core_memory_done(fake.core, ticket, done);
	}
}

static uint64_t next(void *owner)
{
	uint64_t soonest = UINT64_MAX;

	(void)owner;
	for (unsigned i = 0; i < fake.count; i++)
		if (fake.waiting[i].cycle < soonest)
			soonest = fake.waiting[i].cycle;
	return soonest;
}

static void note(void *owner, const struct x86_core_retired *what)
{
	(void)owner;
	seen[retired++] = *what;
}

static void prepare(void)
{
	struct x86_model model;

	memset(&fake, 0, sizeof fake);
	fake.room = WAITING;
	x86_model_everything(&model);
	space = space_create(1ull << 32, NULL);
	space_map(space, CODE, 0x4000, RX, false, -1, 0, "");
	emulator = x86_emulator_create(space, X86_MODE_64, &model, NULL);
	templates = x86_templates_create("haswell", NULL);
	x86_core_figures_find("haswell", &figures, NULL);
	steps = retired = 0;
}

static void end(void)
{
	for (unsigned n = 0; n < steps; n++)
		x86_inst_release(step[n].inst);
	x86_emulator_free(emulator);
	x86_templates_free(templates);
	space_free(space);
}

/* Appends an instruction that touches 8 bytes at `address`; 0: none. */
static void add(const char *code, uint64_t address, unsigned direction)
{
	static uint64_t place;
	uint8_t bytes[16] = { 0 };
	unsigned size = hex(code, bytes);
	const struct x86_inst *inst;

	if (!steps)
		place = CODE;
	space_write(space, place, bytes, size);
	inst = x86_inst_at(emulator, place);
	reference[steps] = (struct x86_reference){
		address, 1, 8, (uint16_t)direction };
	step[steps] = (struct x86_core_input){
		.inst = inst, .address = place,
		.form = x86_template_of(templates, inst),
		.next = place + size, .reference = &reference[steps],
		.references = address != 0,
	};
	place += size;
	steps++;
}

static void run(void)
{
	struct x86_core *core = x86_core_create(&figures,
		&(struct x86_core_memory){ .begin = begin, .own = own,
			.fetch = fetch, .advance = advance, .next = next });
	unsigned pushed = 0;
	uint64_t all = 0;

	fake.core = core;
	x86_core_observe(core, note, NULL);
	for (;;) {
		enum x86_core_state state;

		while (pushed < steps && x86_core_room(core))
			x86_core_push(core, &step[pushed++]);
		state = x86_core_advance(core, 1000000, pushed == steps);
		if (state == X86_CORE_HUNGRY && pushed < steps)
			continue;
		CU_ASSERT_EQUAL(state, X86_CORE_HUNGRY);
		break;
	}
	CU_ASSERT_EQUAL(retired, steps);
	counts = *x86_core_counts(core);
	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		all += counts.part[i];
	CU_ASSERT_EQUAL(all, x86_core_cycle(core) * figures.retire_width);
	x86_core_free(core);
}

static uint64_t started(unsigned n)
{
	return seen[n].uop[0].dispatched - seen[0].uop[0].dispatched;
}

#define LOAD_CHAIN "488b00" /* mov rax, [rax] */
#define LOAD_OTHER "488b19" /* mov rbx, [rcx] */

static void test_miss(void)
{
	/* the second starts when the first's data come: a hit's 5 and 100
	 * more; a base that was loaded makes it 4 */
	prepare();
	fake.latency = 100;
	add(LOAD_CHAIN, 0x2000, X86_LOAD);
	add(LOAD_CHAIN, 0x100, X86_LOAD);
	add(LOAD_CHAIN, 0x3000, X86_LOAD);
	add(LOAD_CHAIN, 0x100, X86_LOAD);
	run();
	CU_ASSERT_EQUAL(started(1), 105);
	CU_ASSERT_EQUAL(started(2), 109);
	CU_ASSERT_EQUAL(started(3), 109 + 104);
	CU_ASSERT_TRUE(counts.part[X86_CORE_DRAM] > 150 * 4);
	CU_ASSERT_EQUAL(counts.part[X86_CORE_MEMORY], 0);
	/* both consumers of missing loads were dispatched for nothing */
	CU_ASSERT_EQUAL(counts.replays, 2);
	end();
	/* others do not wait; retirement does */
	prepare();
	fake.latency = 100;
	add(LOAD_CHAIN, 0x2000, X86_LOAD);
	add(LOAD_OTHER, 0x100, X86_LOAD);
	run();
	CU_ASSERT_EQUAL(started(1), 0);
	CU_ASSERT_EQUAL(seen[1].retired, seen[0].retired);
	CU_ASSERT_EQUAL(counts.replays, 0);
	end();
}

static void test_room(void)
{
	/* all at once, and two at a time */
	for (unsigned room = 8; room; room -= 6) {
		prepare();
		fake.latency = 100;
		fake.room = room;
		for (unsigned i = 0; i < 8; i++)
			add(LOAD_OTHER, 0x2000 + 64 * i, X86_LOAD);
		run();
		CU_ASSERT_EQUAL(fake.most, room);
		CU_ASSERT_EQUAL(seen[7].uop[0].done - seen[0].uop[0].done,
				room == 8 ? 3 : 300);
		end();
		if (room == 2)
			break;
	}
}

static void test_stores(void)
{
	/* a store that misses holds up neither loads nor retirement, only
	 * the stores behind it, which commit in order */
	prepare();
	fake.store_latency = 200;
	add("48891e", 0x5000, X86_STORE);  /* mov [rsi], rbx */
	add("48891f", 0x100, X86_STORE);   /* mov [rdi], rbx */
	add(LOAD_OTHER, 0x200, X86_LOAD);
	add(LOAD_OTHER, 0x5000, X86_LOAD); /* from the store */
	run();
	CU_ASSERT_TRUE(seen[3].retired - seen[0].retired < 10);
	CU_ASSERT_EQUAL(fake.stores, 2);
	CU_ASSERT_EQUAL(fake.stored[0], 0x5000);
	CU_ASSERT_EQUAL(fake.stored[1], 0x100);
	CU_ASSERT_EQUAL(fake.owned, 2);
	CU_ASSERT_EQUAL(counts.stores, 2);
	end();
}

static void test_code(void)
{
	/* NOPs over two lines: each waits for its line once */
	prepare();
	fake.fetch_latency = 50;
	for (unsigned i = 0; i < 100; i++)
		add("90", 0, 0);
	run();
	CU_ASSERT_TRUE(seen[64].predecoded - seen[63].predecoded >= 50);
	CU_ASSERT_TRUE(seen[64].predecoded - seen[63].predecoded <= 53);
	CU_ASSERT_TRUE(seen[63].predecoded - seen[0].predecoded < 20);
	CU_ASSERT_TRUE(counts.part[X86_CORE_FETCH] > 50 * 4);
	end();
}

static void test_idle(void)
{
	/* nothing is simulated while the memory works */
	prepare();
	fake.latency = 100000;
	add(LOAD_CHAIN, 0x2000, X86_LOAD);
	add(LOAD_CHAIN, 0x3000, X86_LOAD);
	run();
	CU_ASSERT_EQUAL(started(1), 100005);
	CU_ASSERT_TRUE(fake.calls < 20);
	end();
}

static void test_dropped(void)
{
	/* an answer for a load that has been dropped changes nothing */
	struct x86_core *core;

	prepare();
	fake.latency = 100;
	add(LOAD_CHAIN, 0x2000, X86_LOAD);
	core = x86_core_create(&figures, &(struct x86_core_memory){
		.begin = begin, .advance = advance, .next = next });
	fake.core = core;
	x86_core_push(core, &step[0]);
	CU_ASSERT_EQUAL(x86_core_advance(core, 60, true), X86_CORE_DONE);
	CU_ASSERT_EQUAL(fake.count, 1);
	x86_core_clear(core);
	reference[0].address = 0x3000;
	x86_core_push(core, &step[0]);
	CU_ASSERT_EQUAL(x86_core_advance(core, 125, true), X86_CORE_DONE);
	CU_ASSERT_EQUAL(fake.count, 1);
	CU_ASSERT_EQUAL(x86_core_instructions(core), 0);
	CU_ASSERT_EQUAL(x86_core_advance(core, 1000, true), X86_CORE_HUNGRY);
	CU_ASSERT_EQUAL(x86_core_instructions(core), 1);
	CU_ASSERT_TRUE(x86_core_cycle(core) > 160);
	x86_core_free(core);
	end();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "loads that miss", test_miss },
		{ "misses at once", test_room },
		{ "stores", test_stores },
		{ "code", test_code },
		{ "cycles are passed over", test_idle },
		{ "dropped loads", test_dropped },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ .pName = "x86 core and memory", .pTests = tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
