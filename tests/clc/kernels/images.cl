/* Images and samplers in every role. */
constant sampler_t everywhere = CLK_NORMALIZED_COORDS_TRUE |
				CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

__attribute__((noinline)) float4 take(read_only image2d_t i, sampler_t s,
				      float2 place)
{
	return read_imagef(i, s, place);
}

__attribute__((noinline)) void give(write_only image2d_t i, int2 place,
				    float4 value)
{
	write_imagef(i, place, value);
}

/* Read 16 and 17, written 1 and 2; sampler 0, and literals 1 and 2. */
kernel void roles(read_only image2d_t a, write_only image2d_t b, sampler_t s,
		  read_only image3d_t c, global float4 *p,
		  write_only image1d_array_t d)
{
	const sampler_t here = CLK_NORMALIZED_COORDS_FALSE |
			       CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
	int2 place = (int2)(get_global_id(0), get_global_id(1));
	float4 v = take(a, s, convert_float2(place)) +
		   take(a, everywhere, convert_float2(place) / 8) +
		   take(a, here, convert_float2(place));

	v += read_imagef(c, everywhere, v);
	give(b, place, v);
	write_imagef(d, place, v);
	p[place.x] = v;
}

/* Without a sampler: LD. */
kernel void plain(read_only image1d_buffer_t a, read_only image2d_array_t b,
		  write_only image1d_buffer_t c)
{
	int g = get_global_id(0);

	write_imageui(c, g, read_imageui(a, g) +
				    read_imageui(b, (int4)(g, g / 4, g / 8, 0)));
}

/* The same call for one image or the other: whoever merges them must be
 * undone. */
kernel void either(read_only image2d_t a, read_only image2d_t b,
		   write_only image2d_t c, write_only image2d_t d)
{
	int2 place = (int2)(get_global_id(0), 0);
	float4 v;

	if (place.x & 1)
		v = read_imagef(a, place);
	else
		v = read_imagef(b, place);
	if (place.x & 2)
		write_imagef(c, place, v);
	else
		write_imagef(d, place, v);
}

/* An offset behind an image; queries alone. */
kernel void sizes(read_only image2d_t a, int n, write_only image3d_t b,
		  global int *p)
{
	p[0] = get_image_width(a) + n;
	p[1] = get_image_depth(b);
	p[2] = get_image_channel_order(b);
}

/* Nothing of it used. */
kernel void unused(read_only image2d_t a, sampler_t s, write_only image2d_t b)
{
}

/* Coordinates that vectors of two make, across blocks. */
kernel void blur(read_only image2d_t in, write_only image2d_t out, int radius,
		 sampler_t s)
{
	int2 place = (int2)(get_global_id(0), get_global_id(1));
	float4 sum = 0;

	for (int y = -radius; y <= radius; y++)
		for (int x = -radius; x <= radius; x++)
			sum += read_imagef(in, s, place + (int2)(x, y));
	write_imagef(out, place, sum / ((2 * radius + 1) * (2 * radius + 1)));
}
