/* Questions (q...) and settings (Q...) of the debugger. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "debug/gdb/internal.h"
#include "x86/linux/linux.h"

/* ---- Threads ---- */

void gdb_put_thread(struct gdb *gdb, int thread)
{
	if (gdb->multiprocess)
		gdb_put(gdb, "p%x.", (unsigned)gdb->stop->process);
	gdb_put(gdb, "%x", (unsigned)thread);
}

static bool one_thread(const char **text, int *thread)
{
	uint64_t value;

	if (!strncmp(*text, "-1", 2)) {
		*text += 2;
		*thread = -1;
		return true;
	}
	if (!gdb_number(text, &value) || value > INT32_MAX)
		return false;
	*thread = (int)value;
	return true;
}

bool gdb_thread(const struct gdb *gdb, const char **text, int *thread)
{
	int process;

	if (**text != 'p')
		return one_thread(text, thread);
	++*text;
	if (!one_thread(text, &process) ||
	    (process > 0 && process != gdb->stop->process))
		return false;
	*thread = -1;
	if (**text != '.')
		return true;
	++*text;
	return one_thread(text, thread);
}

static void first_threads(struct gdb *gdb, const char *text)
{
	int thread = 0;

	(void)text;
	gdb_put(gdb, "m");
	while ((thread = linux_debug_next_thread(gdb->system, thread)) &&
	       gdb->reply_size + 40 < GDB_PACKET) {
		if (gdb->reply_size > 1)
			gdb_put(gdb, ",");
		gdb_put_thread(gdb, thread);
	}
	if (gdb->reply_size == 1)
		gdb->reply[0] = 'l';
}

static void more_threads(struct gdb *gdb, const char *text)
{
	(void)text;
	gdb_put(gdb, "l");
}

static void current_thread(struct gdb *gdb, const char *text)
{
	(void)text;
	gdb_put(gdb, "QC");
	gdb_put_thread(gdb, gdb->stop->thread);
}

static void thread_text(struct gdb *gdb, const char *text)
{
	char line[200];
	int thread;

	if (!gdb_thread(gdb, &text, &thread) ||
	    !linux_debug_cpu(gdb->system, thread)) {
		gdb_put(gdb, "E01");
		return;
	}
	snprintf(line, sizeof line, "%s: %s",
		 linux_debug_thread_name(gdb->system, thread),
		 linux_debug_thread_state(gdb->system, thread));
	gdb_put_hex(gdb, line, strlen(line));
}

/* qGetTLSAddr:thread,offset,module */
static void thread_local_address(struct gdb *gdb, const char *text)
{
	uint64_t offset, module, address;
	int thread;

	if (!gdb_thread(gdb, &text, &thread) || *text++ != ',' ||
	    !gdb_number_and(&text, ',', &offset) ||
	    !gdb_number(&text, &module) ||
	    linux_debug_thread_local(gdb->system, thread, module, offset,
				     &address))
		gdb_put(gdb, "E01");
	else
		gdb_put(gdb, "%" PRIx64, address);
}

/* ---- Documents: qXfer ---- */

static void print_xml_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", stream);
			break;
		case '&':
			fputs("&amp;", stream);
			break;
		case '"':
			fputs("&quot;", stream);
			break;
		default:
			/* Names are bytes of the guest's choice. */
			fputc(*text >= ' ' && *text < 127 ? *text : '?',
			      stream);
		}
}

static void document_threads(struct gdb *gdb, FILE *stream)
{
	int thread = 0;

	fputs("<?xml version=\"1.0\"?><threads>", stream);
	while ((thread = linux_debug_next_thread(gdb->system, thread))) {
		fputs("<thread id=\"", stream);
		if (gdb->multiprocess)
			fprintf(stream, "p%x.", (unsigned)gdb->stop->process);
		fprintf(stream, "%x\" name=\"", (unsigned)thread);
		print_xml_text(stream, linux_debug_thread_name(gdb->system,
							       thread));
		fputs("\">", stream);
		print_xml_text(stream, linux_debug_thread_state(gdb->system,
								thread));
		fputs("</thread>", stream);
	}
	fputs("</threads>", stream);
}

static void document_features(struct gdb *gdb, FILE *stream)
{
	gdb_describe_target(gdb, stream);
}

static void document_auxiliary(struct gdb *gdb, FILE *stream)
{
	size_t size;
	const uint8_t *bytes = linux_debug_auxiliary(gdb->system, &size);

	fwrite(bytes, 1, size, stream);
}

static void document_executable(struct gdb *gdb, FILE *stream)
{
	const char *path = linux_debug_executable(gdb->system);

	fputs(path ? path : "", stream);
}

static void document_signal(struct gdb *gdb, FILE *stream)
{
	uint8_t bytes[128];

	if (linux_debug_siginfo(gdb->system, bytes) == 0)
		fwrite(bytes, 1, sizeof bytes, stream);
}

static const struct {
	const char *name; /* "object:read:annex:"; the annex of some is free */
	void (*print)(struct gdb *gdb, FILE *stream);
} documents[] = {
	{ "features:read:target.xml:", document_features },
	{ "threads:read::", document_threads },
	{ "auxv:read::", document_auxiliary },
	{ "exec-file:read:", document_executable },
	{ "siginfo:read::", document_signal },
};

static void put_window(struct gdb *gdb, const char *bytes, size_t size,
		       const char *range)
{
	uint64_t offset, length, room = GDB_PACKET / 2 - 16;

	if (!gdb_number_and(&range, ',', &offset) ||
	    !gdb_number(&range, &length) || *range || offset > size) {
		gdb_put(gdb, "E01");
		return;
	}
	if (length > room)
		length = room;
	if (length > size - offset)
		length = size - offset;
	gdb_put(gdb, offset + length < size ? "m" : "l");
	gdb_put_binary(gdb, bytes + offset, length);
}

static void transfer(struct gdb *gdb, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++) {
		size_t length = strlen(documents[i].name), size;
		const char *range = strrchr(text, ':');
		FILE *stream;
		char *bytes;

		if (strncmp(text, documents[i].name, length))
			continue;
		stream = open_memstream(&bytes, &size);
		if (!stream)
			abort();
		documents[i].print(gdb, stream);
		fclose(stream);
		put_window(gdb, bytes, size, range + 1);
		free(bytes);
		return;
	}
}

/* ---- Agreements ---- */

static void supported(struct gdb *gdb, const char *text)
{
	gdb->multiprocess = strstr(text, "multiprocess+");
	gdb->exec_events = strstr(text, "exec-events+");
	gdb_put(gdb, "PacketSize=%x;QStartNoAckMode+;multiprocess+;"
		"swbreak+;hwbreak+;exec-events+;vContSupported+;"
		"QPassSignals+;qXfer:features:read+;qXfer:threads:read+;"
		"qXfer:auxv:read+;qXfer:exec-file:read+;"
		"qXfer:siginfo:read+", GDB_PACKET);
}

static void no_acknowledgements(struct gdb *gdb, const char *text)
{
	(void)text;
	gdb->next_no_ack = true;
	gdb_put(gdb, "OK");
}

static void pass_signals(struct gdb *gdb, const char *text)
{
	for (int i = 1; i <= 64; i++)
		linux_debug_stop_for(gdb->system, i, true);
	while (*text) {
		uint64_t number;

		if (!gdb_number(&text, &number) || (*text && *text != ';')) {
			gdb_put(gdb, "E01");
			return;
		}
		text += *text == ';';
		linux_debug_stop_for(gdb->system,
				     gdb_signal_to_linux(number), false);
	}
	gdb_put(gdb, "OK");
}

static void attached(struct gdb *gdb, const char *text)
{
	(void)text;
	gdb_put(gdb, "0"); /* it was started for the debugger: kill at quit */
}

static void symbols(struct gdb *gdb, const char *text)
{
	(void)text;
	gdb_put(gdb, "OK"); /* none is needed */
}

/* ---- monitor ---- */

static void monitor_help(struct gdb *gdb, FILE *stream);

static void monitor_instructions(struct gdb *gdb, FILE *stream)
{
	fprintf(stream, "%" PRIu64 " instructions by all contexts\n",
		linux_instructions(gdb->system));
}

static void monitor_contexts(struct gdb *gdb, FILE *stream)
{
	int thread = 0;

	while ((thread = linux_debug_next_thread(gdb->system, thread)))
		fprintf(stream,
			"context %d (%s): %" PRIu64 " instructions, at 0x%"
			PRIx64 ", %s%s\n", thread,
			linux_debug_thread_name(gdb->system, thread),
			linux_debug_instructions(gdb->system, thread),
			linux_debug_rip(gdb->system, thread),
			linux_debug_call(gdb->system, thread) >= 0
				? "waits for "
				: "",
			linux_debug_thread_state(gdb->system, thread));
}

static void monitor_where(struct gdb *gdb, FILE *stream)
{
	char text[256];

	linux_debug_symbol(gdb->system,
			   linux_debug_rip(gdb->system, gdb->thread), text,
			   sizeof text);
	fprintf(stream, "context %d: %s\n", gdb->thread,
		*text ? text : "(no symbol)");
}

static const struct {
	const char *name, *help;
	void (*print)(struct gdb *gdb, FILE *stream);
} commands[] = {
	{ "help", "this list", monitor_help },
	{ "instructions", "how many have been executed",
	  monitor_instructions },
	{ "contexts", "the threads, what they have executed and wait for",
	  monitor_contexts },
	{ "where", "the current place by m2s' own symbols", monitor_where },
};

static void monitor_help(struct gdb *gdb, FILE *stream)
{
	(void)gdb;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(stream, "monitor %-14s %s\n", commands[i].name,
			commands[i].help);
}

/* The output in as many O packets as it needs, then the result. */
static void send_output(struct gdb *gdb, const char *text, size_t size)
{
	const size_t piece = GDB_PACKET / 2 - 8;

	for (size_t at = 0; at < size; at += piece) {
		gdb_put(gdb, "O");
		gdb_put_hex(gdb, text + at,
			    size - at < piece ? size - at : piece);
		gdb_send(gdb);
	}
	gdb_put(gdb, "OK");
}

static void monitor(struct gdb *gdb, const char *text)
{
	char command[64] = "";
	long length = gdb_bytes(text, 0, command, sizeof command - 1);
	size_t size, i = 0;
	FILE *stream;
	char *output;

	if (length < 0) {
		gdb_put(gdb, "E01");
		return;
	}
	stream = open_memstream(&output, &size);
	if (!stream)
		abort();
	while (i < ARRAY_SIZE(commands) && strcmp(commands[i].name, command))
		i++;
	if (i < ARRAY_SIZE(commands))
		commands[i].print(gdb, stream);
	else
		fprintf(stream, "no such command (see monitor help)\n");
	fclose(stream);
	send_output(gdb, output, size);
	free(output);
}

/* ---- Which question ---- */

void gdb_query(struct gdb *gdb)
{
	static const struct {
		const char *name; /* a beginning when it ends in : or , */
		void (*answer)(struct gdb *gdb, const char *text);
	} questions[] = {
		{ "qSupported", supported },
		{ "qSupported:", supported },
		{ "QStartNoAckMode", no_acknowledgements },
		{ "qfThreadInfo", first_threads },
		{ "qsThreadInfo", more_threads },
		{ "qC", current_thread },
		{ "qThreadExtraInfo,", thread_text },
		{ "qGetTLSAddr:", thread_local_address },
		{ "qXfer:", transfer },
		{ "QPassSignals:", pass_signals },
		{ "qAttached", attached },
		{ "qAttached:", attached },
		{ "qSymbol::", symbols },
		{ "qRcmd,", monitor },
	};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		size_t length = strlen(questions[i].name);
		char end = questions[i].name[length - 1];

		if (!strncmp(gdb->packet, questions[i].name, length) &&
		    (end == ':' || end == ',' || !gdb->packet[length])) {
			questions[i].answer(gdb, gdb->packet + length);
			return;
		}
	}
}
