/* Whose hierarchy --mem-config, --net-config and --set mem: describe. */
#ifndef M2S_M2S_MEM_OWNER_H
#define M2S_M2S_MEM_OWNER_H

#include "m2s/options.h"

enum mem_owner { MEM_OF_GPU, MEM_OF_CORES };

/* Looks at the entries of the file: x86 cores, or compute units. Without
 * entries, or a file, it is the GPU's when the GPU is simulated in detail. -1 and
 * *error when both would use one file. */
int mem_owner_find(const struct options *options, bool gpu_detailed,
		   bool x86_detailed, enum mem_owner *owner,
		   struct error *error);

#endif
