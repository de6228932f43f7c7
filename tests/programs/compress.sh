# packages: gzip bzip2 xz-utils zstd tar coreutils
# limit: 900
# Compressors round trip; the compressed bytes are compared as well.
set -u
head -c 1500000 /usr/bin/bash >mixed
seq 1 120000 >text
awk 'BEGIN { for (i = 0; i < 60000; i++) { x = (x * 1103515245 + 12345) % 2147483648; printf "%d ", x } }' >noise
for file in mixed text noise; do
	sum=$(sha256sum <$file)
	for tool in "gzip -1n" "gzip -9n" "bzip2 -9" "xz -1" "xz -6" "xz -3 -T4 --block-size=300KiB" "zstd -q -1" "zstd -q -12" "zstd -q -3 -T4" "xz --format=lzma -2"; do
		$tool -c $file >packed || echo "$tool failed"
		echo "$file $tool $(wc -c <packed) $(cksum <packed)"
		${tool%% *} -d -q -c <packed | sha256sum | grep -qF "$sum" || echo "$tool: different after unpacking"
	done
done
gzip -kn text && gunzip -t text.gz && zcat text.gz | tail -n 1
xz -k -0 text && xz -l text.xz && xzcat text.xz | wc -l
zstd -q --ultra -20 text -o text.zst && zstdcat text.zst | wc -c
tar --sort=name --mtime=@0 --owner=0 --group=0 -czf all.tgz mixed text && tar tzf all.tgz
tar --sort=name --mtime=@0 --owner=0 --group=0 -cJf all.txz text && tar xJOf all.txz | cmp - text && echo same
head -c 1000 text.xz >broken.xz; xz -t broken.xz; echo $?
bzip2 -t text.gz; echo $?
rm packed
