/* Which configuration file is which. */
#ifndef M2S_M2S_CONFIG_KIND_H
#define M2S_M2S_CONFIG_KIND_H

#include "base/error.h"
#include "m2s/options.h"

/* -1 and *error when the file of --mem-config, say, has no section of such a
 * file but one of another kind's. Files that cannot be read are left to their
 * readers. */
int config_kinds_check(const struct options *options, struct error *error);

#endif
