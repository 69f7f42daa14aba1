# What things cost.

# price ITEM sets cents.
price() {
	case $1 in
	apple) cents=40 ;;
	plum) cents=15 ;;
	melon) cents=310 ;;
	*)
		echo "no such thing: $1" >&2
		return 1
		;;
	esac
}

# line_total COUNT ITEM sets total, the discount for ten or more taken off.
line_total() {
	price "$2" || return 1
	total=$(($1 * cents))
	if [ "$1" -gt 10 ]; then
		discount=$((total / 10))
		total=$((total - discount))
	fi
}
