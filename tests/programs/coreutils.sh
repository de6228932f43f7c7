# packages: coreutils findutils grep sed mawk diffutils tar
# quick
# Text and file tools of a minimal Debian system in pipelines.
set -u
seq 1 3000 | awk '{ printf "%d %s %.6f\n", ($1 * 7919) % 3001, substr("abcdefghij", $1 % 7 + 1, 3), sin($1) }' >table
sort -n table | head -n 5
sort -k2,2 -k1,1nr table | md5sum
sort -u -k2,2 table | wc -l
cut -d' ' -f2 table | sort | uniq -c | sort -rn
awk '{ s[$2] += $1; n[$2]++ } END { for (k in s) print k, s[k], n[k] }' table | sort
sed -n 's/^\([0-9]*\) \(...\).*/\2-\1/p' table | grep -E '^b.*7$' | head -n 3
grep -c '5.*5' table
grep -n -A1 -B1 -m2 '^7[0-9] ' table
tr a-j j-za-i <table | sha256sum
split -l 1000 -d table part.
for part in part.*; do cksum "$part"; done
cat part.* | cmp - table && echo same
head -n 20 table >a
sed '5d;7s/$/ changed/;$a added' a >b
diff -u a b | tail -n +3
diff --side-by-side -W 60 a b
comm -12 <(sort a) <(sort b) | wc -l
join <(sort -k1,1 a) <(sort -k1,1 b) | head -n 4
paste a b | expand | fold -w 40 | head -n 4
nl a | tail -n 2
od -A x -t x1z <(head -c 40 a)
base64 a | tail -n 1
base64 a | base64 -d | cmp - a && echo same
factor 18446744073709551557 1000000007 123456789012345
numfmt --to=iec 123456789 1024
date -u -d '2012-02-29 +1 year' +%F
date -u -d @1234567890 '+%A %d %B %Y %T %j %U'
expr 17 \* 3 + 4
printf '%s\n' "3 + 4" | xargs expr
shuf --random-source=table -i 1-100 -n 5 | paste -sd' '
mkdir -p tree/one/two tree/three
for i in $(seq 20); do echo "$i" >"tree/one/f$i"; done
chmod 600 tree/one/f1
ln tree/one/f1 tree/three/hard
ln -s ../one/f2 tree/three/soft
find tree -type f -newermt 2000-01-01 -size -2 | sort | tail -n 3
find tree -name 'f1*' -print0 | xargs -0 -n 4 cat | sort -n | paste -sd+ | sed 's/$/\n/' | head -n 1
find tree -type f -exec grep -l '^1' {} + | sort | paste -sd' '
find tree -printf '%y %m %P\n' | sort
stat -c '%A %h %s %n' tree/one/f1 tree/three/soft
touch -d '2001-02-03 04:05:06' tree/one/f3
ls -l --time-style=full-iso tree/one/f3 | cut -d' ' -f1,2,5-
du -a --apparent-size tree/three | sort
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf tree.tar tree
tar tvf tree.tar | head -n 6
mkdir out && tar xf tree.tar -C out && diff -r tree out/tree && echo unpacked
cp -a tree copy && mv copy/one copy/uno && rm -r copy/three && ls copy/uno | wc -l
dd if=table of=block bs=100 skip=3 count=5 status=none && wc -c block
truncate -s 1M sparse && stat -c '%s %b' sparse
seq 1 100 | tac | tail -n +98
yes | head -n 100000 | md5sum
readlink -f tree/three/soft | sed 's/.*tree/tree/'
realpath --relative-to=tree tree/one/two
basename /a/b/c.txt .txt
dirname /a/b/c.txt
tsort <<END
a b
b c
a c
END
csplit -s a 5 10 && wc -l xx*
pr -2 -t -w 60 a | head -n 3
fmt -w 30 <<<"some words that need to be wrapped into a narrow column of text"
env -i A=1 B=2 env | sort
echo $(($(nice -n 5 nice) - $(nice)))
seq 5 | tee x y >/dev/null && cat x y | wc -l
rm -f sparse
(cd tree && find . -depth -type d -empty)
test -L tree/three/soft && [ tree/one/f3 -ot tree/one/f2 ] && echo tests
timeout -s INT 0.1 sleep 5; echo $?
ls no-such-file; echo $?
