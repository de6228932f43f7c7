# packages: golang-go
# limit: 1800
# Go's compiler and linker, and static programs that they make, for both
# ABIs. The i386 standard library is compiled once for both runs.
export GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local
for arch in amd64 386; do
	cache=$TMPDIR/cache
	[ $arch = amd64 ] || cache=${TMPDIR%/*}/go-cache-$arch
	GOCACHE=$cache GOARCH=$arch go build -trimpath -o program-$arch \
		"$workloads/languages/concurrent.go" || exit
	./program-$arch
	echo "exit status $?"
	./program-$arch panic 2>&1 | sed '/^goroutine/,$d'
	echo "exit status ${PIPESTATUS[0]}"
done
