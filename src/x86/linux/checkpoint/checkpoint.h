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
 * Pointers between structures become indices into the lists below. The lists
 * have the same order when saving and when loading. */
#ifndef M2S_X86_LINUX_CHECKPOINT_CHECKPOINT_H
#define M2S_X86_LINUX_CHECKPOINT_CHECKPOINT_H

#include "x86/linux/checkpoint/file.h"
#include "x86/linux/state.h"

enum checkpoint_object_kind {
	OBJECT_PATH,    /* opened again by its name: file, folder, device */
	OBJECT_CONTENT, /* a file without a name, whose bytes are saved */
	OBJECT_PIPE,
	OBJECT_EVENT,   /* an eventfd, or an object made from one */
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
	/* Of a file without a name: a name for messages. */
	char *path;
	uint32_t mode;             /* st_mode */
	uint64_t size;             /* of a file; capacity of a pipe */
	int64_t modified;          /* ns since the epoch */
	bool summed;
	uint32_t sum;              /* CRC-32 of the file's bytes */
	bool written;              /* a guest may write to it */
	uint8_t stream;
	bool direct;               /* a pipe in packet mode (O_DIRECT) */
	/* End of the data in a pipe's last page: file->pipe_end. */
	uint16_t end;
	uint64_t count;            /* of an eventfd */
	bool semaphore;
	/* Of a pipe its bytes; of an epoll instance struct watched_file. */
	void *content;
	size_t content_size;
	uint32_t *buffers;         /* of a pipe: bytes in each buffer */
	size_t buffer_count;
	/* When saving: a descriptor of the object. When loading: of
	 * OBJECT_CONTENT its own descriptor, of a pipe the read end. */
	int host;
	int writer;                /* of a pipe: the write end */
	bool cut;                  /* has grown since; is to be cut to `size` */
};

/* The indices of a file. */
struct file_links {
	int64_t object;
	uint32_t flags; /* of open() */
	int64_t offset;
};

/* Lengths of the lists. */
struct checkpoint_counts {
	uint64_t objects, files, tables, memories, processes, contexts;
};

struct checkpoint {
	struct linux_system *system;
	struct archive *archive;   /* the section being written or read */
	bool loading;
	const struct linux_checkpoint *source; /* loading */
	struct error *error;
	/* The lists, and their lengths when loading is complete. */
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
	/* When loading: index of the context whose turn it is. */
	int64_t turn;
};

/* Further objects that a loaded system owns; freed with it. */
struct loaded_state {
	struct x86_model model[2]; /* x86-64, i386 */
	int64_t time;              /* monotonic, when it was saved */
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
/* Takes ownership of a text that the system points to from now on. Returns ""
 * for NULL. */
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
/* The name of the file behind a host descriptor: a path, or a text such as
 * "pipe:[7]". `name` holds PATH_MAX bytes. */
void checkpoint_name(int host, char *name);
/* Opens a file whose name a checkpoint holds, if a guest could have opened it.
 * -1 with errno. */
int checkpoint_open(const struct checkpoint *checkpoint, const char *path,
		    int flags);
/* Finds the objects of the collected files. Fails for objects that cannot be
 * saved. */
void objects_collect(struct checkpoint *checkpoint);
/* The index of the object behind a host descriptor of a shared mapping. The
 * object is added if it is new. -1 when an object of its kind cannot be
 * saved. */
int64_t objects_of_mapping(struct checkpoint *checkpoint, int host,
			   bool writable);
void exchange_objects(struct checkpoint *checkpoint);
void exchange_files(struct checkpoint *checkpoint);
/* Opens a new descriptor of an object, for a mapping or a file. -1 with
 * errno. */
int object_open(struct checkpoint *checkpoint,
		const struct checkpoint_object *object, uint32_t flags);
/* Writes DATA sections: 0 or -1. */
int objects_save_data(struct checkpoint *checkpoint,
		      struct checkpoint_writer *writer);
void objects_load_data(struct checkpoint *checkpoint);
/* To be called when all else has been loaded: completes epoll instances and
 * cuts files that have grown. */
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
