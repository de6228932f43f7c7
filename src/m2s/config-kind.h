/* Telling configuration files of different kinds apart. */
#ifndef M2S_M2S_CONFIG_KIND_H
#define M2S_M2S_CONFIG_KIND_H

#include "base/error.h"
#include "m2s/options.h"

/* Checks the kinds of the options' configuration files. -1 and *error for a
 * file of another kind, which has sections of that kind and none of the
 * option's. A file that cannot be read is no error here; its reader reports
 * it. */
int config_kinds_check(const struct options *options, struct error *error);

#endif
