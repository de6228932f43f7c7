#include "m2s/native/file-names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static const size_t fields[] = {
	offsetof(struct options, cl_report),
	offsetof(struct options, evg_annotate),
	offsetof(struct options, evg_calc),
	offsetof(struct options, evg_report),
	offsetof(struct options, evg_report_kernel),
	offsetof(struct options, evg_trace),
	offsetof(struct options, hang_file),
	offsetof(struct options, mem_report),
	offsetof(struct options, net_report),
	offsetof(struct options, stats_interval_file),
	offsetof(struct options, threads_report),
	offsetof(struct options, trace),
};

/* Standard streams and devices are not renamed. */
static bool is_shared(const char *path)
{
	return !strcmp(path, "-") || !strcmp(path, "stdout") ||
	       !strcmp(path, "stderr") || !strncmp(path, "/dev/", 5);
}

static const char *name(const char *path, bool forked)
{
	const char *mark = path ? strstr(path, "%p") : NULL;
	int process = (int)getpid();

	if (!path)
		return NULL;
	if (mark)
		return xasprintf("%.*s%d%s", (int)(mark - path), path, process,
				 mark + 2);
	return forked && !is_shared(path) ? xasprintf("%s.%d", path, process)
					  : path;
}

void native_name_files(struct options *options, bool forked)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const char **path =
			(const char **)((char *)options + fields[i]);

		*path = name(*path, forked);
	}
	for (size_t i = 0; i < LOG_CHANNEL_COUNT; i++)
		options->log_path[i] = name(options->log_path[i], forked);
}
