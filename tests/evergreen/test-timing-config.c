/* The GPU configuration: defaults, file, errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evergreen/timing/config.h"
#include "memsys/memsys.h"
#include "unit/harness.h"

static int read_text(const char *text, struct evg_config *config,
		     struct error *error)
{
	char path[] = "/tmp/m2s-config-XXXXXX";
	int file = mkstemp(path), status;

	CU_ASSERT_TRUE_FATAL(file >= 0);
	CU_ASSERT_EQUAL(write(file, text, strlen(text)),
			(ssize_t)strlen(text));
	close(file);
	status = evg_config_read(config, path, error);
	unlink(path);
	return status;
}

static void test_defaults(void)
{
	struct evg_config config;

	CU_ASSERT_EQUAL(evg_config_read(&config, NULL, NULL), 0);
	CU_ASSERT_EQUAL(config.compute_units, 20);
	CU_ASSERT_EQUAL(config.stream_cores, 16);
	CU_ASSERT_EQUAL(config.frequency, 850);
	/* 248 registers per lane for wavefronts (hd5870 figures, 2). */
	CU_ASSERT_EQUAL((config.registers - config.reserved_registers) / 64,
			248);
}

static void test_classic_file(void)
{
	struct evg_config config;
	struct error error = { "" };

	/* A file as Multi2Sim 4.2 wrote it. */
	CU_ASSERT_EQUAL(read_text("[ Device ]\nFrequency = 700\n"
				  "NumComputeUnits = 4\n"
				  "RegisterAllocGranularity = WorkGroup\n"
				  "SchedulingPolicy = Greedy\n"
				  "[ LocalMemory ]\nSize = 16384\n"
				  "[ ALUEngine ]\n"
				  "ProcessingElementLatency = 4\n",
				  &config, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_EQUAL(config.compute_units, 4);
	CU_ASSERT_EQUAL(config.policy, EVG_POLICY_GREEDY);
	CU_ASSERT_EQUAL(config.register_granularity,
			EVG_GRANULARITY_WORK_GROUP);
	CU_ASSERT_EQUAL(config.alu_latency, 4);
}

/* Published figures of the family, as the guide computes them. */
static void test_presets(void)
{
	static const struct {
		const char *name;
		double gflops, bandwidth; /* multiply-add; GB/s */
		bool doubles;
		uint32_t memory; /* MB */
		double clock;    /* of the memory, MHz */
	} chips[] = {
		{ "hd5870", 2720, 153.6, true, 1024, 1200 },
		{ "hd5850", 2088, 128, true, 1024, 1000 },
		{ "hd5770", 1360, 76.8, false, 1024, 1200 },
		{ "hd5670", 620, 64, false, 512, 1000 },
		{ "hd5450", 104, 12.8, false, 512, 800 },
		{ "llano", 480, 29.856, false, 512, 933 },
	};
	struct error error = { "" };
	struct evg_config config;

	for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
		CU_ASSERT_EQUAL(evg_config_read_preset(&config, chips[i].name,
						       NULL, NULL, &error), 0);
		CU_ASSERT_DOUBLE_EQUAL(config.compute_units *
					       config.stream_cores * 10 *
					       config.frequency / 1000,
				       chips[i].gflops, 0.01);
		CU_ASSERT_DOUBLE_EQUAL(config.channels *
					       config.channel_bandwidth,
				       chips[i].bandwidth, 0.01);
		CU_ASSERT_EQUAL(config.doubles, chips[i].doubles);
		CU_ASSERT_EQUAL(config.memory_size, chips[i].memory);
		CU_ASSERT_DOUBLE_EQUAL(memsys_devices_clock(&(
					       struct memsys_gpu){
					       .bandwidth =
						       config.channel_bandwidth,
					       .devices =
						       (enum memsys_devices)config
							       .memory_devices }),
				       chips[i].clock, 0.01);
	}
	CU_ASSERT_EQUAL(evg_config_read_preset(&config, "multi2sim-4.2", NULL, NULL,
					       &error), 0);
	CU_ASSERT_EQUAL(config.frequency, 700);
	CU_ASSERT_EQUAL(config.alu_latency, 4);
	CU_ASSERT_EQUAL(config.hierarchy, EVG_HIERARCHY_MULTI2SIM);
	/* What was measured under an SDK, unless the file says otherwise. */
	CU_ASSERT_EQUAL(config.launch_latency, 95.4);
	CU_ASSERT_EQUAL(config.readback_bandwidth, 3.01);
	CU_ASSERT_EQUAL(read_text("[ Host ]\nSdk = 2.4\n"
				  "ReadbackBandwidth = 0\n", &config,
				  &error), 0);
	CU_ASSERT_EQUAL(config.launch_latency, 192);
	CU_ASSERT_EQUAL(config.download_bandwidth, 4.59);
	CU_ASSERT_EQUAL(config.readback_bandwidth, 0);
	CU_ASSERT_EQUAL(read_text("[ Host ]\nLaunchLatency = 0\n", &config,
				  &error), 0);
	CU_ASSERT_EQUAL(config.launch_latency, 0);
	/* What a chip lacks no device with it has. */
	CU_ASSERT_EQUAL(read_text("[ Device ]\nPreset = hd5670\n"
				  "DoublePrecision = t\n", &config, &error),
			-1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ":3: [Device] "
				      "DoublePrecision"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "the chip redwood"));
	CU_ASSERT_EQUAL(read_text("[ Device ]\nPreset = hd5670\n"
				  "DoublePrecision = t\nChip = cypress\n",
				  &config, &error), 0);
	/* A file overrides single values, wherever it names the device. */
	CU_ASSERT_EQUAL(read_text("[ Device ]\nNumComputeUnits = 3\n"
				  "Preset = hd5770\n", &config, &error), 0);
	CU_ASSERT_EQUAL(config.compute_units, 3);
	CU_ASSERT_EQUAL(config.max_device_wavefronts, 248);
	CU_ASSERT_EQUAL(evg_config_read_preset(&config, "hd9999", NULL, NULL,
					       &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "--evg-preset hd9999"));
	CU_ASSERT_EQUAL(read_text("[ Device ]\nPreset = hd1\n", &config,
				  &error), -1);
	CU_ASSERT_EQUAL(read_text("[ Memory ]\nL2Slices = 3\n", &config,
				  &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "L2Slices = 3"));
	CU_ASSERT_EQUAL(read_text("[ Memory ]\nImageBanks = 6\n", &config,
				  &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ":2: [Memory] ImageBanks"));
	CU_ASSERT_EQUAL(read_text("[ Memory ]\nChannelBandwidth = 0.5\n",
				  &config, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Devices = Plain"));
	CU_ASSERT_EQUAL(read_text("[ Memory ]\nChannelBandwidth = 0.5\n"
				  "Devices = Plain\n", &config, &error), 0);
}

/* Every variable says where its default comes from, or that it is a choice;
 * and what its numbers are, unless they count something. */
static void test_sources(void)
{
	static const struct {
		const char *name, *unit, *doc;
	} variables[] = {
#define EVG_PRESET_CHOICES ""
#define EVG_CHIP_CHOICES ""
#define CONFIG(section, name, type, field, dflt, min, max, unit, doc)          \
	{ section "." name, unit, doc },
#include "evergreen/timing/config.def"
	};
	static const char *const sources[] = {
		"AMD", "SHOC", "Linux", "Mesa", "product data", "PCIe 2.0",
		"Multi2Sim 4.2", "choice", "preset.def",
	};
	static const char *const measured[] = { "Latency", "Cycles",
						"Bandwidth", "Size",
						"Frequency", "Rate" };

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		bool good = false;

		for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
			good |= strstr(variables[i].doc, sources[k]) != NULL;
		for (size_t k = 0; k < sizeof measured / sizeof *measured; k++)
			if (strstr(variables[i].name, measured[k]) &&
			    !*variables[i].unit &&
			    !strstr(variables[i].doc, "instructions") &&
			    !strstr(variables[i].doc, "wavefronts") &&
			    !strstr(variables[i].doc, "values") &&
			    !strstr(variables[i].doc, "registers") &&
			    !strstr(variables[i].doc, "work-items"))
				good = false;
		CU_ASSERT(good);
		if (!good)
			printf("# %s\n", variables[i].name);
	}
}

static void test_errors(void)
{
	struct evg_config config;
	struct error error = { "" };

	CU_ASSERT_EQUAL(read_text("[ Device ]\nWavefrontSize = 32\n", &config,
				  &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ":2: [Device] "
						  "WavefrontSize = 32"));
	CU_ASSERT_EQUAL(read_text("[ Device ]\nNumRegisters = 512\n", &config,
				  &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "ReservedRegisters"));
	CU_ASSERT_EQUAL(read_text("[ ALUEngin ]\n", &config, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "'ALUEngine'"));
	CU_ASSERT_EQUAL(evg_config_read(&config, "/nonexistent", &error), -1);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "defaults", test_defaults },
		{ "a classic file", test_classic_file },
		{ "presets", test_presets },
		{ "sources", test_sources },
		{ "errors", test_errors },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "GPU configuration", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
