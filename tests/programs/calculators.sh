# packages: bc dc
# limit: 300
# bc to a thousand digits of pi and e, dc.
echo 'scale=1000; 4*a(1); e(1); sqrt(2); 2^2000' | bc -l
echo 'define f(n) { if (n < 2) return (1); return (n * f(n - 1)); } f(400); obase=16; f(30); ibase=2; 1011011' | bc
echo 'scale=50; for (i = 1; i < 6; ++i) { s(i) / c(i); l(i); j(i, 2) }' | bc -l
dc -e '16o 2 100 ^ 1 - p 10o 50k 2v p [la1+dsa*pla15>y]sy 0sa1 lyx 123 456 ~ f'
echo '1/0' | bc; echo "status $?"
