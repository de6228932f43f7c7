/* Life of a DRAM controller: its configuration, checked, and the mapping of
 * addresses to channels, banks and rows. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "memsys/dram/internal.h"

static const char *const field_names[DRAM_FIELD_COUNT] = {
	[DRAM_FIELD_MODULE] = "module", [DRAM_FIELD_CHANNEL] = "channel",
	[DRAM_FIELD_RANK] = "rank",     [DRAM_FIELD_GROUP] = "group",
	[DRAM_FIELD_BANK] = "bank",     [DRAM_FIELD_COLUMN] = "column",
	[DRAM_FIELD_ROW] = "row",
};

static unsigned log2_of(uint64_t value)
{
	return (unsigned)__builtin_ctzll(value);
}

static bool is_power(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* --- Mapping ------------------------------------------------------------ */

/* Bits that the geometry gives a field. */
static unsigned field_bits(const struct dram_config *config,
			   enum dram_field field)
{
	switch (field) {
	case DRAM_FIELD_CHANNEL:
		return log2_of(config->channels);
	case DRAM_FIELD_RANK:
		return log2_of(config->ranks);
	case DRAM_FIELD_GROUP:
		return log2_of(config->groups);
	case DRAM_FIELD_BANK:
		return log2_of(config->banks);
	case DRAM_FIELD_COLUMN:
		return log2_of((uint64_t)config->columns * config->bus_width /
			       8);
	case DRAM_FIELD_ROW:
		return log2_of(config->rows);
	default:
		return 0;
	}
}

/* One word, "field" or "field:bits"; put in front, as the text begins with
 * the highest bits. */
static int mapping_word(struct dram_config *config, const char *word,
			size_t length, struct error *error)
{
	const char *colon = memchr(word, ':', length);
	size_t name = colon ? (size_t)(colon - word) : length;
	enum dram_field field = DRAM_FIELD_COUNT;
	unsigned bits;

	for (int i = 0; i < DRAM_FIELD_COUNT; i++)
		if (strlen(field_names[i]) == name &&
		    !strncasecmp(field_names[i], word, name))
			field = (enum dram_field)i;
	if (field == DRAM_FIELD_COUNT)
		return error_set(error,
				 "AddressMapping: '%.*s': expected row, "
				 "column, bank, group, rank, channel or module",
				 (int)length, word);
	bits = field_bits(config, field);
	if (colon) {
		char *end;
		unsigned long number = strtoul(colon + 1, &end, 10);

		if (end != word + length || end == colon + 1 || number > 40)
			return error_set(error,
					 "AddressMapping: expected a number of "
					 "bits in '%.*s'", (int)length, word);
		bits = (unsigned)number;
	} else if (field == DRAM_FIELD_MODULE) {
		return error_set(error, "AddressMapping: module needs its "
					"number of bits, as in module:3");
	}
	if (config->part_count == DRAM_PARTS_MAX)
		return error_set(error, "AddressMapping: more than %d parts",
				 DRAM_PARTS_MAX);
	memmove(config->parts + 1, config->parts,
		config->part_count * sizeof *config->parts);
	config->parts[0] = (struct dram_part){ field, bits };
	config->part_count++;
	return 0;
}

static int read_mapping(struct dram_config *config, const char *text,
			struct error *error)
{
	unsigned bits[DRAM_FIELD_COUNT] = { 0 };
	unsigned burst = log2_of((uint64_t)config->burst_length *
				 config->bus_width / 8);

	config->part_count = 0;
	while (*(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");

		if (mapping_word(config, text, length, error))
			return -1;
		text += length;
	}
	for (unsigned i = 0; i < config->part_count; i++)
		bits[config->parts[i].field] += config->parts[i].bits;
	for (int i = DRAM_FIELD_MODULE + 1; i < DRAM_FIELD_COUNT; i++)
		if (bits[i] != field_bits(config, (enum dram_field)i))
			return error_set(error,
					 "AddressMapping: %u bits of %s, but "
					 "the geometry has %u", bits[i],
					 field_names[i],
					 field_bits(config,
						    (enum dram_field)i));
	if (config->parts[0].field != DRAM_FIELD_COLUMN ||
	    config->parts[0].bits < burst)
		return error_set(error,
				 "AddressMapping: the lowest %u bits must "
				 "belong to the column, because they lie in "
				 "one burst",
				 burst);
	return 0;
}

/* Where the bits of a field begin in a place, and which place that is. A bank's
 * number in the channel is made of rank, group and bank. */
static enum dram_place field_place(const struct dram_config *config,
				   enum dram_field field, unsigned *shift)
{
	unsigned bank = field_bits(config, DRAM_FIELD_BANK);
	unsigned group = field_bits(config, DRAM_FIELD_GROUP);

	*shift = 0;
	switch (field) {
	case DRAM_FIELD_CHANNEL:
		return DRAM_PLACE_CHANNEL;
	case DRAM_FIELD_RANK:
		*shift = bank + group;
		return DRAM_PLACE_BANK;
	case DRAM_FIELD_GROUP:
		*shift = bank;
		return DRAM_PLACE_BANK;
	case DRAM_FIELD_BANK:
		return DRAM_PLACE_BANK;
	case DRAM_FIELD_COLUMN:
		return DRAM_PLACE_COLUMN;
	default:
		return DRAM_PLACE_ROW;
	}
}

/* Rows beyond the devices begin again at 0. */
static void find_pieces(struct dram *dram)
{
	const struct dram_config *config = &dram->config;
	unsigned found[DRAM_FIELD_COUNT] = { 0 }, from = 0;

	for (unsigned i = 0; i < config->part_count; i++) {
		const struct dram_part *part = &config->parts[i];
		struct dram_piece *piece = &dram->pieces[dram->piece_count];
		unsigned shift;

		if (part->bits && part->field != DRAM_FIELD_MODULE &&
		    from < 64) {
			piece->place =
				field_place(config, part->field, &shift);
			piece->from = from;
			piece->to = shift + found[part->field];
			piece->mask = (1ull << part->bits) - 1;
			dram->piece_count++;
		}
		found[part->field] += part->bits;
		from += part->bits;
	}
}

unsigned dram_locate(const struct dram *dram, uint64_t address, uint64_t size,
		     struct dram_request *request)
{
	uint64_t value[DRAM_PLACE_COUNT] = { 0 };
	uint32_t burst = dram->burst_bytes;

	for (unsigned i = 0; i < dram->piece_count; i++) {
		const struct dram_piece *piece = &dram->pieces[i];

		value[piece->place] |= (address >> piece->from & piece->mask)
				       << piece->to;
	}
	request->bank = (unsigned)value[DRAM_PLACE_BANK];
	request->row = value[DRAM_PLACE_ROW];
	request->from = (uint32_t)value[DRAM_PLACE_COLUMN];
	request->to = (uint32_t)(request->from + size);
	request->column = request->from & ~(burst - 1);
	request->bursts = (request->to - request->column + burst - 1) >>
			  dram->burst_shift;
	return (unsigned)value[DRAM_PLACE_CHANNEL];
}

/* --- Check -------------------------------------------------------------- */

static int check_powers(const struct dram_config *config, struct error *error)
{
	const struct {
		const char *name;
		uint32_t value;
	} powers[] = {
		{ "Channels", config->channels },
		{ "Ranks", config->ranks },
		{ "BankGroups", config->groups },
		{ "Banks", config->banks },
		{ "Rows", config->rows },
		{ "Columns", config->columns },
		{ "BusWidth", config->bus_width },
		{ "BurstLength", config->burst_length },
		{ "DataRate", config->data_rate },
	};

	for (size_t i = 0; i < ARRAY_SIZE(powers); i++)
		if (!is_power(powers[i].value))
			return error_set(error, "%s must be a power of two",
					 powers[i].name);
	return 0;
}

int dram_config_check(struct dram_config *config, const char *mapping,
		      struct error *error)
{
	uint32_t burst;

	if (check_powers(config, error))
		return -1;
	if (config->ranks * config->groups * config->banks > DRAM_BANKS_MAX)
		return error_set(error, "Ranks x BankGroups x Banks is more "
					"than %d", DRAM_BANKS_MAX);
	if (config->burst_length > config->columns)
		return error_set(error, "BurstLength = %u is more than a row "
				 "has columns (%u)", config->burst_length,
				 config->columns);
	burst = config->burst_length / config->data_rate;
	if (!burst)
		return error_set(error, "BurstLength = %u is less than the "
				 "transfers of a cycle (DataRate = %u)",
				 config->burst_length, config->data_rate);
	if (config->ccd_s < burst || config->ccd_l < config->ccd_s)
		return error_set(error, "tCCD = %u and tCCDL = %u: a burst "
				 "takes %u cycles, and tCCDL is at least tCCD",
				 config->ccd_s, config->ccd_l, burst);
	if (config->rc < config->ras)
		return error_set(error, "tRC = %u is less than tRAS = %u",
				 config->rc, config->ras);
	if (!config->rtw)
		config->rtw = config->cl + burst + 2 > config->cwl
				      ? config->cl + burst + 2 - config->cwl
				      : 1;
	if (config->rtw + config->cwl < config->cl + burst)
		return error_set(error, "tRTW = %u: a write's data would meet "
				 "those of the read before it", config->rtw);
	if (config->refi && config->refi < 2 * (config->rfc + config->rp +
						config->rc))
		return error_set(error, "tREFI = %u leaves no time between "
				 "refreshes of tRFC = %u", config->refi,
				 config->rfc);
	if (config->write_high > config->queue_depth ||
	    config->write_low >= config->write_high)
		return error_set(error, "expected WriteLow < WriteHigh <= "
					"RequestQueueDepth, found %u, %u, %u",
				 config->write_low, config->write_high,
				 config->queue_depth);
	return read_mapping(config,
			    mapping && *mapping
				    ? mapping
				    : "row rank bank group channel column",
			    error);
}

/* --- Life --------------------------------------------------------------- */

static void channel_create(struct dram *dram, unsigned number)
{
	const struct dram_config *config = &dram->config;
	struct dram_channel *channel = &dram->channels[number];
	unsigned per_rank = config->groups * config->banks;

	channel->dram = dram;
	channel->number = number;
	channel->event_cycle = UINT64_MAX;
	channel->banks = xcalloc(dram->banks, sizeof *channel->banks);
	channel->ranks = xcalloc(config->ranks, sizeof *channel->ranks);
	channel->next_in_group = xcalloc(config->ranks * config->groups,
					 sizeof *channel->next_in_group);
	for (unsigned i = 0; i < dram->banks; i++) {
		channel->banks[i].rank = i / per_rank;
		channel->banks[i].group = i / config->banks;
		channel->ranks[i / per_rank].banks |= 1ull << i;
	}
	/* Ranks take turns. */
	for (unsigned i = 0; i < config->ranks; i++)
		channel->ranks[i].refresh_due =
			(uint64_t)config->refi * (i + 1) / config->ranks;
}

void dram_set_exact(struct dram *dram, uint32_t megahertz)
{
	dram->megahertz = megahertz;
}

struct dram *dram_create(struct event_queue *events,
			 const struct dram_config *config)
{
	struct dram *dram = xcalloc(1, sizeof *dram);

	dram->events = events;
	dram->source = event_source_create(events);
	dram->config = *config;
	dram->period = clock_period(config->frequency);
	if (!dram->period)
		dram->period = 1;
	dram->burst_bytes = config->burst_length * config->bus_width / 8;
	dram->burst_shift = log2_of(dram->burst_bytes);
	dram->burst_cycles = config->burst_length / config->data_rate;
	dram->run_bytes = 1ull << config->parts[0].bits;
	dram->banks = config->ranks * config->groups * config->banks;
	find_pieces(dram);
	dram->channels = xcalloc(config->channels, sizeof *dram->channels);
	for (unsigned i = 0; i < config->channels; i++)
		channel_create(dram, i);
	return dram;
}

void dram_set_events(struct dram *dram, struct event_queue *events)
{
	dram->events = events;
}

void dram_free(struct dram *dram)
{
	if (!dram)
		return;
	for (unsigned i = 0; i < dram->config.channels; i++) {
		free(dram->channels[i].banks);
		free(dram->channels[i].ranks);
		free(dram->channels[i].next_in_group);
	}
	for (size_t i = 0; i < dram->chunk_count; i++)
		free(dram->chunks[i]);
	free(dram->chunks);
	free(dram->channels);
	free(dram);
}

void dram_observe(struct dram *dram, dram_observer *observer, void *owner)
{
	dram->observer = observer;
	dram->observer_owner = owner;
}

const struct dram_count *dram_count(const struct dram *dram)
{
	return &dram->count;
}
