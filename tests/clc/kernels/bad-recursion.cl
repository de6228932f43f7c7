int down(int n)
{
	return n < 2 ? n : down(n - 1) + down(n - 2);
}

kernel void k(global int *p)
{
	p[0] = down(p[1]);
}
