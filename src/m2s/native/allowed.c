/* Which options have a meaning for native programs. */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/native/native.h"

enum option_type { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER };

static const struct {
	const char *name, *group;
	enum option_type type;
	size_t offset;
} rows[] = {
#define OPTION(id, name, type, argument, group, help)                          \
	{ name, group, OPTION_##type, offsetof(struct options, id) },
#include "m2s/options.def"
};

/* What acts on simulated programs or runs none, beside the group x86. A name
 * that ends in a dash stands for all that begin with it. */
static const char *const refused[] = {
	"ctx-config", "ctx-config-help", "document", "env", "evg-calc-kernel",
	"evg-calc-local", "evg-calc-work-items", "evg-disasm",
	"evg-disasm-style", "evg-help", "help", "mem-help", "mem-sim",
	"net-burst-", "net-help", "net-hotspot-", "net-injection",
	"net-injection-", "net-max-", "net-msg-", "net-seed", "net-sim",
	"net-traffic-", "net-warm-", "print-config", "seed", "version",
};

static bool is_given(const struct options *options, size_t row)
{
	const void *field = (const char *)options + rows[row].offset;

	switch (rows[row].type) {
	case OPTION_FLAG:
		return *(const bool *)field;
	case OPTION_TEXT:
		return *(const char *const *)field != NULL;
	default:
		return *(const uint64_t *)field != 0;
	}
}

static bool is_refused(size_t row)
{
	if (!strcmp(rows[row].group, "x86"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		size_t length = strlen(refused[i]);

		if (refused[i][length - 1] == '-'
			    ? !strncmp(rows[row].name, refused[i], length)
			    : !strcmp(rows[row].name, refused[i]))
			return true;
	}
	return false;
}

int native_options_check(const struct options *options, struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_given(options, i) && is_refused(i))
			return error_set(error, "--%s: not with native "
					 "programs: only their kernels are "
					 "simulated", rows[i].name);
	if (options->log_path[LOG_X86_ISA] || options->log_path[LOG_X86_CALL])
		return error_set(error, "--x86-debug-...: not with native "
				 "programs: only their kernels are simulated");
	return 0;
}
