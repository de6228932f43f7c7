#include "opencl-rt/clc/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "opencl-rt/clc/cache.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/clc/tools.h"

/* m2s-clc limits its own steps; this is for m2s-clc itself, which spends most
 * of an hour at most on waiting for them. */
enum { COMPILER_SECONDS = 180 };

/* --- Options ------------------------------------------------------------ */

/* Takes one word off *text, which does not start with a blank. NULL when a
 * quote stays open. */
static char *split_word(const char **text)
{
	char *word = xmalloc(strlen(*text) + 1);
	size_t length = 0;
	char quote = 0;
	const char *at;

	for (at = *text; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
		if (*at == quote)
			quote = 0;
		else if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
		else if (*at == '\\' && quote != '\'' && at[1] &&
			 strchr("\\\"' ", at[1]))
			word[length++] = *++at;
		else
			word[length++] = *at;
	}
	word[length] = 0;
	*text = at;
	if (quote) {
		free(word);
		return NULL;
	}
	return word;
}

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

char **clc_split_options(const char *options, struct error *error)
{
	/* Every word but the last needs a blank after it. */
	char **words = xcalloc(strlen(options) / 2 + 2, sizeof *words);
	size_t count = 0;

	for (;;) {
		options += strspn(options, " \t\r\n");
		if (!*options)
			return words;
		words[count] = split_word(&options);
		if (!words[count++]) {
			free_words(words);
			error_set(error, "build options: a quote is not "
				  "closed");
			return NULL;
		}
	}
}

/* --- The cache's key ---------------------------------------------------- */

/* Whether the result depends on more files than the source. */
static bool may_include(const char *source, char **words)
{
	if (strstr(source, "include"))
		return true;
	for (; *words; words++)
		if (!strncmp(*words, "-I", 2) ||
		    !strncmp(*words, "-include", 8))
			return true;
	return false;
}

static void add_parts(struct hash *hash, const struct clc_request *request)
{
	for (size_t i = 0; i < request->part_count; i++) {
		const struct clc_part *part = &request->parts[i];
		uint64_t size = part->size;

		hash_add(hash, part->name, strlen(part->name) + 1);
		hash_add(hash, &size, sizeof size);
		hash_add(hash, part->bytes, part->size);
	}
}

/* Everything that has a part in a compilation. No process is started to ask
 * for its version. */
static bool add_tools(struct hash *hash, const char *compiler)
{
	struct clc_tools tools;
	bool found = !clc_find_tools(&tools, compiler, NULL);
	char *text;

	if (found) {
		text = clc_describe_tools(&tools);
		hash_add(hash, text, strlen(text) + 1);
		free(text);
	}
	clc_free_tools(&tools);
	return found;
}

/* The cache's key, or false when it cannot be used. */
static bool make_key(const struct clc_request *request, char **words,
		     char key[HASH_TEXT_SIZE])
{
	struct hash hash;

	if (!request->cache_folder ||
	    (request->task != CLC_LINK && may_include(request->source, words)))
		return false;
	hash_start(&hash);
	/* Zero bytes keep the parts apart. */
	if (!add_tools(&hash, request->compiler))
		return false;
	for (; *words; words++)
		hash_add(&hash, *words, strlen(*words) + 1);
	hash_add(&hash, "", 1);
	hash_add(&hash, &request->task, sizeof request->task);
	hash_add(&hash, &request->chip, sizeof request->chip);
	hash_add(&hash, &request->confined, sizeof request->confined);
	if (request->name)
		hash_add(&hash, request->name, strlen(request->name) + 1);
	if (request->task == CLC_LINK)
		add_parts(&hash, request);
	else
		hash_add(&hash, request->source, strlen(request->source));
	hash_finish_text(&hash, key);
	return true;
}

/* --- Compiling ---------------------------------------------------------- */

static enum clc_status status_of(int exit_status)
{
	switch (exit_status) {
	case 0: return CLC_DONE;
	case 2: return CLC_BAD_OPTIONS;
	case 3: return CLC_NOT_AVAILABLE;
	default: return CLC_BUILD_ERROR;
	}
}

/* The command line, with the parts in memory files. */
struct command {
	char **words; /* the paths among them are ours */
	size_t count;
	int *files;   /* of the parts */
	size_t file_count;
};

/* The options before the parts. Each part takes three words more. */
static const char *const task_words[][5] = {
	[CLC_BUILD] = { "-o", "-", "-" },
	[CLC_COMPILE] = { "-c", "-o", "-", "-" },
	[CLC_LINK] = { "--link", "-o", "-" },
};

static int command_make(struct command *command,
			const struct clc_request *request, char **options,
			struct error *error)
{
	size_t given = 0;

	while (options[given])
		given++;
	command->words = xcalloc(given + 3 * request->part_count + 13,
				 sizeof *command->words);
	command->files = xcalloc(request->part_count + 1,
				 sizeof *command->files);
	command->count = command->file_count = 0;
	command->words[command->count++] = (char *)request->compiler;
	for (const char *const *word = task_words[request->task]; *word; word++)
		command->words[command->count++] = (char *)*word;
	for (size_t i = 0; i < request->part_count; i++) {
		const struct clc_part *part = &request->parts[i];
		int file = process_memory_file("part", part->bytes, part->size,
					       error);

		if (file < 0)
			return -1;
		command->files[command->file_count++] = file;
		command->words[command->count++] =
			(char *)(request->task == CLC_LINK ? "--object"
							   : "--header");
		command->words[command->count++] = (char *)part->name;
		command->words[command->count++] = process_file_path(file);
	}
	command->words[command->count++] = (char *)"--chip";
	command->words[command->count++] =
		(char *)evg_chip_info[request->chip].name;
	if (request->confined)
		command->words[command->count++] = (char *)"--confined";
	if (request->name) {
		command->words[command->count++] = (char *)"--name";
		command->words[command->count++] = (char *)request->name;
	}
	command->words[command->count++] = (char *)"--build-options";
	memcpy(command->words + command->count, options,
	       given * sizeof *options);
	return 0;
}

static void command_free(struct command *command,
			 const struct clc_request *request)
{
	size_t first = 1;

	for (const char *const *word = task_words[request->task]; *word; word++)
		first++;
	for (size_t i = 0; i < command->file_count; i++) {
		close(command->files[i]);
		free(command->words[first + 3 * i + 2]);
	}
	free(command->words);
	free(command->files);
}

/* What became of the compiler. */
static int read_result(const struct clc_request *request,
		       const struct process_limits *limits,
		       struct process_result *end, struct clc_result *result,
		       struct error *error)
{
	char text[128];

	if (end->timed_out || end->stopped || end->signal) {
		process_describe(end, limits, text, sizeof text);
		return error_set(error, "the kernel compiler %s %s",
				 request->compiler, text);
	}
	result->status = status_of(end->exit_status);
	result->log = end->messages;
	end->messages = NULL;
	if (result->status == CLC_DONE) {
		result->binary = end->output;
		result->binary_size = end->output_size;
		end->output = NULL;
	}
	return 0;
}

static int run_compiler(const struct clc_request *request, char **options,
			struct clc_result *result, struct error *error)
{
	const struct process_limits limits = {
		.seconds = COMPILER_SECONDS, .stop = request->stop,
		.stop_owner = request->stop_owner,
	};
	const char *source = request->source ? request->source : "";
	struct process_result end;
	struct command command;
	int status = command_make(&command, request, options, error);

	if (status) {
		command_free(&command, request);
		return status;
	}
	status = process_run(command.words, source, strlen(source), false,
			     &limits, &end, error);
	if (!status) {
		status = read_result(request, &limits, &end, result, error);
		process_result_free(&end);
	} else if (errno == ENOENT || errno == EACCES) {
		status = 0;
		result->status = CLC_NOT_AVAILABLE;
		result->log = xasprintf(
			"the kernel compiler %s is not there: install m2s "
			"again\n", request->compiler);
	}
	command_free(&command, request);
	return status;
}

static int compile_words(const struct clc_request *request, char **words,
			 struct clc_result *result, struct error *error)
{
	struct cache_entry entry;
	char key[HASH_TEXT_SIZE];
	bool cached = make_key(request, words, key);

	if (cached && cache_load(request->cache_folder, key, &entry)) {
		result->status = CLC_DONE;
		result->log = entry.log;
		result->binary = entry.binary;
		result->binary_size = entry.binary_size;
		result->from_cache = true;
		return 0;
	}
	if (run_compiler(request, words, result, error))
		return -1;
	if (cached && result->status == CLC_DONE) {
		entry.log = result->log;
		entry.binary = result->binary;
		entry.binary_size = result->binary_size;
		cache_store(request->cache_folder, key, &entry);
	}
	return 0;
}

int clc_compile(const struct clc_request *request, struct clc_result *result,
		struct error *error)
{
	struct error why;
	char **words;
	int status;

	memset(result, 0, sizeof *result);
	words = clc_split_options(request->options ? request->options : "",
				  &why);
	if (!words) {
		result->status = CLC_BAD_OPTIONS;
		result->log = xasprintf("%s\n", why.text);
		return 0;
	}
	status = compile_words(request, words, result, error);
	free_words(words);
	return status;
}

void clc_result_free(struct clc_result *result)
{
	free(result->binary);
	free(result->log);
	memset(result, 0, sizeof *result);
}

char *clc_default_cache(void)
{
	const char *folder = getenv("XDG_CACHE_HOME");

	if (folder && *folder == '/')
		return xasprintf("%s/m2s", folder);
	folder = getenv("HOME");
	if (folder && *folder == '/')
		return xasprintf("%s/.cache/m2s", folder);
	return NULL;
}
