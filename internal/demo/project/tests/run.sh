# Runs the tests: sh tests/run.sh
here=${0%/*}
. "$here/../lib/prices.sh"

passed=0
failed=0

# check COUNT ITEM CENTS
check() {
	line_total "$1" "$2"
	if [ "$total" -eq "$3" ]; then
		passed=$((passed + 1))
		echo "ok      $1 $2"
	else
		failed=$((failed + 1))
		echo "FAILED  $1 $2: want $3 cents, got $total"
	fi
}

check 1 apple 40
check 9 plum 135
check 10 apple 360
check 11 plum 149
check 20 melon 5580

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
