# Prints a receipt: sh till.sh COUNT ITEM [COUNT ITEM ...]
here=${0%/*}
. "$here/lib/prices.sh"
. "$here/lib/receipt.sh"
receipt "$@"
