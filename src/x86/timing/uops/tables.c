/* The cores that have a uop table. */
#include <string.h>

#include "base/memory.h"
#include "x86/timing/uops/form.h"

#define ANY X86_ANY_DECODER
#define LESS_HALF(cycles) ((cycles) | X86_LESS_HALF)
#define NONE X86_FUSES_NONE
#define ALL X86_FUSES_ALL
#define CARRY X86_FUSES_CARRY
#define SIGNED X86_FUSES_SIGNED
#define FORMS(forms, slots, decoder, microcode, left, ports, divider, cycles, \
	      fuses, latencies) \
	{ forms, slots, decoder, microcode, left, ports, divider, cycles, \
	  fuses, latencies },

static const struct x86_form_line nehalem[] = {
#include "x86/timing/uops/nehalem.def"
};
static const struct x86_form_line sandybridge[] = {
#include "x86/timing/uops/sandybridge.def"
};
static const struct x86_form_line ivybridge[] = {
#include "x86/timing/uops/ivybridge.def"
};
static const struct x86_form_line haswell[] = {
#include "x86/timing/uops/haswell.def"
};
static const struct x86_form_line skylake[] = {
#include "x86/timing/uops/skylake.def"
};
static const struct x86_form_line k10[] = {
#include "x86/timing/uops/k10.def"
};
static const struct x86_form_line zen2[] = {
#include "x86/timing/uops/zen2.def"
};
static const struct x86_form_line extra_zen2[] = {
#include "x86/timing/uops/extra-zen2.def"
};

/* Rows by hand, and the columns of extra.def. */
static const struct x86_form_line extra_nehalem[] = {
#define PORTS(nehalem, sandybridge, haswell) nehalem
#define CORES(nehalem, sandybridge, ivybridge, haswell, skylake) nehalem
#include "x86/timing/uops/extra-nehalem.def"
#include "x86/timing/uops/extra.def"
#undef PORTS
#undef CORES
};
static const struct x86_form_line extra_sandybridge[] = {
#define PORTS(nehalem, sandybridge, haswell) sandybridge
#define CORES(nehalem, sandybridge, ivybridge, haswell, skylake) sandybridge
#include "x86/timing/uops/extra.def"
#undef PORTS
#undef CORES
};
static const struct x86_form_line extra_ivybridge[] = {
#define PORTS(nehalem, sandybridge, haswell) sandybridge
#define CORES(nehalem, sandybridge, ivybridge, haswell, skylake) ivybridge
#include "x86/timing/uops/extra-ivybridge.def"
#include "x86/timing/uops/extra.def"
#undef PORTS
#undef CORES
};
static const struct x86_form_line extra_haswell[] = {
#define PORTS(nehalem, sandybridge, haswell) haswell
#define CORES(nehalem, sandybridge, ivybridge, haswell, skylake) haswell
#include "x86/timing/uops/extra.def"
#undef PORTS
#undef CORES
};
static const struct x86_form_line extra_skylake[] = {
#define PORTS(nehalem, sandybridge, haswell) haswell
#define CORES(nehalem, sandybridge, ivybridge, haswell, skylake) skylake
#include "x86/timing/uops/extra-skylake.def"
#include "x86/timing/uops/extra.def"
#undef PORTS
#undef CORES
};

#define LINES(name) name, ARRAY_SIZE(name)
#define PORT(n) (1 << (n))

/* Ports: "Intel 64 and IA-32 Architectures Optimization Reference Manual",
 * the chapters on these microarchitectures. 256-bit accesses take two cycles
 * of 128-bit ports on Sandy and Ivy Bridge. */
static const struct x86_uop_core cores[] = {
	{ "nehalem", LINES(nehalem), LINES(extra_nehalem), PORT(2), PORT(3),
	  PORT(4), 0, 1, true, 1, 2, 0 },
	{ "sandybridge", LINES(sandybridge), LINES(extra_sandybridge),
	  PORT(2) | PORT(3), 0, PORT(4), 1, 2, true, 0, 1, 0 },
	{ "ivybridge", LINES(ivybridge), LINES(extra_ivybridge),
	  PORT(2) | PORT(3), 0, PORT(4), 1, 2, true, 0, 1, 0 },
	{ "haswell", LINES(haswell), LINES(extra_haswell),
	  PORT(2) | PORT(3), PORT(7), PORT(4), 2, 1, true, 0, 1, 3 },
	{ "skylake", LINES(skylake), LINES(extra_skylake),
	  PORT(2) | PORT(3), PORT(7), PORT(4), 2, 1, true, 1, 2, 4 },
	{ "k10", LINES(k10), NULL, 0,
	  PORT(3) | PORT(4), PORT(5), PORT(6), 3, 1, false, 0, 0, 0 },
	{ "zen2", LINES(zen2), LINES(extra_zen2),
	  PORT(4) | PORT(5), PORT(6), PORT(7), 4, 1, false, 2, 1, 0 },
};

const struct x86_uop_core *x86_uop_core_at(unsigned number)
{
	return number < ARRAY_SIZE(cores) ? &cores[number] : NULL;
}

/* Husky cores execute as those of Family 10h; their own divider is not
 * measured. */
static const char *measured(const char *name)
{
	return strcmp(name, "llano") ? name : "k10";
}

const struct x86_uop_core *x86_uop_core_find(const char *name)
{
	name = measured(name);
	for (unsigned i = 0; i < ARRAY_SIZE(cores); i++)
		if (!strcmp(cores[i].name, name))
			return &cores[i];
	return NULL;
}
