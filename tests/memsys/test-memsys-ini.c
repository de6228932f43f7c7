/* Memory configurations: the built-in one, the shipped ones, and wrong ones
 * with the exact messages. */
#include "memsys/module.h"
#include "base/memory.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A good file; each wrong one differs in a line. Lines are counted. */
static const char *const good[] = {
	/*  1 */ "[ General ]",
	/*  2 */ "Frequency = 1000",
	/*  3 */ "[ CacheGeometry l1 ]",
	/*  4 */ "Sets = 16",
	/*  5 */ "Assoc = 2",
	/*  6 */ "BlockSize = 64",
	/*  7 */ "Policy = LRU",
	/*  8 */ "[ Network net ]",
	/*  9 */ "DefaultInputBufferSize = 144",
	/* 10 */ "DefaultOutputBufferSize = 144",
	/* 11 */ "DefaultBandwidth = 72",
	/* 12 */ "[ Module cache ]",
	/* 13 */ "Type = Cache",
	/* 14 */ "Geometry = l1",
	/* 15 */ "LowNetwork = net",
	/* 16 */ "LowModules = memory-0 memory-1",
	/* 17 */ "[ Module memory-0 ]",
	/* 18 */ "Type = MainMemory",
	/* 19 */ "HighNetwork = net",
	/* 20 */ "BlockSize = 64",
	/* 21 */ "Latency = 100",
	/* 22 */ "AddressRange = ADDR DIV 256 MOD 2 EQ 0",
	/* 23 */ "[ Module memory-1 ]",
	/* 24 */ "Type = MainMemory",
	/* 25 */ "HighNetwork = net",
	/* 26 */ "BlockSize = 64",
	/* 27 */ "Latency = 100",
	/* 28 */ "AddressRange = ADDR DIV 256 MOD 2 EQ 1",
	/* 29 */ "[ Entry cu0 ]",
	/* 30 */ "Arch = Evergreen",
	/* 31 */ "ComputeUnit = 0",
	/* 32 */ "Module = cache",
	/* 33 */ "",
};

static const struct {
	unsigned line;     /* is replaced */
	const char *text;
	const char *message; /* after "mem.ini:" */
} wrong[] = {
	{ 2, "Frequency = fast",
	  "2: [General] Frequency = fast: expected a number" },
	{ 2, "Frequenzy = 1000",
	  "2: [General] Frequenzy = 1000: no such variable (did you mean "
	  "'Frequency'?)" },
	{ 2, "PageSize = 5000",
	  "2: [General] PageSize = 5000: must be a power of two" },
	{ 4, "Sets = 48",
	  "4: [CacheGeometry l1] Sets = 48: must be a power of two" },
	{ 4, "Sets = 0",
	  "4: [CacheGeometry l1] Sets = 0: expected 1 to 16777216" },
	{ 5, "Asoc = 2",
	  "5: [CacheGeometry l1] Asoc = 2: no such variable (did you mean "
	  "'Assoc'?)" },
	{ 5, "PrefetcherDegree = 65",
	  "5: [CacheGeometry l1] PrefetcherDegree = 65: expected 1 to 64" },
	{ 6, "BlockSize = 128",
	  "16: [Module cache] LowModules = memory-0 memory-1: the blocks of "
	  "'memory-0' (64 bytes) are smaller than those of this module (128 "
	  "bytes)" },
	{ 7, "Policy = LFU",
	  "7: [CacheGeometry l1] Policy = LFU: expected one of "
	  "LRU|FIFO|Random|PLRU|MRU|QLRU_H11_M1_R0_U0|QLRU_H11_M1_R1_U2|"
	  "QLRU_H00_M1_R2_U1|Duel_H11_R0_U0|Duel_H11_R1_U2" },
	{ 3, "[ CacheGeometry l2 ]\nAssoc = 6\nPolicy = PLRU\n"
	     "[ CacheGeometry l1 ]",
	  "4: [CacheGeometry l2] Assoc = 6: must be a power of two" },
	{ 9, "DefaultInputBufferSize = 71",
	  "16: [Module cache] LowModules = memory-0 memory-1: a block with "
	  "its header takes 72 bytes, but a buffer of network 'net' on the "
	  "way to 'memory-0' has only 71" },
	{ 10, "",
	  "8: [Network net]: DefaultOutputBufferSize is missing" },
	{ 13, "Type = Cash",
	  "13: [Module cache] Type = Cash: expected one of Cache|MainMemory" },
	{ 13, "", "12: [Module cache]: Type is missing (Cache or "
		  "MainMemory)" },
	{ 14, "Geometry = l2x",
	  "14: [Module cache] Geometry = l2x: no such cache geometry" },
	{ 14, "Geometry = l2",
	  "14: [Module cache] Geometry = l2: no such cache geometry (did you "
	  "mean 'l1'?)" },
	{ 14, "", "12: [Module cache]: Geometry is missing" },
	{ 15, "LowNetwork = ne",
	  "15: [Module cache] LowNetwork = ne: no such network, neither here "
	  "nor in the network configuration (did you mean 'net'?)" },
	{ 15, "LowNetwork = net\nLowNetworkNode = x",
	  "16: [Module cache] LowNetworkNode = x: can be given only for a "
	  "network of the network configuration" },
	{ 15, "", "12: [Module cache]: LowNetwork is missing" },
	{ 16, "LowModules = memory-0 memroy-1",
	  "16: [Module cache] LowModules = memory-0 memroy-1: no such module "
	  "(did you mean 'memory-1'?)" },
	{ 16, "LowModules = memory-0 memory-0",
	  "16: [Module cache] LowModules = memory-0 memory-0: module "
	  "'memory-0' is listed twice" },
	{ 16, "LowModules = memory-0",
	  "16: [Module cache] LowModules = memory-0: the AddressRange of "
	  "'memory-0' does not fit: 1 modules must have one DIV, MOD 1, and "
	  "EQ 0 to 0" },
	{ 16, "", "12: [Module cache]: LowModules is missing: a Cache needs a "
		  "module below it" },
	{ 16, "LowModules = cache\nHighNetwork = net",
	  "16: [Module cache] LowModules = cache: module 'cache' is also "
	  "above this module" },
	{ 18, "Type = MainMemory\nGeometry = l1",
	  "19: [Module memory-0] Geometry = l1: no such variable" },
	{ 19, "",
	  "16: [Module cache] LowModules = memory-0 memory-1: the HighNetwork "
	  "of 'memory-0' is not 'net', the LowNetwork of this module" },
	{ 20, "", "17: [Module memory-0]: BlockSize is missing" },
	{ 21, "", "17: [Module memory-0]: Latency is missing" },
	{ 21, "Latency = -1",
	  "21: [Module memory-0] Latency = -1: expected a whole number" },
	{ 21, "Latency = 1\nBandwidth = 1e-300",
	  "22: [Module memory-0] Bandwidth = 1e-300: expected 0 (not limited) "
	  "or at least 0.001" },
	{ 21, "Latency = 1\nFrequency = 0.1",
	  "22: [Module memory-0] Frequency = 0.1: expected 0 (the Frequency "
	  "of [ General ]) or at least 1" },
	{ 22, "AddressRange = ADDR DIV 256 MOD 2",
	  "22: [Module memory-0] AddressRange = ADDR DIV 256 MOD 2: expected "
	  "BOUNDS <low> <high> or ADDR DIV <n> MOD <n> EQ <n>" },
	{ 22, "AddressRange = ADDR DIV 96 MOD 2 EQ 0",
	  "22: [Module memory-0] AddressRange = ADDR DIV 96 MOD 2 EQ 0: DIV "
	  "must be a multiple of the block size 64" },
	{ 22, "AddressRange = ADDR DIV 256 MOD 2 EQ 2",
	  "22: [Module memory-0] AddressRange = ADDR DIV 256 MOD 2 EQ 2: EQ "
	  "must be below MOD" },
	{ 22, "AddressRange = ADDR DIV 256 MOD 2 EQ 1",
	  "16: [Module cache] LowModules = memory-0 memory-1: the "
	  "AddressRange of 'memory-1' does not fit: 2 modules must have one "
	  "DIV, MOD 2, and EQ 0 to 1" },
	{ 22, "AddressRange = BOUNDS 0 0xFFF",
	  "16: [Module cache] LowModules = memory-0 memory-1: the "
	  "AddressRange of 'memory-0' and 'memory-1' differ in kind: expected "
	  "BOUNDS for both, or ADDR for both" },
	{ 30, "Arch = Fermi",
	  "30: [Entry cu0] Arch = Fermi: expected x86 or Evergreen" },
	{ 30, "", "29: [Entry cu0]: Arch is missing (x86 or Evergreen)" },
	{ 31, "", "29: [Entry cu0]: ComputeUnit is missing" },
	{ 31, "ComputeUnit = 1",
	  " no [ Entry ] with Arch = Evergreen and ComputeUnit = 0 (the "
	  "device has 1 compute units)" },
	{ 32, "Module = cash",
	  "32: [Entry cu0] Module = cash: no such module (did you mean "
	  "'cache'?)" },
	{ 32, "Module = memory-0",
	  "32: [Entry cu0] Module = memory-0: the AddressRange of an entry "
	  "module must hold all addresses" },
	{ 32, "", "29: [Entry cu0]: Module is missing" },
	{ 33, "[ Entry again ]\nArch = evergreen\nComputeUnit = 0\n"
	      "Module = cache",
	  "33: [Entry again]: [Entry cu0] is for the same processor" },
	{ 33, "[ Entri again ]", "33: [Entri again]: no such section" },
	{ 33, "[ Genral ]",
	  "33: [Genral]: no such section (did you mean 'General'?)" },
	{ 33, "[ DRAM d ]\nFrequency = 1200\nChannels = 3",
	  "35: [DRAM d] Channels = 3: Channels must be a power of two" },
	{ 33, "[ DRAM d ]\ntRAS = 34\ntRC = 10",
	  "35: [DRAM d] tRC = 10: tRC = 10 is less than tRAS = 34" },
	{ 33, "[ DRAM d ]\nRequestQueueDepth = 4\nWriteLow = 8\n"
	      "WriteHigh = 32",
	  "35: [DRAM d] WriteLow = 8: expected WriteLow < WriteHigh <= "
	  "RequestQueueDepth, found 8, 32, 4" },
	{ 33, "[ DRAM d ]\nAddressMapping = row bnak",
	  "34: [DRAM d] AddressMapping = row bnak: AddressMapping: 'bnak': "
	  "expected row, column, bank, group, rank, channel or module" },
	{ 33, "[ Module lone ]\nType = Cache\nGeometry = l1\n"
	      "LowNetwork = net\nLowModules = memory-0 memory-1",
	  "33: [Module lone]: no access can reach this module: no [ Entry ] "
	  "leads to this module or to a module above it" },
	{ 33, "[ Commands ]",
	  "33: [Commands]: this section has commands, which only --mem-sim "
	  "runs" },
};

static char *scratch(const char *text)
{
	static char directory[32], path[64];
	FILE *stream;

	if (!text) {
		remove(path);
		rmdir(directory);
		path[0] = '\0';
		return NULL;
	}
	if (!path[0]) {
		strcpy(directory, "/tmp/m2s-test-XXXXXX");
		snprintf(path, sizeof path, "%s/mem.ini", mkdtemp(directory));
	}
	stream = fopen(path, "w");
	fputs(text, stream);
	fclose(stream);
	return path;
}

static char *good_but(unsigned line, const char *text)
{
	char *result = NULL;
	size_t size;
	FILE *stream = open_memstream(&result, &size);

	for (unsigned i = 0; i < ARRAY_SIZE(good); i++)
		fprintf(stream, "%s\n", i + 1 == line ? text : good[i]);
	fclose(stream);
	return result;
}

static struct memsys *load(const char *mem, const char *net,
			   struct memsys_options options,
			   struct event_queue *events, struct error *error)
{
	options.mem_config = mem;
	options.net_config = net;
	error->text[0] = '\0';
	return memsys_create(events, &options, error);
}

static void test_good(void)
{
	struct memsys_options options = { .compute_units = 1 };
	struct event_queue *events = event_queue_create();
	char *text = good_but(0, "");
	struct error error;
	struct memsys *memsys = load(scratch(text), NULL, options, events,
				     &error);

	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(memsys);
	CU_ASSERT_EQUAL(module_block_size(memsys_entry(memsys,
						       MEMSYS_EVERGREEN, 0,
						       0)), 64);
	memsys_free(memsys);
	event_queue_free(events);
	free(text);
}

static void test_wrong(void)
{
	struct memsys_options options = { .compute_units = 1 };
	struct event_queue *events = event_queue_create();

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		char *text = good_but(wrong[i].line, wrong[i].text);
		const char *path = scratch(text);
		char expected[1024];
		struct error error;
		struct memsys *memsys = load(path, NULL, options, events,
					     &error);

		snprintf(expected, sizeof expected, "%s:%s", path,
			 wrong[i].message);
		CU_ASSERT_PTR_NULL(memsys);
		CU_ASSERT_STRING_EQUAL(error.text, expected);
		if (strcmp(error.text, expected))
			fprintf(stderr, "# found:    %s\n# expected: %s\n",
				error.text, expected);
		memsys_free(memsys);
		free(text);
	}
	event_queue_free(events);
	scratch(NULL);
}

static void test_bounds(void)
{
	static const struct {
		const char *low, *high, *message;
	} cases[] = {
		{ "0 0x7FFFFFFF", "0x80000000 0xFFFFFFFF", "" },
		{ "0x80000000 0xFFFFFFFF", "0 0x7FFFFFFF", "" },
		{ "0 0x7FFFFFFF", "0x80000040 0xFFFFFFFF",
		  "the AddressRange of 'memory-1' leaves a gap or an overlap "
		  "at 0x80000000" },
		{ "0 0x7FFFFFFF", "0x80000000 0xFFFFFF3F",
		  "no module serves addresses from 0xffffff40" },
		{ "0 0x7FFFFFFF", "0x70000000 0xFFFFFFFF",
		  "the AddressRange of 'memory-1' leaves a gap or an overlap "
		  "at 0x80000000" },
	};
	struct memsys_options options = { .compute_units = 1 };
	struct event_queue *events = event_queue_create();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = NULL, *path, expected[1024];
		size_t size;
		FILE *stream = open_memstream(&text, &size);
		struct memsys *memsys;
		struct error error;

		for (unsigned j = 0; j < ARRAY_SIZE(good); j++)
			if (j == 21 || j == 27)
				fprintf(stream, "AddressRange = BOUNDS %s\n",
					j == 21 ? cases[i].low
						: cases[i].high);
			else
				fprintf(stream, "%s\n", good[j]);
		fclose(stream);
		path = scratch(text);
		memsys = load(path, NULL, options, events, &error);
		snprintf(expected, sizeof expected,
			 "%s:16: [Module cache] LowModules = memory-0 "
			 "memory-1: %s", path, cases[i].message);
		if (!*cases[i].message)
			expected[0] = '\0';
		CU_ASSERT_STRING_EQUAL(error.text, expected);
		if (memsys && !*cases[i].message) {
			struct module *cache = memsys->modules[0];

			CU_ASSERT_STRING_EQUAL(
				module_low(cache, 0x7fffffff)->name,
				i ? "memory-1" : "memory-0");
			CU_ASSERT_STRING_EQUAL(
				module_low(cache, 0x1234567890)->name,
				i ? "memory-0" : "memory-1");
		}
		memsys_free(memsys);
		free(text);
	}
	event_queue_free(events);
	scratch(NULL);
}

/* Two second levels, each over a memory of its own, have half of the
 * addresses each. */
static void test_halves(void)
{
	static const char text[] =
		"[ CacheGeometry c ]\nBlockSize = 64\n"
		"[ Network a ]\nDefaultInputBufferSize = 144\n"
		"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"
		"[ Network b ]\nDefaultInputBufferSize = 144\n"
		"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"
		"[ Module l1 ]\nType = Cache\nGeometry = c\n"
		"LowNetwork = a\nLowModules = l2-0 l2-1\n"
		"[ Module l2-0 ]\nType = Cache\nGeometry = c\n"
		"HighNetwork = a\nLowNetwork = b\nLowModules = mm-0\n"
		"AddressRange = BOUNDS 0 0x7FFFFFFF\n"
		"[ Module l2-1 ]\nType = Cache\nGeometry = c\n"
		"HighNetwork = a\nLowNetwork = b\nLowModules = mm-1\n"
		"AddressRange = BOUNDS 0x80000000 0xFFFFFFFF\n"
		"[ Module mm-0 ]\nType = MainMemory\nHighNetwork = b\n"
		"BlockSize = 64\nLatency = 10\n"
		"AddressRange = BOUNDS 0 %s\n"
		"[ Module mm-1 ]\nType = MainMemory\nHighNetwork = b\n"
		"BlockSize = 64\nLatency = 10\n"
		"AddressRange = BOUNDS 0x80000000 0xFFFFFFFF\n"
		"[ Entry e ]\nArch = Evergreen\nComputeUnit = 0\n"
		"Module = l1\n";
	struct memsys_options options = { .compute_units = 1 };

	for (unsigned good_one = 0; good_one < 2; good_one++) {
		struct event_queue *events = event_queue_create();
		char *whole = xasprintf(text, good_one ? "0x7FFFFFFF"
						       : "0x7FFFFFBF");
		struct error error;
		struct memsys *memsys = load(scratch(whole), NULL, options,
					     events, &error);

		CU_ASSERT_EQUAL(memsys != NULL, good_one);
		CU_ASSERT_EQUAL(!strstr(error.text, "[Module l2-0] LowModules "
					"= mm-0: no module serves addresses "
					"from 0x7fffffc0"), good_one);
		memsys_free(memsys);
		event_queue_free(events);
		free(whole);
	}
	scratch(NULL);
}

/* --- Shipped files ------------------------------------------------------- */

static char *sample(const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/samples/memory/%s", top ? top : ".", name);
}

static char *slurp(const char *path)
{
	FILE *stream = fopen(path, "r");
	char *text = xcalloc(1, 1 << 20);

	if (stream) {
		size_t size = fread(text, 1, (1 << 20) - 1, stream);

		text[size] = '\0';
		fclose(stream);
	}
	return text;
}

static void compare_default(const char *name, const struct memsys_gpu *gpu)
{
	struct memsys_options options = { .compute_units = 20, .gpu = gpu };
	char *path = sample(name), *text = slurp(path);
	char *built_in = NULL;
	size_t size;
	FILE *stream = open_memstream(&built_in, &size);

	memsys_default(stream, &options);
	fclose(stream);
	CU_ASSERT_STRING_EQUAL(text, built_in);
	free(built_in);
	free(text);
	free(path);
}

/* The built-in configurations are the shipped files, byte for byte. */
static void test_default(void)
{
	static const struct memsys_gpu classic = { .classic = true };

	compare_default("evg-hd5870.ini", NULL);
	compare_default("evg-multi2sim-4.2.ini", &classic);
}

/* Other devices have other channels, caches, clocks. */
static void check_devices(enum memsys_devices devices)
{
	const struct memsys_gpu gpu = {
		.frequency = 650, .l1 = 8192, .channels = 2, .l2_slices = 2,
		.l2_slice = 32768,
		.bandwidth = 6.5, .devices = devices,
	};
	struct memsys_options options = { .compute_units = 2, .gpu = &gpu };
	struct event_queue *events = event_queue_create();
	struct error error = { "" };
	struct memsys *memsys = memsys_create(events, &options, &error);
	unsigned memories = 0, slices = 0;

	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(memsys);
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];

		CU_ASSERT_EQUAL(module->period, 1538);
		memories += module->kind == MODULE_MAIN_MEMORY;
		if (strncmp(module->name, "evg-l2-", 7))
			continue;
		slices++;
		CU_ASSERT_EQUAL(module->config.sets * module->config.assoc *
					module->config.block_size, 32768);
	}
	CU_ASSERT_EQUAL(memories, 2);
	CU_ASSERT_EQUAL(slices, 2);
	memsys_free(memsys);
	event_queue_free(events);
}

static void test_devices(void)
{
	check_devices(MEMSYS_DEVICES_PLAIN);
	check_devices(MEMSYS_DEVICES_GDDR5);
	check_devices(MEMSYS_DEVICES_DDR3);
}

/* Times in ns become cycles of the clock, rounded up. */
static void test_device_times(void)
{
	static const struct memsys_gpu gpus[] = {
		{ .frequency = 725, .l1 = 8192, .channels = 8, .l2_slices = 8,
		  .l2_slice = 65536, .bandwidth = 16, .devices = MEMSYS_DEVICES_GDDR5 },
		{ .frequency = 650, .l1 = 8192, .channels = 2, .l2_slices = 2,
		  .l2_slice = 65536, .bandwidth = 6.4, .devices = MEMSYS_DEVICES_DDR3 },
	};
	static const char *const wanted[][6] = {
		{ "\nFrequency = 1000\n", "\ntRCD = 12\n", "\ntCAS = 14\n",
		  "\ntRC = 40\n", "\ntREFI = 3900\n", "module:3" },
		{ "\nFrequency = 800\n", "\ntRCD = 11\n", "\ntCAS = 11\n",
		  "\ntRC = 39\n", "\ntRFC = 88\n", "module:1" },
	};

	for (unsigned i = 0; i < 2; i++) {
		struct memsys_options options = { .compute_units = 1,
						  .gpu = &gpus[i] };
		char *text;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		memsys_default(stream, &options);
		fclose(stream);
		for (unsigned k = 0; k < 6; k++)
			CU_ASSERT_PTR_NOT_NULL(strstr(text, wanted[i][k]));
		free(text);
	}
}

static void finished(void *owner, uint64_t tag)
{
	(void)tag;
	++*(unsigned *)owner;
}

/* Loads a file and sends a load and a store from every entry. */
static void try_sample(const char *mem, const char *net,
		       struct memsys_options options)
{
	struct event_queue *events = event_queue_create();
	char *mem_path = mem ? sample(mem) : NULL;
	char *net_path = net ? sample(net) : NULL;
	struct stats *stats = stats_create();
	unsigned count = 0, entries = 0;
	struct error error;
	struct memsys *memsys = load(mem_path, net_path, options, events,
				     &error);
	double accesses;

	CU_ASSERT_STRING_EQUAL(error.text, "");
	if (!memsys)
		fprintf(stderr, "# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(memsys);
	memsys_register_stats(memsys, stats);
	for (size_t i = 0; i < memsys->entry_count; i++) {
		struct module *module = memsys->entries[i].data;

		entries++;
		for (int kind = MEMSYS_LOAD; kind <= MEMSYS_ATOMIC; kind++) {
			CU_ASSERT_TRUE(module_access(module, kind,
						     4096 * (uint64_t)i + 64 *
							     (unsigned)kind,
						     4, finished, &count, 0,
						     NULL));
			while (event_queue_step(events))
				;
		}
		CU_ASSERT_TRUE(stats_lookup(stats, "memory", module->name,
					    "Accesses", &accesses));
		CU_ASSERT_TRUE(accesses >= 4);
	}
	CU_ASSERT_EQUAL(count, 4 * entries);
	CU_ASSERT_TRUE(entries >= options.compute_units +
					  options.x86_cores *
						  options.x86_threads);
	CU_ASSERT_EQUAL(memsys_pending(memsys), 0);
	stats_free(stats);
	memsys_free(memsys);
	event_queue_free(events);
	free(mem_path);
	free(net_path);
}

static void test_samples(void)
{
	struct memsys_options gpu = { .compute_units = 20 };
	struct memsys_options cpu = { .x86_cores = 4, .x86_threads = 1 };
	struct memsys_options both = { .compute_units = 4, .x86_cores = 2,
				       .x86_threads = 1 };

	try_sample("evg-hd5870.ini", NULL, gpu);
	try_sample("evg-multi2sim-4.2.ini", NULL, gpu);
	try_sample("evg-hd5870-prefetch.ini", NULL, gpu);
	try_sample("evg-hd5870-tlb.ini", NULL, gpu);
	try_sample("x86-shared-l2.ini", NULL, cpu);
	try_sample("x86-ddr3.ini", NULL, cpu);
	try_sample("x86-mesh.ini", "x86-mesh-net.ini", cpu);
	try_sample("x86-evg-fused.ini", NULL, both);
	cpu.x86_threads = 2;
	cpu.x86_cores = 2;
	try_sample("x86-prefetch-tlb.ini", NULL, cpu);
	cpu.x86_cores = 4;
	try_sample("x86-private-l2.ini", NULL, cpu);
	try_sample(NULL, NULL, cpu);
	try_sample(NULL, NULL, both);
	gpu.compute_units = 30;
	try_sample(NULL, NULL, gpu);
}

static void test_help(void)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	memsys_help(stream);
	fclose(stream);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  Assoc = 2  (ways, 1 to "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  Policy = LRU  "
					    "(LRU|FIFO|Random|PLRU|"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "[ Network.<network>.Routes ]"));
	free(text);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "a good file is read", test_good },
		{ "wrong files are refused with place and reason",
		  test_wrong },
		{ "address bounds", test_bounds },
		{ "halves of the addresses below halves", test_halves },
		{ "the built-in configuration is the shipped file",
		  test_default },
		{ "other devices", test_devices },
		{ "devices' times", test_device_times },
		{ "the shipped files work", test_samples },
		{ "the help shows the variables", test_help },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "memsys-ini", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
