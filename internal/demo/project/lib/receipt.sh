# How a receipt looks.

# receipt COUNT ITEM [COUNT ITEM ...] prints a line for each and their sum.
receipt() {
	sum=0
	while [ $# -ge 2 ]; do
		line_total "$1" "$2" || return 1
		printf '%3d %-8s %6d\n' "$1" "$2" "$total"
		sum=$((sum + total))
		shift 2
	done
	printf 'sum          %6d\n' "$sum"
}
