package tokens

import (
	"encoding/json"
	"strings"
	"testing"
)

func BenchmarkEstimate(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"code", strings.Repeat("\tif err := f.move(ctx, places[i]); err != nil {\n\t\treturn fmt.Errorf(\"move %s: %w\", name, err)\n\t}\n", 1000)},
		{"prose", strings.Repeat("Nothing is read, compiled or dialled before it is needed, and what is needed is kept. ", 1000)},
		{"Chinese", strings.Repeat("历史越长，请求越贵；所以旧的工具输出会被移到文件里。", 1000)},
		{"over 1 MB", strings.Repeat("2026-03-01T10:00:00.123Z INFO request id=9f86d081884c7d65 took=12.5ms\n", 1_000_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(min(len(c.text), maxScan)))
			b.ReportAllocs()
			for b.Loop() {
				OfText(c.text)
			}
		})
		b.Run(c.name+" escaped", func(b *testing.B) {
			escaped, _ := json.Marshal(c.text)
			b.SetBytes(int64(min(len(c.text), maxScan)))
			b.ReportAllocs()
			for b.Loop() {
				OfEscaped(escaped)
			}
		})
	}
}
