/* Open files in a checkpoint, which object each is of, and the tables that
 * give them descriptors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/objects.h"
#include "x86/linux/files/files.h"
#include "x86/linux/state.h"
#include "x86/linux/time/timer-file.h"

/* The simulator's own stream instead of the copy that object_open() made. */
static void attach_stream(struct checkpoint *checkpoint, struct file *file,
			  const struct file_links *links)
{
	int host = checkpoint->source->standard
			   [checkpoint->objects[links->object].stream];
	struct file *fresh;
	struct stat status;

	if (checkpoint->source->detached)
		return;
	close(file->host);
	fresh = file_create(host, FILE_HOST);
	file->host = host;
	file->borrowed = true;
	file->host_nonblock = false;
	file->may_block = fresh->may_block;
	free(fresh);
	/* The position in an input file stays. */
	if (file->stream == 0 && links->offset > 0 &&
	    fstat(host, &status) == 0 && S_ISREG(status.st_mode))
		lseek(host, links->offset, SEEK_SET);
}

static void check_file(struct archive *archive, const struct file *file,
		       const struct file_links *links)
{
	const int64_t limit = INT64_MAX / 2;

	archive_expect(archive, !file->made[sizeof file->made - 1], "made", 1,
		       "a zero at the end");
	archive_expect(archive,
		       file->timer.expires >= 0 && file->timer.expires < limit,
		       "file.expires", (uint64_t)file->timer.expires,
		       "a time below 2^62");
	archive_expect(archive,
		       file->timer.interval >= 0 &&
			       file->timer.interval < limit,
		       "file.interval", (uint64_t)file->timer.interval,
		       "a time below 2^62");
	archive_expect(archive, links->offset >= -1, "offset",
		       (uint64_t)links->offset, "a position");
	archive_expect(archive, file->listing.at <= file->listing.size,
		       "file.entries_at", file->listing.at,
		       "at most the size of the list");
	archive_expect(archive,
		       !file->listing.size ||
			       !file->listing.entries[file->listing.size - 1],
		       "entries", 1, "a zero at the end");
}

static void attach_object(struct checkpoint *checkpoint, struct file *file,
			  const struct file_links *links)
{
	struct linux_system *system = checkpoint->system;
	struct archive *archive = checkpoint->archive;
	const struct checkpoint_object *object =
		checkpoint->objects + links->object;

	file->host = object_open(checkpoint, object, links->flags);
	if (file->host < 0) {
		archive_fail(archive, "cannot open %s again: %s",
			     object->path ? object->path : "a descriptor",
			     strerror(errno));
		return;
	}
	if (object->kind == OBJECT_STREAM) {
		file->stream = object->stream;
		attach_stream(checkpoint, file, links);
	}
	if ((object->kind == OBJECT_PATH || object->kind == OBJECT_CONTENT) &&
	    links->offset > 0 && !checkpoint->source->detached)
		lseek(file->host, links->offset, SEEK_SET);
	if (file->kind == FILE_TIMER)
		timer_file_watch(system, file);
}

static void exchange_positions(struct archive *archive, struct file *file)
{
	size_t count = archive_count(archive, file->positions.count, 8,
				     "positions in a folder");

	if (archive->loading && count) {
		file->positions.list =
			xcalloc(count, sizeof *file->positions.list);
		file->positions.count = file->positions.capacity = count;
	}
	if (count)
		archive_bytes(archive, file->positions.list,
			      count * sizeof *file->positions.list);
}

static void exchange_one_file(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct file *file = checkpoint->files[index];
	struct file_links *links = checkpoint->file_links + index;
	enum file_kind kind;

	exchange_file(archive, file);
	links->object = archive_index(archive, links->object,
				      checkpoint->object_count, false,
				      "object");
	ARCHIVE_VALUE(archive, links->flags, "flags");
	ARCHIVE_VALUE(archive, links->offset, "offset");
	archive_blob(archive, &file->listing.entries, &file->listing.size);
	exchange_positions(archive, file);
	if (!checkpoint->loading)
		return;
	/* Released as an ordinary file unless all is right. */
	kind = file->kind;
	file->kind = FILE_HOST;
	check_file(archive, file, links);
	archive_expect(archive, kind <= FILE_LIST, "file.kind", kind,
		       "a kind of file");
	if (archive->failed)
		return;
	file->kind = kind;
	attach_object(checkpoint, file, links);
	if (archive->failed)
		file->kind = FILE_HOST;
}

void exchange_files(struct checkpoint *checkpoint)
{
	for (size_t i = 0; i < checkpoint->expected.files &&
			   !checkpoint->archive->failed; i++) {
		if (checkpoint->loading) {
			struct file *file = xcalloc(1, sizeof *file);

			file->references = 1; /* the list's own */
			file->host = -1;
			ARRAY_GROW(checkpoint->files, i,
				   checkpoint->file_capacity);
			ARRAY_GROW(checkpoint->file_links, i,
				   checkpoint->links_capacity);
			checkpoint->files[i] = file;
			checkpoint->file_links[i] = (struct file_links){ 0 };
			checkpoint->file_count++;
		}
		exchange_one_file(checkpoint, i);
	}
}

/* ---- Descriptor tables ---- */

void exchange_tables(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;

	for (size_t t = 0; t < checkpoint->expected.tables; t++) {
		struct file_table *table =
			checkpoint->loading ? files_create()
					    : checkpoint->tables[t];
		size_t count = archive_count(archive, (size_t)table->count, 9,
					     "descriptors");

		if (checkpoint->loading) {
			ARRAY_GROW(checkpoint->tables, checkpoint->table_count,
				   checkpoint->table_capacity);
			checkpoint->tables[checkpoint->table_count++] = table;
		}
		archive_expect(archive, count <= 1 << 16, "descriptors", count,
			       "at most 65536");
		if (archive->failed)
			return;
		if (checkpoint->loading) {
			table->list = xcalloc(count + 1, sizeof *table->list);
			table->count = (int)count;
		}
		for (size_t i = 0; i < count; i++) {
			struct descriptor *descriptor = table->list + i;
			int64_t file = list_index(checkpoint->files,
						  checkpoint->file_count,
						  descriptor->file);

			file = archive_index(archive, file,
					     checkpoint->file_count, true,
					     "file");
			ARCHIVE_VALUE(archive, descriptor->close_on_exec,
				      "close_on_exec");
			if (checkpoint->loading && file >= 0)
				descriptor->file =
					file_hold(checkpoint->files[file]);
		}
	}
}

void checkpoint_owner(const struct checkpoint *checkpoint,
		      const struct file *file, char *text, size_t size)
{
	for (size_t p = 0; p < checkpoint->process_count; p++) {
		const struct process *process = checkpoint->processes[p];

		for (int i = 0; process->files && i < process->files->count;
		     i++)
			if (process->files->list[i].file == file) {
				snprintf(text, size, "process %d (%.15s), "
					 "descriptor %d", process->pid,
					 process->name, i);
				return;
			}
	}
	snprintf(text, size, "a process");
}
