/* The OpenCL objects of the driver, and the commands in its queues. */
#ifndef M2S_OPENCL_RT_DRIVER_OBJECTS_H
#define M2S_OPENCL_RT_DRIVER_OBJECTS_H

#include "opencl-rt/driver/driver.h"
#include "opencl-rt/driver/image/image-format.h"
#include "opencl-rt/driver/object.h"

struct context {
	struct object object;
	uint64_t *properties; /* words as given, with the final 0 */
	uint64_t property_count;
};

struct queue {
	struct object object;
	struct context *context;
	cl_command_queue_properties properties;
	struct command *first, *last; /* not yet executed, in order */
	struct command *unsubmitted;  /* the first of them that was not
					 submitted to the device */
	uint64_t barriers;            /* among them */
};

/* A callback that the program has set on an object; the newest is first. */
struct callback {
	uint64_t notify, user_data;
	int64_t status; /* of an event: the status that it waits for */
	struct callback *next;
};

/* A part of an image: x, y, z in elements; a layer of a 1D array is y. */
struct box {
	uint64_t origin[3], region[3];
};

struct mapping {
	uint64_t pointer; /* in the program */
	uint64_t offset, size;   /* of a buffer */
	struct box box;          /* of an image ... */
	uint64_t row, slice;     /* ... and its pitches there, bytes */
	uint64_t flags;
	bool owned;       /* pointer is storage from the library */
	bool direct;      /* pointer is device memory itself */
	struct mapping *next;
};

/* The part of a memory object that only images have. Texels lie row by row and
 * slice by slice without gaps. Caches and channels see them where `tiling` puts
 * them, which may need more memory; NULL: where they lie. */
struct image {
	cl_mem_object_type type;
	struct image_format format;
	/* As the program gave them; 0 for dimensions that the type lacks. */
	uint64_t width, height, depth, layers;
	uint64_t extent[3];      /* as in struct box; 1 for those it lacks */
	uint64_t row, slice;     /* pitches in device memory, bytes; of a 1D
				    array, row goes from layer to layer */
	uint64_t host_row, host_slice; /* the program's, with host_ptr */
	uint64_t row_pitch;      /* the value for the program */
	struct evg_tiling *tiling;
};

/* A memory object: a buffer or an image. */
struct buffer {
	struct object object;
	struct context *context;
	struct image *image;   /* NULL: a buffer */
	struct buffer *parent; /* of a sub-buffer, or of a 1D image buffer */
	uint64_t origin;       /* in the parent, bytes */
	uint64_t size, flags;
	/* Where the program has the bytes; 0: the device has them. `lent`: in
	 * memory that the library is to free. */
	uint64_t host_ptr;
	bool lent;
	uint32_t address;      /* in device memory */
	unsigned map_count;
	struct mapping *mappings;
	struct callback *callbacks; /* destructor callbacks */
};

/* A loaded program: lives as long as a program or a kernel uses it. */
struct executable {
	unsigned uses;
	struct evg_program *program;
	uint32_t text_address; /* 0: no text */
};

enum program_origin { FROM_SOURCE, FROM_BINARY, FROM_LINKER };

struct program {
	struct object object;
	struct context *context;
	enum program_origin origin;
	char *source;          /* NULL unless FROM_SOURCE */
	uint8_t *binary;       /* NULL: none yet */
	uint64_t binary_size;
	cl_program_binary_type binary_type;
	cl_build_status build_status;
	uint64_t number, builds; /* for messages: program 3's second build */
	char *options, *log;   /* of the last build, never NULL */
	bool tells_arguments;  /* clGetKernelArgInfo may answer */
	struct executable *executable; /* NULL: not built */
	unsigned kernel_count; /* kernel objects that exist */
};

/* A sampler as the program described it; sampler_bits gives the bits that code
 * sees. */
struct sampler {
	struct object object;
	struct context *context;
	cl_bool normalized;
	cl_addressing_mode addressing_mode;
	cl_filter_mode filter_mode;
};

struct argument {
	bool set;
	uint64_t size;         /* __local: bytes */
	uint8_t *bytes;        /* by value; of a sampler, its bits */
	uint64_t buffer;       /* handle, 0 for a null pointer ... */
	uint64_t serial;       /* ... and which object that was: kernels do not
				  keep their buffers alive */
};

struct kernel {
	struct object object;
	struct program *program;
	struct executable *executable;
	const struct evg_kernel *code;
	uint32_t argument_count;
	struct argument *arguments;
};

enum event_time { EVENT_QUEUED, EVENT_SUBMIT, EVENT_START, EVENT_END };

struct event {
	struct object object;
	struct context *context;
	struct queue *queue;     /* NULL: user event */
	cl_command_type type;
	int64_t status;          /* CL_QUEUED ... CL_COMPLETE, or an error */
	picoseconds time[4];     /* enum event_time */
	struct callback *callbacks;
	struct wait_link *waiting; /* commands that wait for its end */
};

/* An event that a command waits for. */
struct wait_link {
	struct event *event;
	struct command *command;
	struct wait_link *next; /* of the same event */
};

struct wait_list {
	struct wait_link *links;
	uint32_t count;
};

/* A command between its clEnqueue and its end. Each kind of command puts its
 * operands behind this struct. */
struct command {
	struct event *event;
	struct wait_list wait;
	bool waits_for_all;   /* earlier commands of the queue */
	bool holds_all;       /* later commands of the queue wait for it */
	uint64_t blockers;    /* what holds it back (command-order.c) */
	/* Does the work; 0 or a (negative) OpenCL error for the event. Runs
	 * between the event's start and end times. */
	int64_t (*run)(struct opencl_driver *driver, struct command *command);
	/* Drops what the operands use; may be NULL. */
	void (*drop)(struct opencl_driver *driver, struct command *command);
	bool launches;        /* work of the GPU: starts after the latency */
	struct command *previous, *next;
};

#endif
