/* The common part of all OpenCL objects of the driver: their handle in the
 * program, two reference counts, and their end.
 *
 * `references` are the program's (clRetain, clRelease), `uses` the driver's
 * own: a queue uses its context, a command its buffers. An object dies when
 * both are 0; until then its handle stays good, because a query of another
 * object may still return it. */
#ifndef M2S_OPENCL_RT_DRIVER_OBJECT_H
#define M2S_OPENCL_RT_DRIVER_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>

struct opencl_driver;

/* KIND(id, noun, error): the kinds of objects, and the error for a handle that
 * is not of that kind (kinds.c). */
#define OBJECT_KINDS                                                           \
	KIND(PLATFORM, platform, CL_INVALID_PLATFORM)                          \
	KIND(DEVICE, device, CL_INVALID_DEVICE)                                \
	KIND(CONTEXT, context, CL_INVALID_CONTEXT)                             \
	KIND(QUEUE, queue, CL_INVALID_COMMAND_QUEUE)                           \
	KIND(BUFFER, buffer, CL_INVALID_MEM_OBJECT) /* images, too */          \
	KIND(SAMPLER, sampler, CL_INVALID_SAMPLER)                             \
	KIND(PROGRAM, program, CL_INVALID_PROGRAM)                             \
	KIND(KERNEL, kernel, CL_INVALID_KERNEL)                                \
	KIND(EVENT, event, CL_INVALID_EVENT)

enum object_kind {
#define KIND(id, noun, error) OBJECT_##id,
	OBJECT_KINDS
#undef KIND
	OBJECT_KIND_COUNT
};

struct object {
	enum object_kind kind;
	uint64_t handle; /* address in the program; 0: the program has none */
	uint64_t serial; /* never used twice, unlike handles */
	unsigned references, uses;
	struct object *next_same_hash;
	struct object *previous, *next; /* of all objects of the driver */
};

/* What the objects of a kind have of their own. */
struct object_row {
	cl_int error; /* for a handle that is not of this kind */
	/* Drops what a dying object uses. */
	void (*end)(struct opencl_driver *driver, void *object);
	/* Frees the object's memory. */
	void (*free)(void *object);
};

/* All objects of a driver, by handle. */
struct object_table {
	const struct object_row *kinds; /* OBJECT_KIND_COUNT rows */
	struct object *first;
	struct object **bucket; /* by handle */
	uint64_t bucket_count, count;
	uint64_t last_serial;
};

/* Frees all objects, even those that are still referred to. */
void object_table_free(struct object_table *table);

/* A new zeroed object of `size` bytes that begins with its struct object. The
 * program has one reference if there is a handle, else the driver has one. */
void *object_create(struct opencl_driver *driver, enum object_kind kind,
		    uint64_t size, uint64_t handle);

/* The object of this kind with this handle, or NULL. */
void *object_find(struct opencl_driver *driver, uint64_t handle,
		  enum object_kind kind);

/* The object of any kind with this handle, or NULL. */
struct object *object_by_handle(struct opencl_driver *driver, uint64_t handle);

/* Uses of the driver. The last object_drop of an unreferenced object frees it
 * and what it used. NULL is fine for object_drop. */
static inline void object_use(struct object *object)
{
	object->uses++;
}
void object_drop(struct opencl_driver *driver, struct object *object);

/* The program gets an error instead of this new object, and the library frees
 * the handle: from now on only the driver knows the object. */
void object_hide(struct opencl_driver *driver, struct object *object);

/* clRetain and clRelease of any kind. */
cl_int object_retain(struct opencl_driver *driver, uint64_t handle,
		     enum object_kind kind);
cl_int object_release(struct opencl_driver *driver, uint64_t handle,
		      enum object_kind kind);

#endif
