/* DRAM controllers: every command sequence that random traffic causes is
 * checked against the timing rules, pair by pair, by code that shares nothing
 * with the controller's; and single accesses have times worked out by hand. */
#include "base/memory.h"
#include "memsys/dram/internal.h"
#include "memsys/module.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>

static const struct dram_config gddr5 = {
	.frequency = 1200, .channels = 1, .ranks = 1, .groups = 4, .banks = 4,
	.rows = 4096, .columns = 512, .bus_width = 32, .burst_length = 8,
	.data_rate = 4, .queue_depth = 64, .starvation = 2000,
	.write_high = 32, .write_low = 8, .row_policy = DRAM_ROW_OPEN,
	.scheduling = DRAM_FR_FCFS, .cl = 16, .cwl = 4, .rcd = 15, .rp = 15,
	.ras = 34, .rc = 48, .rrd = 8, .faw = 28, .ccd_l = 3, .ccd_s = 2,
	.wr = 15, .wtr = 6, .rtp = 2, .rtrs = 1, .refi = 4680, .rfc = 78,
};

/* DDR3-1600 11-11-11, 1 Gbit x8, rows of 1 KB per device. */
static const struct dram_config ddr3 = {
	.frequency = 800, .channels = 2, .ranks = 2, .groups = 1, .banks = 8,
	.rows = 16384, .columns = 1024, .bus_width = 64, .burst_length = 8,
	.data_rate = 2, .queue_depth = 32, .starvation = 500,
	.write_high = 16, .write_low = 4, .row_policy = DRAM_ROW_OPEN,
	.scheduling = DRAM_FR_FCFS, .cl = 11, .cwl = 8, .rcd = 11, .rp = 11,
	.ras = 28, .rc = 39, .rrd = 5, .faw = 24, .ccd_l = 4, .ccd_s = 4,
	.wr = 12, .wtr = 6, .rtp = 6, .rtrs = 2, .refi = 6240, .rfc = 88,
};

struct trace {
	struct dram_record *records;
	size_t count, capacity;
};

struct bench {
	struct event_queue *events;
	struct dram *dram;
	struct dram_config config;
	struct trace trace;
	unsigned finished;
	picoseconds last;
	uint64_t all; /* of the times and their order */
};

static void observe(void *owner, const struct dram_record *record)
{
	struct trace *trace = owner;

	ARRAY_GROW(trace->records, trace->count, trace->capacity);
	trace->records[trace->count++] = *record;
}

static void finished(void *owner, uint64_t tag)
{
	struct bench *bench = owner;

	(void)tag;
	bench->finished++;
	bench->last = event_queue_now(bench->events);
	bench->all = bench->all * UINT64_C(0x100000001b3) + bench->last;
}

static void start(struct bench *bench, const struct dram_config *config,
		  const char *mapping)
{
	struct error error = { 0 };

	memset(bench, 0, sizeof *bench);
	bench->config = *config;
	CU_ASSERT_EQUAL_FATAL(dram_config_check(&bench->config, mapping,
						&error), 0);
	bench->events = event_queue_create();
	bench->dram = dram_create(bench->events, &bench->config);
	dram_observe(bench->dram, observe, &bench->trace);
}

static void stop(struct bench *bench)
{
	dram_free(bench->dram);
	event_queue_free(bench->events);
	free(bench->trace.records);
}

static void drain(struct bench *bench)
{
	while (event_queue_step(bench->events))
		;
}

/* --- The rules ----------------------------------------------------------- */

static bool is_column(const struct dram_record *r)
{
	return r->command == DRAM_READ || r->command == DRAM_WRITE;
}

/* The least distance of two commands of a channel, from the data sheet's
 * rules; 0: none. A refresh concerns all banks of its rank. */
static uint64_t distance(const struct dram_config *c,
			 const struct dram_record *a,
			 const struct dram_record *b)
{
	bool rank = a->rank == b->rank;
	bool bank = rank && (a->bank == b->bank ||
			     a->command == DRAM_REFRESH ||
			     b->command == DRAM_REFRESH);
	bool opens = b->command == DRAM_ACTIVATE || b->command == DRAM_REFRESH;
	uint64_t burst = c->burst_length / c->data_rate, least = 1;
	uint64_t other = 0;
	uint64_t a_latency = a->command == DRAM_WRITE ? c->cwl : c->cl;
	uint64_t b_latency = b->command == DRAM_WRITE ? c->cwl : c->cl;

	if (bank && a->command == DRAM_ACTIVATE)
		other = opens ? c->rc : is_column(b) ? c->rcd : c->ras;
	else if (rank && a->command == DRAM_ACTIVATE &&
		 b->command == DRAM_ACTIVATE)
		other = c->rrd;
	else if (bank && a->command == DRAM_PRECHARGE && opens)
		other = c->rp;
	else if (rank && a->command == DRAM_REFRESH)
		other = c->rfc;
	else if (bank && a->command == DRAM_READ &&
		 b->command == DRAM_PRECHARGE)
		other = c->rtp;
	else if (bank && a->command == DRAM_WRITE &&
		 b->command == DRAM_PRECHARGE)
		other = c->cwl + burst + c->wr;
	if (other > least)
		least = other;
	if (is_column(a) && is_column(b)) {
		/* The data do not meet; ranks leave a gap. */
		uint64_t end = a_latency + burst + (rank ? 0 : c->rtrs);

		if (end > b_latency && end - b_latency > least)
			least = end - b_latency;
		other = 0;
		if (rank && a->command == b->command)
			other = a->group == b->group ? c->ccd_l : c->ccd_s;
		else if (rank && a->command == DRAM_WRITE)
			other = c->cwl + burst + c->wtr;
		else if (a->command == DRAM_READ && b->command == DRAM_WRITE)
			other = c->rtw;
		if (other > least)
			least = other;
	}
	return least;
}

/* Rows: column commands find theirs open, activates a closed bank. */
static unsigned check_rows(const struct bench *bench)
{
	const struct dram_config *c = &bench->config;
	unsigned banks = c->groups * c->banks, bad = 0;
	size_t slots = (size_t)c->channels * c->ranks * banks;
	uint64_t *open = xcalloc(slots, sizeof *open); /* row + 1 */

	for (size_t i = 0; i < bench->trace.count; i++) {
		const struct dram_record *r = &bench->trace.records[i];
		uint64_t *rank = open + (r->channel * c->ranks + r->rank) *
						banks;

		switch (r->command) {
		case DRAM_ACTIVATE:
			bad += rank[r->bank] != 0;
			rank[r->bank] = r->row + 1;
			break;
		case DRAM_PRECHARGE:
			bad += rank[r->bank] == 0;
			rank[r->bank] = 0;
			break;
		case DRAM_REFRESH:
			for (unsigned j = 0; j < banks; j++)
				bad += rank[j] != 0;
			break;
		default:
			bad += rank[r->bank] != r->row + 1;
			break;
		}
	}
	free(open);
	return bad;
}

static unsigned check_pairs(const struct bench *bench)
{
	const struct dram_config *c = &bench->config;
	unsigned bad = 0;

	for (size_t i = 0; i < bench->trace.count; i++) {
		const struct dram_record *b = &bench->trace.records[i];
		unsigned activates = 0;

		for (size_t j = i; j-- > 0;) {
			const struct dram_record *a = &bench->trace.records[j];

			if (a->channel != b->channel)
				continue;
			/* Nothing reaches farther than this. */
			if (b->cycle > a->cycle + 200)
				break;
			if (b->cycle < a->cycle + distance(c, a, b)) {
				bad++;
				printf("# %d to %d after %d cycles, not %d\n",
				       a->command, b->command,
				       (int)(b->cycle - a->cycle),
				       (int)distance(c, a, b));
			}
			if (b->command == DRAM_ACTIVATE &&
			    a->command == DRAM_ACTIVATE &&
			    a->rank == b->rank &&
			    b->cycle < a->cycle + c->faw)
				activates++;
		}
		bad += activates >= 4;
	}
	return bad;
}

/* On the average a refresh every tREFI, none late by more than one. */
static unsigned check_refreshes(const struct bench *bench)
{
	const struct dram_config *c = &bench->config;
	const struct trace *trace = &bench->trace;
	unsigned bad = 0;

	for (unsigned channel = 0; channel < c->channels; channel++)
		for (unsigned rank = 0; rank < c->ranks; rank++) {
			uint64_t last = 0, end = 0; /* of the channel */

			for (size_t i = 0; i < trace->count; i++) {
				const struct dram_record *r =
					&trace->records[i];

				if (r->channel != channel)
					continue;
				end = r->cycle;
				if (r->command != DRAM_REFRESH ||
				    r->rank != rank)
					continue;
				bad += r->cycle > last + 2ull * c->refi;
				last = r->cycle;
			}
			bad += end > last + 2ull * c->refi;
		}
	return bad;
}

/* --- Random traffic ------------------------------------------------------ */

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

struct traffic {
	struct bench *bench;
	uint32_t seed, left, spread;
	unsigned sent;
};

/* Bursts of requests, some sequential, with pauses; now and then a long one. */
static void send_some(void *owner, uint64_t tag)
{
	struct traffic *traffic = owner;
	struct bench *bench = traffic->bench;
	uint32_t count = 1 + next_random(&traffic->seed) % 40;
	uint64_t address = next_random(&traffic->seed) % traffic->spread * 32ull;

	for (; count && traffic->left; count--, traffic->left--) {
		uint32_t kind = next_random(&traffic->seed) % 16;
		uint32_t size = 4u << next_random(&traffic->seed) % 7;

		if (kind < 4)
			address = next_random(&traffic->seed) %
				  traffic->spread * 32ull;
		if (kind == 15) {
			struct dram_written written = {
				.address = address, .extent = size,
				.grain = 2, .mask = 0x9249249249249249 |
						    1ull << (size / 8),
			};

			written.mask &= ~0ull >> (64 - size / 4) % 64;
			dram_write(bench->dram, &written, finished, bench,
				   tag);
		} else {
			dram_submit(bench->dram, kind % 3 == 0, address, size,
				    finished, bench, tag);
		}
		traffic->sent++;
		address += size;
	}
	if (traffic->left)
		event_schedule(bench->events,
			       next_random(&traffic->seed) % 50
				       ? next_random(&traffic->seed) % 100000
				       : 20000000,
			       1000, send_some, traffic, 0);
}

/* The devices of a hierarchy that is shipped. */
static struct dram_config sample_devices(const char *name, unsigned cores,
					 unsigned compute_units)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/samples/memory/%s", top ? top : ".", name);
	struct event_queue *events = event_queue_create();
	struct memsys_options options = {
		.mem_config = path, .x86_cores = cores, .x86_threads = 1,
		.compute_units = compute_units,
	};
	struct error error = { 0 };
	struct memsys *memsys = memsys_create(events, &options, &error);
	struct dram_config config = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(memsys);
	for (size_t i = 0; i < memsys->module_count; i++)
		if (memsys->modules[i]->dram)
			config = memsys->modules[i]->dram->config;
	memsys_free(memsys);
	event_queue_free(events);
	free(path);
	return config;
}

/* Least cycles from what JESD79-3 says: so many, and so many ns. */
static uint32_t at_least(const struct dram_config *config, uint32_t cycles,
			 double ns)
{
	uint32_t rounded = (uint32_t)(ns * config->frequency * 1e-3 +
				      0.999);

	return rounded > cycles ? rounded : cycles;
}

static void test_ddr3(void)
{
	struct dram_config c = sample_devices("x86-ddr3.ini", 4, 0);

	CU_ASSERT_EQUAL(c.channels, 2);
	CU_ASSERT_EQUAL(c.cl, at_least(&c, 0, 13.75));
	CU_ASSERT_EQUAL(c.rcd, at_least(&c, 0, 13.75));
	CU_ASSERT_EQUAL(c.rp, at_least(&c, 0, 13.75));
	CU_ASSERT_EQUAL(c.ras, at_least(&c, 0, 35));
	CU_ASSERT_EQUAL(c.rc, at_least(&c, 0, 48.75));
	CU_ASSERT_EQUAL(c.rrd, at_least(&c, 4, 6));
	CU_ASSERT_EQUAL(c.faw, at_least(&c, 0, 30));
	CU_ASSERT_EQUAL(c.ccd_s, 4);
	CU_ASSERT_EQUAL(c.ccd_l, 4);
	CU_ASSERT_EQUAL(c.wr, at_least(&c, 0, 15));
	CU_ASSERT_EQUAL(c.wtr, at_least(&c, 4, 7.5));
	CU_ASSERT_EQUAL(c.rtp, at_least(&c, 4, 7.5));
	CU_ASSERT_EQUAL(c.refi, 6240);
	CU_ASSERT_EQUAL(c.rfc, at_least(&c, 0, 110));
	CU_ASSERT_EQUAL(c.cwl, 8);
}

static void test_rules(void)
{
	struct dram_config configs[10];
	static const char *const mappings[] = {
		NULL, NULL, "row column:3 bank group rank channel column:8",
		NULL, "row bank group rank column:7 channel column:6",
		"row rank column:5 group bank channel column:6",
		"row column:3 bank:2 group:2 column:8",
		"row bank column:7 channel column:6", NULL, NULL,
	};

	configs[0] = gddr5;
	configs[1] = ddr3;
	configs[2] = gddr5;
	configs[2].row_policy = DRAM_ROW_CLOSE;
	configs[3] = ddr3;
	configs[3].scheduling = DRAM_FCFS;
	configs[4] = ddr3;
	configs[4].row_policy = DRAM_ROW_CLOSE;
	configs[4].starvation = 20;
	configs[5] = gddr5;
	configs[5].ranks = 2;
	configs[5].columns = 512;
	configs[5].refi = 700;
	configs[5].queue_depth = 8;
	configs[5].write_high = 4;
	configs[5].write_low = 1;
	configs[6] = sample_devices("evg-hd5870.ini", 0, 20);
	configs[7] = sample_devices("x86-ddr3.ini", 4, 0);
	configs[8] = ddr3;
	configs[8].row_policy = DRAM_ROW_IDLE;
	configs[8].row_idle = 64;
	configs[9] = gddr5;
	configs[9].row_policy = DRAM_ROW_IDLE;
	configs[9].row_idle = 3; /* less than tRAS - tRCD */
	configs[9].refi = 700;
	for (int i = 0; i < 10; i++)
		for (uint32_t seed = 1; seed <= 4; seed++) {
			struct bench bench;
			struct traffic traffic = {
				.bench = &bench, .seed = seed, .left = 3000,
				.spread = seed % 2 ? 1 << 10 : 1 << 22,
			};
			const struct dram_count *n;

			start(&bench, &configs[i], mappings[i]);
			send_some(&traffic, 0);
			drain(&bench);
			n = dram_count(bench.dram);
			CU_ASSERT_EQUAL(bench.finished, traffic.sent);
			CU_ASSERT_EQUAL(check_rows(&bench), 0);
			CU_ASSERT_EQUAL(check_pairs(&bench), 0);
			CU_ASSERT_EQUAL(check_refreshes(&bench), 0);
			CU_ASSERT_EQUAL(n->row_hits + n->row_misses +
						n->row_conflicts,
					n->reads + n->writes);
			CU_ASSERT_EQUAL(n->queued, n->reads + n->writes);
			CU_ASSERT_TRUE(n->activates >= n->precharges);
			stop(&bench);
		}
}

static void run_traffic(struct bench *bench, const struct dram_config *config,
			uint32_t seed, bool late)
{
	struct traffic traffic = {
		.bench = bench, .seed = seed, .left = 2000,
		.spread = seed % 2 ? 1 << 10 : 1 << 22,
	};

	start(bench, config, NULL);
	dram_look_late(bench->dram, late);
	send_some(&traffic, 0);
	for (picoseconds now = 100000; now < 4000000; now += 100000) {
		event_queue_run(bench->events, now);
		dram_gather(bench->dram, now);
		bench->all += dram_count(bench->dram)->bursts;
	}
	drain(bench);
	dram_gather(bench->dram, 0);
	CU_ASSERT_EQUAL(bench->finished, traffic.sent);
}

static void test_late(void)
{
	struct dram_config configs[4] = { gddr5, gddr5, ddr3, ddr3 };

	configs[1].queue_depth = configs[1].write_high = 4;
	configs[1].write_low = 1;
	configs[1].row_policy = DRAM_ROW_CLOSE;
	configs[3].starvation = 50;
	for (int i = 0; i < 4; i++)
		for (uint32_t seed = 1; seed <= 4; seed++) {
			struct bench now, late;

			configs[i].channels = 1;
			run_traffic(&now, &configs[i], seed, false);
			run_traffic(&late, &configs[i], seed, true);
			CU_ASSERT_EQUAL(now.all, late.all);
			CU_ASSERT_EQUAL(now.last, late.last);
			CU_ASSERT_EQUAL_FATAL(now.trace.count,
					      late.trace.count);
			CU_ASSERT_EQUAL(memcmp(dram_count(now.dram),
					       dram_count(late.dram),
					       sizeof(struct dram_count)), 0);
			for (size_t j = 0; j < now.trace.count; j++)
				CU_ASSERT_EQUAL_FATAL(
					now.trace.records[j].cycle,
					late.trace.records[j].cycle);
			stop(&now);
			stop(&late);
		}
}

/* --- Times worked out by hand --------------------------------------------- */

static picoseconds read_at(struct bench *bench, uint64_t address,
			   uint32_t size)
{
	picoseconds before = event_queue_now(bench->events);

	dram_submit(bench->dram, false, address, size, finished, bench, 0);
	drain(bench);
	return bench->last - before;
}

static void test_latency(void)
{
	struct dram_config config = gddr5;
	struct bench bench;

	config.frequency = 1000;
	config.refi = 0;
	start(&bench, &config, NULL);
	/* Closed: tRCD + CL + a burst. */
	CU_ASSERT_EQUAL(read_at(&bench, 0, 32), (15 + 16 + 2) * 1000);
	/* Open: CL + burst; a second burst in the same group, tCCDL. */
	CU_ASSERT_EQUAL(read_at(&bench, 32, 32), (16 + 2) * 1000);
	CU_ASSERT_EQUAL(read_at(&bench, 64, 64), (16 + 3 + 2) * 1000);
	/* Another row of the bank: tRP more, tRAS and tRC long over. */
	CU_ASSERT_EQUAL(read_at(&bench, 2048 * 16, 32),
			(15 + 15 + 16 + 2) * 1000);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->row_hits, 2);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->row_misses, 1);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->row_conflicts, 1);
	stop(&bench);
}

/* A row that nothing has used for RowIdle cycles is closed, not before. */
static void test_idle_rows(void)
{
	enum { IDLE = 50, ROW = 2048 * 16 };
	/* from the end of the first read to the second one, and what it takes */
	static const struct { uint32_t pause, row, cycles; } cases[] = {
		/* the command was tCAS and a burst before the end: 18 cycles */
		{ IDLE - 18 - 1, 0, 16 + 2 },
		{ IDLE - 18 - 1, 1, 15 + 15 + 16 + 2 },
		{ IDLE - 18 + 15, 0, 15 + 16 + 2 },
		{ IDLE - 18 + 15, 1, 15 + 16 + 2 },
		/* the precharge has begun */
		{ IDLE - 18 + 5, 1, 10 + 15 + 16 + 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dram_config config = gddr5;
		picoseconds when = (15 + 16 + 2 + cases[i].pause) * 1000ull;
		struct bench bench;

		config.frequency = 1000;
		config.refi = 0;
		config.row_policy = DRAM_ROW_IDLE;
		config.row_idle = IDLE;
		start(&bench, &config, NULL);
		dram_submit(bench.dram, false, 0, 32, finished, &bench, 0);
		event_queue_run(bench.events, when);
		event_queue_set_now(bench.events, when);
		CU_ASSERT_EQUAL(read_at(&bench, cases[i].row * ROW, 32),
				cases[i].cycles * 1000);
		stop(&bench);
	}
}

/* tRCD counts whenever a closed row is read. */
static void test_row_to_column(void)
{
	static const uint32_t cycles[] = { 8, 15, 30 };

	for (size_t i = 0; i < ARRAY_SIZE(cycles); i++) {
		struct dram_config config = gddr5;
		struct bench bench;

		config.frequency = 1000;
		config.refi = 0;
		config.rcd = cycles[i];
		start(&bench, &config, NULL);
		CU_ASSERT_EQUAL(read_at(&bench, 0, 32),
				(cycles[i] + 16 + 2) * 1000);
		stop(&bench);
	}
}

/* --- Masked writes -------------------------------------------------------- */

/* The columns that are written, in the order of the commands. */
static unsigned written_columns(const struct bench *bench, uint32_t *columns,
				unsigned most)
{
	unsigned count = 0;

	for (size_t i = 0; i < bench->trace.count; i++)
		if (bench->trace.records[i].command == DRAM_WRITE &&
		    count++ < most)
			columns[count - 1] = bench->trace.records[i].column;
	return count;
}

static void test_masked(void)
{
	static const struct {
		uint64_t mask; /* dwords of 256 bytes */
		unsigned count;
		uint32_t columns[4];
	} cases[] = {
		{ 0x1, 1, { 0 } },
		{ 0x8000, 1, { 32 } },
		{ 0x8001, 2, { 0, 32 } },
		{ 0x55, 1, { 0 } },
		{ 1ull << 63 | 1, 2, { 0, 224 } },
		{ 0xff00ff, 2, { 0, 64 } },
		{ 0x18, 1, { 0 } },
		{ 0x180, 2, { 0, 32 } },
		{ 0x1000100010001, 4, { 0, 64, 128, 192 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dram_written written = {
			.address = 0, .extent = 256, .grain = 2,
			.mask = cases[i].mask,
		};
		uint32_t columns[4];
		struct bench bench;

		start(&bench, &gddr5, "row bank group column");
		dram_write(bench.dram, &written, finished, &bench, 0);
		drain(&bench);
		CU_ASSERT_EQUAL(bench.finished, 1);
		CU_ASSERT_EQUAL(dram_write_bursts(&written, 32),
				cases[i].count);
		CU_ASSERT_EQUAL(written_columns(&bench, columns, 4),
				cases[i].count);
		CU_ASSERT_EQUAL(memcmp(columns, cases[i].columns,
				       cases[i].count * sizeof *columns), 0);
		stop(&bench);
	}
}

/* A write covers what it has, and no more: neither another dword of its burst
 * nor what lies in its holes. */
static void test_covered(void)
{
	struct dram_written first = {
		.address = 0, .extent = 64, .grain = 2, .mask = 0x5,
	};
	struct bench bench;

	start(&bench, &gddr5, NULL);
	dram_write(bench.dram, &first, NULL, NULL, 0);
	dram_submit(bench.dram, true, 32, 8, NULL, NULL, 0);
	dram_submit(bench.dram, true, 36, 4, NULL, NULL, 0); /* covered */
	dram_submit(bench.dram, true, 40, 4, NULL, NULL, 0);
	dram_submit(bench.dram, false, 4, 4, finished, &bench, 0);
	dram_submit(bench.dram, false, 32, 4, finished, &bench, 0); /* too */
	drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 2);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->merged, 1);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->forwarded, 1);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->writes, 3);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->reads, 1);
	stop(&bench);
}

/* --- Queues --------------------------------------------------------------- */

/* Writes do not take the room of reads, and each kind waits for its own. */
static void test_queues(void)
{
	struct dram_config config = gddr5;
	struct bench bench;

	config.queue_depth = 8;
	config.write_high = 6;
	config.write_low = 2;
	start(&bench, &config, NULL);
	for (uint64_t i = 0; i < 8; i++) {
		dram_submit(bench.dram, true, i * 4096, 32, finished, &bench,
			    0);
		dram_submit(bench.dram, false, i * 4096 + 64, 32, finished,
			    &bench, 0);
	}
	CU_ASSERT_EQUAL(dram_count(bench.dram)->queue_full, 0);
	dram_submit(bench.dram, true, 0x10000, 32, finished, &bench, 0);
	dram_submit(bench.dram, false, 0x10000, 32, finished, &bench, 0);
	CU_ASSERT_EQUAL(dram_count(bench.dram)->queue_full, 2);
	drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 18);
	stop(&bench);
}

/* StarvationLimit = 0: a bank does not let a row hit pass. */
static void test_bank_order(void)
{
	for (uint32_t limit = 0; limit <= 2000; limit += 2000) {
		struct dram_config config = gddr5;
		struct bench bench;

		config.starvation = limit;
		config.refi = 0;
		start(&bench, &config, NULL);
		for (uint64_t i = 0; i < 8; i++)
			dram_submit(bench.dram, false,
				    i % 2 * 2048 * 16 + i * 32, 32, finished,
				    &bench, 0);
		drain(&bench);
		CU_ASSERT_EQUAL(dram_count(bench.dram)->activates,
				limit ? 2 : 8);
		stop(&bench);
	}
}

/* One request at a time, no two in one cycle. */
static void send_one(void *owner, uint64_t tag)
{
	struct traffic *traffic = owner;
	struct bench *bench = traffic->bench;
	uint32_t dice = next_random(&traffic->seed);
	uint64_t address = next_random(&traffic->seed) % traffic->spread * 32ull;

	dram_submit(bench->dram, dice % 3 == 0, address, 32, finished, bench,
		    tag);
	traffic->sent++;
	if (--traffic->left)
		event_schedule(bench->events,
			       dice % 500 ? 1000 + dice / 512 % 9000 : 9000000,
			       1000, send_one, traffic, 0);
}

static bool same_records(const struct trace *a, const struct trace *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		const struct dram_record *x = &a->records[i];
		const struct dram_record *y = &b->records[i];

		if (x->cycle != y->cycle || x->command != y->command ||
		    x->rank != y->rank || x->bank != y->bank ||
		    x->row != y->row || x->column != y->column)
			return false;
	}
	return a->count == b->count;
}

/* With StarvationLimit = 0 a choice is kept until its command goes out. With 1
 * nothing is kept, and no request passes another one either as long as no two
 * come in one cycle: the commands must be the same. */
static void test_kept_choice(void)
{
	for (uint32_t seed = 1; seed <= 8; seed++) {
		struct bench benches[2];

		for (uint32_t limit = 0; limit < 2; limit++) {
			struct bench *bench = &benches[limit];
			struct dram_config config = gddr5;
			struct traffic traffic = {
				.bench = bench, .seed = seed, .left = 4000,
				.spread = seed % 2 ? 1 << 10 : 1 << 20,
			};

			config.starvation = limit;
			config.ranks = seed % 4 < 2 ? 1 : 2;
			config.refi = 900;
			config.write_high = 8;
			config.write_low = 2;
			start(bench, &config, NULL);
			send_one(&traffic, 0);
			drain(bench);
			CU_ASSERT_EQUAL(bench->finished, traffic.sent);
		}
		CU_ASSERT_TRUE(same_records(&benches[0].trace,
					    &benches[1].trace));
		stop(&benches[0]);
		stop(&benches[1]);
	}
}

/* Long sequential reads over four bank groups come near the peak: 2 cycles
 * per burst. */
static void test_streaming(void)
{
	struct bench bench;
	double share;

	start(&bench, &gddr5,
	      "row column:3 bank:2 group:2 column:8");
	for (uint64_t address = 0; address < 1 << 18; address += 64)
		dram_submit(bench.dram, false, address, 64, finished, &bench,
			    0);
	drain(&bench);
	share = (double)((1 << 18) / 32 * 2 * 833) / (double)bench.last;
	CU_ASSERT_TRUE(share > 0.9 && share <= 1);
	stop(&bench);
}

/* Requests to an open row do not keep another waiting for ever. */
static void test_starvation(void)
{
	struct dram_config config = gddr5;
	struct bench bench;
	picoseconds victim;

	config.starvation = 300;
	config.refi = 0;
	start(&bench, &config, NULL);
	dram_submit(bench.dram, false, 0, 32, NULL, NULL, 0);
	dram_submit(bench.dram, false, 2048 * 16, 32, finished, &bench, 0);
	for (int i = 0; i < 5000; i++)
		dram_submit(bench.dram, false, i % 64 * 32, 32, NULL, NULL, 0);
	while (!bench.finished && event_queue_step(bench.events))
		;
	victim = bench.last;
	drain(&bench);
	CU_ASSERT_TRUE(victim > 300 * 833 && victim < 450 * 833);
	stop(&bench);
}

static void test_refused(void)
{
	struct error error = { 0 };
	struct dram_config config = gddr5;

	CU_ASSERT_EQUAL(dram_config_check(&config, "row bank column", &error),
			-1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "0 bits of group"));
	CU_ASSERT_EQUAL(dram_config_check(&config,
					  "column row bank group channel rank",
					  &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "lowest 5 bits"));
	config.ccd_l = 1;
	CU_ASSERT_EQUAL(dram_config_check(&config, NULL, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "tCCDL"));
	config = gddr5;
	config.banks = 3;
	CU_ASSERT_EQUAL(dram_config_check(&config, NULL, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "power of two"));
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "single reads take what the rules say", test_latency },
		{ "idle rows are closed", test_idle_rows },
		{ "random traffic keeps every timing rule", test_rules },
		{ "late looks send the same commands", test_late },
		{ "DDR3 of the sample is that of its speed bin", test_ddr3 },
		{ "tRCD counts", test_row_to_column },
		{ "masked writes take the bursts that they write", test_masked },
		{ "masked writes cover what they have", test_covered },
		{ "reads and writes have a queue each", test_queues },
		{ "banks in the order of arrival", test_bank_order },
		{ "a kept choice is the one made anew", test_kept_choice },
		{ "streams come near the peak", test_streaming },
		{ "nobody waits for ever", test_starvation },
		{ "contradictions are refused", test_refused },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "dram", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
