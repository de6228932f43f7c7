#include "evergreen/asm/attribute.h"

#include <stdlib.h>
#include <string.h>

static int set_field(struct evg_scan *scan, const struct evg_layout *layout,
		     const char *name, const char *field_name, uint32_t value,
		     void *inst)
{
	const struct evg_field *field = evg_layout_find(layout, field_name);

	if (!field)
		return evg_scan_fail(scan, "%s is not an attribute of this "
					   "instruction (%s has no %s)", name,
				     layout->name, field_name);
	if (!evg_field_set(inst, field, value))
		return evg_scan_fail(scan, "%s: %d does not fit field %s of "
				     "%u bits, or is not defined", name,
				     (int32_t)value, field->name,
				     field->width);
	return 1;
}

/* The index of a word among "A|B|C", or -1. */
static int choose_word(const char *choices, const char *word)
{
	size_t length = strlen(word);

	for (int index = 0; *choices; index++) {
		size_t size = strcspn(choices, "|");

		if (size == length && !strncmp(choices, word, size))
			return index;
		choices += size + (choices[size] == '|');
	}
	return -1;
}

static int take_value(struct evg_scan *scan,
		      const struct evg_attribute *attribute, int32_t *value)
{
	char word[EVG_WORD_SIZE];

	*value = attribute->value;
	if (attribute->kind == EVG_ATTRIBUTE_FLAG)
		return 0;
	if (evg_scan_need(scan, "("))
		return -1;
	if (attribute->kind == EVG_ATTRIBUTE_NUMBER) {
		if (!evg_scan_signed(scan, value))
			return evg_scan_expected(scan, "a number");
		*value -= attribute->value;
	} else {
		char *end;

		if (!evg_scan_word(scan, word))
			return evg_scan_expected(scan, "one of %s",
						 attribute->choices);
		*value = choose_word(attribute->choices, word);
		if (*value < 0)
			*value = (int32_t)strtoul(word, &end, 10);
		else
			end = "";
		if (*end)
			return evg_scan_fail(scan, "%s(%s): expected one of %s",
					     attribute->name, word,
					     attribute->choices);
	}
	return evg_scan_need(scan, ")");
}

int evg_scan_attribute(struct evg_scan *scan,
		       const struct evg_attribute *table,
		       const struct evg_layout *layout, const char *prefix,
		       void *inst)
{
	const char *before = scan->at;
	size_t length = strlen(prefix);
	char word[EVG_WORD_SIZE];
	int32_t value;

	if (!evg_scan_word(scan, word))
		return 0;
	if (*scan->at == '=' && !strncmp(word, prefix, length) &&
	    (*prefix || !strchr(word, '.'))) {
		scan->at++;
		if (!evg_scan_signed(scan, &value) &&
		    !evg_scan_number(scan, (uint32_t *)&value))
			return evg_scan_expected(scan, "a number");
		return set_field(scan, layout, word, word + length,
				 (uint32_t)value, inst);
	}
	for (; table && table->name; table++) {
		if (strcmp(table->name, word) ||
		    !evg_layout_find(layout, table->field))
			continue;
		if (take_value(scan, table, &value))
			return -1;
		return set_field(scan, layout, word, table->field,
				 (uint32_t)value, inst);
	}
	scan->at = before;
	return 0;
}

void evg_fields_add(struct evg_text *text, const struct evg_layout *layout,
		    const char *prefix, const void *inst, const void *parsed)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct evg_field *field = &layout->fields[i];
		uint32_t value;

		if (!field->size)
			continue;
		value = evg_field_get(inst, field);
		if (value == evg_field_get(parsed, field))
			continue;
		if (field->is_signed)
			evg_text_add(text, " %s%s=%d", prefix, field->name,
				     (int32_t)value);
		else
			evg_text_add(text, " %s%s=%u", prefix, field->name,
				     value);
	}
}
