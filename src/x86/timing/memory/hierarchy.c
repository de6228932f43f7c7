#include "x86/timing/memory/hierarchy.h"

#include <math.h>

#include "base/memory.h"
#include "memsys/cache/cache.h"
#include "x86/timing/figures/figures.h"

#define FIGURES_OBJECT struct x86_memory_figures
#define FIGURES_SECTION "Caches"
#define FIGURES_ROWS "x86/timing/memory/figures.def"
#define FIGURES_PRESETS "x86/timing/memory/presets.def"
#include "x86/timing/figures/table.def"

int x86_memory_figures_find(const char *name,
			    struct x86_memory_figures *figures,
			    struct error *error)
{
	if (x86_figures_find(&figures_table, name, figures))
		return 0;
	return error_set(error, "no caches are known for the core '%s'", name);
}

void x86_memory_figures_help(FILE *stream)
{
	x86_figures_help(&figures_table, stream);
}

/* What lies between a module and the one below it besides their latencies: the
 * look-up above, and messages there and back of a cycle each. Between the core and
 * the first level: a cycle until the request begins, and one until its answer is
 * seen. */
enum { WAY = 1 + 2 * 1, CORE = 2, LINE = 64 };

static void write_geometry(FILE *stream, const char *name, unsigned kb,
			   unsigned ways, uint32_t policy, unsigned latency,
			   unsigned misses)
{
	fprintf(stream, "\n[ CacheGeometry %s ]\nSets = %u\nAssoc = %u\n"
		"BlockSize = 64\nLatency = %u\nPolicy = %s\nMSHR = %u\n"
		"Ports = 4\n", name, kb * 1024 / LINE / ways, ways, latency,
		cache_policies[policy].name, misses);
}

enum level { FIRST, SECOND, LEVELS };

/* Which prefetchers there are: names of PrefetcherType, in which level, and the
 * figure that has their degree, or switches them. */
static const struct prefetch_row {
	const char *type;
	enum level level;
	size_t figure;
} prefetchers[] = {
	{ "Stream", FIRST, offsetof(struct x86_memory_figures,
				    prefetch_first_stream) },
	{ "Stride", FIRST, offsetof(struct x86_memory_figures,
				    prefetch_first_stride) },
	{ "NextLine", FIRST, offsetof(struct x86_memory_figures,
				      prefetch_first_next) },
	{ "Stream", SECOND, offsetof(struct x86_memory_figures,
				     prefetch_second_stream) },
	{ "Pair", SECOND, offsetof(struct x86_memory_figures,
				   prefetch_second_pair) },
	{ "UpDown", SECOND, offsetof(struct x86_memory_figures,
				     prefetch_second_up_down) },
};
enum { MOST_PREFETCHERS = 2 }; /* of a cache */

/* Those of a level: how many. */
static unsigned prefetchers_of(const struct x86_memory_figures *f,
			       enum level level,
			       const struct prefetch_row **row,
			       uint32_t *degree)
{
	unsigned count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(prefetchers); i++) {
		uint32_t value = *(const uint32_t *)(const void *)(
			(const char *)f + prefetchers[i].figure);

		if (prefetchers[i].level != level || !value)
			continue;
		if (count < MOST_PREFETCHERS) {
			row[count] = &prefetchers[i];
			degree[count] = value;
		}
		count++;
	}
	return count;
}

/* Entries of their tables: instructions in the first level, pages in the second
 * ([O]); and their queues, free. */
static const struct { unsigned table, queue; } prefetch_sizes[LEVELS] = {
	{ 256, 16 }, { 32, 32 },
};

static void write_prefetchers(FILE *stream, const struct x86_memory_figures *f,
			      enum level level)
{
	const struct prefetch_row *row[MOST_PREFETCHERS];
	uint32_t degree[MOST_PREFETCHERS];
	unsigned count = prefetchers_of(f, level, row, degree);

	if (!count)
		return;
	fprintf(stream, "EnablePrefetcher = t\nPrefetcherType = %s\n"
		"PrefetcherDegree = %u\nPrefetcherITSize = %u\n"
		"PrefetcherQueueSize = %u\nPrefetcherLookupDepth = %u\n"
		"PrefetcherPair = f\nPrefetcherCrossPage = f\n",
		row[0]->type, degree[0], prefetch_sizes[level].table,
		prefetch_sizes[level].queue, f->prefetch_steps);
	if (count > 1)
		fprintf(stream, "PrefetcherSecond = %s\n"
			"PrefetcherSecondDegree = %u\n", row[1]->type,
			degree[1]);
}

static void write_network(FILE *stream, const char *name, unsigned wire)
{
	fprintf(stream, "\n[ Network %s ]\nLinks = Direct\n"
		"DefaultInputBufferSize = 2304\n"
		"DefaultOutputBufferSize = 2304\nDefaultBandwidth = 72\n",
		name);
	if (wire)
		fprintf(stream, "DefaultLatency = %u\n", wire);
}

static unsigned rounded(double ns, double clock)
{
	return (unsigned)ceil(ns * clock / 1e3 - 1e-6);
}

/* Two channels of 64 bits, one rank each; times of JESD79-3 for 1 Gbit x8. */
static void write_devices(FILE *stream, const struct x86_memory_figures *f)
{
	double clock = f->memory_clock;

	fprintf(stream, "\n[ DRAM ddr ]\nFrequency = %u\nDataRate = 2\n"
		"Channels = 2\nBusWidth = 64\nBurstLength = 8\n"
		"BankGroups = 1\nBanks = 8\nRows = 16384\nColumns = 1024\n"
		"AddressMapping = row bank column:7 channel column:6\n"
		"tCAS = %u\ntRCD = %u\ntRP = %u\ntCWL = 8\n",
		f->memory_clock, f->memory_cas, f->memory_cas, f->memory_cas);
	fprintf(stream, "tRAS = %u\ntRC = %u\ntRRD = %u\ntFAW = %u\n"
		"tCCD = 4\ntCCDL = 4\ntWR = %u\ntWTR = %u\ntRTP = %u\n"
		"tREFI = %u\ntRFC = %u\n", rounded(35, clock),
		rounded(35, clock) + f->memory_cas, rounded(6, clock),
		rounded(30, clock), rounded(15, clock), rounded(7.5, clock),
		rounded(7.5, clock), rounded(7800, clock),
		rounded(110, clock));
	if (f->memory_idle)
		fprintf(stream, "RowBufferPolicy = Idle\nRowIdle = %u\n",
			f->memory_idle);
}

int x86_memory_figures_read(struct x86_memory_figures *figures,
			    struct ini *ini, struct error *error)
{
	if (config_read(figures_table.variable, figures_table.count, ini, NULL,
			figures, error))
		return -1;
	if (!figures->third_kb ||
	    figures->third_cycles > figures->second_cycles + WAY)
		return 0;
	return error_set(error, "[Caches] third_cycles = %u: expected more "
			 "than second_cycles (%u) and %d", figures->third_cycles,
			 figures->second_cycles, WAY);
}

static int check_prefetchers(const struct x86_memory_figures *figures,
			     struct error *error)
{
	const struct prefetch_row *row[MOST_PREFETCHERS];
	uint32_t degree[MOST_PREFETCHERS];

	for (enum level level = 0; level < LEVELS; level++)
		if (prefetchers_of(figures, level, row, degree) >
		    MOST_PREFETCHERS)
			return error_set(error, "[Caches] prefetch_%s_...: "
					 "expected at most %d that are not 0",
					 level == FIRST ? "first" : "second",
					 MOST_PREFETCHERS);
	return 0;
}

int x86_memory_figures_check(const struct x86_memory_figures *figures,
			     unsigned load, struct error *error)
{
	if (check_prefetchers(figures, error))
		return -1;
	if (figures->classic || figures->second_cycles >= load + CORE + WAY)
		return 0;
	return error_set(error, "[Caches] second_cycles = %u: expected at least "
			 "%d more than [Core] load_chased (%u)",
			 figures->second_cycles, CORE + WAY, load);
}

/* First and second levels of a core, above the module `low`. */
static void write_core(FILE *stream, unsigned core, const char *low)
{
	char net[32];

	snprintf(net, sizeof net, "net-l2-%u", core);
	write_network(stream, net, 0);
	for (unsigned k = 0; k < 2; k++)
		fprintf(stream, "\n[ Module l1%c-%u ]\nType = Cache\n"
			"Geometry = l1%c\nLowNetwork = %s\n"
			"LowModules = l2-%u\n", "id"[k], core, "id"[k], net,
			core);
	fprintf(stream, "\n[ Module l2-%u ]\nType = Cache\nGeometry = l2\n"
		"HighNetwork = %s\nLowNetwork = net-%s\nLowModules = %s\n",
		core, net, low, low);
	fprintf(stream, "\n[ Entry core-%u ]\nArch = x86\nCore = %u\n"
		"Thread = 0\nDataModule = l1d-%u\nInstModule = l1i-%u\n",
		core, core, core, core);
}

static void write_third(FILE *stream, const struct x86_memory_figures *f,
			unsigned latency, unsigned wire)
{
	unsigned way = 2 * WAY + 2 * wire;

	write_geometry(stream, "l3", f->third_kb, f->third_ways, f->third_policy,
		       latency - 2 * wire, 64);
	/* To the core that has the line, and back. */
	if (f->third_dirty_cycles > f->third_cycles + way)
		fprintf(stream, "ProbeLatency = %u\n", f->third_dirty_cycles -
			f->third_cycles - way);
	/* Beyond the second level lie two ways between core and third level;
	 * the acknowledgement takes one. It counts from the array's data. */
	fprintf(stream, "AckLatency = %u\n",
		(f->third_cycles - f->second_cycles) / 2 + 2 * wire);
	if (f->third_victim)
		fputs("Victim = t\n", stream);
	write_network(stream, "net-l3", wire);
	fputs("\n[ Module l3 ]\nType = Cache\nGeometry = l3\n"
	      "HighNetwork = net-l3\nLowNetwork = net-memory\n"
	      "LowModules = memory\n", stream);
}

enum { MOST_WIRE = 10 }; /* free */

/* Between cores and what they share: of the latency behind, this much each way is
 * on the wire, so that cores need not look at each other more often. Not where
 * there is no room for it. */
static unsigned wire_of(const struct x86_memory_figures *f, bool apart,
			unsigned third, double rest)
{
	double behind = f->third_kb ? (double)third : rest;

	unsigned wire = behind / 2 < MOST_WIRE ? (unsigned)(behind / 2)
					       : MOST_WIRE;

	return apart && wire >= X86_MEMORY_WIRE ? wire : 0;
}

void x86_memory_write(FILE *stream, const struct x86_memory_figures *f,
		      const char *name, unsigned frequency, unsigned load,
		      unsigned cores, bool apart)
{
	/* A row that is not open: activate, read, four cycles of data. */
	double devices = (2 * f->memory_cas + 4) * 1e3 / f->memory_clock;
	double rest = (f->memory_ns - devices) * frequency / 1e3 - WAY;
	unsigned second = f->second_cycles - load - CORE - WAY;
	/* A block on its way up takes the second level's latency again. */
	unsigned third = f->third_cycles - load - CORE - 2 * WAY - second;
	unsigned wire = wire_of(f, apart, third, rest);

	fprintf(stream, "; Caches and memory of %u %s core%s.\n[ General ]\n"
		"Frequency = %u\nPageSize = 4096\n", cores, name,
		cores == 1 ? "" : "s", frequency);
	write_geometry(stream, "l1i", f->first_kb, f->code_ways,
		       f->first_policy, 0, 4);
	write_geometry(stream, "l1d", f->first_kb, f->data_ways,
		       f->first_policy, 0, f->fill_buffers);
	write_prefetchers(stream, f, FIRST);
	write_geometry(stream, "l2", f->second_kb, f->second_ways,
		       f->second_policy, second, f->second_misses);
	write_prefetchers(stream, f, SECOND);
	write_devices(stream, f);
	for (unsigned i = 0; i < cores; i++)
		write_core(stream, i, f->third_kb ? "l3" : "memory");
	if (f->third_kb) {
		write_third(stream, f, third, wire);
		wire = 0;
	}
	rest -= 2 * wire;
	write_network(stream, "net-memory", wire);
	fprintf(stream, "\n[ Module memory ]\nType = MainMemory\n"
		"HighNetwork = net-memory\nBlockSize = 64\nLatency = %u\n"
		"DRAM = ddr\n", rest > 0 ? (unsigned)rest : 0);
}
