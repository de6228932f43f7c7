#include <stdlib.h>

#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/internal.h"

static struct object **bucket_of(struct object_table *table, uint64_t handle)
{
	/* Handles come from malloc: spread them by Fibonacci hashing. */
	uint64_t hash = handle * UINT64_C(0x9e3779b97f4a7c15);

	return &table->bucket[(hash >> 32) & (table->bucket_count - 1)];
}

static void grow_table(struct object_table *table)
{
	struct object **place;

	table->bucket_count = table->bucket_count ? 2 * table->bucket_count
						  : 64;
	free(table->bucket);
	table->bucket = xcalloc(table->bucket_count, sizeof *table->bucket);
	for (struct object *o = table->first; o; o = o->next) {
		if (!o->handle)
			continue;
		place = bucket_of(table, o->handle);
		o->next_same_hash = *place;
		*place = o;
	}
}

void *object_create(struct opencl_driver *driver, enum object_kind kind,
		    uint64_t size, uint64_t handle)
{
	struct object_table *table = &driver->objects;
	struct object *object = xcalloc(1, size), **place;

	if (table->count >= table->bucket_count)
		grow_table(table);
	if (handle)
		account_object(driver->options.account, kind);
	object->kind = kind;
	object->handle = handle;
	object->serial = ++table->last_serial;
	object->next = table->first;
	if (table->first)
		table->first->previous = object;
	table->first = object;
	table->count++;
	if (handle) {
		object->references = 1;
		place = bucket_of(table, handle);
		object->next_same_hash = *place;
		*place = object;
	} else {
		object->uses = 1;
	}
	return object;
}

struct object *object_by_handle(struct opencl_driver *driver, uint64_t handle)
{
	struct object *object = NULL;

	if (handle && driver->objects.bucket)
		object = *bucket_of(&driver->objects, handle);
	while (object && object->handle != handle)
		object = object->next_same_hash;
	return object;
}

void *object_find(struct opencl_driver *driver, uint64_t handle,
		  enum object_kind kind)
{
	struct object *object;

	if (!handle || !driver->objects.bucket)
		return NULL;
	object = *bucket_of(&driver->objects, handle);
	while (object && (object->handle != handle || object->kind != kind))
		object = object->next_same_hash;
	return object;
}

static void forget_handle(struct object_table *table, struct object *object)
{
	struct object **place = bucket_of(table, object->handle);

	while (*place != object)
		place = &(*place)->next_same_hash;
	*place = object->next_same_hash;
}

void object_hide(struct opencl_driver *driver, struct object *object)
{
	if (!object->handle)
		return;
	forget_handle(&driver->objects, object);
	object->handle = 0;
	object->references = 0;
}

static void destroy(struct opencl_driver *driver, struct object *object)
{
	struct object_table *table = &driver->objects;

	table->kinds[object->kind].end(driver, object);
	if (object->handle) {
		forget_handle(table, object);
		notice_add(driver,
			   &(struct notice){
				   .kind = OPENCL_NOTICE_FREE_HANDLE,
				   .handle = object->handle });
	}
	if (object->previous)
		object->previous->next = object->next;
	else
		table->first = object->next;
	if (object->next)
		object->next->previous = object->previous;
	table->count--;
	table->kinds[object->kind].free(object);
}

void object_drop(struct opencl_driver *driver, struct object *object)
{
	if (!object)
		return;
	object->uses--;
	if (!object->uses && !object->references)
		destroy(driver, object);
}

cl_int object_retain(struct opencl_driver *driver, uint64_t handle,
		     enum object_kind kind)
{
	struct object *object = object_find(driver, handle, kind);

	if (!object)
		return driver->objects.kinds[kind].error;
	object->references++;
	return CL_SUCCESS;
}

cl_int object_release(struct opencl_driver *driver, uint64_t handle,
		      enum object_kind kind)
{
	struct object *object = object_find(driver, handle, kind);

	if (!object || !object->references)
		return driver->objects.kinds[kind].error;
	object->references--;
	if (object->references || object->uses)
		return CL_SUCCESS;
	destroy(driver, object);
	return CL_SUCCESS;
}

void object_table_free(struct object_table *table)
{
	struct object *next;

	for (struct object *o = table->first; o; o = next) {
		next = o->next;
		table->kinds[o->kind].free(o);
	}
	free(table->bucket);
}
