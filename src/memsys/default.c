/* The built-in memory configuration, written as the INI file that a user would
 * write, so that there is one reader and one truth to look at. */
#include "memsys/memsys.h"

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
	"; nothing else runs, one that hits the L2 163, one that hits the L1 "
	"60. Atomics\n"
	"; to one word follow each other after 16 clocks: measured (one per "
	"16 to 18\n"
	"; clocks) on a smaller part of the family.\n";

static const char gpu_geometry[] =
	"\n[ CacheGeometry evg-l1 ]\n"
	"Sets = 32\nAssoc = 4\nBlockSize = 64\nLatency = 60\n"
	"DirectoryLatency = 1\nPolicy = LRU\nMSHR = 128\n"
	"Ports = 4 ; documented: four addresses per clock\n"
	"Coherent = f ; the texture path is read-only\n"
	"WriteBufferSize = 32\nWriteCombineDelay = 8\n"
	"\n[ CacheGeometry evg-l2 ]\n"
	"Sets = 128\nAssoc = 8\nBlockSize = 64\nLatency = 80\n"
	"DirectoryLatency = 1\nPolicy = LRU\nMSHR = 256\nPorts = 2\n"
	"Coherent = f\n"
	"\n; 64 B of data and an 8-byte header per clock on every link; the "
	"buffers cover\n; the 5 clocks that a message is on its way\n"
	"[ Network evg-net-l1-l2 ]\n"
	"DefaultInputBufferSize = 576\nDefaultOutputBufferSize = 576\n"
	"DefaultBandwidth = 72\nDefaultLatency = 4\n"
	"\n[ Network evg-net-l2-gm ]\n"
	"DefaultInputBufferSize = 576\nDefaultOutputBufferSize = 576\n"
	"DefaultBandwidth = 72\nDefaultLatency = 4\n";

enum { CHANNELS = 8 };

static void write_gpu(FILE *stream, unsigned compute_units)
{
	fputs(gpu_geometry, stream);
	for (unsigned i = 0; i < compute_units; i++) {
		fprintf(stream,
			"\n[ Module evg-l1-%u ]\n"
			"Type = Cache\nGeometry = evg-l1\n"
			"LowNetwork = evg-net-l1-l2\nLowModules =", i);
		for (int j = 0; j < CHANNELS; j++)
			fprintf(stream, " evg-l2-%d", j);
		fprintf(stream,
			"\n\n[ Entry evg-%u ]\n"
			"Arch = Evergreen\nComputeUnit = %u\n"
			"Module = evg-l1-%u\n", i, i, i);
	}
	for (int i = 0; i < CHANNELS; i++)
		fprintf(stream,
			"\n[ Module evg-l2-%d ]\n"
			"Type = Cache\nGeometry = evg-l2\n"
			"HighNetwork = evg-net-l1-l2\n"
			"LowNetwork = evg-net-l2-gm\n"
			"LowModules = evg-gm-%d\n"
			"AddressRange = ADDR DIV 256 MOD 8 EQ %d\n", i, i, i);
	for (int i = 0; i < CHANNELS; i++)
		fprintf(stream,
			"\n[ Module evg-gm-%d ]\n"
			"Type = MainMemory\n"
			"HighNetwork = evg-net-l2-gm\n"
			"BlockSize = 64\nLatency = 250\nPorts = 2\n"
			"Bandwidth = 22.6\nBurstSize = 32\n"
			"AtomicLatency = 16\n"
			"AddressRange = ADDR DIV 256 MOD 8 EQ %d\n", i, i);
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

void memsys_default(FILE *stream, unsigned x86_cores, unsigned x86_threads,
		    unsigned compute_units)
{
	if (compute_units)
		fputs(gpu_head, stream);
	fprintf(stream, "[ General ]\nFrequency = %u\n",
		compute_units ? 850 : 1000);
	if (compute_units)
		write_gpu(stream, compute_units);
	if (x86_cores)
		write_x86(stream, x86_cores, x86_threads ? x86_threads : 1);
}
