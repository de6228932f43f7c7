/* The configuration of the x86 side: config.def as a struct. */
#ifndef M2S_X86_CONFIG_H
#define M2S_X86_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/config.h"
#include "base/error.h"
#include "stats/stats.h"
#include "x86/isa/features.h"
#include "x86/timing/predict/config.h"

struct x86_config {
#define CONFIG CONFIG_MEMBER_OF
#include "x86/config.def"
	struct predict_config predict; /* [ BranchPredictor ] */
};

/* The defaults, then what the file says (NULL: no file), then the CPUModel
 * that --x86-cpu names (NULL: none). -1 and *error for mistakes, and when this
 * host cannot run the processor asked for. */
int x86_config_read(struct x86_config *config, const char *path,
		    const char *cpu_model, struct error *error);
/* The processor that programs see, those of 32 bits with `narrow`. */
void x86_config_model(const struct x86_config *config, bool narrow,
		      struct x86_model *model);
/* The section Config.General of the "x86" report. */
void x86_config_register(const struct x86_config *config, struct stats *stats);
/* --x86-help. */
void x86_config_help(FILE *stream);

#endif
