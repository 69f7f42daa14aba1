package origin

// recentSet is a set of the hashes that were added most recently: between one and two
// generations of them, so that its size is limited.
type recentSet struct{ current, previous map[uint64]struct{} }

// generation is the number of hashes in one generation.
const generation = 100_000

func (r *recentSet) add(h uint64) {
	if r.current == nil || len(r.current) >= generation {
		r.current, r.previous = map[uint64]struct{}{}, r.current
	}
	r.current[h] = struct{}{}
}

func (r *recentSet) has(h uint64) bool {
	_, now := r.current[h]
	_, before := r.previous[h]
	return now || before
}

func (r *recentSet) empty() bool { return len(r.current) == 0 }
