#include "fuzz/config-text.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing/config.h"
#include "fuzz/fuzz.h"
#include "memsys/cache/cache.h"
#include "memsys/prefetch/prefetcher.h"

struct choices choices_begin(const uint8_t *data, size_t size)
{
	struct choices choices = { data, size, 0, size, false };

	for (size_t i = 0; i < size; i++)
		choices.state = choices.state * 31 + data[i];
	choices.wild = choose(&choices, 4) == 0;
	return choices;
}

uint32_t choose(struct choices *choices, uint32_t limit)
{
	if (choices->at < choices->size && limit <= 256)
		return choices->data[choices->at++] % limit;
	return (uint32_t)(random_draw(&choices->state) % limit);
}

/* --- Values --------------------------------------------------------------- */

enum type { U32, U64, DOUBLE, BOOL, CHOICE, TEXT };

struct variable {
	const char *section, *name;
	enum type type;
	const char *text; /* the default, or NULL: must be given */
	double minimum, maximum;
	const char *unit, *doc;
};

static void put_choice(struct choices *choices, const char *names,
		       FILE *stream)
{
	uint32_t count = 1;
	size_t length;

	for (const char *at = names; *at; at++)
		count += *at == '|';
	for (uint32_t n = choose(choices, count); n; n--)
		names = strchr(names, '|') + 1;
	length = strcspn(names, "|");
	fwrite(names, 1, length, stream);
}

static void put_number(struct choices *choices,
		       const struct variable *variable, FILE *stream)
{
	const double low = variable->minimum, high = variable->maximum;
	double value = low;

	switch (choose(choices, 4)) {
	case 0:
		if (variable->text) {
			fputs(variable->text, stream);
			return;
		}
		break;
	case 1:
		value = low + choose(choices, 8);
		break;
	case 2:
		value = ldexp(1, (int)choose(choices, 16));
		break;
	case 3:
		value = choices->wild && high < 1e6 ? high
						    : low + choose(choices, 256);
		break;
	}
	if (value < low || value > high)
		value = low;
	if (!choices->wild && value > 0 &&
	    strstr(variable->doc, "power of two"))
		value = ldexp(1, (int)log2(value));
	if (variable->type == DOUBLE && choose(choices, 2))
		value = (value + low) / 2;
	fprintf(stream, variable->type == DOUBLE ? "%g" : "%.0f", value);
}

static void put_nonsense(struct choices *choices,
			 const struct variable *variable, FILE *stream)
{
	static const char *const texts[] = {
		"", "x", "-1", "0", "1e300", "nan", "18446744073709551616",
		"0x", "1k", "4095M",
	};
	uint32_t n = choose(choices, ARRAY_SIZE(texts) + 2);

	if (n < ARRAY_SIZE(texts))
		fputs(texts[n], stream);
	else
		fprintf(stream, "%.0f", n & 1 ? variable->maximum
					      : variable->maximum + 1);
}

static void put_variable(struct choices *choices,
			 const struct variable *variable, FILE *stream)
{
	fprintf(stream, "%s = ", variable->name);
	if (choices->wild && choose(choices, 16) == 0)
		put_nonsense(choices, variable, stream);
	else if (variable->type == BOOL)
		fputs(choose(choices, 2) ? "t" : "f", stream);
	else if (variable->type == CHOICE)
		put_choice(choices, variable->unit, stream);
	else
		put_number(choices, variable, stream);
	fputc('\n', stream);
}

static bool is_given(const char *name, const char *const *given)
{
	while (given && *given)
		if (!strcmp(name, *given++))
			return true;
	return false;
}

/* Some of the variables, without those that the caller gives (NULL: none). */
static void put_some(struct choices *choices, const struct variable *table,
		     size_t count, const char *const *given, FILE *stream)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].type != TEXT && !is_given(table[i].name, given) &&
		    choose(choices, choices->wild ? 6 : 16) == 0)
			put_variable(choices, &table[i], stream);
}

static const struct variable *find(const struct variable *table, size_t count,
				   const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	fuzz_fail("no variable %s", name);
}

/* --- Memory --------------------------------------------------------------- */

#define VARIABLE(name, type, field, dflt, min, max, unit, doc)                 \
	{ NULL, #name, type, dflt, min, max, unit, doc },

static const struct variable general_table[] = {
#define MEMORY_GENERAL VARIABLE
#include "memsys/config.def"
};

static const struct variable main_table[] = {
#define MEMORY_MAIN VARIABLE
#include "memsys/config.def"
};

static const struct variable dram_table[] = {
#define MEMORY_DRAM VARIABLE
#include "memsys/config.def"
};

static const struct variable geometry_table[] = {
#define MEMORY_GEOMETRY VARIABLE
#include "memsys/config.def"
};

static const struct variable tlb_geometry_table[] = {
#define MEMORY_TLB_GEOMETRY VARIABLE
#include "memsys/config.def"
};

static const struct variable tlb_table[] = {
#define MEMORY_TLB VARIABLE
#include "memsys/config.def"
};

static const struct variable network_table[] = {
#define NETWORK_DEFAULT VARIABLE
#include "network/config.def"
};

static const char *const geometry_given[] = { "Sets", "Assoc", "BlockSize",
					      "Latency", NULL };
static const char *const main_given[] = { "BlockSize", "Latency", NULL };

static uint32_t block_size(struct choices *choices)
{
	return choices->wild ? 4u << choose(choices, 6)
			     : 64u << choose(choices, 2);
}

/* Of the n-th of so many modules that lie below others. */
static void put_range(struct choices *choices, unsigned n, unsigned count,
		      FILE *stream)
{
	uint32_t size = choices->wild ? 64u << choose(choices, 4) : 256;

	if (count > 1 || (choices->wild && choose(choices, 8) == 0))
		fprintf(stream, "AddressRange = ADDR DIV %u MOD %u EQ %u\n",
			size, count, n);
}

enum { LEVELS = 3 };

struct shape {
	unsigned levels;            /* of caches */
	unsigned count[LEVELS + 1]; /* modules of each; the last: memories */
};

static void put_low(struct choices *choices, const struct shape *shape,
		    unsigned level, FILE *stream)
{
	bool memory = level + 1 == shape->levels;

	fprintf(stream, "LowNetwork = n%u\nLowModules =", level);
	for (unsigned i = 0; i < shape->count[level + 1]; i++)
		if (!choices->wild || choose(choices, 16))
			fprintf(stream, " %s%u-%u", memory ? "m" : "c",
				level + 1, i);
	fputc('\n', stream);
}

static void put_network(struct choices *choices, unsigned level, FILE *stream)
{
	uint32_t buffer = choices->wild ? 64u << choose(choices, 6) : 1024;

	fprintf(stream, "[ Network n%u ]\nDefaultInputBufferSize = %u\n"
		"DefaultOutputBufferSize = %u\nDefaultBandwidth = %u\n",
		level, buffer, buffer, 8u << choose(choices, 6));
	if (choose(choices, 2))
		put_variable(choices,
			     find(network_table, ARRAY_SIZE(network_table),
				  "DefaultLatency"), stream);
	if (choose(choices, 3) == 0)
		fputs("Links = Direct\n", stream);
}

static void put_walk(struct choices *choices, const struct shape *shape,
		     FILE *stream)
{
	if (choices->wild)
		put_some(choices, tlb_table, ARRAY_SIZE(tlb_table), NULL,
			 stream);
	else if (choose(choices, 2))
		fprintf(stream, "WalkModule = c0-%u\nWalkLevels = %u\n"
			"Walkers = %u\n", choose(choices, shape->count[0]),
			1 + choose(choices, 6), 1 + choose(choices, 4));
	else
		fprintf(stream, "WalkLatency = %u\n", choose(choices, 1000));
}

/* One TLB for each of so many modules of the first level, and perhaps one that
 * they share. */
static void put_tlbs(struct choices *choices, const struct shape *shape,
		     unsigned modules, FILE *stream)
{
	bool shared = choose(choices, 2);

	fprintf(stream, "[ TLBGeometry tg ]\n");
	put_some(choices, tlb_geometry_table, ARRAY_SIZE(tlb_geometry_table),
		 NULL, stream);
	for (unsigned i = 0; i < modules; i++) {
		fprintf(stream, "[ TLB t%u ]\nGeometry = tg\n", i);
		if (shared)
			fprintf(stream, "LowTLB = shared\nLowLatency = %u\n",
				choose(choices, 40));
		else
			put_walk(choices, shape, stream);
	}
	if (!shared)
		return;
	fprintf(stream, "[ TLB shared ]\nGeometry = tg\n");
	if (choices->wild && choose(choices, 4) == 0)
		fprintf(stream, "LowTLB = t%u\n", choose(choices, modules));
	put_walk(choices, shape, stream);
}

static void put_entries(struct choices *choices, const struct shape *shape,
			unsigned cores, unsigned units, FILE *stream)
{
	unsigned modules = shape->count[0] < cores + units ? shape->count[0]
							   : cores + units;
	bool tlbs = choose(choices, 2);

	if (tlbs)
		put_tlbs(choices, shape, modules, stream);
	for (unsigned i = 0; i < cores + units; i++) {
		unsigned module = choices->wild ? choose(choices, modules)
						: i % modules;

		if (i < cores)
			fprintf(stream, "[ Entry core-%u ]\nArch = x86\n"
				"Core = %u\nThread = 0\nModule = c0-%u\n",
				i, i, module);
		else
			fprintf(stream, "[ Entry unit-%u ]\n"
				"Arch = Evergreen\nComputeUnit = %u\n"
				"Module = c0-%u\n", i - cores, i - cores,
				module);
		if (tlbs)
			fprintf(stream, "TLB = t%u\n", module);
	}
}

void write_memory_config(struct choices *choices, unsigned cores,
			 unsigned units, FILE *stream)
{
	struct shape shape = { .levels = 1 + choose(choices, LEVELS) };
	uint32_t block = block_size(choices);
	bool dram = choose(choices, 2);

	fprintf(stream, "[ General ]\n");
	put_some(choices, general_table, ARRAY_SIZE(general_table), NULL,
			 stream);
	if (dram) {
		fprintf(stream, "[ DRAM d ]\n");
		put_some(choices, dram_table, ARRAY_SIZE(dram_table), NULL,
			 stream);
	}
	for (unsigned level = 0; level <= shape.levels; level++)
		shape.count[level] = 1u << choose(choices, 3);
	for (unsigned level = 0; level < shape.levels; level++) {
		fprintf(stream, "[ CacheGeometry g%u ]\nSets = %u\nAssoc = %u\n"
			"BlockSize = %u\nLatency = %u\n", level,
			1u << choose(choices, 5), 1 + choose(choices, 4),
			block << (choices->wild ? choose(choices, 2) : 0),
			choose(choices, 10));
		put_some(choices, geometry_table, ARRAY_SIZE(geometry_table),
			 geometry_given, stream);
		put_network(choices, level, stream);
		for (unsigned i = 0; i < shape.count[level]; i++) {
			fprintf(stream, "[ Module c%u-%u ]\nType = Cache\n"
				"Geometry = g%u\n", level, i, level);
			put_low(choices, &shape, level, stream);
			if (!level)
				continue;
			fprintf(stream, "HighNetwork = n%u\n", level - 1);
			put_range(choices, i, shape.count[level], stream);
		}
	}
	for (unsigned i = 0; i < shape.count[shape.levels]; i++) {
		fprintf(stream, "[ Module m%u-%u ]\nType = MainMemory\n"
			"HighNetwork = n%u\nBlockSize = %u\nLatency = %u\n",
			shape.levels, i, shape.levels - 1, block,
			choose(choices, 256));
		if (dram && choose(choices, 4))
			fprintf(stream, "DRAM = d\n");
		put_some(choices, main_table, ARRAY_SIZE(main_table),
			 main_given, stream);
		put_range(choices, i, shape.count[shape.levels], stream);
	}
	put_entries(choices, &shape, cores, units, stream);
}

/* --- Networks ------------------------------------------------------------- */

static const struct variable topology_table[] = {
#define NETWORK_TOPOLOGY VARIABLE
#include "network/config.def"
};

static const struct variable node_table[] = {
#define NETWORK_NODE VARIABLE
#include "network/config.def"
};

static const struct variable link_table[] = {
#define NETWORK_LINK VARIABLE
#include "network/config.def"
};

static const char *const type_given[] = { "Type", NULL };

static void put_topology(struct choices *choices, FILE *stream)
{
	static const char *const kinds[] = { "Bus", "Crossbar", "Ring", "Mesh",
					     "Torus" };
	const char *kind = kinds[choose(choices, ARRAY_SIZE(kinds))];
	bool grid = kind == kinds[3] || kind == kinds[4];
	bool ring = kind == kinds[2] || kind == kinds[4];
	uint32_t most = choices->wild ? 20 : 6;

	fprintf(stream, "Topology = %s\nColumns = %u\n", kind,
		2 + choose(choices, most));
	if (grid)
		fprintf(stream, "Rows = %u\n", 1 + choose(choices, most));
	if (choices->wild)
		put_some(choices, topology_table, ARRAY_SIZE(topology_table),
			 (const char *[]){ "Topology", "Columns",
					   grid ? "Rows" : NULL, NULL },
			 stream);
	else if (ring || choose(choices, 2))
		fprintf(stream, "VC = %u\n", 2u << choose(choices, 3));
}

static void put_nodes(struct choices *choices, FILE *stream)
{
	static const char *const types[] = { "EndNode", "Switch", "Bus" };
	unsigned nodes = 2 + choose(choices, 7);
	unsigned links = nodes - 1 + choose(choices, 4);

	for (unsigned i = 0; i < nodes; i++) {
		/* With two end nodes at least, and switches between them. */
		const char *type = choices->wild || (i && i < nodes - 1)
					   ? types[choose(choices,
							  choices->wild ? 3 : 2)]
					   : types[0];

		fprintf(stream, "[ Network.n.Node.x%u ]\nType = %s\n", i,
			type);
		if (choices->wild)
			put_some(choices, node_table, ARRAY_SIZE(node_table),
				 type_given, stream);
	}
	for (unsigned i = 0; i < links; i++) {
		/* A chain, and some more. */
		bool chain = i < nodes - 1;
		uint32_t source = chain ? i : choose(choices, nodes);
		uint32_t dest = chain ? i + 1 : choose(choices, nodes);

		if (source == dest && !choices->wild)
			continue;
		fprintf(stream, "[ Network.n.Link.l%u ]\nType = %s\n"
			"Source = x%u\nDest = x%u\n", i,
			chain || choose(choices, 2) ? "Bidirectional"
						    : "Unidirectional",
			source, dest);
		put_some(choices, link_table, ARRAY_SIZE(link_table),
			 type_given, stream);
	}
	if (choose(choices, 4))
		return;
	fprintf(stream, "[ Network.n.Routes ]\n");
	for (unsigned i = choose(choices, 6); i; i--)
		fprintf(stream, "x%u.to.x%u = x%u:%u\n",
			choose(choices, nodes), choose(choices, nodes),
			choose(choices, nodes), choose(choices, 2));
}

void write_network_config(struct choices *choices, FILE *stream)
{
	fprintf(stream, "[ General ]\nFrequency = %u\n[ Network.n ]\n"
		"DefaultInputBufferSize = %u\nDefaultOutputBufferSize = %u\n"
		"DefaultBandwidth = %u\n", 1 + choose(choices, 2000),
		32u << choose(choices, 6), 32u << choose(choices, 6),
		1u << choose(choices, 8));
	if (choose(choices, 2))
		put_topology(choices, stream);
	else
		put_nodes(choices, stream);
}

/* --- GPU ------------------------------------------------------------------ */

static const char preset_choices[] =
#define PRESET(id, name, ...) "|" name
#define PRESET_VALUE(...)
#include "evergreen/timing/preset.def"
	;
#define EVG_PRESET_CHOICES (preset_choices + 1)

static const char chip_choices[] =
#define CHIP(id, name, ...) "|" name
#include "evergreen/isa/chip.def"
	;
#define EVG_CHIP_CHOICES (chip_choices + 1)

static const struct variable device_table[] = {
#define CONFIG(section, name, type, field, dflt, min, max, unit, doc)          \
	{ section, name, type, dflt, min, max, unit, doc },
#include "evergreen/timing/config.def"
};

void write_device_config(struct choices *choices, FILE *stream)
{
	const char *section = "";

	for (size_t i = 0; i < ARRAY_SIZE(device_table); i++) {
		const struct variable *variable = &device_table[i];
		bool units = !strcmp(variable->name, "NumComputeUnits");

		if (!units && choose(choices, choices->wild ? 4 : 8))
			continue;
		if (strcmp(section, variable->section))
			fprintf(stream, "[ %s ]\n", variable->section);
		section = variable->section;
		if (units)
			fprintf(stream, "NumComputeUnits = %u\n",
				1 + choose(choices, 4));
		else
			put_variable(choices, variable, stream);
	}
}

/* --- Branch prediction ---------------------------------------------------- */

#define PREDICTOR(id, name, ...) "|" name
static const char predictor_choices[] =
#include "x86/timing/predict/kinds.def"
	;
#define TARGET_PREDICTOR(id, name, ...) "|" name
static const char target_choices[] =
#include "x86/timing/predict/targets.def"
	;
#define PREDICT_KINDS (predictor_choices + 1)
#define PREDICT_TARGETS (target_choices + 1)

static const struct variable predictor_table[] = {
#define CONFIG(section, name, type, field, dflt, min, max, unit, doc)          \
	{ section, name, type, dflt, min, max, unit, doc },
#include "x86/timing/predict/config.def"
};

void write_predictor_config(struct choices *choices, FILE *stream)
{
	fprintf(stream, "[ BranchPredictor ]\n");
	put_some(choices, predictor_table, ARRAY_SIZE(predictor_table), NULL,
		 stream);
}
