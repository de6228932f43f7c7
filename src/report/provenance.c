#include "report/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "config.h"
#include "base/version.h"

/* What a report shows of one value; writers have room for more. */
enum { VALUE_MAX = 4000 };

int provenance_choose(const char *kind, bool *wanted, struct error *error)
{
	*wanted = !kind || !strcmp(kind, "full");
	if (*wanted || !strcmp(kind, "none"))
		return 0;
	return error_set(error, "--provenance %s: expected full or none", kind);
}

/* A word as a shell reads it: in bytes that every format can hold. */
static void print_word(FILE *stream, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789%+,-./:=@_";
	bool printable = true;

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stream);
		return;
	}
	for (const char *c = word; *c; c++)
		printable &= *c >= ' ' && *c <= '~';
	fputs(printable ? "'" : "$'", stream);
	for (const char *c = word; *c; c++)
		if (*c < ' ' || *c > '~')
			fprintf(stream, "\\x%02x", (unsigned char)*c);
		else if (printable && *c == '\'')
			fputs("'\\''", stream);
		else
			fprintf(stream, "%s%c",
				!printable && (*c == '\'' || *c == '\\') ? "\\"
									 : "",
				*c);
	fputc('\'', stream);
}

/* The words of a command line; a longer one is cut, which is to be seen. */
static void add_words(struct stats_section *section, const char *name,
		      char *const *words, const char *doc)
{
	size_t size;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = 0; words[i]; i++) {
		if (i)
			fputc(' ', stream);
		print_word(stream, words[i]);
	}
	fclose(stream);
	if (size > VALUE_MAX)
		strcpy(text + VALUE_MAX, " ...");
	stats_text(section, name, text, doc);
	free(text);
}

static void add_word(struct stats_section *section, const char *name,
		     char *word, const char *doc)
{
	add_words(section, name, (char *[]){ word, NULL }, doc);
}

/* Several programs of a context file are told apart by number. */
static void add_input(struct stats_section *section,
		      const struct inputs *inputs, size_t index)
{
	const struct input *input = &inputs->list[index];
	unsigned before = 0, alike = 0;
	char *name;

	for (size_t i = 0; i < inputs->count; i++) {
		if (strcmp(inputs->list[i].role, input->role))
			continue;
		alike++;
		before += i < index;
	}
	name = alike > 1 ? xasprintf("%s[%u]", input->role, before)
			 : xstrdup(input->role);
	add_word(section, name, input->path, "a file that the run read");
	if (*input->hash) {
		char *hash = xasprintf("%s.SHA256", name);

		stats_text(section, hash, input->hash, "of its content");
		free(hash);
	}
	free(name);
}

void provenance_add(struct stats *stats, char **arguments,
		    const struct inputs *inputs, time_t start)
{
	struct stats_section *section =
		stats_new_section(stats, STATS_EVERY_REPORT, "Provenance");
	char *folder = getcwd(NULL, 0), date[32], *host;
	struct utsname name;
	struct tm utc;

	stats_text(section, "Version", "m2s " M2S_VERSION, "the simulator");
	stats_text(section, "Commit", version_commit,
		   "of the source that it was built from");
	add_words(section, "CommandLine", arguments, "as a shell reads it");
	if (folder)
		add_word(section, "Folder", folder, "in which it was given");
	free(folder);
	for (size_t i = 0; i < inputs->count; i++)
		add_input(section, inputs, i);
	if (uname(&name) == 0) {
		host = xasprintf("%s, %s %s %s", name.nodename, name.sysname,
				 name.release, name.machine);
		stats_text(section, "Host", host, "machine and system");
		free(host);
	}
	gmtime_r(&start, &utc);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	stats_text(section, "Date", date, "when the run began, UTC");
}
