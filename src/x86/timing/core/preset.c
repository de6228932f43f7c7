#include "x86/timing/core/preset.h"

#include <string.h>

#include "base/memory.h"
#include "x86/timing/figures/figures.h"

static const struct config_variable variables[] = {
#define FIGURE(...)                                                            \
	X86_FIGURE_VARIABLE(struct x86_core_figures, "Core", __VA_ARGS__)
#include "x86/timing/core/figures.def"
#undef FIGURE
};

static const struct x86_figure values[] = {
#define FIGURE(...) X86_FIGURE_VALUES(__VA_ARGS__)
#include "x86/timing/core/figures.def"
#undef FIGURE
};

static const struct x86_figure_preset presets[] = {
#define PRESET(...) X86_FIGURE_PRESET(__VA_ARGS__)
#define SET(...)
#include "x86/timing/core/presets.def"
#undef PRESET
#undef SET
};

static const struct x86_figure_setting settings[] = {
#define PRESET(...)
#define SET(...) X86_FIGURE_SETTING(struct x86_core_figures, __VA_ARGS__)
#include "x86/timing/core/presets.def"
#undef PRESET
#undef SET
};

static const struct x86_figures figures_table = {
	.size = sizeof(struct x86_core_figures),
	.variable = variables, .row = values, .count = ARRAY_SIZE(variables),
	.preset = presets, .preset_count = ARRAY_SIZE(presets),
	.setting = settings, .setting_count = ARRAY_SIZE(settings),
};

int x86_core_figures_read(struct x86_core_figures *figures, struct ini *ini,
			  struct error *error)
{
	return config_read(variables, ARRAY_SIZE(variables), ini, NULL, figures,
			   error);
}

const char *x86_core_names(void)
{
	static const char names[] =
#define NAME(name) ", " name
#define PRESET(name, base) ", " name
#define SET(...)
		X86_FIGURE_BASES(NAME)
#include "x86/timing/core/presets.def"
#undef NAME
#undef PRESET
#undef SET
		;

	return names + strlen(", ");
}

int x86_core_figures_find(const char *name, struct x86_core_figures *figures,
			  struct error *error)
{
	if (x86_figures_find(&figures_table, name, figures))
		return 0;
	return error_set(error, "'%s': expected the name of a core, one of %s",
			 name, x86_core_names());
}

/* A queue that serves ports has entries. */
static int check_queues(const struct x86_core_figures *figures,
			struct error *error)
{
	const struct {
		uint32_t ports, size;
	} queues[] = {
		{ figures->queue_ports_0, figures->queue_size_0 },
		{ figures->queue_ports_1, figures->queue_size_1 },
		{ figures->queue_ports_2, figures->queue_size_2 },
		{ figures->queue_ports_3, figures->queue_size_3 },
		{ figures->queue_ports_4, figures->queue_size_4 },
		{ figures->queue_ports_5, figures->queue_size_5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++)
		if (!queues[i].ports != !queues[i].size)
			return error_set(error, "[Core] queue_ports_%zu = %u, "
					 "queue_size_%zu = %u: expected both "
					 "or none", i, queues[i].ports, i,
					 queues[i].size);
	return 0;
}

int x86_core_figures_check(const struct x86_core_figures *figures,
			   struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const struct config_variable *row = &variables[i];
		uint32_t value = *(const uint32_t *)((const char *)figures +
						     row->offset);

		if (value < row->minimum || value > row->maximum)
			return error_set(error, "%s = %u: expected %.0f to "
					 "%.0f %s", row->name, value,
					 row->minimum, row->maximum, row->unit);
	}
	if (figures->instruction_queue < figures->predecode_width)
		return error_set(error, "[Core] instruction_queue = %u: "
				 "expected at least predecode_width (%u)",
				 figures->instruction_queue,
				 figures->predecode_width);
	if (figures->decoders == 1 && !figures->fusible_last)
		return error_set(error, "[Core] decoders = 1: expected "
				 "fusible_last = 1, since an instruction that "
				 "may be fused would wait for another decoder");
	return check_queues(figures, error);
}

void x86_core_figures_help(FILE *stream)
{
	x86_figures_help(&figures_table, stream);
}
