package sessions

import (
	"cmp"
	"slices"
	"strings"
)

// order is the order of the list. The zero value has the session used last first.
type order struct {
	key        sortKey
	isReversed bool // against the usual direction of the key
}

type sortKey uint8

const (
	byDate sortKey = iota
	byMessages
	byName
	sortKeys // their number
)

// next returns the usual order by the next key.
func (o order) next() order { return order{key: (o.key + 1) % sortKeys} }

// isDescending reports whether the last dates, the highest numbers or the end of the alphabet come first.
func (o order) isDescending() bool { return (o.key == byName) == o.isReversed }

func (o order) String() string {
	direction := " asc"
	if o.isDescending() {
		direction = " desc"
	}
	return [...]string{"date", "messages", "name"}[o.key] + direction
}

// sort sorts rows of entries. Of equal ones, the session used last comes first.
func (o order) sort(entries []entry, rows []int) {
	slices.SortFunc(rows, func(a, b int) int {
		x, y := &entries[a], &entries[b]
		c := 0
		switch o.key {
		case byDate:
			c = x.Updated.Compare(y.Updated)
		case byMessages:
			c = cmp.Compare(x.Prompts, y.Prompts)
		case byName:
			c = strings.Compare(x.folded, y.folded)
		}
		if o.isDescending() {
			c = -c
		}
		return cmp.Or(c, y.Updated.Compare(x.Updated), cmp.Compare(b, a))
	})
}
