kernel void k(global float4 *p, read_only image2d_t picture, sampler_t s)
{
}
