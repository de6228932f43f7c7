/* A core's caches: the configuration that is made of figures has the figures'
 * latencies; line-fill buffers, TLBs and prefetchers by hand. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "memsys/prefetch/prefetcher.h"
#include "sim/event.h"
#include "unit/harness.h"
#include "x86/timing/memory/latency.h"
#include "x86/timing/memory/memory.h"
#include "x86/timing/memory/pages.h"

static double latency(const char *core, enum x86_latency_order order,
		      uint64_t kb, uint64_t stride)
{
	struct x86_latency what = { .core = core, .order = order,
				    .size = kb * 1024, .stride = stride,
				    .page_shift = 21 };
	struct error error;

	CU_ASSERT_EQUAL_FATAL(x86_latency_measure(&what, &error), 0);
	return what.cycles;
}

static void test_latencies(void)
{
	static const char *const cores[] = { "nehalem", "haswell", "k10" };

	for (unsigned i = 0; i < ARRAY_SIZE(cores); i++) {
		struct x86_memory_figures figures;
		struct x86_core_figures core;

		x86_core_figures_find(cores[i], &core, NULL);
		x86_memory_figures_find(cores[i], &figures, NULL);
		CU_ASSERT_DOUBLE_EQUAL(latency(cores[i], LATENCY_RANDOM, 16,
					       64), core.load_chased, .01);
		/* far enough from each other for no prefetcher */
		CU_ASSERT_DOUBLE_EQUAL(latency(cores[i], LATENCY_RANDOM, 128,
					       256), figures.second_cycles, .1);
		/* of a circle that neither level above holds: what they replace
		 * holds nobody up */
		CU_ASSERT_DOUBLE_EQUAL(
			latency(cores[i], LATENCY_RANDOM, 2048, 256),
			figures.third_cycles, .1);
	}
}

/* A first level of 64 KB; a second of 1 MB, below which memory follows. */
static void test_llano(void)
{
	struct x86_memory_figures figures;
	double second;

	x86_memory_figures_find("llano", &figures, NULL);
	second = latency("llano", LATENCY_RANDOM, 512, 256);
	CU_ASSERT_DOUBLE_EQUAL(latency("llano", LATENCY_RANDOM, 48, 64), 3,
			       .01);
	CU_ASSERT_DOUBLE_EQUAL(second, figures.second_cycles, .1);
	CU_ASSERT_TRUE(latency("llano", LATENCY_RANDOM, 3072, 64) >
		       100 + second);
	CU_ASSERT_TRUE(latency("k10", LATENCY_RANDOM, 3072, 64) < 60);
}

/* How often the configuration of a core says a word. */
static unsigned says(const struct x86_memory_figures *figures, const char *word)
{
	char *text = NULL, *at;
	unsigned count = 0;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	x86_memory_write(stream, figures, "core", 3400, 4, 1,
			 false);
	fclose(stream);
	for (at = text; (at = strstr(at, word)); at++)
		count++;
	free(text);
	return count;
}

/* Each has its figure. */
static void test_prefetchers(void)
{
	struct x86_memory_figures f;
	struct error error;

	x86_memory_figures_find("haswell", &f, NULL);
	CU_ASSERT_EQUAL(says(&f, "EnablePrefetcher = t"), 2);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherType = Stride\n"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherSecond = NextLine\n"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherType = Stream\n"
				 "PrefetcherDegree = 20\n"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherSecond = Pair\n"), 1);
	f.prefetch_first_stride = f.prefetch_second_stream = 0;
	CU_ASSERT_EQUAL(says(&f, "PrefetcherType = NextLine\n"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherType = Pair\n"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherSecond"), 0);
	f.prefetch_first_next = f.prefetch_second_pair = 0;
	CU_ASSERT_EQUAL(says(&f, "Prefetcher"), 0);
	f.prefetch_second_stream = f.prefetch_second_pair = 1;
	CU_ASSERT_EQUAL(x86_memory_figures_check(&f, 4, &error), 0);
	f.prefetch_second_up_down = 1;
	CU_ASSERT_EQUAL(x86_memory_figures_check(&f, 4, &error), -1);
	x86_memory_figures_find("zen2", &f, NULL);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherSecond = UpDown\n"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherSecond = Stride\n"), 1);
	x86_memory_figures_find("llano", &f, NULL);
	CU_ASSERT_EQUAL(says(&f, "EnablePrefetcher = t"), 1);
	CU_ASSERT_EQUAL(says(&f, "PrefetcherType = Stream\n"
				 "PrefetcherDegree = 3\n"), 1);
}

static void test_linear(void)
{
	/* the streamer of the second level hides most of the third's */
	CU_ASSERT_TRUE(latency("haswell", LATENCY_FORWARD, 1024, 64) < 18);
	CU_ASSERT_TRUE(latency("haswell", LATENCY_BACKWARD, 1024, 64) < 18);
}

/* A core that only hears of answers. */
struct bench {
	struct event_queue *events;
	struct memsys *memsys;
	struct x86_caches *caches;
	struct x86_core *core;
	struct x86_core_memory memory;
	uint64_t cycle, ticket;
};

static void open_bench(struct bench *bench)
{
	struct x86_memory_figures figures;
	struct x86_core_figures core;
	struct memsys_options options = { .x86_cores = 1, .x86_threads = 1,
					  .exact_clocks = true,
					  .text_name = "haswell" };
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	x86_core_figures_find("haswell", &core, NULL);
	x86_memory_figures_find("haswell", &figures, NULL);
	/* It would take all misses of the second level now and then, and a pair's
	 * prefetch is dropped then. */
	figures.prefetch_second_stream = 0;
	x86_memory_write(stream, &figures, "haswell", 3400, core.load_chased,
			 1, false);
	fclose(stream);
	options.text = text;
	bench->events = event_queue_create();
	bench->memsys = memsys_create(bench->events, &options, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bench->memsys);
	free(text);
	bench->caches = x86_caches_create(bench->memsys, 0, 3400,
					  &figures, 12, NULL);
	bench->memory = x86_caches_of(bench->caches);
	bench->core = x86_core_create(&core, &bench->memory);
	x86_caches_serve(bench->caches, bench->core);
	bench->cycle = bench->ticket = 0;
}

static void close_bench(struct bench *bench)
{
	x86_core_free(bench->core);
	x86_caches_free(bench->caches);
	memsys_free(bench->memsys);
	event_queue_free(bench->events);
}

static void pass(struct bench *bench, uint64_t cycles)
{
	bench->cycle += cycles;
	bench->memory.advance(bench->caches, bench->cycle);
}

/* One stream for each load, so that no stride is learned. */
static unsigned load(struct bench *bench, uint64_t address, unsigned size,
		     unsigned *part)
{
	struct x86_core_request request = {
		.address = address, .size = size, .cycle = bench->cycle,
		.instruction = ++bench->ticket, .ticket = 512 * 3,
		.part = X86_CORE_MEMORY,
	};
	unsigned answer = bench->memory.begin(bench->caches, &request);

	/* one in a cycle */
	pass(bench, 1);
	if (part)
		*part = request.part;
	return answer;
}

static void test_buffers(void)
{
	struct bench bench;
	unsigned part;

	open_bench(&bench);
	/* the page first */
	CU_ASSERT_EQUAL(load(&bench, 0x10000, 8, &part), X86_CORE_PENDING);
	CU_ASSERT_EQUAL(part, X86_CORE_TLB);
	pass(&bench, 5000);
	CU_ASSERT_EQUAL(x86_caches_counts(bench.caches)->walks, 1);
	CU_ASSERT_EQUAL(load(&bench, 0x10000, 8, NULL), 0);
	CU_ASSERT_EQUAL(load(&bench, 0x10038, 8, NULL), 0);
	/* ten lines at once; what meets one of them needs no buffer */
	for (unsigned i = 0; i < 10; i++) {
		CU_ASSERT_EQUAL(load(&bench, 0x10100 + 128 * i, 8, &part),
				X86_CORE_PENDING);
		CU_ASSERT_EQUAL(part, X86_CORE_DRAM);
	}
	CU_ASSERT_EQUAL(load(&bench, 0x10100 + 128 * 10, 8, NULL),
			X86_CORE_BUSY);
	CU_ASSERT_EQUAL(load(&bench, 0x10100 + 128 * 9 + 16, 8, NULL),
			X86_CORE_PENDING);
	CU_ASSERT_TRUE(bench.memory.next(bench.caches) > bench.cycle);
	pass(&bench, 5000);
	for (unsigned i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(load(&bench, 0x10100 + 128 * i, 8, NULL), 0);
	/* the pair's other line is in the second level */
	CU_ASSERT_EQUAL(load(&bench, 0x10140, 8, &part), X86_CORE_PENDING);
	CU_ASSERT_EQUAL(part, X86_CORE_L2);
	pass(&bench, 5000);
	/* of two lines the second is missing */
	CU_ASSERT_EQUAL(load(&bench, 0x1013c, 8, NULL), 0);
	CU_ASSERT_EQUAL(load(&bench, 0x1073c, 8, NULL), X86_CORE_PENDING);
	pass(&bench, 5000);
	CU_ASSERT_EQUAL(load(&bench, 0x1073c, 8, NULL), 0);
	/* nothing is left to do */
	CU_ASSERT_EQUAL(memsys_pending(bench.memsys), 0);
	close_bench(&bench);
}

static void test_store(void)
{
	struct bench bench;
	struct x86_core_request store = { .address = 0x20000, .size = 8,
					  .store = true, .ticket = 512 };

	open_bench(&bench);
	load(&bench, 0x20040, 8, NULL);
	pass(&bench, 5000);
	bench.memory.own(bench.caches, 0x20000, 8, bench.cycle);
	CU_ASSERT_EQUAL(x86_caches_counts(bench.caches)->owned, 1);
	pass(&bench, 5000);
	store.cycle = bench.cycle;
	CU_ASSERT_EQUAL(bench.memory.begin(bench.caches, &store), 0);
	close_bench(&bench);
}

static enum pages_answer look_up(struct x86_pages *pages, uint64_t address,
				 unsigned shift, bool code)
{
	struct x86_pages_question question = {
		.address = address, .shift = shift, .code = code };

	return x86_pages_look_up(pages, &question);
}

static void learn(struct x86_pages *pages, uint64_t address, unsigned shift)
{
	struct x86_pages_question question = { .address = address,
					       .shift = shift };

	x86_pages_learn(pages, &question, address >> shift, true);
}

static void test_pages(void)
{
	struct x86_memory_figures figures;
	struct x86_pages pages;
	struct x86_pages_question store = {
		.address = 0x30005, .shift = 12, .store = true };

	x86_memory_figures_find("nehalem", &figures, NULL);
	x86_pages_init(&pages, &figures);
	for (uint64_t i = 0; i < 65; i++) {
		CU_ASSERT_EQUAL(look_up(&pages, i << 12, 12, false),
				PAGES_WALK);
		learn(&pages, i << 12, 12);
	}
	/* pages 0, 16, 32, 48 and 64 share a set of four ways */
	CU_ASSERT_EQUAL(look_up(&pages, 1 << 12, 12, false),
			PAGES_FIRST);
	CU_ASSERT_EQUAL(look_up(&pages, 0, 12, false),
			PAGES_SECOND);
	CU_ASSERT_EQUAL(look_up(&pages, 16 << 12, 12, false),
			PAGES_SECOND);
	CU_ASSERT_EQUAL(look_up(&pages, 0, 12, false), PAGES_FIRST);
	/* code has a first level of its own */
	CU_ASSERT_EQUAL(look_up(&pages, 0, 12, true), PAGES_SECOND);
	/* nehalem's second level has no large pages */
	for (uint64_t i = 0; i < 33; i++)
		learn(&pages, i << 21, 21);
	CU_ASSERT_EQUAL(look_up(&pages, 0, 21, false), PAGES_WALK);
	CU_ASSERT_EQUAL(look_up(&pages, 1 << 21, 21, false),
			PAGES_FIRST);
	x86_pages_clear(&pages);
	CU_ASSERT_EQUAL(look_up(&pages, 1 << 12, 12, false),
			PAGES_WALK);
	/* entries of another space stay, and are not seen */
	learn(&pages, 7 << 12, 12);
	x86_pages_enter_space(&pages, 5);
	CU_ASSERT_EQUAL(look_up(&pages, 7 << 12, 12, false), PAGES_WALK);
	learn(&pages, 7 << 12, 12);
	CU_ASSERT_TRUE(x86_pages_forget(&pages, 5, 7 << 12, 8 << 12));
	CU_ASSERT_FALSE(x86_pages_forget(&pages, 5, 0, 1ull << 47));
	CU_ASSERT_EQUAL(look_up(&pages, 7 << 12, 12, false), PAGES_WALK);
	x86_pages_enter_space(&pages, 0);
	CU_ASSERT_EQUAL(look_up(&pages, 7 << 12, 12, false), PAGES_FIRST);
	/* a store does not use what may only be read */
	x86_pages_learn(&pages, &store, 99, false);
	CU_ASSERT_EQUAL(x86_pages_look_up(&pages, &store), PAGES_WALK);
	store.store = false;
	CU_ASSERT_EQUAL(x86_pages_look_up(&pages, &store), PAGES_FIRST);
	CU_ASSERT_EQUAL(store.physical, 99 << 12 | 5);
	/* an address may lie in a page of either size */
	x86_pages_clear(&pages);
	pages.mixed = true;
	learn(&pages, 5 << 21, 21);
	store.address = (5 << 21) + 0x3456;
	CU_ASSERT_EQUAL(x86_pages_look_up(&pages, &store), PAGES_FIRST);
	CU_ASSERT_EQUAL(store.physical, store.address);
	CU_ASSERT_EQUAL(look_up(&pages, 5 << 21, 12, true), PAGES_WALK);
	CU_ASSERT_FALSE(x86_pages_forget(&pages, 0, 6 << 21, 7 << 21));
	CU_ASSERT_TRUE(x86_pages_forget(&pages, 0, (5 << 21) + 0x1000,
					(5 << 21) + 0x2000));
	CU_ASSERT_EQUAL(x86_pages_look_up(&pages, &store), PAGES_WALK);
	x86_pages_free(&pages);
}

static void test_stream(void)
{
	struct prefetcher_config config = { .type = PREFETCHER_STREAM,
		.table = 32, .depth = 2, .degree = 3, .page = 64,
		.pair = true };
	struct prefetcher *prefetcher = prefetcher_create(&config);
	uint64_t next[PREFETCHER_DEGREE_MAX];

	/* the pair first, then on in the direction of the steps */
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 130, next), 1);
	CU_ASSERT_EQUAL(next[0], 131);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 2, 132, next), 1);
	CU_ASSERT_EQUAL(next[0], 133);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 3, 134, next), 3);
	CU_ASSERT_EQUAL(next[0], 135);
	CU_ASSERT_EQUAL(next[2], 137);
	/* another page is another stream; a turn begins anew */
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 20, next), 1);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 133, next), 1);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 132, next), 3);
	CU_ASSERT_EQUAL(next[0], 131);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 132, next), 0);
	/* long steps are no stream */
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 140, next), 1);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 148, next), 1);
	CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 1, 156, next), 1);
	prefetcher_free(prefetcher);
}

/* Cycles until a line that the second level has is in the first one. */
static unsigned second_level(struct bench *bench, uint64_t page)
{
	unsigned cycles = 0;

	/* the pair's other line comes to the second level, when earlier
	 * prefetches have ended */
	pass(bench, 5000);
	load(bench, page, 8, NULL);
	pass(bench, 5000);
	while (load(bench, page + 64, 8, NULL) != 0)
		cycles++;
	return cycles;
}

/* Nothing adds up, and a latency is the same wherever in a picosecond the cycle
 * would begin. 3400 MHz: 294.1 ps. */
static void test_clock(void)
{
	struct bench bench;
	unsigned first;

	open_bench(&bench);
	pass(&bench, 100);
	first = second_level(&bench, 0x100000);
	CU_ASSERT_TRUE(first >= 7 && first <= 9);
	for (unsigned i = 1; i < 40; i++)
		CU_ASSERT_EQUAL(second_level(&bench, 0x100000 + 4096 * i),
				first);
	pass(&bench, 100000000);
	CU_ASSERT_EQUAL(event_queue_now(bench.events),
			clock_cycle_start(bench.cycle, 3400));
	CU_ASSERT_EQUAL(clock_cycle_start(34000000, 3400),
			UINT64_C(10000000000));
	CU_ASSERT_EQUAL(second_level(&bench, 0x900000), first);
	for (uint64_t time = 0; time < 2000; time++) {
		picoseconds start = clock_cycle_of(time, 3400);

		CU_ASSERT_TRUE(start <= time && time < start + 295);
		CU_ASSERT_EQUAL(clock_after(time, 3400, 3400), time + 1000000);
	}
	close_bench(&bench);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "cycles begin at exact times", test_clock },
		{ "latencies are those of the figures", test_latencies },
		{ "a core without a third level", test_llano },
		{ "linear chains", test_linear },
		{ "prefetchers", test_prefetchers },
		{ "line-fill buffers", test_buffers },
		{ "ownership", test_store },
		{ "TLBs", test_pages },
		{ "streamer", test_stream },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ .pName = "x86 caches", .pTests = tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
