#include "report/occupancy-report.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "evergreen/emu/emu.h"
#include "evergreen/kernel/kernel-file.h"
#include "stats/plot.h"

enum { MAX_POINTS = 2048 };

/* One figure of a launch that is varied while the others stay. */
static const struct curve {
	const char *name, *label;
	size_t offset;           /* in struct evg_occupancy_use */
} curves[] = {
	{ "work_items", "work-items per work-group",
	  offsetof(struct evg_occupancy_use, work_items) },
	{ "registers", "registers per work-item",
	  offsetof(struct evg_occupancy_use, registers) },
	{ "local_mem", "local memory per work-group [bytes]",
	  offsetof(struct evg_occupancy_use, local_memory) },
};

struct range {
	uint32_t first, last, step;
};

static struct range range_of(const struct evg_config *config,
			     const struct curve *curve)
{
	switch (curve->offset) {
	case offsetof(struct evg_occupancy_use, work_items):
		return (struct range){ 1, EVG_MAX_GROUP_ITEMS, 1 };
	case offsetof(struct evg_occupancy_use, registers):
		return (struct range){ 1, EVG_MAX_REGISTERS, 1 };
	default: {
		/* Whole allocation units, of which there may be many. */
		uint32_t units = config->local_size /
				 config->local_alloc_size;
		uint32_t each = 1;

		while (units / each >= MAX_POINTS)
			each *= 2;
		return (struct range){ 0, config->local_size,
				       config->local_alloc_size * each };
	}
	}
}

static uint32_t *field(struct evg_occupancy_use *use, const struct curve *curve)
{
	return (uint32_t *)(void *)((char *)use + curve->offset);
}

struct points {
	double x[MAX_POINTS], y[MAX_POINTS];
	size_t count;
};

static void write_csv(const struct curve *curve,
		      const struct evg_config *config,
		      struct evg_occupancy_use use, struct points *points,
		      FILE *stream)
{
	struct range range = range_of(config, curve);

	fprintf(stream, "%s,work_groups,wavefronts,limit\n", curve->name);
	points->count = 0;
	for (uint32_t at = range.first;
	     at <= range.last && points->count < MAX_POINTS; at += range.step) {
		struct evg_occupancy found;

		*field(&use, curve) = at;
		found = evg_occupancy_find(config, &use);
		fprintf(stream, "%u,%u,%u,%s\n", at, found.work_groups,
			found.wavefronts,
			evg_occupancy_limit_name(found.limit));
		points->x[points->count] = at;
		points->y[points->count++] = found.wavefronts;
	}
}

static void write_svg(const struct curve *curve, const char *kernel,
		      const struct evg_occupancy_use *use,
		      const struct evg_occupancy *here,
		      const struct points *points, FILE *stream)
{
	struct evg_occupancy_use copy = *use;
	char *title = xasprintf("Occupancy of kernel %s", kernel);
	char *mark = xasprintf("this launch: %u", here->wavefronts);
	struct plot_series series = {
		.x = points->x, .y = points->y, .count = points->count,
	};
	struct plot plot = {
		.title = title,
		.x_label = curve->label,
		.y_label = "wavefronts per compute unit",
		.series = &series,
		.series_count = 1,
		.steps = true,
		.marked = true,
		.mark_x = *field(&copy, curve),
		.mark_y = here->wavefronts,
		.mark_label = mark,
	};

	plot_write_svg(&plot, stream);
	free(title);
	free(mark);
}

/* Several limits that allow the same bind together. */
static void write_limit(const struct evg_occupancy *found,
			enum evg_occupancy_limit limit, const char *use,
			FILE *stream)
{
	fprintf(stream, "  %-30s %-34s", evg_occupancy_limit_name(limit), use);
	if (found->allowed[limit] == UINT32_MAX)
		fputs("no limit", stream);
	else
		fprintf(stream, "%u work-group%s", found->allowed[limit],
			found->allowed[limit] == 1 ? "" : "s");
	fputs(found->allowed[limit] == found->work_groups ? "  <- binds\n"
							  : "\n", stream);
}

static void write_summary(const struct evg_config *config, const char *kernel,
			  const struct evg_occupancy_use *use,
			  const struct evg_occupancy *found, FILE *stream)
{
	uint32_t usable = config->registers - config->reserved_registers;
	char text[64];

	fprintf(stream, "Occupancy of kernel '%s'\n\n", kernel);
	fprintf(stream, "Work-items per work-group:    %u (%u wavefront%s)\n",
		use->work_items, found->group_wavefronts,
		found->group_wavefronts == 1 ? "" : "s");
	fprintf(stream, "Registers per work-item:      %u\n", use->registers);
	fprintf(stream, "Local memory per work-group:  %u bytes\n\n",
		use->local_memory);
	fputs("A compute unit could hold, by each limit alone:\n", stream);
	snprintf(text, sizeof text, "%u slots", config->max_work_groups);
	write_limit(found, EVG_LIMIT_WORK_GROUPS, text, stream);
	snprintf(text, sizeof text, "%u of %u slots", found->group_wavefronts,
		 config->max_wavefronts);
	write_limit(found, EVG_LIMIT_WAVEFRONTS, text, stream);
	snprintf(text, sizeof text, "%u of %u registers",
		 found->group_registers, usable);
	write_limit(found, EVG_LIMIT_REGISTERS, text, stream);
	snprintf(text, sizeof text, "%u of %u bytes", found->group_local,
		 config->local_size);
	write_limit(found, EVG_LIMIT_LOCAL_MEMORY, text, stream);
	if (!found->work_groups) {
		fputs("\nThis launch does not fit in a compute unit.\n",
		      stream);
		return;
	}
	fprintf(stream, "\nIn flight per compute unit: %u work-group%s, %u "
		"wavefronts of %u (%.0f %%)\n", found->work_groups,
		found->work_groups == 1 ? "" : "s", found->wavefronts,
		config->max_wavefronts,
		100.0 * found->wavefronts / config->max_wavefronts);
	if ((uint64_t)found->wavefronts * config->compute_units >
	    config->max_device_wavefronts)
		fprintf(stream, "The whole device holds %u wavefronts: %.1f "
			"per compute unit when all are full.\n",
			config->max_device_wavefronts,
			(double)config->max_device_wavefronts /
				config->compute_units);
}

static int write_curve(const char *stem, const struct output_rules *rules,
		       const struct curve *curve,
		       const struct evg_config *config, const char *kernel,
		       const struct evg_occupancy_use *use,
		       const struct evg_occupancy *found,
		       struct points *points, struct error *error)
{
	char *path = xasprintf("%s.%s.csv", stem, curve->name);
	struct output output;
	int status = output_open(&output, path, rules, error);

	free(path);
	if (status)
		return -1;
	write_csv(curve, config, *use, points, output.stream);
	if (output_close(&output, 0, error))
		return -1;
	path = xasprintf("%s.%s.svg", stem, curve->name);
	status = output_open(&output, path, rules, error);
	free(path);
	if (status)
		return -1;
	write_svg(curve, kernel, use, found, points, output.stream);
	return output_close(&output, 0, error);
}

static int write_all(const char *stem, const struct output_rules *rules,
		     const struct evg_config *config, const char *kernel,
		     const struct evg_occupancy_use *use,
		     struct error *error)
{
	struct evg_occupancy found = evg_occupancy_find(config, use);
	char *path = xasprintf("%s.txt", stem);
	struct points *points;
	struct output output;
	int status = output_open(&output, path, rules, error);

	free(path);
	if (status)
		return -1;
	write_summary(config, kernel, use, &found, output.stream);
	status = output_close(&output, 0, error);
	points = xmalloc(sizeof *points);
	for (size_t i = 0; i < ARRAY_SIZE(curves) && !status; i++)
		status = write_curve(stem, rules, &curves[i], config, kernel, use,
				     &found, points, error);
	free(points);
	return status;
}

int occupancy_report_write(const char *prefix, const char *name,
			   const struct output_rules *rules,
			   const struct evg_config *config, const char *kernel,
			   const struct evg_occupancy_use *use,
			   struct error *error)
{
	char *stem = xasprintf("%s.%s", prefix, name);
	int status = write_all(stem, rules, config, kernel, use, error);

	free(stem);
	return status ? error_prefix(error, "--evg-calc") : 0;
}

static int report_kernel(const char *prefix, const struct output_rules *rules,
			 const struct evg_config *config,
			 const struct evg_kernel *kernel, uint32_t work_items,
			 uint32_t local_memory, struct error *error)
{
	struct evg_occupancy_use use = {
		.work_items = work_items,
		.registers = kernel->registers,
		.local_memory = kernel->local_size + local_memory,
	};
	const uint32_t *required = kernel->reqd_work_group_size;

	if (required[0])
		use.work_items = required[0] * required[1] * required[2];
	if (!use.work_items)
		use.work_items = EVG_MAX_GROUP_ITEMS;
	return occupancy_report_write(prefix, kernel->name, rules, config,
				      kernel->name, &use, error);
}

int occupancy_report_binary(const char *prefix,
			    const struct output_rules *rules,
			    const struct evg_config *config,
			    const char *binary, uint64_t work_items,
			    uint64_t local_memory, struct error *error)
{
	struct evg_program *program;
	int status = 0;

	if (work_items > EVG_MAX_GROUP_ITEMS)
		return error_set(error, "--evg-calc-work-items %llu: a "
				 "work-group has at most %d work-items",
				 (unsigned long long)work_items,
				 EVG_MAX_GROUP_ITEMS);
	if (local_memory > EVG_MAX_LOCAL_MEMORY)
		return error_set(error, "--evg-calc-local %llu: a work-group "
				 "has at most %d bytes",
				 (unsigned long long)local_memory,
				 EVG_MAX_LOCAL_MEMORY);
	program = kernel_file_read(binary, error);
	if (!program)
		return -1;
	for (uint32_t i = 0; i < program->kernel_count && !status; i++)
		status = report_kernel(prefix, rules, config, &program->kernels[i],
				       (uint32_t)work_items,
				       (uint32_t)local_memory, error);
	evg_program_free(program);
	return status;
}
