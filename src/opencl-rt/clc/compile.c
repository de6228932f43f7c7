#include "opencl-rt/clc/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "opencl-rt/clc/cache.h"
#include "opencl-rt/clc/hash.h"
#include "opencl-rt/clc/process.h"

/* m2s-clc limits its own steps; this is for m2s-clc itself. */
enum { COMPILER_SECONDS = 600, VERSION_SECONDS = 60 };

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

/* The cache's key, or false when it cannot be used. */
static bool make_key(const struct clc_request *request, char **words,
		     char key[HASH_TEXT_SIZE])
{
	char *const arguments[] = { (char *)request->compiler, "--version",
				    NULL };
	const struct process_limits limits = { .seconds = VERSION_SECONDS };
	struct process_result version;
	struct hash hash;
	bool known;

	if (!request->cache_folder || may_include(request->source, words))
		return false;
	if (process_run(arguments, "", 0, false, &limits, &version, NULL))
		return false;
	known = !version.timed_out && !version.signal && !version.exit_status;
	hash_start(&hash);
	/* Zero bytes keep the parts apart. */
	hash_add(&hash, version.output, version.output_size + 1);
	for (; *words; words++)
		hash_add(&hash, *words, strlen(*words) + 1);
	hash_add(&hash, "", 1);
	hash_add(&hash, request->source, strlen(request->source));
	hash_finish_text(&hash, key);
	process_result_free(&version);
	return known;
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

static int run_compiler(const struct clc_request *request, char **words,
			struct clc_result *result, struct error *error)
{
	const struct process_limits limits = { .seconds = COMPILER_SECONDS };
	struct process_result end;
	char text[128], **arguments;
	size_t count = 0;

	while (words[count])
		count++;
	arguments = xcalloc(count + 6, sizeof *arguments);
	arguments[0] = (char *)request->compiler;
	arguments[1] = "-o";
	arguments[2] = "-";
	arguments[3] = "-";
	arguments[4] = "--build-options";
	memcpy(arguments + 5, words, count * sizeof *words);
	if (process_run(arguments, request->source, strlen(request->source),
			false, &limits, &end, error)) {
		free(arguments);
		if (errno != ENOENT && errno != EACCES)
			return -1;
		result->status = CLC_NOT_AVAILABLE;
		result->log = xasprintf(
			"the kernel compiler %s is not there: install m2s "
			"again\n", request->compiler);
		return 0;
	}
	free(arguments);
	if (end.timed_out || end.signal) {
		process_describe(&end, &limits, text, sizeof text);
		process_result_free(&end);
		return error_set(error, "the kernel compiler %s %s",
				 request->compiler, text);
	}
	result->status = status_of(end.exit_status);
	result->log = end.messages;
	end.messages = NULL;
	if (result->status == CLC_DONE) {
		result->binary = end.output;
		result->binary_size = end.output_size;
		end.output = NULL;
	}
	process_result_free(&end);
	return 0;
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
