# packages: rustc gcc libc6-dev
# limit: 1800
# Rust's compiler, and a static program that it makes.
rustc -O -C target-feature=+crt-static -C codegen-units=1 -o program \
	"$workloads/languages/concurrent.rs" || exit
./program
echo "exit status $?"
