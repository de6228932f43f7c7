#include "m2s/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ini.h"
#include "base/memory.h"

extern char **environ;

/* ---- Lists of words ---- */

static void words_add(struct words *words, char *word)
{
	ARRAY_GROW(words->list, words->count, words->capacity);
	words->list[words->count++] = word;
	ARRAY_GROW(words->list, words->count, words->capacity);
	words->list[words->count] = NULL;
}

static void words_clear(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->list[i]);
	free(words->list);
}

/* Takes one word, up to a blank outside quotes. Quotes and backslashes are
 * those of a shell. *text moves behind the word. NULL: a quote is not
 * closed. */
static char *take_word(const char **text)
{
	char *word = xmalloc(strlen(*text) + 1), *to = word;
	const char *at = *text;
	char quote = 0;

	for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
		if (quote ? *at == quote : *at == '"' || *at == '\'') {
			quote = quote ? 0 : *at;
			continue;
		}
		if (*at == '\\' && quote != '\'' && at[1])
			at++;
		*to++ = *at;
	}
	*to = '\0';
	*text = at;
	if (!quote)
		return word;
	free(word);
	return NULL;
}

/* Appends the words of a value. */
static int split(const struct ini_value *value, struct words *words,
		 struct error *error)
{
	const char *at = value->text;

	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
		char *word = take_word(&at);

		if (!word)
			return ini_error(value, error,
					 "a quotation mark is not closed");
		words_add(words, word);
	}
	return 0;
}

/* Sets NAME=VALUE and replaces another value of that name. */
static void set_variable(struct words *environment, const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < environment->count; i++) {
		if (strncmp(environment->list[i], variable, name))
			continue;
		free(environment->list[i]);
		environment->list[i] = xstrdup(variable);
		return;
	}
	words_add(environment, xstrdup(variable));
}

/* ---- Programs ---- */

/* The environment of --x86-env clean, before --env: enough to find Debian's
 * programs. */
static char *clean[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };

int programs_environment(struct programs *programs, const char *kind,
			 const char *const *variables, size_t count,
			 struct error *error)
{
	char **from = environ;

	if (kind && !strcmp(kind, "clean"))
		from = clean;
	else if (kind && strcmp(kind, "host"))
		return error_set(error, "--x86-env %s: expected host or clean",
				 kind);
	for (; *from; from++)
		words_add(&programs->environment, xstrdup(*from));
	for (size_t i = 0; i < count; i++)
		set_variable(&programs->environment, variables[i]);
	return 0;
}

/* Adds a program with a command line, which the program takes over. */
static struct program *add(struct programs *programs, struct words arguments)
{
	struct words environment = { 0 };
	struct program *program;

	for (size_t i = 0; i < programs->environment.count; i++)
		words_add(&environment,
			  xstrdup(programs->environment.list[i]));
	ARRAY_GROW(programs->list, programs->count, programs->capacity);
	program = &programs->list[programs->count++];
	*program = (struct program){
		.arguments = arguments, .environment = environment,
		.input = -1, .output = -1,
		.load.standard = { STDIN_FILENO, STDOUT_FILENO,
				   STDERR_FILENO },
	};
	return program;
}

/* To be called when all programs are known. */
static void point(struct program *program)
{
	program->load.path = program->arguments.list[0];
	program->load.argv = (const char *const *)program->arguments.list;
	program->load.envp = (const char *const *)program->environment.list;
	program->load.cwd = program->cwd;
}

void programs_add(struct programs *programs, char *const *argv)
{
	struct words arguments = { 0 };

	for (; *argv; argv++)
		words_add(&arguments, xstrdup(*argv));
	point(add(programs, arguments));
}

void programs_clear(struct programs *programs)
{
	for (size_t i = 0; i < programs->count; i++) {
		struct program *program = &programs->list[i];

		words_clear(&program->arguments);
		words_clear(&program->environment);
		free(program->cwd);
		if (program->input >= 0)
			close(program->input);
		if (program->output >= 0)
			close(program->output);
	}
	free(programs->list);
	words_clear(&programs->environment);
	*programs = (struct programs){ 0 };
}

/* ---- The context file ---- */

/* A file named in the context file; a relative name starts at the program's
 * folder. To be freed. */
static char *file_path(const struct program *program,
		       const struct ini_value *value)
{
	return program->cwd && value->text[0] != '/'
		       ? xasprintf("%s/%s", program->cwd, value->text)
		       : xstrdup(value->text);
}

static int open_file(const struct program *program,
		     const struct ini_value *value, int flags, int *file,
		     struct error *error)
{
	char *path = file_path(program, value);

	*file = open(path, flags | O_CLOEXEC, 0666);
	if (*file < 0)
		ini_error(value, error, "cannot open %s: %s", path,
			  strerror(errno));
	free(path);
	return *file < 0 ? -1 : 0;
}

/* Opens an output file. Protected files are refused here. Other files keep
 * their content until all programs have been found. */
static int open_output(struct program *program, const struct ini_value *value,
		       const struct output_rules *rules, struct error *error)
{
	char *path = file_path(program, value);
	struct error why = { "" };
	int status = output_may_replace(path, rules, &why);

	free(path);
	return status ? ini_error(value, error, "%s", why.text)
		      : open_file(program, value, O_WRONLY | O_CREAT,
				  &program->output, error);
}

static int read_environment(struct program *program,
			    const struct ini_value *value, struct error *error)
{
	struct words variables = { 0 };
	int result = split(value, &variables, error);

	for (size_t i = 0; i < variables.count && !result; i++) {
		if (strchr(variables.list[i], '='))
			set_variable(&program->environment, variables.list[i]);
		else
			result = ini_error(value, error, "expected NAME=VALUE, "
					   "found %s", variables.list[i]);
	}
	words_clear(&variables);
	return result;
}

static int read_context(struct programs *programs, struct ini_section *section,
			const struct output_rules *rules, struct error *error)
{
	struct ini_value *exe = ini_find(section, "Exe");
	struct ini_value *args = ini_find(section, "Args");
	struct ini_value *env = ini_find(section, "Env");
	struct ini_value *cwd = ini_find(section, "Cwd");
	struct ini_value *input = ini_find(section, "Stdin");
	struct ini_value *output = ini_find(section, "Stdout");
	struct words none = { 0 };
	struct program *program;

	if (!exe || !*exe->text)
		return ini_section_error(section, error,
					 "Exe, the program to run, is missing");
	program = add(programs, none);
	words_add(&program->arguments, xstrdup(exe->text));
	if (cwd)
		program->cwd = xstrdup(cwd->text);
	if ((args && split(args, &program->arguments, error)) ||
	    (env && read_environment(program, env, error)) ||
	    (input && open_file(program, input, O_RDONLY, &program->input,
				error)) ||
	    (output && open_output(program, output, rules, error)))
		return -1;
	if (input)
		program->load.standard[0] = program->input;
	if (output)
		program->load.standard[1] = program->load.standard[2] =
			program->output;
	point(program);
	return 0;
}

int programs_read(struct programs *programs, const char *path,
		  const struct output_rules *rules, struct error *error)
{
	struct ini *ini = ini_read(path, error);
	int result = 0;
	bool found = true;

	if (!ini)
		return -1;
	for (unsigned number = 0; found && !result; number++) {
		char name[32];
		struct ini_section *section;

		snprintf(name, sizeof name, "Context %u", number);
		section = ini_section_find(ini, name);
		found = section != NULL;
		if (found)
			result = read_context(programs, section, rules, error);
		else if (!number)
			result = error_set(error, "%s: no section [ Context 0 ]"
					   " (see m2s --ctx-config-help)",
					   path);
	}
	if (!result)
		result = ini_check(ini, error);
	ini_free(ini);
	return result;
}

void programs_start(struct programs *programs)
{
	for (size_t i = 0; i < programs->count; i++)
		/* Truncates as O_TRUNC does: files without a length are not
		 * changed. */
		if (programs->list[i].output >= 0 &&
		    ftruncate(programs->list[i].output, 0) != 0)
			continue;
}

void programs_help(FILE *stream)
{
	fputs("A context file lists programs that run at the same time, each "
	      "in its own address\nspace: sections [ Context 0 ], "
	      "[ Context 1 ] and so on, without a gap. A program on\nthe "
	      "command line, if there is one, comes first.\n\n"
	      "[ Context <number> ]\n"
	      "  Exe = <program>            required; looked up in PATH if it "
	      "has no slash; a\n"
	      "                             relative path starts at Cwd\n"
	      "  Args = <words>             arguments, with a shell's "
	      "quotation marks\n"
	      "  Env = \"N=V\" \"N=V\" ...      variables over those of "
	      "--x86-env and --env\n"
	      "  Cwd = <folder>             current folder of the program "
	      "(default: the simulator's)\n"
	      "  Stdin = <file>             standard input (default: the "
	      "simulator's)\n"
	      "  Stdout = <file>            standard output and standard error "
	      "(default: the simulator's)\n\n"
	      "Programs take turns of a fixed number of instructions, in this "
	      "order, so the same\ninput gives the same run. The exit status "
	      "is that of the first program in the list\nthat failed, 0 if "
	      "none did.\n", stream);
}
