/* The services that the files of the driver share.
 *
 * Each request has one function `serve_<call>` in the file of its object; it
 * returns an OpenCL error code. An error that ends the simulation goes into
 * driver->fatal by driver_fail. */
#ifndef M2S_OPENCL_RT_DRIVER_INTERNAL_H
#define M2S_OPENCL_RT_DRIVER_INTERNAL_H

#include <stddef.h>

#include "base/log.h"
#include "base/memory.h"
#include "opencl-rt/driver/objects.h"
#include "opencl-rt/protocol.h"

/* Limits of the machine that OpenCL shows (AMD OpenCL guide). */
enum {
	/* The compiler assumes local ids below it. */
	MAX_WORK_GROUP_SIZE = EVG_MAX_GROUP_ITEMS,
	BASE_ALIGNMENT = EVG_MEMORY_ALIGNMENT, /* of (sub-)buffers, bytes */
	MAX_PARAMETER_SIZE = 1024,   /* arguments of a kernel, bytes */
	MAX_IMAGE_2D = 8192,         /* width and height of images */
	MAX_IMAGE_3D = 2048,         /* and depth */
	MAX_IMAGE_BUFFER = 65536,    /* elements of a 1D image buffer */
	MAX_IMAGE_ARRAY = 2048,      /* layers */
};

struct notice {
	enum opencl_notice kind;
	uint64_t handle, notify, user_data;
	int64_t status;
	struct object *object; /* held until the callback has returned */
	struct notice *next;
};

struct ticket {
	uint64_t id;
	struct event *event;
	struct ticket *next;
};

struct opencl_driver {
	struct opencl_machine machine;
	struct opencl_driver_options options;
	struct evg_memory *memory;
	struct object_table objects;
	struct object *platform, *device; /* NULL until the program asks */

	/* The request being served. */
	unsigned word;       /* bytes of a pointer in the program: 4 or 8 */
	uint64_t ticket;
	bool progress;       /* an event ended */
	bool failed;
	struct error fatal;
	bool closing;        /* opencl_driver_free is under way */

	struct notice *first_notice, *last_notice;
	uint64_t notice_count;
	struct notice *running; /* callbacks that have not returned */
	struct ticket *tickets;
	uint64_t last_ticket;
	uint32_t printf_buffer; /* device address, or 0: not used yet */
	struct print *prints;   /* not yet fetched by the library */
	uint64_t last_print;
	unsigned launches;   /* ND-ranges so far */
	uint64_t last_part;  /* clCompileProgram calls so far */
	uint64_t last_program; /* programs that have been built, for messages */
	struct command **ready; /* that nothing holds back: a heap (command-order.c) */
	size_t ready_count, ready_capacity;
};

/* --- Services ----------------------------------------------------------- */

/* Ends the simulation with the message *error. Returns an error code, which the
 * program never sees. */
cl_int driver_fail(struct opencl_driver *driver, const struct error *error);

/* Copy bytes from and to the program. CL_INVALID_VALUE for a bad pointer where
 * the specification demands a good one (a native library would crash). */
cl_int program_read(struct opencl_driver *driver, uint64_t address,
		    void *buffer, uint64_t size);
cl_int program_write(struct opencl_driver *driver, uint64_t address,
		     const void *buffer, uint64_t size);
/* program_write() of what a transfer brings, `direct` or not. */
cl_int program_deliver(struct opencl_driver *driver, uint64_t address,
		       const void *buffer, uint64_t size, bool direct);
/* Copy an array of size_t or pointers of the program, in its word size. */
cl_int program_read_words(struct opencl_driver *driver, uint64_t address,
			  uint64_t *words, uint64_t count);
cl_int program_write_word(struct opencl_driver *driver, uint64_t address,
			  uint64_t index, uint64_t word);
/* Writes one result; address 0: the program does not want it. */
cl_int program_write_u32(struct opencl_driver *driver, uint64_t address,
			 uint32_t value);
/* A copy of a string of the program, which the caller frees; NULL for a bad
 * pointer. */
char *program_string(struct opencl_driver *driver, uint64_t address);

/* A copy of bytes of the program with a zero behind them, which the caller
 * frees; NULL for a bad pointer. */
uint8_t *program_copy(struct opencl_driver *driver, uint64_t address,
		      uint64_t size);

/* The rows of all kinds of objects. */
extern const struct object_row object_kinds[OBJECT_KIND_COUNT];

#define KIND(id, noun, error)                                                  \
	void noun##_end(struct opencl_driver *driver, void *object);           \
	void noun##_free(void *object);
OBJECT_KINDS
#undef KIND

void notice_add(struct opencl_driver *driver, const struct notice *notice);

/* The call returns OPENCL_AGAIN until the event ends. */
void ticket_add(struct opencl_driver *driver, struct event *event);
/* What a blocking call returns after its event has ended. */
int64_t blocking_result(struct opencl_driver *driver, struct event *event);
/* The result of the event behind a ticket, or OPENCL_AGAIN. */
int64_t ticket_check(struct opencl_driver *driver, uint64_t id);

/* Warns, once per call and run, of something that the device does not have. */
void driver_unsupported(struct opencl_driver *driver, const char *call,
			const char *what);

/* Once per place or kind, where a call is refused and the reason may be hard to
 * see: the size of argument `index`; clGetKernelArgInfo; options of a build,
 * with the compiler's log. */
void advise_argument_size(struct opencl_driver *driver,
			  const struct kernel *kernel, uint32_t index,
			  uint64_t size);
void advise_argument_info(struct opencl_driver *driver,
			  const struct program *program);
void advise_options(struct opencl_driver *driver, const char *call,
		    const char *log);

/* --- printf (print.c) --------------------------------------------------- */

/* Makes the printf buffer ready for a kernel. -1 and *error without room. */
int print_begin(struct opencl_driver *driver, struct error *error);
/* Sends what the kernel printed to the program. */
void print_end(struct opencl_driver *driver, const char *kernel);
void prints_free(struct opencl_driver *driver);
/* Reserves the buffer alone. -1 and *error without room. */
int print_reserve(struct opencl_driver *driver, struct error *error);
/* Sends text to the program; takes the text over. */
void print_send(struct opencl_driver *driver, char *text, size_t size);
/* Runs a launch of a kernel of AMD's compiler that prints (print-groups.c): its
 * work-groups one after the other, each as an ND-range of its own. Returns what
 * machine.run returns. */
int print_run_groups(struct opencl_driver *driver,
		     const struct evg_launch *whole, struct error *error);

/* --- Queries (info.c) --------------------------------------------------- */

/* The four parameters that all clGet...Info have. */
struct info {
	struct opencl_driver *driver;
	uint64_t name, size, value, size_ret;
};
#define INFO_OF(driver, request)                                               \
	(&(struct info){ driver, (request)->param_name, (request)->size,       \
			 (request)->value, (request)->size_ret })

cl_int info_bytes(const struct info *info, const void *bytes, uint64_t size);
cl_int info_u32(const struct info *info, uint64_t value);
cl_int info_u64(const struct info *info, uint64_t value);
cl_int info_string(const struct info *info, const char *text);
/* size_t, pointer or handle, in the program's word size. */
cl_int info_word(const struct info *info, uint64_t word);
cl_int info_words(const struct info *info, const uint64_t *words,
		  uint64_t count);

/* --- Objects ------------------------------------------------------------ */

void callbacks_free(struct callback *callback);

/* Puts the program's text into device memory and relocates it. Takes the program
 * over in any case. NULL and *error without room. */
struct executable *executable_create(struct opencl_driver *driver,
				     struct evg_program *program,
				     struct error *error);
void executable_drop(struct opencl_driver *driver,
		     struct executable *executable);
/* Frees an executable whose device memory goes away as a whole. */
void executable_free(struct executable *executable);

/* The largest number of work-items in a work-group of this kernel; 0: none fit. */
uint32_t kernel_max_group_size(const struct opencl_driver *driver,
			       const struct evg_kernel *code);
/* Places the __local arguments behind the kernel's own local memory. Writes
 * their addresses into constant buffer 0, `constants`, unless that is NULL.
 * Returns the bytes of local memory that a work-group needs. */
uint64_t kernel_place_local(const struct kernel *kernel, uint8_t *constants);

bool device_is_ours(struct opencl_driver *driver, uint64_t handle);
uint64_t device_max_allocation(struct opencl_driver *driver);
/* The limits of a work-group: work-items, and bytes of local memory. */
uint32_t device_max_group_size(const struct opencl_driver *driver);
uint32_t device_local_memory(const struct opencl_driver *driver); /* bytes */
/* CL_SUCCESS if the device is of a type, CL_DEVICE_NOT_FOUND if not,
 * CL_INVALID_DEVICE_TYPE if there is no such type. */
cl_int device_type_check(uint64_t type);
/* Checks a list of devices, as clBuildProgram has one; an empty list means all
 * devices. CL_SUCCESS, CL_INVALID_VALUE or CL_INVALID_DEVICE. */
cl_int device_list_check(struct opencl_driver *driver, uint64_t count,
			 uint64_t list);

/* A range of a buffer as host memory. The buffer must have that range. */
uint8_t *buffer_bytes(struct opencl_driver *driver, struct buffer *buffer,
		      uint64_t offset, uint64_t size);
bool buffer_has_range(const struct buffer *buffer, uint64_t offset,
		      uint64_t size);
/* The object of a handle if it is a buffer, an image, or either; else NULL. */
struct buffer *buffer_find(struct opencl_driver *driver, uint64_t handle);
struct buffer *image_find(struct opencl_driver *driver, uint64_t handle);
struct buffer *memory_find(struct opencl_driver *driver, uint64_t handle);

/* For memory objects that the program holds itself (CL_MEM_USE_HOST_PTR), a
 * range of a buffer or a whole image; they do nothing for other objects.
 * _fetch brings the device's copy up to date before a command reads it, _store
 * passes on what a command wrote. False when the program no longer has that
 * memory. */
bool host_memory_fetch(struct opencl_driver *driver, struct buffer *buffer,
		       uint64_t offset, uint64_t size);
bool host_memory_store(struct opencl_driver *driver, struct buffer *buffer,
		       uint64_t offset, uint64_t size);
/* Fetch and store a part of an image. */
bool host_box_fetch(struct opencl_driver *driver, struct buffer *image,
		    const struct box *box);
bool host_box_store(struct opencl_driver *driver, struct buffer *image,
		    const struct box *box);
/* The address in the program at which a part of an image begins. */
uint64_t host_box_start(const struct buffer *image, const struct box *box);
/* Ends the simulation: the program no longer has the object's memory. Returns
 * the code that the command's `run` passes on. */
int64_t host_memory_failed(struct opencl_driver *driver,
			   const struct buffer *buffer);
/* CL_INVALID_VALUE for flags that no memory object can have. */
cl_int buffer_flags_check(uint64_t flags);
/* Completes the flags of an object that is made from a buffer. It inherits the
 * flags that it does not give. CL_INVALID_VALUE when it allows an access that
 * its parent forbids. */
cl_int buffer_flags_inherit(uint64_t parent, uint64_t *flags);
/* Gives storage that the guest library allocated for a mapping back to it. */
void mapping_end(struct opencl_driver *driver, const struct mapping *mapping);

/* Finds the queue of a command, and its memory object with `find`. CL_SUCCESS,
 * CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT or CL_INVALID_CONTEXT. */
typedef struct buffer *memory_finder(struct opencl_driver *driver,
				     uint64_t handle);
cl_int enqueue_find_memory(struct opencl_driver *driver, uint64_t queue_handle,
			   uint64_t memory_handle, memory_finder *find,
			   struct queue **queue, struct buffer **memory);
/* Finds the queue and the buffer of a command, with the same errors. */
cl_int enqueue_find(struct opencl_driver *driver, uint64_t queue_handle,
		    uint64_t buffer_handle, struct queue **queue,
		    struct buffer **buffer);
/* Ends the simulation because of a bad pointer that was met while moving data. */
int64_t transfer_failed(struct opencl_driver *driver, const char *call,
			uint64_t pointer, uint64_t size);

/* --- Images ------------------------------------------------------------- */

/* Reads the box of a command from the program's arrays. CL_INVALID_VALUE for a
 * box that is not within the image. */
cl_int image_box_read(struct opencl_driver *driver, const struct buffer *image,
		      uint64_t origin, uint64_t region, struct box *box);
/* The pitches of memory that a box is moved to or from: those that the program
 * gave, or for 0 those without gaps. CL_INVALID_VALUE for impossible ones. */
cl_int image_pitches(const struct buffer *image, const struct box *box,
		     uint64_t given_row, uint64_t given_slice, uint64_t *row,
		     uint64_t *slice);
/* A row of a box, y and z counted from its origin, in device memory. */
uint8_t *image_row(struct opencl_driver *driver, struct buffer *image,
		   const struct box *box, uint64_t y, uint64_t z);
/* Move a box to and from memory of the program. False: the program has no memory
 * there. */
bool image_to_program(struct opencl_driver *driver, struct buffer *image,
		      const struct box *box, uint64_t pointer, uint64_t row,
		      uint64_t slice);
bool image_from_program(struct opencl_driver *driver, struct buffer *image,
			const struct box *box, uint64_t pointer, uint64_t row,
			uint64_t slice);
uint64_t image_box_size(const struct buffer *image, const struct box *box);

/* The bits of a sampler that code and literals see (evergreen/kernel/kernel.h). */
uint32_t sampler_bits(const struct sampler *sampler);

/* binding_image and binding_sampler make what a launch binds for an image and a
 * sampler. binding_shape makes an image's binding without its address.
 * binding_describe makes an image's argument, EVG_IMAGE_ARGUMENT_SIZE bytes. */
void binding_image(const struct buffer *memory, struct evg_image *bound);
void binding_shape(const struct image *image, struct evg_image *bound);
void binding_sampler(uint32_t bits, struct evg_sampler *bound);
void binding_describe(const struct buffer *memory, uint8_t *argument);

/* --- Commands (command.c) ----------------------------------------------- */

/* Reads a wait list and holds each of its events. CL_SUCCESS,
 * CL_INVALID_EVENT_WAIT_LIST or CL_INVALID_CONTEXT. */
cl_int wait_list_read(struct opencl_driver *driver, struct queue *queue,
		      uint64_t count, uint64_t list, struct wait_list *wait);
void wait_list_drop(struct opencl_driver *driver, struct wait_list *wait);

/* A new zeroed command of `size` bytes with its event; handle 0: the event is
 * internal. Takes the wait list over. */
void *command_create(struct opencl_driver *driver, struct queue *queue,
		     cl_command_type type, uint64_t size,
		     struct wait_list *wait, uint64_t handle);
/* Puts a command into its queue and runs every command that can run. With
 * `blocking` the call waits for the command's end and returns its error, if it
 * had one. */
cl_int command_submit(struct opencl_driver *driver, struct command *command,
		      bool blocking);
/* Runs commands in all queues until nothing more can run. */
void commands_run(struct opencl_driver *driver);
/* Drops the commands that have not run: the driver is about to be freed. */
void commands_discard(struct opencl_driver *driver);
/* Submits the queue's waiting commands to the device. */
void queue_flush(struct opencl_driver *driver, struct queue *queue);

/* --- Events and time (event.c, time.c) ----------------------------------- */

struct event *event_create(struct opencl_driver *driver,
			   struct context *context, struct queue *queue,
			   cl_command_type type, uint64_t handle);
/* Changes the status and queues the callbacks that wait for it. */
void event_set_status(struct opencl_driver *driver, struct event *event,
		      int64_t status);
static inline bool event_ended(const struct event *event)
{
	return event->status <= CL_COMPLETE;
}

/* A callback of the program gets `status`. */
void event_call_back(struct opencl_driver *driver, struct event *event,
		     const struct callback *callback, int64_t status);

/* The simulated time. */
picoseconds time_now(struct opencl_driver *driver);
/* Spends `time` on work of a kind that moves `bytes`. */
void time_pass(struct opencl_driver *driver, enum opencl_time kind,
	       uint64_t bytes, picoseconds time);
/* Whether a transfer's bytes pass the bus to or from the program's own pages. Else
 * a processor copies them from or to a staging buffer. */
bool transfer_is_direct(const struct opencl_driver *driver, uint64_t bytes,
			bool pinned);
/* Spends the time of a transfer. */
void pass_transfer(struct opencl_driver *driver,
		   const struct opencl_transfer *transfer);
/* Spends the time of reading and writing device memory, `bytes` in all. */
void pass_copy(struct opencl_driver *driver, uint64_t bytes);

/* --- Every request ------------------------------------------------------ */

#define CALL(name, major, minor, state, fields)                                \
	cl_int serve_##name(struct opencl_driver *driver,                      \
			    struct request_##name *request);
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"

#endif
