int elsewhere(int);

kernel void k(global int *p)
{
	p[0] = elsewhere(p[1]);
}
