/* Messages of a run beside its reports: warnings go to standard error, debug
 * channels to streams.
 *
 * Errors are not logged here but returned (base/error.h). A `struct log`
 * belongs to one simulator instance. */
#ifndef M2S_BASE_LOG_H
#define M2S_BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct log;

/* One id per debug channel, declared in log-channels.def. */
enum log_channel {
#define CHANNEL(id, option, help) LOG_##id,
#include "base/log-channels.def"
	LOG_CHANNEL_COUNT
};

struct log_channel_info {
	const char *option; /* command-line option that opens it, without -- */
	const char *help;
};
extern const struct log_channel_info log_channel_info[LOG_CHANNEL_COUNT];

struct log *log_create(void);
void log_free(struct log *log);

/* Opens a debug channel on a stream, which stays the caller's. */
void log_open(struct log *log, enum log_channel channel, FILE *stream);

/* The channel's stream, or NULL when the channel is closed. Callers test it
 * before they format. A NULL log has every channel closed. */
static inline FILE *log_stream(const struct log *log, enum log_channel channel)
{
	/* The first members of a log, public so that asking is inline. */
	FILE *const *streams = (FILE *const *)(const void *)log;

	return log ? streams[channel] : NULL;
}

/* Prints "m2s: warning: ..." on standard error. */
void log_warning(struct log *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Warns only the first time for this key, which is compared by content. */
void log_warning_once(struct log *log, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
