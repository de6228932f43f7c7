/* Configuration files of the memory hierarchy, of networks and of the GPU:
 * refused with a message, or what they describe is built, and accesses,
 * messages or a kernel sent through it all come to their end. The first byte
 * says which kind and whether the rest is a file, or choices out of which
 * config-text.c makes one. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/emu/machine.h"
#include "evergreen/timing/timing.h"
#include "fuzz/config-text.h"
#include "fuzz/fuzz.h"
#include "memsys/memsys.h"
#include "network/traffic.h"

/* --- Files ---------------------------------------------------------------- */

/* The readers take a path. */
static char *write_file(const char *text, size_t size)
{
	const char *folder = getenv("TMPDIR");
	char *path = xasprintf("%s/fuzz-config-XXXXXX",
			       folder ? folder : "/tmp");
	int file = mkstemp(path);
	FILE *stream = file < 0 ? NULL : fdopen(file, "w");

	if (!stream || fwrite(text, 1, size, stream) != size ||
	    fclose(stream))
		fuzz_fail("cannot write %s", path);
	return path;
}

static void check_message(const struct error *error)
{
	if (!error->text[0])
		fuzz_fail("refused without a message");
	if (getenv("FUZZ_PRINT"))
		printf("; refused: %s\n", error->text);
}

/* --- Memory --------------------------------------------------------------- */

enum { CORES = 2, UNITS = 2, ACCESSES = 300 };

static void access_done(void *owner, uint64_t tag)
{
	uint64_t *done = owner;

	if (tag >= 64 * ACCESSES)
		fuzz_fail("an access ends with another's tag");
	++*done;
}

/* Accesses from all entries, to a few blocks that they share. */
static void drive(struct event_queue *events, struct memsys *memsys,
		  struct choices *choices)
{
	static const enum memsys_access_kind kinds[] = {
		MEMSYS_LOAD, MEMSYS_LOAD, MEMSYS_STORE, MEMSYS_NC_STORE,
		MEMSYS_ATOMIC, MEMSYS_PREFETCH,
	};
	uint64_t done = 0, started = 0, steps = 0;

	while (done < ACCESSES) {
		bool unit = choose(choices, 2);
		struct module *entry = memsys_entry(
			memsys, unit ? MEMSYS_EVERGREEN : MEMSYS_X86,
			choose(choices, unit ? UNITS : CORES), 0);
		uint32_t address = 4 * choose(choices, 1024) +
				   0x10000 * choose(choices, 4);

		if (started < ACCESSES &&
		    module_access(entry, kinds[choose(choices,
						      ARRAY_SIZE(kinds))],
				  address, 4, access_done, &done, started,
				  NULL)) {
			started++;
			continue;
		}
		/* Refresh and other work without end would be found here. */
		if (!event_queue_step(events) || steps++ > 20000000)
			fuzz_fail("%llu of %d accesses end",
				  (unsigned long long)done, ACCESSES);
	}
	while (memsys_pending(memsys))
		if (!event_queue_step(events))
			fuzz_fail("%llu accesses are left over",
				  (unsigned long long)memsys_pending(memsys));
}

static void run_memory(const char *path, struct choices *choices)
{
	struct event_queue *events = event_queue_create();
	struct memsys_options options = {
		.mem_config = path,
		.x86_cores = CORES,
		.x86_threads = 1,
		.compute_units = UNITS,
	};
	struct error error = { "" };
	struct memsys *memsys = memsys_create(events, &options, &error);

	if (memsys) {
		drive(events, memsys, choices);
		memsys_free(memsys);
	} else {
		check_message(&error);
	}
	event_queue_free(events);
}

/* --- Networks ------------------------------------------------------------- */

static void send_messages(struct network *network, struct choices *choices)
{
	struct network_traffic_options options = {
		.pattern = choose(choices, 2)
				   ? NETWORK_PATTERN_UNIFORM
				   : choose(choices, NETWORK_PATTERN_COUNT),
		.poisson = choose(choices, 2),
		.rate = 0.01 + choose(choices, 100) / 100.0 * 0.99,
		.size = 1u << choose(choices, 8),
		.cycles = 200,
		.warm_up = 20,
		.seed = choose(choices, 256),
		.hotspot_fraction = 0.2,
		.burst_length = 8,
	};
	struct network_traffic_result result;
	struct network_analysis analysis;
	struct error error = { "" };

	if (network_analyse(network, &options, &analysis, &error)) {
		check_message(&error);
		return;
	}
	if (network_traffic(network, &options, &result, &error)) {
		check_message(&error);
		if (network_pending(network))
			fuzz_fail("%s", error.text);
	}
}

static void run_network(const char *path, struct choices *choices)
{
	struct event_queue *events = event_queue_create();
	struct network_set set = { 0 };
	struct error error = { "" };
	struct ini *ini = ini_read(path, &error);

	if (!ini || networks_read(&set, events, NULL, ini, &error))
		check_message(&error);
	else if (set.count)
		send_messages(set.networks[0], choices);
	networks_free(&set);
	if (ini)
		ini_free(ini);
	event_queue_free(events);
}

/* --- GPU ------------------------------------------------------------------ */

/* Loads in a loop that wavefronts leave at different times, local memory, a
 * barrier, atomics of some work-items, and a store. */
static const char kernel[] =
	".kernel work\n.registers 4\n.stack 2\n.local 256\n"
	".argument global \"int*\" data\n"
	"ALU: KCACHE0(CB0:0-31)\n"
	"0 t: MULLO_INT R0.y, KC0[1].z, R1.x\n"
	"1 w: ADD_INT R0.w, PS, R0.x\n"
	"2 w: AND_INT R1.w, PV.w, 3\n"
	"3 y: MOV R0.y, 0\n"
	"  z: ADD_INT R0.z, PV.w, 1\n"
	"  w: MOV R1.w, KC0[2].y\n"
	"  t: MULLO_INT R1.x, R0.w, 17\n"
	"LOOP_DX10 i0 FAIL_JUMP_ADDR(@left)\n"
	"@loop:\n"
	"ALU:\n"
	"4 w: AND_INT R2.w, R1.x, 0x3ff\n"
	"5 w: LSHL R2.w, PV.w, 2\n"
	"6 x: ADD_INT R2.x, R1.w, PV.w\n"
	"TEX:\n"
	"VFETCH R2.x___, R2.x, fc1 MEGA(5) FORMAT(32) "
	"FETCH_TYPE(NO_INDEX_OFFSET)\n"
	"ALU_PUSH_BEFORE:\n"
	"7 z: ADD_INT R0.z, R0.z, 0xffffffff\n"
	"8 y: ADD_INT R0.y, R2.x, R0.y\n"
	"9 x: ADD_INT R1.x, R1.x, 64\n"
	"  w: SETE_INT R2.w, R0.z, 0\n"
	"10 x: PREDNE_INT ____, PV.w, 0 UPDATE_EXEC_MASK\n"
	"JUMP POP_CNT(1) ADDR(@end)\n"
	"LOOP_BREAK ADDR(@end)\n"
	"POP (1) ADDR(@end)\n"
	"@end:\n"
	"ENDLOOP i0 PASS_JUMP_ADDR(@loop)\n"
	"@left:\n"
	"ALU:\n"
	"11 w: LSHL R2.w, R0.x, 2\n"
	"12 x: LDS_WRITE R2.w, R0.y\n"
	"13 x: GROUP_BARRIER\n"
	"ALU_PUSH_BEFORE:\n"
	"14 x: LDS_READ_RET QA, R2.w\n"
	"15 x: MOV R0.x, QA.pop\n"
	"16 w: AND_INT R2.w, R0.w, 1\n"
	"17 x: PREDNE_INT ____, PV.w, 0 UPDATE_EXEC_MASK\n"
	"JUMP POP_CNT(1) ADDR(@even)\n"
	"ALU:\n"
	"18 w: AND_INT R2.w, R0.w, 6\n"
	"19 w: LSHL R2.w, PV.w, 2\n"
	"20 w: ADD_INT R2.w, R1.w, PV.w\n"
	"21 x: LSHR R1.x, PV.w, 2\n"
	"   t: MOV R2.x, R0.x\n"
	"MEM_RAT_ADD: RAT(0)[R1], R2, ARRAY_SIZE(0)\n"
	"POP (1) ADDR(@even)\n"
	"@even:\n"
	"ALU:\n"
	"22 w: LSHL R0.w, R0.w, 2\n"
	"23 w: ADD_INT R0.w, R1.w, PV.w\n"
	"24 w: ADD_INT R0.w, PV.w, 0x1000\n"
	"25 x: LSHR R1.x, PV.w, 2\n"
	"MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R0, ARRAY_SIZE(0)\n"
	"NOP\nEND_OF_PROGRAM\n";

enum { DATA = 64 << 10, WORK_ITEMS = 512, LOCAL = 64, ARGUMENT = 9 };

struct gpu {
	struct event_queue *events;
	struct islands *islands;
	struct memsys *memsys;
	struct evg_timing *timing;
	struct evg_memory *memory;
};

static void run_kernel(struct gpu *gpu, struct choices *choices)
{
	uint32_t arguments[64] = { 0 };
	struct error error = { "" };
	struct evg_program *program =
		evg_assemble("kernel", kernel, strlen(kernel), &error);
	struct evg_timing_limits limits = { 0 };
	struct evg_launch launch = {
		.memory = gpu->memory,
		.work_dim = 1,
		.global_size = { WORK_ITEMS, 1, 1 },
		.local_size = { LOCAL << choose(choices, 3), 1, 1 },
		.arguments = (const uint8_t *)arguments,
	};
	struct evg_ndrange *ndrange;

	if (!program)
		fuzz_fail("%s", error.text);
	launch.kernel = &program->kernels[0];
	launch.local_memory = 4 * launch.local_size[0];
	arguments[ARGUMENT] = evg_memory_allocate(gpu->memory, DATA, false,
						  "data");
	ndrange = evg_ndrange_create(&launch, &error);
	if (!ndrange)
		fuzz_fail("%s", error.text);
	if (evg_timing_run(gpu->timing, ndrange, &limits, &error)) {
		check_message(&error);
		if (evg_timing_hangs(gpu->timing) &&
		    !strstr(error.text, "WatchdogCycles"))
			fuzz_fail("%s", error.text);
	}
	evg_ndrange_free(ndrange);
	evg_program_free(program);
}

static void run_device(const char *path, struct choices *choices)
{
	struct gpu gpu = { 0 };
	struct evg_config config;
	struct memsys_gpu shape;
	struct memsys_options options = { .gpu = &shape };
	struct error error = { "" };

	if (evg_config_read(&config, path, &error)) {
		check_message(&error);
		return;
	}
	shape = (struct memsys_gpu){
		.classic = config.hierarchy == EVG_HIERARCHY_MULTI2SIM,
		.frequency = config.frequency,
		.l1 = config.l1_size,
		.channels = config.channels,
		.l2_slices = evg_config_slices(&config),
		.l2_slice = config.l2_slice,
		.bandwidth = config.channel_bandwidth,
		.devices = (enum memsys_devices)config.memory_devices,
	};
	options.compute_units = config.compute_units;
	gpu.events = event_queue_create();
	gpu.islands = islands_create(gpu.events);
	if (choose(choices, 2)) {
		options.islands = gpu.islands;
		options.window = evg_timing_window(&config);
		evg_timing_together(&config, options.units_together);
	}
	gpu.memsys = memsys_create(gpu.events, &options, &error);
	if (gpu.memsys)
		gpu.timing = evg_timing_create(&config, gpu.events, gpu.memsys,
					       &error);
	gpu.memory = evg_memory_create(1 << 20, NULL);
	if (gpu.timing)
		run_kernel(&gpu, choices);
	else
		check_message(&error);
	evg_timing_free(gpu.timing);
	memsys_free(gpu.memsys);
	islands_free(gpu.islands);
	event_queue_free(gpu.events);
	evg_memory_free(gpu.memory);
}

/* -------------------------------------------------------------------------- */

static void (*const run[])(const char *path, struct choices *choices) = {
	run_memory, run_network, run_device,
};

static void generate(size_t kind, struct choices *choices, FILE *stream)
{
	if (kind == 0)
		write_memory_config(choices, CORES, UNITS, stream);
	else if (kind == 1)
		write_network_config(choices, stream);
	else
		write_device_config(choices, stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices;
	size_t kind;
	char *path;

	if (!size)
		return 0;
	kind = data[0] % ARRAY_SIZE(run);
	choices = choices_begin(data + 1, size - 1);
	if (data[0] & 0x80) {
		path = write_file((const char *)data + 1, size - 1);
	} else {
		char *text;
		size_t length;
		FILE *stream = open_memstream(&text, &length);

		generate(kind, &choices, stream);
		fclose(stream);
		if (getenv("FUZZ_PRINT"))
			fwrite(text, 1, length, stdout);
		path = write_file(text, length);
		free(text);
	}
	run[kind](path, &choices);
	remove(path);
	free(path);
	return 0;
}
