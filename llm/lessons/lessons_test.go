package lessons

import (
	"strconv"
	"sync"
	"testing"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	var m Memory[int]
	is := func(n int) func() *int { return func() *int { return &n } }
	add := func(known int) *int { known += 10; return &known }

	m.Update("a", add)
	if got := m.Get("a"); got != nil {
		t.Errorf("learned %d of a model that is not known", *got)
	}
	before := m.GetOrCreate("a", is(1))
	if again := m.GetOrCreate("a", is(2)); again != before {
		t.Errorf("%d, then %d", *before, *again)
	}
	m.Update("a", add)
	if got := m.Get("a"); *got != 11 || *before != 1 {
		t.Errorf("%d is learned, %d was known", *got, *before)
	}
	for i := range maxModels {
		m.GetOrCreate(strconv.Itoa(i), is(i))
	}
	if m.Get("a") != nil || len(m.models) > maxModels {
		t.Errorf("%d models are remembered", len(m.models))
	}
}

// TestFirst: goroutines that are first together get the same.
func TestFirst(t *testing.T) {
	t.Parallel()
	var m Memory[int]
	var got [8]*int
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = m.GetOrCreate("a", func() *int { return &i }) })
	}
	wg.Wait()
	for _, p := range got {
		if p != got[0] {
			t.Fatal("they got different ones")
		}
	}
}
