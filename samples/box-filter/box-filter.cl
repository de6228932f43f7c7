/* Each texel becomes the mean of those around it; beyond the edge, the
 * texels of the edge go on. */
__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE |
			    CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void box_filter(__read_only image2d_t input,
			 __write_only image2d_t output, int radius)
{
	int2 place = (int2)(get_global_id(0), get_global_id(1));
	uint side = 2 * radius + 1;
	uint4 sum = 0;

	for (int y = -radius; y <= radius; y++)
		for (int x = -radius; x <= radius; x++)
			sum += read_imageui(input, edge, place + (int2)(x, y));
	write_imageui(output, place, sum / (side * side));
}
