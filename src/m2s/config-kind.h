/* Telling configuration files of different kinds apart. */
#ifndef M2S_M2S_CONFIG_KIND_H
#define M2S_M2S_CONFIG_KIND_H

#include "base/error.h"
#include "m2s/options.h"

/* -1 and *error when an option is given a configuration file of another kind:
 * one that has no section of the option's kind, but has sections of another.
 * Files that cannot be read are left to their readers. */
int config_kinds_check(const struct options *options, struct error *error);

#endif
