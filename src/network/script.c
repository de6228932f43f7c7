#include "network/script.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "network/internal.h"

enum command_kind {
#define COMMAND(name, arguments, doc) COMMAND_##name,
#include "network/script.def"
	COMMAND_COUNT
};

static const struct {
	const char *name, *arguments, *doc;
} commands[] = {
#define COMMAND(name, arguments, doc) { #name, arguments, doc },
#include "network/script.def"
};

enum { MOST_ARGUMENTS = 5 };

struct command {
	enum command_kind kind;
	char *where; /* "file:line: [section] name = text" */
	uint64_t cycle;
	size_t order;
	size_t message; /* number in the script */
	struct network_node *node[2];
	uint64_t number[2];
	bool out;
};

struct network_script {
	struct network *network;
	struct command *commands;
	size_t count, capacity, next;
	char **messages; /* names; a payload is one of these pointers */
	bool *sent;
	size_t message_count, message_capacity;
	const char *wanted; /* by the Receive that is running */
	uint32_t source;
	uint64_t *checks;
	struct error *error;
	int status;
};

void network_script_help(FILE *stream)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(stream, "      %s %s\n", commands[i].name,
			commands[i].doc);
}

bool network_has_script(const struct network *network)
{
	return network->script != NULL;
}

void network_script_free(struct network_script *script)
{
	if (!script)
		return;
	for (size_t i = 0; i < script->count; i++)
		free(script->commands[i].where);
	for (size_t i = 0; i < script->message_count; i++)
		free(script->messages[i]);
	free(script->commands);
	free(script->messages);
	free(script->sent);
	free(script);
}

/* --- Reading ----------------------------------------------------------- */

static size_t message_number(struct network_script *script, const char *name)
{
	size_t i = 0;

	while (i < script->message_count && strcmp(script->messages[i], name))
		i++;
	if (i == script->message_count) {
		ARRAY_GROW(script->messages, script->message_count,
			   script->message_capacity);
		script->messages[script->message_count++] = xstrdup(name);
	}
	return i;
}

static int read_number(const struct ini_value *value, const char *word,
		       uint64_t *number, struct error *error)
{
	char *end;

	*number = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || *number > 1000000000000)
		return ini_error(value, error, "'%s': expected a whole number "
				 "of at most 1000000000000", word);
	return 0;
}

static int read_argument(struct network_script *script,
			 const struct ini_value *value, char type,
			 const char *word, struct command *command,
			 unsigned *nodes, unsigned *numbers,
			 struct error *error)
{
	struct network_node *node;

	switch (type) {
	case 'm':
		command->message = message_number(script, word);
		return 0;
	case 'u':
		return read_number(value, word,
				   &command->number[(*numbers)++], error);
	case 'd':
		command->out = !strcasecmp(word, "out");
		if (!command->out && strcasecmp(word, "in"))
			return ini_error(value, error, "'%s': expected in or "
					 "out", word);
		return 0;
	default:
		node = network_find_node(script->network, word);
		if (!node)
			return ini_error(value, error, "no node '%s' in "
					 "network '%s'", word,
					 script->network->name);
		if (type == 'e' && node->kind != NETWORK_END_NODE)
			return ini_error(value, error, "'%s' is no end node",
					 word);
		command->node[(*nodes)++] = node;
		return 0;
	}
}

/* The buffer that a check names; NULL when the node has none of that
 * number. */
static const struct network_buffer *find_buffer(const struct network_node *node,
						bool out, uint64_t index)
{
	const struct network *network = node->network;

	for (size_t i = 0; i < network->link_count; i++) {
		const struct network_link *link = network->links[i];

		if ((out ? link->from : link->to) != node || node->bus)
			continue;
		for (unsigned j = 0; j < link->channel_count; j++) {
			const struct network_channel *channel =
				&link->channels[j];
			const struct network_buffer *buffer =
				out ? &channel->out : &channel->in;

			if (buffer->index == index)
				return buffer;
		}
	}
	return NULL;
}

static int check_command(const struct command *command,
			 const struct ini_value *value, struct error *error)
{
	const struct network_node *node = command->node[0];
	bool out = command->out || command->kind == COMMAND_OutBufferCheck;
	uint32_t most;

	if (command->kind == COMMAND_Send) {
		most = node == command->node[1]
			       ? 0
			       : network_largest_message(node->network, node,
							 command->node[1]);
		if (!command->number[0] || command->number[0] > most)
			return ini_error(value, error, "'%s' can send 1 to %u "
					 "bytes to '%s', not %" PRIu64,
					 node->name, most,
					 command->node[1]->name,
					 command->number[0]);
	}
	if ((command->kind == COMMAND_InBufferCheck ||
	     command->kind == COMMAND_OutBufferCheck ||
	     command->kind == COMMAND_ExactPosCheck) &&
	    !find_buffer(node, out, command->number[0]))
		return ini_error(value, error, "'%s' has no %s buffer %" PRIu64,
				 node->name, out ? "output" : "input",
				 command->number[0]);
	return 0;
}

static int find_command(const char *word, enum command_kind *kind)
{
	for (size_t i = 0; word && i < COMMAND_COUNT; i++)
		if (!strcasecmp(word, commands[i].name)) {
			*kind = (enum command_kind)i;
			return 0;
		}
	return -1;
}

/* `text` is cut into words. */
static int read_words(struct network_script *script,
		      const struct ini_value *value, char *text,
		      struct command *command, struct error *error)
{
	static const char blanks[] = " \t";
	char *rest = NULL, *word = strtok_r(text, blanks, &rest);
	unsigned nodes = 0, numbers = 0;
	const char *types;

	if (!word || read_number(value, word, &command->cycle, error))
		return word ? -1
			    : ini_error(value, error, "expected <cycle> "
					"<command> <argument> ...");
	word = strtok_r(NULL, blanks, &rest);
	if (find_command(word, &command->kind))
		return ini_error(value, error, "'%s': expected Send, Receive, "
				 "InBufferCheck, OutBufferCheck, NodeCheck or "
				 "ExactPosCheck", word ? word : "");
	types = commands[command->kind].arguments;
	for (; *types; types++) {
		word = strtok_r(NULL, blanks, &rest);
		if (!word)
			break;
		if (read_argument(script, value, *types, word, command, &nodes,
				  &numbers, error))
			return -1;
	}
	if (*types || strtok_r(NULL, blanks, &rest))
		return ini_error(value, error, "expected %s %s",
				 commands[command->kind].name,
				 commands[command->kind].doc);
	return check_command(command, value, error);
}

static int compare(const void *a, const void *b)
{
	const struct command *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

int network_script_read(struct network *network, struct ini_section *section,
			struct error *error)
{
	struct network_script *script = xcalloc(1, sizeof *script);

	script->network = network;
	network->script = script;
	ini_section_use(section);
	for (size_t i = 0; i < ini_value_count(section); i++) {
		const struct ini_value *value = ini_value_at(section, i);
		struct command command = { .order = i };
		char *text;
		int status;

		if (strncasecmp(value->name, "Command[", 8))
			return ini_error(value, error, "no such variable; "
					 "expected Command[%zu]", i);
		text = xstrdup(value->text);
		status = read_words(script, value, text, &command, error);
		free(text);
		if (status)
			return -1;
		command.where = xasprintf("%s:%d: [%s] %s = %s", value->path,
					  value->line, value->section,
					  value->name, value->text);
		ARRAY_GROW(script->commands, script->count, script->capacity);
		script->commands[script->count++] = command;
	}
	if (script->count)
		qsort(script->commands, script->count,
		      sizeof *script->commands, compare);
	script->sent = xcalloc(script->message_count + 1,
			       sizeof *script->sent);
	return 0;
}

/* --- Running ----------------------------------------------------------- */

static int __attribute__((format(printf, 3, 4)))
fail(struct network_script *script, const struct command *command,
     const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return error_set(script->error, "%s: in cycle %" PRIu64 " %s",
			 command->where, command->cycle, text);
}

/* Where a message is; false when it is in no buffer. */
struct place {
	const struct network_node *node;
	bool out;
	unsigned buffer;
	uint64_t position;
};

static bool find_in(const struct network_buffer *buffer, const void *payload,
		    struct place *place)
{
	place->position = 0;
	for (const struct network_message *message = buffer->first; message;
	     message = message->next, place->position++)
		if (message->payload == payload)
			return true;
	return false;
}

static bool find_message(const struct network *network, const void *payload,
			 struct place *place)
{
	for (size_t i = 0; i < network->link_count; i++) {
		const struct network_link *link = network->links[i];

		for (unsigned j = 0; j < link->channel_count; j++) {
			const struct network_channel *channel =
				&link->channels[j];

			place->node = link->from;
			place->out = true;
			place->buffer = channel->out.index;
			if (find_in(&channel->out, payload, place))
				return true;
			place->node = link->to;
			place->out = false;
			place->buffer = channel->in.index;
			if (find_in(&channel->in, payload, place))
				return true;
		}
	}
	return false;
}

static bool receive(void *owner, void *payload, uint32_t size)
{
	struct network_script *script = owner;

	(void)size;
	if (payload != script->wanted)
		return false;
	script->wanted = NULL;
	return true;
}

static void room(void *owner)
{
	(void)owner;
}

static int check_place(struct network_script *script,
		       const struct command *command)
{
	const char *name = script->messages[command->message];
	struct place place;

	if (!find_message(script->network, name, &place))
		return fail(script, command, "message '%s' is in no buffer: "
			    "%s", name, script->sent[command->message]
						? "on a link, or received"
						: "it was not sent");
	if (place.node == command->node[0] &&
	    (command->kind == COMMAND_NodeCheck ||
	     (place.out == command->out &&
	      place.buffer == command->number[0] &&
	      place.position == command->number[1])))
		return 0;
	return fail(script, command, "message '%s' is in %s buffer %u of '%s', "
		    "position %" PRIu64, name, place.out ? "output" : "input",
		    place.buffer, place.node->name, place.position);
}

static int check_buffer(struct network_script *script,
			const struct command *command)
{
	bool out = command->kind == COMMAND_OutBufferCheck;
	uint32_t used = find_buffer(command->node[0], out,
				    command->number[0])->used;

	if (used == command->number[1])
		return 0;
	return fail(script, command, "the buffer holds %" PRIu32 " bytes",
		    used);
}

static int run_command(struct network_script *script,
		       const struct command *command)
{
	char *name = command->kind == COMMAND_InBufferCheck ||
				     command->kind == COMMAND_OutBufferCheck
			     ? NULL
			     : script->messages[command->message];

	switch (command->kind) {
	case COMMAND_Send:
		if (script->sent[command->message])
			return fail(script, command, "message '%s' has been "
				    "sent already", name);
		script->sent[command->message] = true;
		if (!network_send(command->node[0], command->node[1],
				  (uint32_t)command->number[0], name))
			return fail(script, command, "the output buffer has "
				    "no room");
		return 0;
	case COMMAND_Receive:
		++*script->checks;
		script->wanted = name;
		network_node_resume(command->node[0]);
		if (!script->wanted)
			return 0;
		return fail(script, command, "message '%s' is not at the head "
			    "of an input buffer of '%s'", name,
			    command->node[0]->name);
	case COMMAND_InBufferCheck:
	case COMMAND_OutBufferCheck:
		++*script->checks;
		return check_buffer(script, command);
	default:
		++*script->checks;
		return check_place(script, command);
	}
}

static void run_cycle(void *owner, uint64_t tag)
{
	struct network_script *script = owner;
	uint64_t cycle = script->commands[script->next].cycle;

	(void)tag;
	while (!script->status && script->next < script->count &&
	       script->commands[script->next].cycle == cycle)
		script->status = run_command(script,
					     &script->commands[script->next++]);
	if (!script->status && script->next < script->count)
		event_schedule(script->network->events,
			       (script->commands[script->next].cycle - cycle) *
				       script->network->period,
			       script->source, run_cycle, script, 0);
}

int network_script_run(struct network *network, uint64_t *checks,
		       struct error *error)
{
	struct network_script *script = network->script;

	script->checks = checks;
	script->error = error;
	/* After whatever else happens in a cycle: the last source. */
	script->source = event_source_create(network->events);
	for (size_t i = 0; i < network->node_count; i++)
		network_node_attach(network->nodes[i], receive, room, script);
	if (script->count)
		event_schedule(network->events,
			       script->commands[0].cycle * network->period,
			       script->source, run_cycle, script, 0);
	while (!script->status && event_queue_step(network->events))
		;
	return script->status;
}
