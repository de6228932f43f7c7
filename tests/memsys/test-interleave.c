/* Main memories that take turns by address: whatever their number, each uses
 * the whole of its rows and all of its banks. */
#include "memsys/bench.h"
#include "base/memory.h"
#include "memsys/dram/internal.h"

enum { MOST = 12, ROW = 2048, BANKS = 16, BLOCK = 64 };

/* GDDR5 devices with the HD 5870's mapping, `module` for the bits that are the
 * same in all addresses of a memory; no refreshes, which would close rows. */
static char *hierarchy(unsigned count)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	fprintf(stream,
		"[General]\nFrequency = 850\n"
		"[DRAM d]\ntREFI = 0\nAddressMapping = row column:3 bank:2 "
		"group:2 ");
	if (__builtin_ctz(count))
		fprintf(stream, "module:%d ", __builtin_ctz(count));
	fprintf(stream,
		"column:8\n"
		"[CacheGeometry g]\nSets = 2\nAssoc = 2\nBlockSize = %d\n"
		"Latency = 2\nCoherent = f\n"
		"[Network n]\nDefaultInputBufferSize = 144\n"
		"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"
		"[Module a]\nType = Cache\nGeometry = g\nLowNetwork = n\n"
		"LowModules =", BLOCK);
	for (unsigned i = 0; i < count; i++)
		fprintf(stream, " m%u", i);
	for (unsigned i = 0; i < count; i++)
		fprintf(stream,
			"\n[Module m%u]\nType = MainMemory\nHighNetwork = n\n"
			"BlockSize = %d\nLatency = 100\nDRAM = d\n"
			"AddressRange = ADDR DIV 256 MOD %u EQ %u", i, BLOCK,
			count, i);
	fprintf(stream,
		"\n[Entry a]\nArch = Evergreen\nComputeUnit = 0\nModule = a\n");
	fclose(stream);
	return text;
}

static void check_rows(const struct memsys *memsys, uint64_t misses,
		       uint64_t conflicts)
{
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct dram *dram = memsys->modules[i]->dram;

		if (!dram)
			continue;
		CU_ASSERT_EQUAL(dram->count.row_misses, misses);
		CU_ASSERT_EQUAL(dram->count.row_conflicts, conflicts);
	}
}

/* A row of each bank of each memory is read, then the next one is written. */
static void test_rows(void)
{
	for (unsigned count = 1; count <= MOST; count++) {
		uint64_t bytes = (uint64_t)count * ROW * BANKS;
		char *text = hierarchy(count);
		struct bench bench;

		bench_create(&bench, text);
		free(text);
		for (uint64_t at = 0; at < bytes; at += BLOCK)
			bench_access(&bench, 0, MEMSYS_LOAD, 0, at, 0);
		bench_drain(&bench);
		check_rows(bench.memsys, BANKS, 0);
		for (uint64_t at = bytes; at < 2 * bytes; at += BLOCK)
			bench_access(&bench, 0, MEMSYS_NC_STORE, 0, at, 0);
		bench_drain(&bench);
		check_rows(bench.memsys, BANKS, BANKS);
		bench_free(&bench);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "rows and banks of any number of memories", test_rows },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "interleave", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
