/* Whose hierarchy --mem-config, --net-config and --set mem: describe. */
#ifndef M2S_M2S_MEM_OWNER_H
#define M2S_M2S_MEM_OWNER_H

#include "evergreen/timing/config.h"
#include "m2s/options.h"

enum mem_owner { MEM_OF_GPU, MEM_OF_CORES, MEM_OF_BOTH };

/* Looks at the entries of the file: x86 cores, or compute units, or both. Without
 * entries, or a file, it is the GPU's when the GPU is simulated in detail. Returns
 * -1 and sets *error if the file cannot be read. */
int mem_owner_find(const struct options *options, bool gpu_detailed,
		   bool x86_detailed, enum mem_owner *owner,
		   struct error *error);

/* Whether a core and a GPU, by their presets, are of one chip with one memory. */
bool mem_owner_is_one_chip(const char *core, enum evg_preset gpu);

#endif
