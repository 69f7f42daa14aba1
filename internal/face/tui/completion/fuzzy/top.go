package fuzzy

import "slices"

// Top collects the first items of an order, at most Limit of them, without keeping the others.
type Top[T any] struct {
	Limit   int
	Compare func(a, b T) int
	Items   []T // in order
}

// Add adds an item if it is one of the first.
func (t *Top[T]) Add(item T) {
	if len(t.Items) == t.Limit && (t.Limit == 0 || t.Compare(item, t.Items[len(t.Items)-1]) >= 0) {
		return
	}
	at, _ := slices.BinarySearchFunc(t.Items, item, func(have, item T) int {
		if t.Compare(have, item) <= 0 {
			return -1
		}
		return 1
	})
	if len(t.Items) == t.Limit {
		t.Items = t.Items[:t.Limit-1]
	}
	t.Items = slices.Insert(t.Items, at, item)
}
