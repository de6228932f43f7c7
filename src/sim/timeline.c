#include "sim/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/zipper.h"

enum {
	TEXT_SIZE = ZIPPER_TEXT,
	EVENT_SIZE = 512,      /* bytes of an event, without its name */
	NAME_SIZE = 80,
};

struct timeline {
	FILE *stream;
	struct timeline_window window;
	bool failed;
	struct zipper *zipper; /* NULL: the file is text */
	char *text;            /* not yet compressed or written */
	size_t length;
	uint64_t events;
};

struct timeline_buffer {
	struct timeline *timeline;
	unsigned process;
	char *name;
	timeline_name_track *name_track;
	bool named;
	bool *track_named;
	uint32_t track_count;
	struct timeline_event *list;
	size_t count, capacity;
};

/* ---- Bytes ---- */

static void flush(struct timeline *timeline)
{
	if (timeline->zipper) {
		zipper_write(timeline->zipper, timeline->length);
		timeline->text = zipper_text(timeline->zipper);
	} else if (fwrite(timeline->text, 1, timeline->length,
			  timeline->stream) != timeline->length) {
		timeline->failed = true;
	}
	timeline->length = 0;
}

/* Makes room for `size` bytes, which is less than TEXT_SIZE. */
static void make_room(struct timeline *timeline, size_t size)
{
	if (timeline->length + size > TEXT_SIZE)
		flush(timeline);
}

static void put(struct timeline *timeline, const char *text)
{
	size_t size = strlen(text);

	memcpy(timeline->text + timeline->length, text, size);
	timeline->length += size;
}

/* The functions below are called for each event: they write at a place for which
 * there is room, and return the place behind it. */

#define APPEND(place, literal)                                                 \
	((char *)memcpy((place), literal, sizeof(literal) - 1) +               \
	 sizeof(literal) - 1)

static char *append(char *place, const char *text)
{
	while (*text)
		*place++ = *text++;
	return place;
}

static char *append_number(char *place, uint64_t number)
{
	char digits[20], *first = digits + sizeof digits;
	size_t size;

	while (number >= 100) {
		unsigned pair = (unsigned)(number % 100);

		number /= 100;
		*--first = (char)('0' + pair % 10);
		*--first = (char)('0' + pair / 10);
	}
	if (number >= 10) {
		*--first = (char)('0' + number % 10);
		number /= 10;
	}
	*--first = (char)('0' + number);
	size = (size_t)(digits + sizeof digits - first);
	memcpy(place, first, size);
	return place + size;
}

/* Viewers keep whole nanoseconds, a cycle is about one: the file has a
 * microsecond for each nanosecond. */
static char *append_time(char *place, picoseconds time)
{
	unsigned rest = (unsigned)(time % 1000);

	place = append_number(place, time / 1000);
	if (!rest)
		return place;
	*place++ = '.';
	*place++ = (char)('0' + rest / 100);
	*place++ = (char)('0' + rest / 10 % 10);
	*place++ = (char)('0' + rest % 10);
	return place;
}

static void put_number(struct timeline *timeline, uint64_t number)
{
	char *place = timeline->text + timeline->length;

	timeline->length = (size_t)(append_number(place, number) -
				    timeline->text);
}

/* A string of JSON, cut short where it is longer than names are. */
static void put_string(struct timeline *timeline, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	make_room(timeline, EVENT_SIZE + 6 * NAME_SIZE);
	put(timeline, "\"");
	for (size_t i = 0; text[i] && i < NAME_SIZE; i++) {
		unsigned char c = (unsigned char)text[i];
		const char escaped[] = { '\\', 'u', '0', '0', hex[c >> 4],
					 hex[c & 15], '\0' };

		if (c < ' ' || c == '"' || c == '\\' || c > '~')
			put(timeline, escaped);
		else
			timeline->text[timeline->length++] = (char)c;
	}
	put(timeline, "\"");
}

/* ---- The file ---- */

struct timeline *timeline_create(FILE *stream, bool gzip,
				 const struct timeline_window *window)
{
	struct timeline *timeline = xcalloc(1, sizeof *timeline);

	timeline->stream = stream;
	timeline->window = *window;
	if (gzip)
		timeline->zipper = zipper_create(stream);
	timeline->text = gzip ? zipper_text(timeline->zipper)
			      : xmalloc(TEXT_SIZE);
	put(timeline, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	if (!timeline->zipper)
		free(timeline->text);
	zipper_free(timeline->zipper);
	free(timeline);
}

const struct timeline_window *timeline_window(const struct timeline *timeline)
{
	return &timeline->window;
}

int timeline_end(struct timeline *timeline, const char *incomplete,
		 struct error *error)
{
	make_room(timeline, EVENT_SIZE);
	put(timeline, "\n],\"otherData\":{\"writer\":\"m2s\",\"scale\":"
		      "\"1 us shown is 1 ns simulated\"");
	if (incomplete) {
		put(timeline, ",\"incomplete\":");
		put_string(timeline, incomplete);
	}
	put(timeline, "}}\n");
	if (!timeline->zipper)
		flush(timeline);
	else if (zipper_end(timeline->zipper, timeline->length))
		timeline->failed = true;
	if (timeline->failed)
		return error_set(error, "--trace: cannot write: %s",
				 strerror(errno));
	return 0;
}

/* ---- Events ---- */

struct timeline_buffer *timeline_buffer_create(struct timeline *timeline,
					       unsigned process,
					       const char *name,
					       timeline_name_track *name_track)
{
	struct timeline_buffer *buffer = xcalloc(1, sizeof *buffer);

	buffer->timeline = timeline;
	buffer->process = process;
	buffer->name = xstrdup(name);
	buffer->name_track = name_track;
	return buffer;
}

void timeline_buffer_free(struct timeline_buffer *buffer)
{
	if (!buffer)
		return;
	free(buffer->name);
	free(buffer->track_named);
	free(buffer->list);
	free(buffer);
}

void timeline_add(struct timeline_buffer *buffer,
		  const struct timeline_event *event)
{
	ARRAY_GROW(buffer->list, buffer->count, buffer->capacity);
	buffer->list[buffer->count++] = *event;
}

static void begin_event(struct timeline *timeline, const char *start,
			unsigned process)
{
	make_room(timeline, EVENT_SIZE);
	put(timeline, timeline->events++ ? ",\n" : "\n");
	put(timeline, start);
	put_number(timeline, process);
}

static void name_process(struct timeline_buffer *buffer)
{
	struct timeline *timeline = buffer->timeline;

	buffer->named = true;
	begin_event(timeline, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":",
		    buffer->process);
	put(timeline, ",\"args\":{\"name\":");
	put_string(timeline, buffer->name);
	put(timeline, "}}");
	begin_event(timeline,
		    "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":",
		    buffer->process);
	put(timeline, ",\"args\":{\"sort_index\":");
	put_number(timeline, buffer->process);
	put(timeline, "}}");
}

static void name_track(struct timeline_buffer *buffer, uint32_t track)
{
	struct timeline *timeline = buffer->timeline;
	uint32_t count = buffer->track_count;
	char name[NAME_SIZE];

	if (track >= count) {
		buffer->track_count = track + 1;
		buffer->track_named = xrealloc(
			buffer->track_named,
			buffer->track_count * sizeof *buffer->track_named);
		memset(buffer->track_named + count, 0,
		       buffer->track_count - count);
	}
	if (buffer->track_named[track])
		return;
	buffer->track_named[track] = true;
	if (!buffer->named)
		name_process(buffer);
	buffer->name_track(name, sizeof name, track);
	begin_event(timeline, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":",
		    buffer->process);
	put(timeline, ",\"tid\":");
	put_number(timeline, track);
	put(timeline, ",\"args\":{\"name\":");
	put_string(timeline, name);
	put(timeline, "}}");
	begin_event(timeline,
		    "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":",
		    buffer->process);
	put(timeline, ",\"tid\":");
	put_number(timeline, track);
	put(timeline, ",\"args\":{\"sort_index\":");
	put_number(timeline, track);
	put(timeline, "}}");
}

/* `name` is NULL: the event has one. */
static void write_event(struct timeline_buffer *buffer, const char *name,
			const struct timeline_event *event, picoseconds offset)
{
	struct timeline *timeline = buffer->timeline;
	char *place;

	if (event->track >= buffer->track_count ||
	    !buffer->track_named[event->track])
		name_track(buffer, event->track);
	make_room(timeline, EVENT_SIZE);
	place = timeline->text + timeline->length;
	place = timeline->events++ ? APPEND(place, ",\n") : APPEND(place, "\n");
	place = APPEND(place, "{\"ph\":\"X\",\"pid\":");
	place = append_number(place, buffer->process);
	place = APPEND(place, ",\"tid\":");
	place = append_number(place, event->track);
	place = APPEND(place, ",\"ts\":");
	place = append_time(place, event->start + offset);
	place = APPEND(place, ",\"dur\":");
	place = append_time(place, event->end - event->start);
	if (event->argument[0]) {
		place = APPEND(place, ",\"args\":{\"");
		place = append(place, event->argument[0]);
		place = APPEND(place, "\":");
		place = append_number(place, event->value[0]);
		if (event->argument[1]) {
			place = APPEND(place, ",\"");
			place = append(place, event->argument[1]);
			place = APPEND(place, "\":");
			place = append_number(place, event->value[1]);
		}
		*place++ = '}';
	}
	place = APPEND(place, ",\"name\":");
	if (name) {
		timeline->length = (size_t)(place - timeline->text);
		put_string(timeline, name);
		put(timeline, "}");
		return;
	}
	*place++ = '"';
	place = append(place, event->name);
	place = APPEND(place, "\"}");
	timeline->length = (size_t)(place - timeline->text);
}

void timeline_write(struct timeline_buffer *buffer, picoseconds offset)
{
	for (size_t i = 0; i < buffer->count; i++)
		write_event(buffer, NULL, &buffer->list[i], offset);
	buffer->count = 0;
}

void timeline_write_named(struct timeline_buffer *buffer, const char *name,
			  const struct timeline_event *event)
{
	write_event(buffer, name, event, 0);
}
