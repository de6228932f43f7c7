#include "network/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "network/internal.h"
#include "sim/script.h"

enum command_kind {
#define COMMAND(name, arguments, doc) COMMAND_##name,
#include "network/script.def"
	COMMAND_COUNT
};

static const struct script_syntax commands[] = {
#define COMMAND(name, arguments, doc) { #name, arguments, doc },
#include "network/script.def"
};

/* Messages are arguments by their number, nodes by pointer. */
struct network_script {
	struct network *network;
	struct script *script;
	char **messages; /* names; a payload is one of these pointers */
	bool *sent;
	size_t message_count, message_capacity;
	const char *wanted; /* by the Receive that is running */
	uint64_t *checks;
};

void network_script_help(FILE *stream)
{
	script_help(commands, COMMAND_COUNT, stream);
}

bool network_has_script(const struct network *network)
{
	return network->script != NULL;
}

void network_script_free(struct network_script *script)
{
	if (!script)
		return;
	script_free(script->script);
	for (size_t i = 0; i < script->message_count; i++)
		free(script->messages[i]);
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

static int read_argument(void *owner, char letter, const char *word,
			 const struct ini_value *value,
			 union script_argument *argument, struct error *error)
{
	struct network_script *script = owner;
	struct network_node *node;

	switch (letter) {
	case 'm':
		argument->number = message_number(script, word);
		return 0;
	case 'd':
		argument->number = !strcasecmp(word, "out");
		if (!argument->number && strcasecmp(word, "in"))
			return ini_error(value, error, "'%s': expected in or "
					 "out", word);
		return 0;
	default:
		node = network_find_node(script->network, word);
		if (!node)
			return ini_error(value, error, "no node '%s' in "
					 "network '%s'", word,
					 script->network->name);
		if (letter == 'e' && node->kind != NETWORK_END_NODE)
			return ini_error(value, error, "'%s' is not an end "
					 "node", word);
		argument->pointer = node;
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

static int check_send(const union script_argument *arguments,
		      const struct ini_value *value, struct error *error)
{
	const struct network_node *from = arguments[1].pointer;
	const struct network_node *to = arguments[2].pointer;
	uint32_t most = from == to ? 0
				   : network_largest_message(from->network,
							     from, to);

	if (arguments[3].number && arguments[3].number <= most)
		return 0;
	return ini_error(value, error, "'%s' can send 1 to %u bytes to '%s', "
			 "not %" PRIu64, from->name, most, to->name,
			 arguments[3].number);
}

static int check_buffer_number(const struct ini_value *value,
			       const struct network_node *node, bool out,
			       uint64_t number, struct error *error)
{
	if (find_buffer(node, out, number))
		return 0;
	return ini_error(value, error, "'%s' has no %s buffer %" PRIu64,
			 node->name, out ? "output" : "input", number);
}

static int check_command(void *owner, const struct script_command *command,
			 const struct ini_value *value, struct error *error)
{
	const union script_argument *arguments = command->arguments;

	(void)owner;
	switch (command->kind) {
	case COMMAND_Send:
		return check_send(arguments, value, error);
	case COMMAND_InBufferCheck:
	case COMMAND_OutBufferCheck:
		return check_buffer_number(
			value, arguments[0].pointer,
			command->kind == COMMAND_OutBufferCheck,
			arguments[1].number, error);
	case COMMAND_ExactPosCheck:
		return check_buffer_number(value, arguments[1].pointer,
					   arguments[2].number,
					   arguments[3].number, error);
	default:
		return 0;
	}
}

/* --- Running ----------------------------------------------------------- */

/* Finds the place of a message. False when it is in no buffer. */
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

static int check_place(struct network_script *script,
		       const struct script_command *command,
		       struct error *error)
{
	const union script_argument *arguments = command->arguments;
	const char *name = script->messages[arguments[0].number];
	struct place place;

	if (!find_message(script->network, name, &place))
		return script_fail(command, error, "message '%s' is in no "
				   "buffer: %s", name,
				   script->sent[arguments[0].number]
					   ? "on a link, or received"
					   : "it was not sent");
	if (place.node == arguments[1].pointer &&
	    (command->kind == COMMAND_NodeCheck ||
	     (place.out == arguments[2].number &&
	      place.buffer == arguments[3].number &&
	      place.position == arguments[4].number)))
		return 0;
	return script_fail(command, error, "message '%s' is in %s buffer %u of "
			   "'%s', position %" PRIu64, name,
			   place.out ? "output" : "input", place.buffer,
			   place.node->name, place.position);
}

static int check_buffer(const struct script_command *command,
			struct error *error)
{
	const union script_argument *arguments = command->arguments;
	bool out = command->kind == COMMAND_OutBufferCheck;
	uint32_t used = find_buffer(arguments[0].pointer, out,
				    arguments[1].number)->used;

	if (used == arguments[2].number)
		return 0;
	return script_fail(command, error, "the buffer holds %" PRIu32
			   " bytes", used);
}

static int send_message(struct network_script *script,
			const struct script_command *command,
			struct error *error)
{
	const union script_argument *arguments = command->arguments;
	char *name = script->messages[arguments[0].number];

	if (script->sent[arguments[0].number])
		return script_fail(command, error, "message '%s' has been sent "
				   "already", name);
	script->sent[arguments[0].number] = true;
	if (!network_send(arguments[1].pointer, arguments[2].pointer,
			  (uint32_t)arguments[3].number, name))
		return script_fail(command, error, "the output buffer has no "
				   "room");
	return 0;
}

static int receive_message(struct network_script *script,
			   const struct script_command *command,
			   struct error *error)
{
	struct network_node *node = command->arguments[1].pointer;
	const char *name = script->messages[command->arguments[0].number];

	script->wanted = name;
	network_node_resume(node);
	if (!script->wanted)
		return 0;
	return script_fail(command, error, "message '%s' is not at the head of "
			   "an input buffer of '%s'", name, node->name);
}

static int run_command(void *owner, const struct script_command *command,
		       struct error *error)
{
	struct network_script *script = owner;

	*script->checks += command->kind != COMMAND_Send;
	switch (command->kind) {
	case COMMAND_Send:
		return send_message(script, command, error);
	case COMMAND_Receive:
		return receive_message(script, command, error);
	case COMMAND_InBufferCheck:
	case COMMAND_OutBufferCheck:
		return check_buffer(command, error);
	default:
		return check_place(script, command, error);
	}
}

int network_script_read(struct network *network, struct ini_section *section,
			struct error *error)
{
	struct network_script *script = xcalloc(1, sizeof *script);
	struct script_client client = {
		.owner = script,
		.syntax = commands,
		.syntax_count = COMMAND_COUNT,
		.read = read_argument,
		.check = check_command,
		.run = run_command,
	};

	script->network = network;
	network->script = script;
	script->script = script_read(&client, section, error);
	script->sent = xcalloc(script->message_count + 1,
			       sizeof *script->sent);
	return script->script ? 0 : -1;
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

int network_script_run(struct network *network, uint64_t *checks,
		       struct error *error)
{
	struct network_script *script = network->script;

	script->checks = checks;
	for (size_t i = 0; i < network->node_count; i++)
		network_node_attach(network->nodes[i], receive, room, script);
	script_start(script->script, network->events, network->period, error);
	while (!script_status(script->script) &&
	       event_queue_step(network->events))
		;
	return script_status(script->script);
}
