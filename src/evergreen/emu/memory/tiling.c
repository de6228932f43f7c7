#include "evergreen/emu/memory/tiling.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/isa/data-format.h"

enum {
	MICRO = 8,            /* texels in a micro tile's row and column */
	MICRO_TEXELS = MICRO * MICRO,
	PIPE_BYTES = 256,     /* next to each other on one pipe */
	PIPE_SHIFT = 8,
	PIPES_MAX = 8,
};

/* --- Numbers made of bits of coordinates ---------------------------------- */

/* The bits of x and y whose exclusive or is each bit of the number, lowest
 * first. */

/* A texel's in its micro tile, by log2 of the texel's bytes. The order of
 * colour surfaces, in which typed RATs are, too (NON_DISP_TILING_ORDER = 0;
 * depth has another one). */
static const char *const micro_bits[5][6] = {
	{"x0", "x1", "x2", "y1", "y0", "y2"},
	{"x0", "x1", "x2", "y0", "y1", "y2"},
	{"x0", "x1", "y0", "x2", "y1", "y2"},
	{"x0", "y0", "x1", "x2", "y1", "y2"},
	{"y0", "x0", "x1", "x2", "y1", "y2"},
};

/* The pipe, by log2 of the pipes; x and y of the micro tile. Eight pipes are
 * those of two shader engines with tiles of 32 texels. */
static const char *const pipe_bits[4][3] = {
	{0},
	{"x0y0"},
	{"x1y0", "x0y1"},
	{"x1x2y0", "x0y1", "x2y2"},
};

/* The bank, by log2 of the banks; x of the group of micro tiles with all
 * pipes, y of the column of bank_height micro tiles. */
static const char *const bank_bits[5][4] = {
	{0},
	{"x0y0"},
	{"x0y1", "x1y0"},
	{"x0y2", "x1y1y2", "x2y0"},
	{"x0y3", "x1y2y3", "x2y1", "x3y0"},
};

static uint32_t number_of(const char *const *bits, unsigned count, uint32_t x,
			  uint32_t y)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < count; i++)
		for (const char *bit = bits[i]; *bit; bit += 2)
			number ^= ((*bit == 'x' ? x : y) >> (bit[1] - '0') & 1)
				  << i;
	return number;
}

static unsigned log2_of(uint32_t power)
{
	return (unsigned)__builtin_ctz(power);
}

static uint32_t pipe_of(uint32_t pipes, uint32_t x, uint32_t y)
{
	unsigned bits = log2_of(pipes);

	return number_of(pipe_bits[bits], bits, x, y);
}

static uint32_t bank_of(uint32_t banks, uint32_t x, uint32_t y)
{
	unsigned bits = log2_of(banks);

	return number_of(bank_bits[bits], bits, x, y);
}

/* A texel's place in its micro tile, bytes: the sum of those of (x, 0) and
 * (0, y). */
static uint32_t micro_place(uint32_t bytes, uint32_t x, uint32_t y)
{
	return number_of(micro_bits[log2_of(bytes)], 6, x, y) * bytes;
}

/* --- Micro tiles in an image -------------------------------------------- */

struct layout {
	uint32_t width, height, bytes; /* texels; bytes of one */
	uint32_t tile_bytes;           /* of a micro tile */
	uint32_t pipes, banks;
	/* Micro tiles of one bank that follow each other downward before the
	 * next bank's, and what makes macro tiles wider and lower. */
	uint32_t bank_height, aspect;
	uint32_t macro_width, macro_height; /* texels */
	uint32_t pitch, rows;               /* texels, padded */
};

static uint32_t round_up(uint32_t value, uint32_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* A pipe and bank get at least 256 bytes of a macro tile. */
static void macro_layout(struct layout *layout)
{
	layout->bank_height = layout->tile_bytes <= 64	  ? 4
			      : layout->tile_bytes <= 128 ? 2
							  : 1;
	layout->aspect = layout->bank_height >= 4 ? 2 : 1;
	layout->macro_width = MICRO * layout->pipes * layout->aspect;
	layout->macro_height = MICRO * layout->bank_height * layout->banks /
			       layout->aspect;
	layout->pitch = round_up(layout->width, layout->macro_width);
	layout->rows = round_up(layout->height, layout->macro_height);
}

/* Rows of micro tiles have at least 256 bytes. */
static void micro_layout(struct layout *layout)
{
	uint32_t tiles = layout->tile_bytes < PIPE_BYTES
				 ? PIPE_BYTES / layout->tile_bytes
				 : 1;

	layout->pitch = round_up(layout->width, MICRO * tiles);
	layout->rows = round_up(layout->height, MICRO);
}

/* Not for images that are smaller than a macro tile, or become larger by more
 * than half. */
static bool takes_macro_tiles(const struct layout *layout)
{
	return layout->width >= layout->macro_width &&
	       layout->height >= layout->macro_height &&
	       2 * (uint64_t)layout->pitch * layout->rows <=
		       3 * (uint64_t)layout->width * layout->height;
}

/* --- Places ---------------------------------------------------------------- */

/* A byte's number among those of its pipe and bank to where it is, with that
 * pipe and bank. Both are sums of what x and y contribute, but for the
 * exclusive ors. */
static uint32_t macro_place(const struct layout *layout, uint32_t number,
			    uint32_t pipe, uint32_t bank)
{
	unsigned bits = log2_of(layout->pipes * layout->banks);
	uint32_t swizzle = pipe + bank * layout->pipes;

	return (number & (PIPE_BYTES - 1)) | swizzle << PIPE_SHIFT |
	       (number & ~(uint32_t)(PIPE_BYTES - 1)) << bits;
}

static uint32_t macro_x(const struct layout *layout, uint32_t x)
{
	uint32_t tile = x / MICRO;
	uint32_t bank_bytes = layout->tile_bytes * layout->bank_height;

	return macro_place(layout,
			   micro_place(layout->bytes, x, 0) +
				   x / layout->macro_width * bank_bytes,
			   pipe_of(layout->pipes, tile, 0),
			   bank_of(layout->banks, tile / layout->pipes, 0));
}

static uint32_t macro_y(const struct layout *layout, uint32_t y)
{
	uint32_t tile = y / MICRO;
	uint32_t bank_bytes = layout->tile_bytes * layout->bank_height;
	uint32_t row = layout->pitch / layout->macro_width * bank_bytes;

	return macro_place(layout,
			   micro_place(layout->bytes, 0, y) +
				   tile % layout->bank_height *
					   layout->tile_bytes +
				   y / layout->macro_height * row,
			   pipe_of(layout->pipes, 0, tile),
			   bank_of(layout->banks, 0,
				   tile / layout->bank_height));
}

static uint32_t micro_x(const struct layout *layout, uint32_t x)
{
	return micro_place(layout->bytes, x, 0) +
	       x / MICRO * layout->tile_bytes;
}

static uint32_t micro_y(const struct layout *layout, uint32_t y)
{
	return micro_place(layout->bytes, 0, y) +
	       y / MICRO * (layout->pitch / MICRO) * layout->tile_bytes;
}

/* --- All of it ------------------------------------------------------------ */

static void fill_tiling(struct evg_tiling *tiling, const struct layout *layout)
{
	bool macro = tiling->mode == EVG_ARRAY_2D_TILED;

	tiling->x = xmalloc(layout->width * sizeof *tiling->x);
	tiling->y = xmalloc(layout->height * sizeof *tiling->y);
	for (uint32_t x = 0; x < layout->width; x++)
		tiling->x[x] = macro ? macro_x(layout, x) : micro_x(layout, x);
	for (uint32_t y = 0; y < layout->height; y++)
		tiling->y[y] = macro ? macro_y(layout, y) : micro_y(layout, y);
}

static bool may_be_tiled(const struct evg_image *image, uint32_t bytes)
{
	return (image->dimension == EVG_IMAGE_2D ||
		image->dimension == EVG_IMAGE_2D_ARRAY ||
		image->dimension == EVG_IMAGE_3D) &&
	       bytes && bytes <= 16 && !(bytes & (bytes - 1));
}

struct evg_tiling *evg_tiling_create(const struct evg_tiling_device *device,
				     const struct evg_image *image)
{
	uint32_t bytes =
		evg_data_formats[image->data_format % EVG_DATA_FORMATS].bytes;
	struct layout layout = {
		.width = image->width,
		.height = image->height,
		.bytes = bytes,
		.tile_bytes = MICRO_TEXELS * bytes,
		.pipes = device->pipes < PIPES_MAX ? device->pipes : PIPES_MAX,
		.banks = device->banks,
	};
	struct evg_tiling *tiling;
	uint64_t slice;

	if (device->mode == EVG_ARRAY_LINEAR || !may_be_tiled(image, bytes))
		return NULL;
	tiling = xcalloc(1, sizeof *tiling);
	tiling->mode = device->mode;
	tiling->alignment = PIPE_BYTES;
	macro_layout(&layout);
	if (tiling->mode == EVG_ARRAY_2D_TILED && takes_macro_tiles(&layout)) {
		uint32_t swizzles = layout.pipes * layout.banks;

		tiling->alignment = swizzles * layout.tile_bytes *
				    layout.bank_height;
		tiling->swizzled = (swizzles - 1) << PIPE_SHIFT;
		/* Thin tiles in three dimensions, too: slices lie behind each
		 * other. The drivers for these chips whose source is known
		 * (Mesa's) have no use for thick ones. */
		tiling->rotation = (layout.banks / 2 - 1) * layout.pipes
				   << PIPE_SHIFT;
	} else {
		tiling->mode = EVG_ARRAY_1D_TILED;
		micro_layout(&layout);
	}
	slice = (uint64_t)layout.pitch * layout.rows * bytes;
	tiling->slice_bytes = (uint32_t)slice;
	tiling->size = slice * image->depth;
	fill_tiling(tiling, &layout);
	return tiling;
}

void evg_tiling_free(struct evg_tiling *tiling)
{
	if (!tiling)
		return;
	free(tiling->x);
	free(tiling->y);
	free(tiling);
}
