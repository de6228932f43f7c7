#!/bin/bash
# Carries out the steps of the Dockerfile without Docker: each stage is a Debian
# root made by debootstrap, in which RUN's commands are run by chroot. Then the
# image's m2s runs a sample. Needs root, debootstrap and Debian's archive, and
# takes some ten minutes. FOLDER keeps the roots; MIRROR and SOURCES (a file for
# /etc/apt) say where Debian is. make check-dockerfile calls it.
set -eu
# Mounts are in a namespace of their own and go with it.
[ -n "${OWN_MOUNTS:-}" ] ||
	OWN_MOUNTS=1 exec unshare --mount --propagation private bash "$0" "$@"
folder=${FOLDER:-$(mktemp -d)}
mkdir -p "$folder"
mounts=()
cleanup() {
	for place in "${mounts[@]}"; do umount --recursive --lazy "$place" || true; done
	[ -n "${FOLDER:-}" ] || rm -rf --one-file-system "$folder"
}
trap cleanup EXIT

inside() {
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root DEBIAN_FRONTEND=noninteractive \
		/bin/sh -c "cd '$directory' && $1"
}
number=0 root='' directory=/
declare -A roots
while read -r step words; do
	case $step in
	'' | '#'*) continue ;;
	FROM)
		read -r _ _ name <<<"$words "
		number=$((number + 1)) directory=/
		root=$folder/stage-$number
		roots[${name:-$number}]=$root
		[ -e "$root/etc/debian_version" ] ||
			debootstrap --variant=minbase bookworm "$root" \
			${MIRROR:+"$MIRROR"} >"$folder/debootstrap.log"
		[ -z "${SOURCES:-}" ] || cp -r "$SOURCES" "$root/etc/apt/"
		mount -t proc proc "$root/proc" && mounts+=("$root/proc")
		mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev" &&
			mounts+=("$root/dev")
		cp /etc/resolv.conf "$root/etc/"
		;;
	COPY)
		case $words in
		--from=*)
			read -r from source target <<<"${words#--from=}"
			cp -a "${roots[$from]}$source/." "$root$target"
			;;
		*)
			read -r source target <<<"$words"
			mkdir -p "$root$target"
			tar -C "$top_srcdir/$source" --exclude=./build \
				--exclude='./build-*' --exclude=./.git -cf - . |
				tar -C "$root$target" -xf -
			;;
		esac
		;;
	WORKDIR) directory=$words && mkdir -p "$root$directory" ;;
	RUN)
		echo "# $words"
		inside "$words" >"$folder/step.log" 2>&1 || {
			tail -30 "$folder/step.log"
			echo "not ok - RUN $words"
			exit 1
		}
		;;
	CMD) ;;
	*) echo "not ok - a step that is not known: $step"; exit 1 ;;
	esac
done <"$top_srcdir/Dockerfile"
inside 'm2s --quiet --evg-sim detailed \
	$(pkg-config --variable=samplesdir m2s)/vector-add/vector-add -q' |
	grep -qx 'vector-add: PASSED' &&
	echo "ok - the image runs a sample" ||
	{ echo "not ok - the image runs a sample"; exit 1; }
