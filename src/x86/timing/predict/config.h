/* The configuration of branch prediction: config.def as a struct. */
#ifndef M2S_X86_TIMING_PREDICT_CONFIG_H
#define M2S_X86_TIMING_PREDICT_CONFIG_H

#include <stdio.h>

#include "base/config.h"
#include "base/error.h"
#include "base/ini.h"

struct predict_config {
#define CONFIG CONFIG_MEMBER_OF
#include "x86/timing/predict/config.def"
};

void predict_config_defaults(struct predict_config *config);
/* Sets the values of a preset's chip; the defaults for one without rows in
 * presets.def. */
void predict_config_preset(struct predict_config *config, const char *preset);
/* Sets what section [BranchPredictor] of `ini` gives; the rest stays. -1 and
 * *error for values out of range, and for sizes that are not the required
 * powers of two. */
int predict_config_read(struct predict_config *config, struct ini *ini,
			struct error *error);
/* Sets the defaults, then what a section of any name gives. Other sections are
 * ignored. */
int predict_config_read_section(struct predict_config *config, struct ini *ini,
				struct ini_section *section,
				struct error *error);
/* Checks a configuration that did not come from a file in the same way. */
int predict_config_check(const struct predict_config *config,
			 struct error *error);

/* What presets.def says, with the sources. */
void predict_presets_help(FILE *stream);
/* The variables with defaults, units and ranges. */
void predict_config_help(FILE *stream);

#endif
