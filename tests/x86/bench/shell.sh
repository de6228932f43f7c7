# What configure scripts do: many short programs.
i=0
while [ $i -lt 60 ]; do
	name=$(basename "/usr/lib/thing$i.so" .so)
	kind=$(echo "$name" | sed 's/[0-9]*$//')
	case $kind in
	thing) count=$(expr "$i" + 1) ;;
	*) exit 1 ;;
	esac
	i=$count
done
echo "$i"
