/* Four formats over one walk of the registry. */
#include <errno.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "stats/registry.h"

/* Room for the longest vector that a report holds (a histogram over the 64
 * lanes of a wavefront). */
enum { TEXT_SIZE = 4096 };

static const char *const format_names[STATS_FORMAT_COUNT] = {
	[STATS_INI] = "ini",
	[STATS_CSV] = "csv",
	[STATS_JSON] = "json",
	[STATS_XML] = "xml",
};

const char *stats_format_name(enum stats_format format)
{
	return format_names[format];
}

/* The sections of one report that have entries, in order: first its own. */
static const struct stats_section *next_section(const struct stats *stats,
						const char *report,
						size_t *index)
{
	while (*index < 2 * stats->count) {
		size_t i = (*index)++;
		const struct stats_section *section =
			stats->sections[i % stats->count];

		if (section->count &&
		    !strcmp(section->report,
			    i < stats->count ? report : STATS_EVERY_REPORT))
			return section;
	}
	return NULL;
}

static void write_ini(const struct stats *stats, const char *report,
		      const char *partial, FILE *stream)
{
	const struct stats_section *section;
	char text[TEXT_SIZE];

	if (partial)
		fprintf(stream, "; INCOMPLETE: %s\n\n", partial);
	for (size_t i = 0; (section = next_section(stats, report, &i));) {
		fprintf(stream, "[ %s ]\n\n", section->name);
		for (size_t j = 0; j < section->count; j++) {
			stats_entry_format(&section->entries[j], text,
					   sizeof text);
			fprintf(stream, "%s = %s\n", section->entries[j].name,
				text);
		}
		fputc('\n', stream);
	}
}

static void write_csv(const struct stats *stats, const char *report,
		      const char *partial, FILE *stream)
{
	const struct stats_section *section;
	char text[TEXT_SIZE];

	fputs("section,name,value,unit,incomplete\n", stream);
	for (size_t i = 0; (section = next_section(stats, report, &i));)
		for (size_t j = 0; j < section->count; j++) {
			csv_print(section->name, stream);
			fputc(',', stream);
			csv_print(section->entries[j].name, stream);
			fputc(',', stream);
			stats_entry_format(&section->entries[j], text,
					   sizeof text);
			csv_print(text, stream);
			fputc(',', stream);
			csv_print(section->entries[j].unit, stream);
			fputc(',', stream);
			csv_print(partial ? partial : "", stream);
			fputc('\n', stream);
		}
}

static void write_json_string(const char *text, FILE *stream)
{
	fputc('"', stream);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(stream, "\\%c", c);
		else if (c < 0x20)
			fprintf(stream, "\\u%04x", c);
		else
			fputc(c, stream);
	}
	fputc('"', stream);
}

static void write_json_value(const struct stats_entry *entry, FILE *stream)
{
	char text[TEXT_SIZE];

	stats_entry_format(entry, text, sizeof text);
	if (stats_entry_is_number(entry)) {
		fputs(text, stream);
	} else if (entry->kind == STATS_VECTOR) {
		fputc('[', stream);
		for (char *c = text; *c; c++)
			fputs(*c == ' ' ? ", " : (char[]){ *c, '\0' }, stream);
		fputc(']', stream);
	} else {
		write_json_string(text, stream);
	}
}

static void write_json(const struct stats *stats, const char *report,
		       const char *partial, FILE *stream)
{
	const struct stats_section *section;
	const char *separator = "";

	fputs("{\n", stream);
	if (partial) {
		fputs("  \"incomplete\": ", stream);
		write_json_string(partial, stream);
		separator = ",\n";
	}
	for (size_t i = 0; (section = next_section(stats, report, &i));) {
		fprintf(stream, "%s  ", separator);
		write_json_string(section->name, stream);
		fputs(": {\n", stream);
		for (size_t j = 0; j < section->count; j++) {
			fputs(j ? ",\n    " : "    ", stream);
			write_json_string(section->entries[j].name, stream);
			fputs(": ", stream);
			write_json_value(&section->entries[j], stream);
		}
		fputs("\n  }", stream);
		separator = ",\n";
	}
	fputs("\n}\n", stream);
}

static int write_xml(const struct stats *stats, const char *report,
		     const char *partial, FILE *stream)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	xmlTextWriterPtr writer = xmlNewTextWriterMemory(buffer, 0);
	const struct stats_section *section;
	char text[TEXT_SIZE];

	if (!writer) {
		xmlBufferFree(buffer);
		return -1;
	}
	xmlTextWriterSetIndent(writer, 1);
	xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
	xmlTextWriterStartElement(writer, BAD_CAST "report");
	xmlTextWriterWriteAttribute(writer, BAD_CAST "name", BAD_CAST report);
	if (partial)
		xmlTextWriterWriteAttribute(writer, BAD_CAST "incomplete",
					    BAD_CAST partial);
	for (size_t i = 0; (section = next_section(stats, report, &i));) {
		xmlTextWriterStartElement(writer, BAD_CAST "section");
		xmlTextWriterWriteAttribute(writer, BAD_CAST "name",
					    BAD_CAST section->name);
		for (size_t j = 0; j < section->count; j++) {
			const struct stats_entry *entry = &section->entries[j];

			stats_entry_format(entry, text, sizeof text);
			xmlTextWriterStartElement(writer, BAD_CAST "stat");
			xmlTextWriterWriteAttribute(writer, BAD_CAST "name",
						    BAD_CAST entry->name);
			xmlTextWriterWriteAttribute(writer, BAD_CAST "value",
						    BAD_CAST text);
			if (*entry->unit)
				xmlTextWriterWriteAttribute(
					writer, BAD_CAST "unit",
					BAD_CAST entry->unit);
			xmlTextWriterEndElement(writer);
		}
		xmlTextWriterEndElement(writer);
	}
	xmlTextWriterEndDocument(writer);
	xmlFreeTextWriter(writer);
	fputs((const char *)xmlBufferContent(buffer), stream);
	xmlBufferFree(buffer);
	return 0;
}

int stats_write(const struct stats *stats, const char *report,
		enum stats_format format, const char *partial, FILE *stream,
		struct error *error)
{
	switch (format) {
	case STATS_INI:
		write_ini(stats, report, partial, stream);
		break;
	case STATS_CSV:
		write_csv(stats, report, partial, stream);
		break;
	case STATS_JSON:
		write_json(stats, report, partial, stream);
		break;
	case STATS_XML:
		if (write_xml(stats, report, partial, stream))
			return error_set(error, "%s report: libxml2 failed",
					 report);
		break;
	case STATS_FORMAT_COUNT:
		break;
	}
	if (fflush(stream) || ferror(stream))
		return error_set(error, "%s report: cannot write: %s", report,
				 strerror(errno));
	return 0;
}
