kernel void k(global double *p)
{
	p[0] *= 2;
}
