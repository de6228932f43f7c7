#include "m2s/tools/x86-latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "x86/config.h"
#include "x86/timing/memory/latency.h"

/* The measurements with which doc/x86-timing.md compares are of such pages. */
enum { SMALL_PAGE = 12 };

static int read_row(const char *text, struct x86_latency *latency,
		    struct error *error)
{
	size_t length = strcspn(text, ",");
	uint64_t kb;
	char end;

	for (unsigned i = 0; i < LATENCY_ORDERS; i++)
		if (strlen(x86_latency_orders[i]) == length &&
		    !memcmp(text, x86_latency_orders[i], length)) {
			latency->order = (enum x86_latency_order)i;
			if (sscanf(text + length, ",%" SCNu64 ",%" SCNu64 "%c",
				   &kb, &latency->stride, &end) < 2 ||
			    kb > UINT64_C(1) << 21)
				break;
			latency->size = kb * 1024;
			return 0;
		}
	return error_set(error, "expected an order (Linear_Forward, "
				"Linear_Backward, Page_Random, Random_Full), "
				"KB and a stride in bytes");
}

static int read_rows(const struct options *options, FILE *stream,
		     struct error *error)
{
	struct x86_config config;
	struct x86_latency latency = { .core = options->x86_preset,
				       .core_figures = &config.core,
				       .memory_figures = &config.caches,
				       .page_shift = SMALL_PAGE };
	char *text = NULL;
	size_t room = 0;
	uint64_t line = 0;
	int status = 0;

	if (x86_config_read(&config, options->x86_config, options->x86_preset,
			    options->x86_cpu, options->settings, error) ||
	    settings_check(options->settings, error))
		return -1;
	while (!status && getline(&text, &room, stream) >= 0) {
		line++;
		if (line == 1 && !strncmp(text, "pattern,", 8)) {
			puts("pattern,size_kb,stride_bytes,latency_cycles");
			continue;
		}
		status = read_row(text, &latency, error) ||
				 x86_latency_measure(&latency, error)
				 ? -1 : 0;
		if (status)
			error_prefix(error, "%s:%" PRIu64, options->x86_memlat,
				     line);
		else
			printf("%s,%" PRIu64 ",%" PRIu64 ",%.1f\n",
			       x86_latency_orders[latency.order],
			       latency.size / 1024, latency.stride,
			       latency.cycles);
	}
	free(text);
	return status;
}

int x86_latency_command(const struct options *options, struct error *error)
{
	FILE *stream;
	int status;

	if (!options->x86_preset)
		return error_set(error, "--x86-memlat %s: needs --x86-preset "
				 "NAME", options->x86_memlat);
	stream = fopen(options->x86_memlat, "re");
	if (!stream)
		return error_set(error, "%s: %s", options->x86_memlat,
				 strerror(errno));
	status = read_rows(options, stream, error);
	fclose(stream);
	return status;
}
