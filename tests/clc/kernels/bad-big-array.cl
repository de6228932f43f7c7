/* More private memory than there are registers. */
kernel void k(global int *p, int n)
{
	int a[4096];

	for (int i = 0; i < n; i++)
		a[i] = p[i];
	for (int i = 0; i < n; i++)
		p[a[i]] = a[n - i];
}
