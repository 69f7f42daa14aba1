package origin

// recent is a set of the hashes that were added last: at least the last generation
// of them, at most two, so that it does not grow with what is poured into it.
type recent struct{ now, before map[uint64]struct{} }

// generation is how many hashes there are in one.
const generation = 100_000

func (r *recent) add(h uint64) {
	if r.now == nil || len(r.now) >= generation {
		r.now, r.before = map[uint64]struct{}{}, r.now
	}
	r.now[h] = struct{}{}
}

func (r *recent) has(h uint64) bool {
	_, now := r.now[h]
	_, before := r.before[h]
	return now || before
}

func (r *recent) empty() bool { return len(r.now) == 0 }
