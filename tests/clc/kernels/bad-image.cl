kernel void k(write_only image2d_t a, write_only image2d_t b,
	      write_only image2d_t c, write_only image2d_t d,
	      write_only image2d_t e, write_only image2d_t f,
	      write_only image2d_t g, write_only image2d_t h,
	      write_only image2d_t i)
{
}
