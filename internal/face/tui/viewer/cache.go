package viewer

// cache keeps values that were used lately. It has two generations: when the newer one has reached its weight, the older
// one is dropped.
type cache[K comparable, V any] struct {
	most         int // the weight of a generation
	weight       int // of the newer one
	newer, older map[K]kept[V]
}

// kept is a value with its weight.
type kept[V any] struct {
	value  V
	weight int
}

// get returns the value of a key. If it is unknown, find returns it with its weight.
func (c *cache[K, V]) get(key K, find func() (V, int)) V {
	if k, ok := c.newer[key]; ok {
		return k.value
	}
	k, ok := c.older[key]
	if !ok {
		k.value, k.weight = find()
	}
	if c.newer == nil || c.weight+k.weight > c.most {
		c.newer, c.older, c.weight = map[K]kept[V]{}, c.newer, 0
	}
	c.newer[key] = k
	c.weight += k.weight
	return k.value
}

// clear forgets all values.
func (c *cache[K, V]) clear() { c.newer, c.older, c.weight = nil, nil, 0 }
