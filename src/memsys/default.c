/* The built-in memory configuration, written as the INI file that a user would
 * write, so that there is one reader and one truth to look at. */
#include "memsys/memsys.h"

#include <math.h>
#include <string.h>

/* Figures tagged "documented" come from AMD's OpenCL optimization guide for
 * the Radeon HD 5870; all others are choices. */
static const char gpu_head[] =
	"; Caches and memory of a Radeon HD 5870 (Cypress), 850 MHz.\n"
	"; Documented by AMD: 8 KB L1 per compute unit with 64 B per clock; "
	"512 KB L2 as\n"
	"; 8 slices of 64 KB with 64 B per clock each; 8 channels of 32-bit "
	"GDDR5 at\n"
	"; 4.8 Gbit/s per pin = 19.2 GB/s = 22.6 B per core clock each; "
	"channel = byte\n"
	"; address bits 10:8; a load from memory takes 300 to 600 clocks.\n"
	"; Not documented, chosen here: line sizes, ways, policies, MSHRs, "
	"buffers, and\n"
	"; how the latency divides: a load that misses everywhere takes 439 "
	"clocks when\n"
	"; nothing else runs, one that hits the L2 227, one that hits the L1 "
	"60. Atomics\n"
	"; to one word follow each other after 18 clocks, as measured on a "
	"smaller part\n"
	"; of the family.\n";

static const struct memsys_gpu hd5870 = {
	.frequency = 850, .l1 = 8192, .channels = 8, .l2_slices = 8,
	.l2_slice = 65536, .bandwidth = 19.2,
	.devices = MEMSYS_DEVICES_GDDR5,
};

/* Only the differences from it are written. */
static void write_head(FILE *stream, const struct memsys_gpu *gpu)
{
	if (!memcmp(gpu, &hd5870, sizeof hd5870)) {
		fputs(gpu_head, stream);
		return;
	}
	fprintf(stream,
		"; Caches and memory of a GPU of the Radeon HD 5000 series: "
		"%u channels of %g GB/s,\n"
		"; L2 of %u x %u KB; otherwise as samples/memory/"
		"evg-hd5870.ini, which has the\n; sources.\n",
		gpu->channels, gpu->bandwidth, gpu->l2_slices,
		gpu->l2_slice / 1024);
}

static const char gpu_geometry[] =
	"\n[ CacheGeometry evg-l1 ]\n"
	"Sets = %u\nAssoc = 4\nBlockSize = 64\nLatency = 60\n"
	"DirectoryLatency = 1\nPolicy = LRU\nMSHR = 128\n"
	"Ports = 4 ; documented: four addresses per clock\n"
	"Coherent = f ; the texture path is read-only\n"
	"; as many dwords as a compute unit's share of the export buffer\n"
	"WriteBufferSize = 304\nWriteCombineDelay = 8\n"
	"\n[ CacheGeometry evg-l2 ]\n"
	"Sets = %u\nAssoc = 8\nBlockSize = 64\nLatency = 32\n"
	"DirectoryLatency = %u\nPolicy = LRU\nMSHR = 256\nPorts = 2\n"
	"Coherent = f\n"
	"; 16 dwords a clock in all: SHOC measures 52.1 GB/s of stores of a dword\n"
	"StoreElements = 2\n"
	"\n; A crossbar: wires from each L1 to each slice and back, each with "
	"room for 36 lines\n; where it ends, and a multiplexer there. 64 B of "
	"data and an 8-byte header per clock\n; on every link.\n"
	"[ Network evg-net-l1-l2 ]\n"
	"Links = Direct\n%s"
	"DefaultInputBufferSize = 2592\nDefaultOutputBufferSize = 576\n"
	"DefaultBandwidth = 72\nDefaultLatency = 64\n";

/* Cycles from a slice to its channel. */
enum { MEMORY_WIRE = 32 };

static const char gpu_memory_network[] =
	"\n; each slice has its channel; the input buffers cover the 68 "
	"clocks that a message\n; and the news of its room are on their way\n"
	"[ Network evg-net-l2-gm ]\n"
	"Links = Direct\n"
	"DefaultInputBufferSize = 4896\nDefaultOutputBufferSize = 576\n"
	"DefaultBandwidth = 72\nDefaultLatency = %d\n";

/* --- Devices -------------------------------------------------------------- */

enum { BUS_BYTES = 4, BURST = 8 }; /* both kinds */

/* A time in ns, and in cycles of the clock of those devices whose data sheet
 * is meant; it is that time at other clocks, rounded up. */
struct device_time {
	const char *name;
	double ns;
};

/* Which of 1 Gbit x32, as config.def has them at 1200 MHz. */
static const struct device_time gddr5_times[] = {
	{ "tCAS", 16 / 1.2 }, { "tRCD", 12 }, { "tRP", 12 }, { "tRAS", 28 },
	{ "tRC", 40 },	      { "tRRD", 6 },  { "tFAW", 23 }, { "tWR", 12 },
	{ "tWTR", 5 },	      { "tREFI", 3900 }, { "tRFC", 65 }, { NULL, 0 },
};

/* Two of 1 Gbit x16, 11-11-11 at 800 MHz: JESD79-3. */
static const struct device_time ddr3_times[] = {
	{ "tCAS", 13.75 }, { "tCWL", 10 },   { "tRCD", 13.75 },
	{ "tRP", 13.75 },  { "tRAS", 35 },   { "tRC", 48.75 },
	{ "tRRD", 7.5 },   { "tFAW", 40 },   { "tWR", 15 },
	{ "tWTR", 7.5 },   { "tRTP", 7.5 },  { "tREFI", 7800 },
	{ "tRFC", 110 },   { NULL, 0 },
};

static const struct devices {
	const char *name, *geometry;
	const struct device_time *times;
	unsigned rate; /* transfers in a cycle */
} all_devices[] = {
	[MEMSYS_DEVICES_GDDR5] = {
		"gddr5",
		"AddressMapping = row column:3 bank:2 group:2 %s"
		"column:8\n",
		gddr5_times, 4 },
	[MEMSYS_DEVICES_DDR3] = {
		"ddr3",
		"DataRate = 2\nBankGroups = 1\nBanks = 8\nRows = 8192\n"
		"Columns = 1024\n"
		"AddressMapping = row column:4 bank:3 %scolumn:8\n"
		"tCCD = 4\ntCCDL = 4\n",
		ddr3_times, 2 },
};

double memsys_devices_clock(const struct memsys_gpu *gpu)
{
	if (gpu->devices == MEMSYS_DEVICES_PLAIN)
		return 0;
	return 1e3 * gpu->bandwidth /
	       (BUS_BYTES * all_devices[gpu->devices].rate);
}

static unsigned cycles_of(double ns, double clock)
{
	double cycles = ceil(ns * clock / 1e3 - 1e-6);

	return cycles < 1 ? 1 : (unsigned)cycles;
}

static void write_devices(FILE *stream, const struct memsys_gpu *gpu)
{
	const struct devices *devices = &all_devices[gpu->devices];
	double clock = memsys_devices_clock(gpu);
	/* Address bits that are the same in all blocks of a channel choose
	 * no bank of it. */
	int same = __builtin_ctz(gpu->channels);
	char module[16] = "";

	fprintf(stream,
		"\n; bank = address bits 14:11, requests to one bank are "
		"served one after the other\n; (documented); group and bank "
		"within these bits, and the columns above: choices\n"
		"[ DRAM evg-%s ]\nFrequency = %g\nStarvationLimit = 0\n",
		devices->name, clock);
	if (same)
		snprintf(module, sizeof module, "module:%d ", same);
	fprintf(stream, devices->geometry, module);
	/* The reader's defaults are those of the HD 5870. */
	if (gpu->devices == hd5870.devices &&
	    gpu->bandwidth == hd5870.bandwidth)
		return;
	for (const struct device_time *time = devices->times; time->name;
	     time++)
		fprintf(stream, "%s = %u\n", time->name,
			cycles_of(time->ns, clock));
}

/* Core cycles from an activate to the last data of a burst. */
static unsigned device_latency(const struct memsys_gpu *gpu)
{
	const struct devices *devices = &all_devices[gpu->devices];
	double clock = memsys_devices_clock(gpu), cycles;

	if (gpu->devices == MEMSYS_DEVICES_PLAIN)
		return 0;
	cycles = BURST / devices->rate;
	for (const struct device_time *time = devices->times; time->name;
	     time++)
		if (!strcmp(time->name, "tRCD") || !strcmp(time->name, "tCAS"))
			cycles += cycles_of(time->ns, clock);
	return (unsigned)(cycles * gpu->frequency / clock);
}

/* --- Everything ------------------------------------------------------------ */

/* Of a load that misses everywhere, behind the L2's link. */
enum { MEMORY_LATENCY = 142 };

enum { L1_SET_BYTES = 4 * 64, L2_SET_BYTES = 8 * 64 };

/* The first level and the entries. `clock` and `coherent`: a line, or "". */
static void write_first_level(FILE *stream, const struct memsys_gpu *gpu,
			      unsigned compute_units, const char *clock,
			      const char *coherent)
{
	for (unsigned i = 0; i < compute_units; i++) {
		fprintf(stream,
			"\n[ Module evg-l1-%u ]\n"
			"Type = Cache\nGeometry = evg-l1\n%s"
			"LowNetwork = evg-net-l1-l2\nLowModules =", i, clock);
		for (unsigned j = 0; j < gpu->l2_slices; j++)
			fprintf(stream, " evg-l2-%u", j);
		fprintf(stream,
			"\n\n[ Entry evg-%u ]\n"
			"Arch = Evergreen\nComputeUnit = %u\n"
			"Module = evg-l1-%u\n%s", i, i, i, coherent);
	}
}

/* A slice up to its LowModules. */
static void write_slice(FILE *stream, unsigned slice, const char *clock,
			const char *network)
{
	fprintf(stream,
		"\n[ Module evg-l2-%u ]\n"
		"Type = Cache\nGeometry = evg-l2\n%s"
		"HighNetwork = evg-net-l1-l2\n"
		"LowNetwork = %s\nLowModules =", slice, clock, network);
}

static void write_range(FILE *stream, unsigned count, unsigned number)
{
	fprintf(stream, "\nAddressRange = ADDR DIV 256 MOD %u EQ %u\n", count,
		number);
}

static void write_gpu(FILE *stream, const struct memsys_gpu *gpu,
		      unsigned compute_units)
{
	bool devices = gpu->devices != MEMSYS_DEVICES_PLAIN;
	unsigned in_devices = device_latency(gpu);

	fprintf(stream, gpu_geometry, gpu->l1 / L1_SET_BYTES,
		gpu->l2_slice / L2_SET_BYTES, 1, "");
	fprintf(stream, gpu_memory_network, MEMORY_WIRE);
	if (devices)
		write_devices(stream, gpu);
	write_first_level(stream, gpu, compute_units, "", "");
	for (unsigned i = 0; i < gpu->l2_slices; i++) {
		write_slice(stream, i, "", "evg-net-l2-gm");
		/* A slice has one channel, but the range of a channel with
		 * several slices is not that of one slice alone. */
		for (unsigned j = 0; j < gpu->channels; j++)
			if (gpu->l2_slices > gpu->channels || i == j)
				fprintf(stream, " evg-gm-%u", j);
		write_range(stream, gpu->l2_slices, i);
	}
	for (unsigned i = 0; i < gpu->channels; i++) {
		fprintf(stream,
			"\n[ Module evg-gm-%u ]\n"
			"Type = MainMemory\n"
			"HighNetwork = evg-net-l2-gm\n"
			"BlockSize = 64\nLatency = %u\nPorts = 2\n", i,
			in_devices < MEMORY_LATENCY
				? MEMORY_LATENCY - in_devices
				: 0);
		if (devices)
			fprintf(stream, "DRAM = evg-%s\n",
				all_devices[gpu->devices].name);
		else
			fprintf(stream, "Bandwidth = %.1f\nBurstSize = 32\n",
				1e3 * gpu->bandwidth / gpu->frequency);
		fprintf(stream,
			"AtomicLatency = 18\n"
			"AddressRange = ADDR DIV 256 MOD %u EQ %u\n",
			gpu->channels, i);
	}
}

/* What a load of the GPU's takes from a slice's link to its answer when the GPU has
 * memory of its own, less what this memory takes: cycles. */
static unsigned longer_way(const struct memsys_gpu *gpu, double nanoseconds)
{
	double cycles = 2 * MEMORY_WIRE + MEMORY_LATENCY -
			nanoseconds * gpu->frequency / 1e3;

	return cycles > 1 ? (unsigned)cycles : 1;
}

/* Llano's Fusion Control Link (Onion): 128 bits each way at 650 MHz, to the queue
 * in which the cores' requests are ordered (Real World Technologies, "AMD Fusion
 * Architecture and Llano"; the clock is that of notebooks' chips). 18 bytes a cycle
 * are 16 of data, as messages have a header of 8 beside a block. Lines in flight:
 * free. */
static const char coherent_path[] =
	"\n; The coherent way to programs' memory: 16 bytes of data a cycle each "
	"way. At\n; its end lines are tracked, as those that cores have.\n"
	"[ CacheGeometry evg-coherent ]\n"
	"Sets = 1\nAssoc = 64\nBlockSize = 64\nLatency = %u\nPolicy = LRU\n"
	"MSHR = 64\nPorts = 4\nCoherent = f\nWriteBufferSize = 64\n"
	"\n[ CacheGeometry evg-coherent-end ]\n"
	"Sets = 1\nAssoc = 64\nBlockSize = 64\nLatency = 1\nPolicy = LRU\n"
	"MSHR = 64\nPorts = 4\n"
	"\n[ Network evg-net-coherent ]\nFrequency = 650\nLinks = Direct\n"
	"DefaultInputBufferSize = 2304\nDefaultOutputBufferSize = 2304\n"
	"DefaultBandwidth = 18\n"
	"\n[ Module evg-coherent ]\nType = Cache\nGeometry = evg-coherent\n"
	"Frequency = 650\nLowNetwork = evg-net-coherent\n"
	"LowModules = evg-coherent-end\n"
	"\n[ Module evg-coherent-end ]\nType = Cache\n"
	"Geometry = evg-coherent-end\nFrequency = 650\n"
	"HighNetwork = evg-net-coherent\n"
	"LowNetwork = %s\nLowModules = %s\n";

/* Cycles of 650 MHz. With them a load takes what it takes on the other way. */
enum { COHERENT_LATENCY = 425 };

void memsys_write_gpu_above(FILE *stream, const struct memsys_gpu *gpu,
			    unsigned compute_units,
			    const struct memsys_common *common)
{
	char clock[48];

	snprintf(clock, sizeof clock, "Frequency = %g\n", gpu->frequency);
	fputs("\n; The GPU, in the same memory. A slice's DirectoryLatency has "
	      "the rest of its\n; longer way there.\n", stream);
	fprintf(stream, gpu_geometry, gpu->l1 / L1_SET_BYTES,
		gpu->l2_slice / L2_SET_BYTES,
		longer_way(gpu, common->nanoseconds), clock);
	fprintf(stream, coherent_path, COHERENT_LATENCY, common->network,
		common->module);
	write_first_level(stream, gpu, compute_units, clock,
			  "CoherentModule = evg-coherent\n");
	for (unsigned i = 0; i < gpu->l2_slices; i++) {
		write_slice(stream, i, clock, common->network);
		fprintf(stream, " %s", common->module);
		write_range(stream, gpu->l2_slices, i);
	}
}

static const char classic_head[] =
	"; The Evergreen memory hierarchy that Multi2Sim 4.2 builds when no "
	"file is given:\n"
	"; for comparison with results obtained there. The chip itself is in\n"
	"; evg-hd5870.ini; this one has four times its L2 and a quarter of its "
	"latency.\n";

static const char classic_geometry[] =
	"\n[ CacheGeometry evg-geo-l1 ]\n"
	"Sets = 32\nAssoc = 4\nBlockSize = 64\nLatency = 1\nPolicy = LRU\n"
	"\n[ CacheGeometry evg-geo-l2 ]\n"
	"Sets = 256\nAssoc = 8\nBlockSize = 256\nLatency = 10\n"
	"Policy = LRU\n"
	"\n[ Network evg-net-l1-l2 ]\n"
	"DefaultInputBufferSize = 528\nDefaultOutputBufferSize = 528\n"
	"DefaultBandwidth = 264\n"
	"\n[ Network evg-net-l2-gm ]\n"
	"DefaultInputBufferSize = 528\nDefaultOutputBufferSize = 528\n"
	"DefaultBandwidth = 264\n";

/* The default of Multi2Sim 4.2. */
static void write_classic(FILE *stream, unsigned compute_units)
{
	fputs(classic_geometry, stream);
	for (unsigned i = 0; i < compute_units; i++)
		fprintf(stream,
			"\n[ Module evg-l1-%u ]\n"
			"Type = Cache\nGeometry = evg-geo-l1\n"
			"LowNetwork = evg-net-l1-l2\n"
			"LowModules = evg-l2-0 evg-l2-1 evg-l2-2 evg-l2-3\n"
			"\n[ Entry evg-%u ]\n"
			"Arch = Evergreen\nComputeUnit = %u\n"
			"Module = evg-l1-%u\n", i, i, i, i);
	for (unsigned i = 0; i < 4; i++)
		fprintf(stream,
			"\n[ Module evg-l2-%u ]\n"
			"Type = Cache\nGeometry = evg-geo-l2\n"
			"HighNetwork = evg-net-l1-l2\n"
			"LowNetwork = evg-net-l2-gm\n"
			"LowModules = evg-gm-0 evg-gm-1 evg-gm-2 evg-gm-3\n"
			"AddressRange = ADDR DIV 256 MOD 4 EQ %u\n", i, i);
	for (unsigned i = 0; i < 4; i++)
		fprintf(stream,
			"\n[ Module evg-gm-%u ]\n"
			"Type = MainMemory\n"
			"HighNetwork = evg-net-l2-gm\n"
			"BlockSize = 256\nLatency = 100\n"
			"DirectorySize = 128\nDirectoryAssoc = 8\n"
			"AddressRange = ADDR DIV 256 MOD 4 EQ %u\n", i, i);
}

/* The classic default: per core a unified L1, one L2, one memory. */
static void write_x86(FILE *stream, unsigned cores, unsigned threads)
{
	fputs("\n[ CacheGeometry x86-l1 ]\n"
	      "Sets = 16\nAssoc = 2\nBlockSize = 64\nLatency = 1\n"
	      "Policy = LRU\n"
	      "\n[ CacheGeometry x86-l2 ]\n"
	      "Sets = 64\nAssoc = 4\nBlockSize = 64\nLatency = 10\n"
	      "Policy = LRU\n"
	      "\n[ Network x86-net-l1-l2 ]\n"
	      "DefaultInputBufferSize = 144\nDefaultOutputBufferSize = 144\n"
	      "DefaultBandwidth = 72\nFrequency = 1000\n"
	      "\n[ Network x86-net-l2-mm ]\n"
	      "DefaultInputBufferSize = 528\nDefaultOutputBufferSize = 528\n"
	      "DefaultBandwidth = 264\nFrequency = 1000\n",
	      stream);
	for (unsigned i = 0; i < cores; i++) {
		fprintf(stream,
			"\n[ Module x86-l1-%u ]\n"
			"Type = Cache\nGeometry = x86-l1\nFrequency = 1000\n"
			"LowNetwork = x86-net-l1-l2\nLowModules = x86-l2\n",
			i);
		for (unsigned j = 0; j < threads; j++)
			fprintf(stream,
				"\n[ Entry x86-core-%u-thread-%u ]\n"
				"Arch = x86\nCore = %u\nThread = %u\n"
				"Module = x86-l1-%u\n", i, j, i, j, i);
	}
	fputs("\n[ Module x86-l2 ]\n"
	      "Type = Cache\nGeometry = x86-l2\nFrequency = 1000\n"
	      "HighNetwork = x86-net-l1-l2\nLowNetwork = x86-net-l2-mm\n"
	      "LowModules = x86-mm\n"
	      "\n[ Module x86-mm ]\n"
	      "Type = MainMemory\nFrequency = 1000\n"
	      "HighNetwork = x86-net-l2-mm\n"
	      "BlockSize = 64\nLatency = 100\n",
	      stream);
}

void memsys_default(FILE *stream, const struct memsys_options *options)
{
	const struct memsys_gpu *gpu = options->gpu ? options->gpu : &hd5870;
	unsigned threads = options->x86_threads ? options->x86_threads : 1;

	if (options->compute_units && gpu->classic)
		fputs(classic_head, stream);
	else if (options->compute_units)
		write_head(stream, gpu);
	fprintf(stream, "[ General ]\nFrequency = %g\n",
		options->compute_units && !gpu->classic ? gpu->frequency
							: 1000);
	if (options->compute_units && gpu->classic)
		write_classic(stream, options->compute_units);
	else if (options->compute_units)
		write_gpu(stream, gpu, options->compute_units);
	if (options->x86_cores)
		write_x86(stream, options->x86_cores, threads);
}
