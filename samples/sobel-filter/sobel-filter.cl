/* The magnitude of the gradient of each channel of an RGBA image, by the
 * operator of Sobel; pixels of the border become 0. */
int4 pixel(global const uchar4 *image, uint width, uint x, uint y)
{
	return convert_int4(image[y * width + x]);
}

kernel void sobel_filter(global const uchar4 *input, global uchar4 *output)
{
	uint x = get_global_id(0), y = get_global_id(1);
	uint width = get_global_size(0), height = get_global_size(1);
	uchar4 result = (uchar4)(0);

	if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
		int4 nw = pixel(input, width, x - 1, y - 1);
		int4 n = pixel(input, width, x, y - 1);
		int4 ne = pixel(input, width, x + 1, y - 1);
		int4 w = pixel(input, width, x - 1, y);
		int4 e = pixel(input, width, x + 1, y);
		int4 sw = pixel(input, width, x - 1, y + 1);
		int4 s = pixel(input, width, x, y + 1);
		int4 se = pixel(input, width, x + 1, y + 1);
		int4 across = ne + 2 * e + se - nw - 2 * w - sw;
		int4 down = sw + 2 * s + se - nw - 2 * n - ne;

		/* |across| + |down|: the usual integer estimate, at most
		 * 2040, scaled to a byte. */
		result = convert_uchar4_sat(
			convert_int4(abs(across) + abs(down)) / 4);
	}
	output[y * width + x] = result;
}
