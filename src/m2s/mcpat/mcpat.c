#include "m2s/mcpat/mcpat.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

struct writer {
	FILE *stream;
	unsigned depth;
};

static void indent(const struct writer *writer)
{
	for (unsigned i = 0; i < writer->depth; i++)
		fputc('\t', writer->stream);
}

static void begin(struct writer *writer, const char *id, const char *name)
{
	indent(writer);
	fprintf(writer->stream, "<component id=\"%s\" name=\"%s\">\n", id,
		name);
	writer->depth++;
}

static void end(struct writer *writer)
{
	writer->depth--;
	indent(writer);
	fputs("</component>\n", writer->stream);
}

static void row_begins(const struct writer *writer, const char *kind,
		       const char *name)
{
	indent(writer);
	fprintf(writer->stream, "<%s name=\"%s\" value=\"", kind, name);
}

static void row_ends(const struct writer *writer, const char *why)
{
	fputs(*why ? "\"/> <!-- " : "\"/>", writer->stream);
	fprintf(writer->stream, *why ? "%s -->\n" : "%s\n", why);
}

/* The next power of two below a number of entries, at least 1024. */
static double entries(double wanted)
{
	return wanted < 1024 ? 1024 : exp2(floor(log2(wanted)));
}

unsigned mcpat_node(const char *preset)
{
	static const struct {
		const char *preset;
		unsigned node;
	} rows[] = {
		{ "nehalem", 45 }, { "k10", 45 }, { "sandybridge", 32 },
		{ "llano", 32 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].preset, preset))
			return rows[i].node;
	return 22;
}

void mcpat_write(const struct mcpat_values *v, FILE *stream)
{
	struct writer to = { .stream = stream };

	fprintf(stream, "<?xml version=\"1.0\" ?>\n<!-- Input of McPAT 1.3: "
			"%u x %s at %u MHz, simulated by m2s. A remark beside "
			"a value is an assumption. -->\n",
		v->cores, v->preset, v->frequency);
#define COMPONENT(id, name) begin(&to, id, name);
#define END() end(&to);
#define ROW(kind, name, format, value, why) \
	row_begins(&to, kind, name); \
	fprintf(stream, format, value); \
	row_ends(&to, why);
#define PARAM(name, value, why) ROW("param", name, "%.0f", (double)(value), why)
#define STAT(name, value, why) ROW("stat", name, "%.0f", (double)(value), why)
#define RATIO(name, value, why) ROW("stat", name, "%.6g", (double)(value), why)
#define TEXT(name, value) ROW("param", name, "%s", value, "")
#define LIST(name, why, ...) \
	row_begins(&to, "param", name); \
	fprintf(stream, __VA_ARGS__); \
	row_ends(&to, why);
#include "m2s/mcpat/mcpat.def"
}
