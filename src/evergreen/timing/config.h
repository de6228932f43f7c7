/* The configuration of a simulated GPU: config.def as a struct. */
#ifndef M2S_EVERGREEN_TIMING_CONFIG_H
#define M2S_EVERGREEN_TIMING_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/config.h"
#include "base/error.h"
#include "stats/stats.h"

struct evg_config {
#define CONFIG CONFIG_MEMBER_OF
#include "evergreen/timing/config.def"
};

enum evg_preset {
#define PRESET(id, ...) EVG_PRESET_##id,
#define PRESET_VALUE(...)
#include "evergreen/timing/preset.def"
	EVG_PRESET_COUNT
};

enum { EVG_HIERARCHY_EVERGREEN, EVG_HIERARCHY_MULTI2SIM };
enum { EVG_GRANULARITY_WAVEFRONT, EVG_GRANULARITY_WORK_GROUP };
enum { EVG_SDK_2_4, EVG_SDK_2_6 };
enum { EVG_MISSES_HIERARCHY, EVG_MISSES_LATENCY };
enum { EVG_RETIRE_ANY, EVG_RETIRE_UNIT, EVG_RETIRE_DEVICE };
enum { EVG_POLICY_ROUND_ROBIN, EVG_POLICY_GREEDY, EVG_POLICY_OLDEST_FIRST };

/* Sets the defaults, then the values of the file (NULL: no file). 0, or -1 and
 * *error with "file:line:". */
int evg_config_read(struct evg_config *config, const char *path,
		    struct error *error);
/* Reads the file on top of a device of preset.def, by name. NULL: the device
 * that the file names ([Device] Preset), else hd5870. -1 and *error also when
 * the file names another device than `preset`. `settings`: NULL, or those of
 * the command line (base/settings.h). */
int evg_config_read_preset(struct evg_config *config, const char *preset,
			   const char *path, struct settings *settings,
			   struct error *error);
/* The number of slices of the L2. */
unsigned evg_config_slices(const struct evg_config *config);
/* Prints the text of --evg-preset help. */
void evg_presets_help(FILE *stream);
/* The device name that programs see. */
const char *evg_preset_device(int preset);
/* The chip's name. */
const char *evg_preset_chip(int preset);
/* Prints the text of --evg-help. */
void evg_config_help(FILE *stream);
/* Registers the sections Config.* of the "evergreen" report. */
void evg_config_register(const struct evg_config *config, struct stats *stats);

#endif
