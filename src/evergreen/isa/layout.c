#include "evergreen/isa/layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t field_mask(const struct evg_field *field)
{
	return (UINT64_C(1) << field->width) - 1;
}

static bool field_is_legal(const struct evg_field *field, uint32_t value)
{
	return field->width > 3 || field->legal >> value & 1;
}

static void member_set(void *inst, const struct evg_field *field,
		       uint32_t value)
{
	unsigned char *member = (unsigned char *)inst + field->offset;

	if (field->is_signed && value >> (field->width - 1))
		value |= ~(uint32_t)field_mask(field);
	if (field->size == 1) {
		*member = (unsigned char)value;
	} else if (field->size == 2) {
		uint16_t half = (uint16_t)value;

		memcpy(member, &half, 2);
	} else if (field->size == 4) {
		memcpy(member, &value, 4);
	}
}

uint32_t evg_field_get(const void *inst, const struct evg_field *field)
{
	const unsigned char *member =
		(const unsigned char *)inst + field->offset;
	uint32_t value = 0;
	uint16_t half;

	if (field->size == 1) {
		value = field->is_signed ? (uint32_t)(int32_t)(int8_t)*member
					 : *member;
	} else if (field->size == 2) {
		memcpy(&half, member, 2);
		value = half;
	} else {
		memcpy(&value, member, 4);
	}
	return value;
}

int evg_error_words(struct error *error, const uint32_t *words, unsigned count,
		    const char *format, ...)
{
	char text[256], list[64];
	size_t length = 0;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	list[0] = '\0';
	for (unsigned i = 0; i < count && i < 4; i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length,
					   "%s%08x", i ? " " : "", words[i]);
	return error_set(error, "%s (words %s)", text, list);
}

int evg_layout_read(const struct evg_layout *layout, void *inst,
		    const uint32_t *words, struct error *error)
{
	uint32_t covered[4] = {0};

	for (size_t i = 0; i < layout->count; i++) {
		const struct evg_field *field = &layout->fields[i];
		uint32_t value = evg_bits(words[field->word],
					  field->shift + field->width - 1,
					  field->shift);

		covered[field->word] |=
			(uint32_t)(field_mask(field) << field->shift);
		if (!field->size)
			continue;
		if (!field_is_legal(field, value))
			return evg_error_words(
				error, words, layout->words,
				"%s: field %s is %u, which is not defined",
				layout->name, field->name, value);
		member_set(inst, field, value);
	}
	for (unsigned i = 0; i < layout->words; i++) {
		if (words[i] & ~covered[i])
			return evg_error_words(
				error, words, layout->words,
				"%s: reserved bits %08x of word %u are set",
				layout->name, words[i] & ~covered[i], i);
	}
	return 0;
}

static bool field_fits(const struct evg_field *field, uint32_t value)
{
	int64_t half = INT64_C(1) << (field->width - 1);

	if (field->is_signed)
		return (int32_t)value >= -half && (int32_t)value < half;
	return value <= field_mask(field);
}

const struct evg_field *evg_layout_find(const struct evg_layout *layout,
					const char *name)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->fields[i].size &&
		    !strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	return NULL;
}

bool evg_field_set(void *inst, const struct evg_field *field, uint32_t value)
{
	if (!field_fits(field, value) ||
	    !field_is_legal(field, value & (uint32_t)field_mask(field)))
		return false;
	member_set(inst, field, value);
	return true;
}

int evg_layout_write(const struct evg_layout *layout, const void *inst,
		     uint32_t *words, struct error *error)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct evg_field *field = &layout->fields[i];
		uint32_t value;

		if (!field->size)
			continue;
		value = evg_field_get(inst, field);
		if (!field_fits(field, value) ||
		    !field_is_legal(field, value & field_mask(field)))
			return error_set(error, "%s: %d does not fit field %s",
					 layout->name, (int)value, field->name);
		words[field->word] |= (uint32_t)(value & field_mask(field))
				      << field->shift;
	}
	return 0;
}
