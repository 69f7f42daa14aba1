package fuzzy

import (
	"fmt"
	"testing"
)

// project returns the paths of a project.
func project(n int) (texts []Text) {
	for i := range n {
		texts = append(texts, NewText(fmt.Sprintf("internal/package%d/component%d/SomeHandler_%d_test.go", i%37, i%531, i)))
	}
	return texts
}

func BenchmarkMatch(b *testing.B) {
	texts := project(20_000)
	for _, query := range []string{"e", "handler", "intcomphandler", "pkg12/some99test.go"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			q := New(query)
			for b.Loop() {
				for i := range texts {
					q.Match(&texts[i])
				}
			}
		})
	}
}
