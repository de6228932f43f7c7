#include "base/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct log {
	FILE *stream[LOG_CHANNEL_COUNT]; /* first: log_stream() */
	char **warned; /* keys of log_warning_once */
	size_t warned_count;
};

const struct log_channel_info log_channel_info[LOG_CHANNEL_COUNT] = {
#define CHANNEL(id, option, help) [LOG_##id] = { option, help },
#include "base/log-channels.def"
};

struct log *log_create(void)
{
	return calloc(1, sizeof(struct log));
}

void log_free(struct log *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->warned_count; i++)
		free(log->warned[i]);
	free(log->warned);
	free(log);
}

void log_open(struct log *log, enum log_channel channel, FILE *stream)
{
	log->stream[channel] = stream;
}

static void warn(const char *format, va_list arguments)
{
	fflush(stdout);
	fputs("m2s: warning: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void log_warning(struct log *log, const char *format, ...)
{
	va_list arguments;

	(void)log;
	va_start(arguments, format);
	warn(format, arguments);
	va_end(arguments);
}

void log_warning_once(struct log *log, const char *key, const char *format, ...)
{
	va_list arguments;
	char **warned;

	if (log) {
		for (size_t i = 0; i < log->warned_count; i++)
			if (!strcmp(log->warned[i], key))
				return;
		warned = realloc(log->warned,
				 (log->warned_count + 1) * sizeof *warned);
		if (warned) {
			log->warned = warned;
			warned[log->warned_count] = strdup(key);
			if (warned[log->warned_count])
				log->warned_count++;
		}
	}
	va_start(arguments, format);
	warn(format, arguments);
	va_end(arguments);
}
