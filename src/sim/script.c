#include "sim/script.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

struct script {
	struct script_client client;
	struct script_command *commands;
	size_t count, capacity, next;
	struct event_queue *events;
	picoseconds period;
	uint32_t source;
	struct error *error;
	int status;
};

void script_help(const struct script_syntax *syntax, size_t count, FILE *stream)
{
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "      %s %s\n", syntax[i].name,
			syntax[i].doc);
}

void script_free(struct script *script)
{
	if (!script)
		return;
	for (size_t i = 0; i < script->count; i++)
		free(script->commands[i].where);
	free(script->commands);
	free(script);
}

/* --- Reading ----------------------------------------------------------- */

static int read_number(const struct ini_value *value, const char *word,
		       uint64_t *number, struct error *error)
{
	char *end;

	*number = strtoull(word, &end, 0);
	if (*word < '0' || *word > '9' || *end || *number > 1000000000000)
		return ini_error(value, error, "'%s': expected a whole number "
				 "of at most 1000000000000", word);
	return 0;
}

static int find_command(const struct script_client *client, const char *word)
{
	for (size_t i = 0; word && i < client->syntax_count; i++)
		if (!strcasecmp(word, client->syntax[i].name))
			return (int)i;
	return -1;
}

/* "Send, Receive or NodeCheck". */
static int no_such_command(const struct script_client *client,
			   const struct ini_value *value, const char *word,
			   struct error *error)
{
	char text[256] = "";
	size_t length = 0, count = client->syntax_count;

	for (size_t i = 0; i < count && length < sizeof text; i++)
		length += (size_t)snprintf(text + length, sizeof text - length,
					   "%s%s", client->syntax[i].name,
					   i + 2 < count    ? ", "
					   : i + 1 < count ? " or "
							   : "");
	return ini_error(value, error, "'%s': expected %s", word ? word : "",
			 text);
}

static int read_argument(const struct script_client *client,
			 const struct ini_value *value, char letter,
			 const char *word, struct script_command *command,
			 struct error *error)
{
	union script_argument *argument =
		&command->arguments[command->argument_count++];

	if (letter == 'u')
		return read_number(value, word, &argument->number, error);
	return client->read(client->owner, letter, word, value, argument,
			    error);
}

/* Words in another order are the likeliest reason: what goes where. */
static int add_syntax(const struct script_syntax *syntax, struct error *error)
{
	const char *end = strstr(syntax->doc, ": ");
	size_t used = error ? strlen(error->text) : 0;

	if (error)
		snprintf(error->text + used, sizeof error->text - used,
			 "; expected %s %.*s", syntax->name,
			 end ? (int)(end - syntax->doc) : -1, syntax->doc);
	return -1;
}

/* `text` is cut into words. */
static int read_words(const struct script_client *client,
		      const struct ini_value *value, char *text,
		      struct script_command *command, struct error *error)
{
	static const char blanks[] = " \t";
	char *rest = NULL, *word = strtok_r(text, blanks, &rest);
	const struct script_syntax *syntax;
	const char *letters;

	if (!word || read_number(value, word, &command->cycle, error))
		return word ? -1
			    : ini_error(value, error, "expected <cycle> "
					"<command> <argument> ...");
	word = strtok_r(NULL, blanks, &rest);
	command->kind = find_command(client, word);
	if (command->kind < 0)
		return no_such_command(client, value, word, error);
	syntax = &client->syntax[command->kind];
	letters = syntax->arguments;
	while (*letters && *letters != '*' &&
	       (word = strtok_r(NULL, blanks, &rest))) {
		if (command->argument_count == SCRIPT_MOST_ARGUMENTS)
			return ini_error(value, error, "more than %d arguments",
					 SCRIPT_MOST_ARGUMENTS);
		if (read_argument(client, value, *letters, word, command,
				  error))
			return add_syntax(syntax, error);
		if (letters[1] != '*')
			letters++;
	}
	if ((*letters && letters[1] != '*') ||
	    command->argument_count < strcspn(syntax->arguments, "*") ||
	    strtok_r(NULL, blanks, &rest))
		return ini_error(value, error, "expected %s %s", syntax->name,
				 syntax->doc);
	return client->check ? client->check(client->owner, command, value,
					     error)
			     : 0;
}

static int compare_commands(const void *a, const void *b)
{
	const struct script_command *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct script *script_read(const struct script_client *client,
			   struct ini_section *section, struct error *error)
{
	struct script *script = xcalloc(1, sizeof *script);

	script->client = *client;
	ini_section_use(section);
	for (size_t i = 0; i < ini_value_count(section); i++) {
		const struct ini_value *value = ini_value_at(section, i);
		struct script_command command = { .order = i };
		char *text;
		int status;

		if (strncasecmp(value->name, "Command[", 8)) {
			script_free(script);
			ini_error(value, error, "no such variable; expected "
				  "Command[%zu]", i);
			return NULL;
		}
		text = xstrdup(value->text);
		status = read_words(client, value, text, &command, error);
		free(text);
		if (status) {
			script_free(script);
			return NULL;
		}
		command.where = xasprintf("%s:%d: [%s] %s = %s", value->path,
					  value->line, value->section,
					  value->name, value->text);
		ARRAY_GROW(script->commands, script->count, script->capacity);
		script->commands[script->count++] = command;
	}
	if (script->count)
		qsort(script->commands, script->count, sizeof *script->commands,
		      compare_commands);
	return script;
}

/* --- Running ----------------------------------------------------------- */

int script_fail(const struct script_command *command, struct error *error,
		const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return error_set(error, "%s: in cycle %" PRIu64 " %s", command->where,
			 command->cycle, text);
}

static void run_cycle(void *owner, uint64_t tag)
{
	struct script *script = owner;
	uint64_t cycle = script->commands[script->next].cycle;

	(void)tag;
	while (!script->status && script->next < script->count &&
	       script->commands[script->next].cycle == cycle)
		script->status = script->client.run(
			script->client.owner, &script->commands[script->next++],
			script->error);
	if (!script->status && script->next < script->count)
		event_schedule(script->events,
			       (script->commands[script->next].cycle - cycle) *
				       script->period,
			       script->source, run_cycle, script, 0);
}

void script_start(struct script *script, struct event_queue *events,
		  picoseconds period, struct error *error)
{
	script->events = events;
	script->period = period;
	script->error = error;
	script->source = event_source_create(events);
	if (script->count)
		event_schedule(events, script->commands[0].cycle * period,
			       script->source, run_cycle, script, 0);
}

int script_status(const struct script *script)
{
	return script->status;
}
