#include "evergreen/timing/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/config-file.h"
#include "base/memory.h"
#include "evergreen/isa/chip.h"
#include "memsys/memsys.h"

static const char preset_choices[] =
#define PRESET(id, name, ...) "|" name
#define PRESET_VALUE(...)
#include "evergreen/timing/preset.def"
	;
#define EVG_PRESET_CHOICES (preset_choices + 1)

static const char chip_choices[] =
#define CHIP(id, name, ...) "|" name
#include "evergreen/isa/chip.def"
	;
#define EVG_CHIP_CHOICES (chip_choices + 1)

static const struct config_variable table[] = {
#define CONFIG(...) CONFIG_ROW(struct evg_config, __VA_ARGS__)
#include "evergreen/timing/config.def"
};

static const struct preset {
	const char *name, *device, *chip, *note;
} presets[] = {
#define PRESET(id, name, device, chip, note) { name, device, chip, note },
#define PRESET_VALUE(...)
#include "evergreen/timing/preset.def"
};

static const struct preset_value {
	enum evg_preset preset;
	const char *section, *name, *text;
} preset_values[] = {
#define PRESET(...)
#define PRESET_VALUE(id, section, name, text)                                  \
	{ EVG_PRESET_##id, section, name, text },
#include "evergreen/timing/preset.def"
};

static int power_of_two(struct ini_value *value, uint32_t number,
			struct error *error)
{
	if (number & (number - 1))
		return ini_error(value, error, "expected a power of two");
	return 0;
}

/* Devices have a clock. */
static int check_devices(const struct evg_config *config, struct ini *ini,
			 struct error *error)
{
	const struct memsys_gpu gpu = {
		.bandwidth = config->channel_bandwidth,
		.devices = (enum memsys_devices)config->memory_devices,
	};
	double clock = memsys_devices_clock(&gpu);
	struct ini_section *memory = ini_section_find(ini, "Memory");
	struct ini_value *bandwidth = ini_find(memory, "ChannelBandwidth");

	if (gpu.devices == MEMSYS_DEVICES_PLAIN ||
	    (clock >= MEMSYS_DEVICES_SLOWEST && clock <= MEMSYS_DEVICES_FASTEST))
		return 0;
	return ini_error(bandwidth ? bandwidth : ini_find(memory, "Devices"),
			 error, "ChannelBandwidth (%g GB/s) is a clock of %g "
			 "MHz of these Devices, expected %d to %d; or Devices "
			 "= Plain", config->channel_bandwidth, clock,
			 MEMSYS_DEVICES_SLOWEST, MEMSYS_DEVICES_FASTEST);
}

static int check_slices(const struct evg_config *config,
			struct ini_section *memory, struct error *error)
{
	struct ini_value *slices = ini_find(memory, "L2Slices");

	if (evg_config_slices(config) % config->channels == 0)
		return 0;
	return ini_error(slices, error, "expected 0 or a multiple of Channels "
			 "(%u)", config->channels);
}

static int check_doubles(const struct evg_config *config,
			 struct ini_section *device, struct error *error)
{
	const struct evg_chip_info *chip = &evg_chip_info[config->chip];
	struct ini_value *doubles = ini_find(device, "DoublePrecision");

	if (!config->doubles || chip->fp64)
		return 0;
	return ini_error(doubles ? doubles : ini_find(device, "Chip"), error,
			 "the chip %s (%s) has no double-precision units, "
			 "expected DoublePrecision = f or Chip = %s",
			 chip->name, chip->title,
			 evg_chip_info[EVG_CHIP_CYPRESS].name);
}

/* What single ranges cannot say. The devices' own values are right, so that
 * the file has at least one of the variables of a rule that is broken. */
static int check_rules(const struct evg_config *config, struct ini *ini,
		       struct error *error)
{
	struct ini_section *device = ini_section_find(ini, "Device");
	struct ini_section *code = ini_section_find(ini, "InstructionCache");
	struct ini_section *memory = ini_section_find(ini, "Memory");
	struct ini_value *registers = ini_find(device, "NumRegisters");
	struct ini_value *reserved = ini_find(device, "ReservedRegisters");
	struct ini_value *line = ini_find(code, "LineSize");
	struct ini_value *size = ini_find(code, "Size");
	struct ini_value *frequency = ini_find(device, "Frequency");
	struct ini_value *bandwidth = ini_find(memory, "ChannelBandwidth");
	double width = config->channel_bandwidth * 1000 / config->frequency;

	if (config->reserved_registers >= config->registers)
		return ini_error(reserved ? reserved : registers, error,
				 "ReservedRegisters (%u) leaves none of "
				 "NumRegisters (%u)",
				 config->reserved_registers,
				 config->registers);
	if (config->code_size && config->code_size < config->code_line)
		return ini_error(size ? size : line, error,
				 "Size (%u) must be 0 or at least LineSize (%u)",
				 config->code_size, config->code_line);
	if (config->constant_size && config->constant_size < 256)
		return ini_error(ini_find(ini_section_find(ini,
							   "ConstantCache"),
					  "Size"), error,
				 "expected 0 or at least a line of 256");
	if (width < 0.001 || width > 1000000)
		return ini_error(bandwidth ? bandwidth : frequency, error,
				 "ChannelBandwidth (%g GB/s) is %g bytes per "
				 "cycle of Frequency (%g MHz), expected 0.001 "
				 "to 1000000", config->channel_bandwidth, width,
				 config->frequency);
	return check_doubles(config, device, error) ||
			       check_devices(config, ini, error) ||
			       power_of_two(line, config->code_line, error) ||
			       check_slices(config, memory, error) ||
			       power_of_two(ini_find(memory, "L1Size"),
					    config->l1_size, error) ||
			       power_of_two(ini_find(memory, "ImageBanks"),
					    config->image_banks, error) ||
			       power_of_two(ini_find(memory, "L2SliceSize"),
					    config->l2_slice, error)
		       ? -1
		       : 0;
}

/* The variables of a device, read as if a file had them. */
static void set_preset(struct evg_config *config, int preset)
{
	config_defaults(table, ARRAY_SIZE(table), config);
	config->preset = preset;
	for (size_t i = 0; i < ARRAY_SIZE(preset_values); i++) {
		const struct preset_value *value = &preset_values[i];
		char *text;
		struct error error;
		struct ini *ini;

		if ((int)value->preset != preset)
			continue;
		text = xasprintf("[ %s ]\n%s = %s\n", value->section,
				 value->name, value->text);
		ini = ini_parse("preset.def", text, strlen(text), &error);
		if (!ini ||
		    config_read(table, ARRAY_SIZE(table), ini, NULL, config,
				&error) ||
		    ini_check(ini, &error)) {
			fprintf(stderr, "m2s: bug: %s\n", error.text);
			abort();
		}
		ini_free(ini);
		free(text);
	}
}

static int find_preset(const char *name, struct error *error)
{
	for (int i = 0; i < EVG_PRESET_COUNT; i++)
		if (!strcmp(presets[i].name, name))
			return i;
	return error_set(error, "--evg-preset %s: no such device (--evg-preset "
			 "help lists them)", name);
}

/* What SHOC's results for the HD 5870 (data/results.csv) have of each SDK: the
 * columns ocl_queue, from the submission of a kernel to its start, us;
 * bspeed_download and bspeed_readback, from and to pinned memory, GB/s. */
static void fill_sdk(struct evg_config *config)
{
	static const struct {
		double launch, download, readback;
	} sdks[] = {
		[EVG_SDK_2_4] = { 192, 4.59, 3.12 },
		[EVG_SDK_2_6] = { 95.4, 5.39, 3.01 },
	};

	if (config->launch_latency < 0)
		config->launch_latency = sdks[config->sdk].launch;
	if (config->download_bandwidth < 0)
		config->download_bandwidth = sdks[config->sdk].download;
	if (config->readback_bandwidth < 0)
		config->readback_bandwidth = sdks[config->sdk].readback;
}

static int read_file(struct evg_config *config, const char *name,
		     struct ini *ini, struct error *error)
{
	int wanted = config->preset, given = wanted;
	struct ini_value *value =
		ini_find(ini_section_find(ini, "Device"), "Preset");

	if (value && ini_get_choice(value, EVG_PRESET_CHOICES, &given, error))
		return -1;
	if (name && given != wanted)
		return error_set(error, "%s: [Device] Preset = %s, but "
				 "--evg-preset is %s: expected the same device, "
				 "or one of the two left out", value->path,
				 presets[given].name, name);
	set_preset(config, given);
	if (config_read(table, ARRAY_SIZE(table), ini, NULL, config, error) ||
	    ini_check(ini, error))
		return -1;
	fill_sdk(config);
	return check_rules(config, ini, error);
}

int evg_config_read_preset(struct evg_config *config, const char *preset,
			   const char *path, struct settings *settings,
			   struct error *error)
{
	int found = preset ? find_preset(preset, error) : EVG_PRESET_HD5870;
	struct ini *ini;
	int status;

	if (found < 0)
		return -1;
	set_preset(config, found);
	ini = config_file_read(settings, "evg", path, "built-in GPU", "",
			       error);
	if (!ini)
		return -1;
	status = read_file(config, preset, ini, error);
	ini_free(ini);
	return status;
}

int evg_config_read(struct evg_config *config, const char *path,
		    struct error *error)
{
	return evg_config_read_preset(config, NULL, path, NULL, error);
}

unsigned evg_config_slices(const struct evg_config *config)
{
	return config->l2_slices ? config->l2_slices : config->channels;
}

const char *evg_preset_device(int preset)
{
	return presets[preset].device;
}

const char *evg_preset_chip(int preset)
{
	return presets[preset].chip;
}

void evg_presets_help(FILE *stream)
{
	fputs("Devices (--evg-preset NAME, or [Device] Preset in --evg-config, "
	      "whose variables\noverride the device's):\n", stream);
	for (int i = 0; i < EVG_PRESET_COUNT; i++) {
		struct evg_config config;

		set_preset(&config, i);
		fprintf(stream, "\n  %-14s %s%s\n"
			"      %u compute units of %u stream cores, %g MHz, %u "
			"wavefronts, doubles: %s\n",
			presets[i].name, presets[i].chip,
			i == EVG_PRESET_HD5870 ? "; the default" : "",
			config.compute_units, config.stream_cores,
			config.frequency, config.max_device_wavefronts,
			config.doubles ? "yes" : "no");
		if (config.hierarchy == EVG_HIERARCHY_EVERGREEN)
			fprintf(stream, "      %u MB, %u channels of %g GB/s, "
				"L2 of %u x %u KB\n", config.memory_size,
				config.channels, config.channel_bandwidth,
				evg_config_slices(&config),
				config.l2_slice / 1024);
		if (*presets[i].note)
			fprintf(stream, "      not modelled: %s\n",
				presets[i].note);
	}
}

void evg_config_help(FILE *stream)
{
	fputs("GPU configuration file (--evg-config): INI sections and "
	      "variables with their\ndefaults, units and ranges.\n\n", stream);
	config_help(table, ARRAY_SIZE(table), stream);
}

void evg_config_register(const struct evg_config *config, struct stats *stats)
{
	static const char *const sections[] = { "Device", "LocalMemory",
						"CFEngine", "ALUEngine",
						"TEXEngine",
						"InstructionCache",
						"ConstantCache",
						"GlobalMemory", "Memory",
						"Host" };

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		char *name = xasprintf("Config.%s", sections[i]);

		stats_config(stats_section(stats, "evergreen", name), table,
			     ARRAY_SIZE(table), sections[i], config);
		free(name);
	}
}
