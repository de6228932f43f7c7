#include "opencl-rt/clc/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "opencl-rt/clc/process.h"

/* A string of YAML, made of a folder and a name in it. */
static void write_path(FILE *stream, const char *folder, const char *name)
{
	const char *parts[] = { *name == '/' ? "" : folder,
				*name == '/' ? "" : "/", name };

	putc('"', stream);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (const char *at = parts[i]; *at; at++)
			if (*at == '"' || *at == '\\')
				fprintf(stream, "\\%c", *at);
			else if ((unsigned char)*at < ' ')
				fprintf(stream, "\\x%02x", (unsigned)*at);
			else
				putc(*at, stream);
	putc('"', stream);
}

static void write_entry(FILE *stream, const struct overlay_file *file,
			const char *folder, const char *current)
{
	fputs("\t{ \"type\": \"file\", \"name\": ", stream);
	write_path(stream, folder, file->name);
	fputs(", \"external-contents\": ", stream);
	write_path(stream, current, file->path);
	fputs(" },\n", stream);
}

static bool is_repeated(const struct overlay_file *files, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(files[i].name, files[index].name))
			return true;
	return false;
}

static void write_folder(FILE *stream, const char *folder)
{
	fputs("\t{ \"type\": \"directory-remap\", \"name\": ", stream);
	write_path(stream, "", folder);
	fputs(", \"external-contents\": ", stream);
	write_path(stream, "", folder);
	fputs(" },\n", stream);
}

int overlay_open(const struct overlay_file *files, size_t count,
		 const char *only, struct error *error)
{
	char *current = getcwd(NULL, 0), *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	int file;

	fputs("{ \"version\": 0, \"case-sensitive\": \"true\",\n"
	      "  \"use-external-names\": \"false\",\n", stream);
	if (only)
		fputs("  \"redirecting-with\": \"redirect-only\",\n", stream);
	fputs("  \"roots\": [\n", stream);
	if (only)
		write_folder(stream, only);
	for (size_t i = 0; i < count; i++) {
		if (is_repeated(files, i))
			continue;
		write_entry(stream, &files[i], OVERLAY_FOLDER,
			    current ? current : "");
		if (files[i].name[0] != '/')
			write_entry(stream, &files[i], current ? current : "",
				    current ? current : "");
	}
	fputs("] }\n", stream);
	fclose(stream);
	file = process_memory_file("overlay", text, size, error);
	free(text);
	free(current);
	return file;
}
