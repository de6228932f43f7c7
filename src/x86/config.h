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
#include "x86/timing/core/preset.h"
#include "x86/timing/memory/hierarchy.h"
#include "x86/timing/predict/config.h"

/* x86_config.memoize */
enum { X86_MEMOIZE_YES, X86_MEMOIZE_NO, X86_MEMOIZE_CHECK };

struct x86_config {
#define CONFIG CONFIG_MEMBER_OF
#include "x86/config.def"
	struct predict_config predict; /* [ BranchPredictor ] */
	const char *preset;            /* the core's name */
	struct x86_core_figures core;  /* the preset's, changed by [ Core ] */
	struct x86_memory_figures caches; /* likewise by [ Caches ] */
};

/* Sets the defaults, of cores those of `preset` (NULL: nehalem; must live as
 * long), then the values of the file (NULL: no file), then the CPU
 * model of --x86-cpu (NULL: none). `settings`: NULL, or those of the command
 * line (base/settings.h). -1 and *error when a value is wrong, or when
 * this host cannot run the chosen processor. */
int x86_config_read(struct x86_config *config, const char *path,
		    const char *preset, const char *cpu_model, struct settings *settings,
		    struct error *error);
/* The processor model that 64-bit programs see, or with `narrow` 32-bit
 * programs. */
void x86_config_model(const struct x86_config *config, bool narrow,
		      struct x86_model *model);
/* Registers the section Config.General of the "x86" report. */
void x86_config_register(const struct x86_config *config, struct stats *stats);
/* Writes the text of --x86-help. */
void x86_config_help(FILE *stream);

#endif
