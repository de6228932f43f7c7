#include "base/config-file.h"

#include <string.h>

static struct ini *read_part(const char *all, const char *kind,
			     const char *path, struct error *error)
{
	struct ini *ini = ini_read_part(all, kind, error);

	if (!ini || !ini_section_count(ini) || !path)
		return ini;
	error_set(error,
		  "%s:%d: [%s:%s]: --%s-config gives the file %s for "
		  "these sections: expected one of the two",
		  all, ini_section_line(ini_section_at(ini, 0)), kind,
		  ini_section_name(ini_section_at(ini, 0)), kind, path);
	ini_free(ini);
	return NULL;
}

struct ini *config_file_read(struct settings *settings, const char *kind,
			     const char *path, const char *name,
			     const char *text, struct error *error)
{
	const char *all = settings ? settings_file(settings) : NULL;
	struct ini *ini = NULL;

	if (all) {
		ini = read_part(all, kind, path, error);
		if (!ini)
			return NULL;
		if (!ini_section_count(ini)) {
			ini_free(ini);
			ini = NULL;
		}
	}
	if (!ini && path)
		ini = ini_read(path, error);
	else if (!ini)
		ini = ini_parse(name, text, strlen(text), error);
	if (ini)
		ini_attach(ini, settings, kind);
	return ini;
}
