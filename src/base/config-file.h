/* Where the variables of a kind of configuration come from: its own file, its
 * part of the file of --config, or a built-in text; changed by --set. */
#ifndef M2S_BASE_CONFIG_FILE_H
#define M2S_BASE_CONFIG_FILE_H

#include "base/ini.h"
#include "base/settings.h"

/* `kind` is one of base/settings.h. `path`: the kind's own file, or NULL.
 * Without a file: `text`, which messages call `name`. `settings` may be NULL.
 * NULL and *error on failure. */
struct ini *config_file_read(struct settings *settings, const char *kind,
			     const char *path, const char *name,
			     const char *text, struct error *error);

#endif
