package mask_test

import (
	"fmt"
	"testing"

	"pollux/agent"
	"pollux/agent/mask"
)

// A turn with nothing to do costs the same after 10 messages and after 10,000.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{10, 1000, 10_000} {
		history := make([]agent.Message, 0, messages+1_000_000)
		for i := range messages / 2 {
			history = append(history, round(i, "read_file", "a few words")...)
		}
		for name, grow := range map[string]bool{"same": false, "grows": true} {
			b.Run(fmt.Sprintf("messages=%d/%s", messages, name), func(b *testing.B) {
				m := mask.New(mask.Options{Save: new(shelf).save})
				m.Mask(b.Context(), history, 0)
				next := round(1, "run", "")
				h := history
				b.ReportAllocs()
				for b.Loop() {
					if grow && len(h) < cap(h)-1 {
						h = append(h, next...)
					}
					if _, saved := m.Mask(b.Context(), h, 0); saved > 0 {
						b.Fatal("masked")
					}
				}
			})
		}
	}
}

// The turn that finds another history in the place of the one it knows: the
// agent has one after each compression and each masking.
func BenchmarkReplaced(b *testing.B) {
	for _, messages := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", messages), func(b *testing.B) {
			var histories [2][]agent.Message
			for k := range histories {
				for i := range messages / 2 {
					histories[k] = append(histories[k], round(i, "read_file", "a few words")...)
				}
			}
			m := mask.New(mask.Options{Save: new(shelf).save})
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				m.Mask(b.Context(), histories[i%2], 0)
				i++
			}
		})
	}
}

// A batch: 80,000 tokens in results of 5,000.
func BenchmarkBatch(b *testing.B) {
	history := session(17, 5000)
	b.ReportAllocs()
	for b.Loop() {
		m := mask.New(mask.Options{Save: func(string, string, string) (string, error) { return "/tmp/x", nil }})
		if _, saved := m.Mask(b.Context(), history, 0); saved < 25_000 {
			b.Fatal(saved)
		}
	}
}
