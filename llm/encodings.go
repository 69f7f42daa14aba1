package llm

import "sync/atomic"

// encodings keeps the encoded forms of a value that does not change. There is
// one per protocol that the value was ever sent over, so a list beats a map.
type encodings struct {
	head atomic.Pointer[encoding]
}

type encoding struct {
	key  string
	data []byte
	next *encoding
}

func (e *encodings) get(key string, encode func() []byte) []byte {
	head := e.head.Load()
	for n := head; n != nil; n = n.next {
		if n.key == key {
			return n.data
		}
	}
	// Two goroutines may encode the same value at the same time; the loser's
	// work is wasted, its result is as good.
	n := &encoding{key: key, data: encode(), next: head}
	e.head.CompareAndSwap(head, n)
	return n.data
}
