/* Code made from checkpoint/fields.def: the proof that it has every field, and
 * both directions of each structure. */
#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/checkpoint.h"

/* Each structure once more, from its rows and without padding: if a row is
 * missing or in another place, offsets or sizes differ. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FIELD(type, field) __typeof__(((struct type *)0)->field) field;
#define BEGIN(type) struct __attribute__((packed)) shadow_##type {
#define VALUE(type, field) FIELD(type, field)
#define ARRAY(type, field) FIELD(type, field)
#define NESTED(type, field, nested) FIELD(type, field)
#define SERIES(type, field, nested) FIELD(type, field)
#define LINK(type, field) FIELD(type, field)
#define HOLE(type, bytes) uint8_t JOIN(hole_, __LINE__)[bytes];
#define END(type)                                                              \
	}                                                                      \
	;                                                                      \
	_Static_assert(sizeof(struct shadow_##type) == sizeof(struct type),    \
		       "checkpoint/fields.def: fields of " #type " changed");
#include "x86/linux/checkpoint/fields.def"
#undef FIELD

#define FIELD(type, field)                                                     \
	_Static_assert(offsetof(struct shadow_##type, field) ==                \
			       offsetof(struct type, field),                   \
		       "checkpoint/fields.def: fields of " #type               \
		       " changed before " #field);
#define BEGIN(type)
#define VALUE(type, field) FIELD(type, field)
#define ARRAY(type, field) FIELD(type, field)
#define NESTED(type, field, nested) FIELD(type, field)
#define SERIES(type, field, nested) FIELD(type, field)
#define LINK(type, field) FIELD(type, field)
#define HOLE(type, bytes)
#define END(type)
#include "x86/linux/checkpoint/fields.def"
#undef FIELD

/* Both directions of each structure. */
#define BEGIN(type)                                                            \
	void exchange_##type(struct archive *archive, struct type *it)         \
	{
#define VALUE(type, field) ARCHIVE_VALUE(archive, it->field, #type "." #field);
#define ARRAY(type, field) archive_bytes(archive, &it->field, sizeof it->field);
#define NESTED(type, field, nested) exchange_##nested(archive, &it->field);
#define SERIES(type, field, nested)                                            \
	for (size_t i = 0; i < ARRAY_SIZE(it->field); i++)                     \
		exchange_##nested(archive, &it->field[i]);
#define LINK(type, field)
#define HOLE(type, bytes)
#define END(type) }
#include "x86/linux/checkpoint/fields.def"

uint32_t checkpoint_layout(void)
{
	static const struct {
		const char *row;
		size_t size;
	} rows[] = {
#define BEGIN(type) { #type, sizeof(struct type) },
#define VALUE(type, field) { #field, sizeof(((struct type *)0)->field) },
#define ARRAY(type, field) VALUE(type, field)
#define NESTED(type, field, nested) VALUE(type, field)
#define SERIES(type, field, nested) VALUE(type, field)
#define LINK(type, field)
#define HOLE(type, bytes)
#define END(type)
#include "x86/linux/checkpoint/fields.def"
	};
	uLong sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t size = (uint32_t)rows[i].size;

		sum = crc32_z(sum, (const uint8_t *)rows[i].row,
			      strlen(rows[i].row) + 1);
		sum = crc32_z(sum, (const uint8_t *)&size, sizeof size);
	}
	return (uint32_t)sum;
}
