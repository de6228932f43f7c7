/* Saving and restoring a whole system. Internal to this folder and to the
 * checkpoint.c of others.
 *
 * A checkpoint is a container (checkpoint/file.h) with these sections:
 *
 *	SYST  the system: counts, scheduling, clock, processor models
 *	OBJS  what descriptors stand for on the host: files, pipes, ...
 *	FILE  open files (what dup() shares)
 *	TABL  descriptor tables
 *	MEMO  one per address space: layout, regions
 *	PROC  processes
 *	CTXT  contexts with their registers
 *	KEYS  keys and the keyrings of contexts
 *	FILT  what restricts the calls of contexts
 *	PAGE  any number: pages of an address space
 *	DATA  any number: bytes of a file without a name
 *	END   nothing
 *
 * Pointers between structures become indices into the lists below, which are
 * in the same order in both directions. */
#ifndef M2S_X86_LINUX_CHECKPOINT_CHECKPOINT_H
#define M2S_X86_LINUX_CHECKPOINT_CHECKPOINT_H

#include "x86/linux/checkpoint/file.h"
#include "x86/linux/state.h"

enum checkpoint_object_kind {
	OBJECT_PATH,    /* opened again by its name: file, folder, device */
	OBJECT_CONTENT, /* a file without a name: its bytes are saved */
	OBJECT_PIPE,
	OBJECT_EVENT,   /* eventfd, and what is made of one */
	OBJECT_EPOLL,
	OBJECT_STREAM,  /* one of the simulator's standard streams */
	OBJECT_KINDS
};

struct watched_file {
	int64_t file;    /* index */
	uint32_t events;
	uint64_t data;
};

struct checkpoint_object {
	enum checkpoint_object_kind kind;
	uint64_t device, inode;    /* when saving */
	char *path;                /* or the name of a file without one */
	uint32_t mode;             /* st_mode */
	uint64_t size;             /* of a file; capacity of a pipe */
	int64_t modified;          /* ns since the epoch */
	bool summed;
	uint32_t sum;              /* CRC-32 of the file's bytes */
	bool written;              /* somebody may write to it */
	uint8_t stream;
	bool direct;               /* a pipe that keeps messages apart */
	uint16_t end;              /* of a pipe's last page: file->pipe_end */
	uint64_t count;            /* of an eventfd */
	bool semaphore;
	void *content;             /* bytes in a pipe; of an epoll instance,
	                            * struct watched_file */
	size_t content_size;
	uint32_t *buffers;         /* of a pipe: bytes in each */
	size_t buffer_count;
	int host;                  /* when saving: some descriptor of it. When
	                            * loading, content: its own; pipe: the end
	                            * to read from */
	int writer;                /* pipe: the other end */
	bool cut;                  /* has grown; to be cut to `size` */
};

/* The indices of a file. */
struct file_links {
	int64_t object;
	uint32_t flags; /* of open() */
	int64_t offset;
};

/* How long the lists are. */
struct checkpoint_counts {
	uint64_t objects, files, tables, memories, processes, contexts;
};

struct checkpoint {
	struct linux_system *system;
	struct archive *archive;   /* of the present section */
	bool loading;
	const struct linux_checkpoint *source; /* loading */
	struct error *error;
	/* The lists, and how long they will be when all is loaded. */
	struct checkpoint_counts expected;
	struct checkpoint_object *objects;
	size_t object_count, object_capacity;
	struct file **files;
	struct file_links *file_links;
	size_t file_count, file_capacity, links_capacity;
	struct file_table **tables;
	size_t table_count, table_capacity;
	struct guest_memory **memories;
	size_t memory_count, memory_capacity;
	struct process **processes;
	size_t process_count, process_capacity;
	struct context **contexts;
	size_t context_count, context_capacity;
	/* Regions of each memory, to be protected at the end of loading. */
	struct saved_regions *regions;
	int64_t turn;              /* index of whose turn it is, when loading */
};

/* What a system that was loaded owns besides; freed with it. */
struct loaded_state {
	struct x86_model model[2]; /* x86-64, i386 */
	char **texts;              /* for wait.what and the models' names */
	size_t text_count, text_capacity;
};

/* ---- checkpoint/fields.c ---- */
#define BEGIN(type)                                                            \
	void exchange_##type(struct archive *archive, struct type *it);
#define VALUE(...)
#define ARRAY(...)
#define NESTED(...)
#define SERIES(...)
#define LINK(...)
#define HOLE(...)
#define END(...)
#include "x86/linux/checkpoint/fields.def"
/* CRC-32 of the list of fields and their sizes. */
uint32_t checkpoint_layout(void);

/* ---- lists.c ---- */
/* Index of a pointer in a list, or -1. */
int64_t list_index(void *list, size_t count, const void *item);
/* Takes over a text that the system points to from now on; "" for NULL. */
const char *checkpoint_keep_text(struct checkpoint *checkpoint, char *text);

/* ---- checkpoint/system.c ---- */
void exchange_system(struct checkpoint *checkpoint);

/* ---- checkpoint/process.c ---- */
void exchange_processes(struct checkpoint *checkpoint);
void exchange_contexts(struct checkpoint *checkpoint);

/* ---- keys/checkpoint.c ---- */
void exchange_keys(struct checkpoint *checkpoint);

/* ---- seccomp/checkpoint.c ---- */
void exchange_seccomp(struct checkpoint *checkpoint);

/* ---- checkpoint/files.c ---- */
void exchange_tables(struct checkpoint *checkpoint);
/* The owner of a descriptor, for messages: "process 100 (cat), descriptor 3".
 */
void checkpoint_owner(const struct checkpoint *checkpoint,
		      const struct file *file, char *text, size_t size);

/* ---- checkpoint/objects.h: descriptors ---- */
/* What is behind a host descriptor: a path, or "pipe:[7]" and the like;
 * PATH_MAX bytes. */
void checkpoint_name(int host, char *name);
/* Opens a file whose name a checkpoint holds: only what a guest could have
 * opened. -1 with errno. */
int checkpoint_open(const struct checkpoint *checkpoint, const char *path,
		    int flags);
/* Finds out what the collected files are. Fails for what cannot be saved. */
void objects_collect(struct checkpoint *checkpoint);
/* The object behind a host descriptor of a shared mapping, added if need be:
 * its index, or -1 when it is of a kind that cannot be saved. */
int64_t objects_of_mapping(struct checkpoint *checkpoint, int host,
			   bool writable);
void exchange_objects(struct checkpoint *checkpoint);
void exchange_files(struct checkpoint *checkpoint);
/* A fresh descriptor of an object: for a mapping or a file. -1 with errno. */
int object_open(struct checkpoint *checkpoint,
		const struct checkpoint_object *object, uint32_t flags);
/* Writes DATA sections: 0 or -1. */
int objects_save_data(struct checkpoint *checkpoint,
		      struct checkpoint_writer *writer);
void objects_load_data(struct checkpoint *checkpoint);
/* When all else has been loaded: epoll instances, files that have grown. */
void objects_finish(struct checkpoint *checkpoint);
void objects_free(struct checkpoint *checkpoint);

/* ---- checkpoint/memory.c ---- */
void memories_collect(struct checkpoint *checkpoint);
void exchange_memory(struct checkpoint *checkpoint, size_t index);
/* ---- save-pages.c, load-pages.c ---- */
/* Writes PAGE sections: 0 or -1. */
int memories_save_pages(struct checkpoint *checkpoint,
			struct checkpoint_writer *writer);
void memories_load_pages(struct checkpoint *checkpoint);
/* ---- checkpoint/memory.c ---- */
/* Gives all regions their protections. */
void memories_finish(struct checkpoint *checkpoint);
void memories_free(struct checkpoint *checkpoint);

/* ---- lists.c ---- */
void loaded_state_free(struct loaded_state *loaded);

#endif
