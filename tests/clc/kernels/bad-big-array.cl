/* More private memory than the device gives a work-item. */
kernel void k(global int *p, int n)
{
	int a[20000];

	for (int i = 0; i < n; i++)
		a[i] = p[i];
	for (int i = 0; i < n; i++)
		p[a[i]] = a[n - i];
}
