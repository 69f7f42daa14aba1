package tokens

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// texts returns the texts of the test by name. The costs were measured with other
// texts. The files of this repository are joined by package, so that no single file
// can fail the test.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{
		"testdata/*.txt", "../*.go", "../openai/*.go", "../../agent/*.go", "../../docs/*.md",
		"../../internal/tools/shell/*.go", "../../internal/prompt/testdata/*.golden",
		"../anthropic/testdata/*.json", "../../internal/face/headless/testdata/*.golden",
	} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if pattern != "testdata/*.txt" {
				name = pattern
			}
			all[name] += string(data)
		}
	}
	for name, line := range map[string]func(*rand.Rand) string{
		"made: log": func(r *rand.Rand) string {
			return fmt.Sprintf("2026-04-%02dT%02d:%02d:%02d.%03dZ %s [worker-%d] %s path=/srv/data/%s/part-%05d.parquet addr=0x%012x trace=%016x took=%.2fms",
				1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), pick(r, "INFO", "WARN", "ERROR", "DEBUG"), r.IntN(64),
				pick(r, "upload finished", "connection reset by peer", "retrying after backoff", "cache miss"),
				pick(r, "orders", "invoices/archive", "tmp"), r.IntN(1e5), r.Uint64()>>16, r.Uint64(), r.Float64()*500)
		},
		"made: checksums": func(r *rand.Rand) string {
			return fmt.Sprintf("%x  ./internal/%s/%s.go", sha256.Sum256(fmt.Append(nil, r.Uint64())),
				pick(r, "store", "walk", "config"), pick(r, "index", "index_test", "merge", "reader"))
		},
		"made: base64": func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString(noise(r, 57)) },
		"made: hex dump": func(r *rand.Rand) string {
			b := noise(r, 16)
			text := strings.Map(func(c rune) rune {
				if c < ' ' || c > '~' {
					return '.'
				}
				return c
			}, string(b))
			return fmt.Sprintf("%08x: % x  %s", r.Uint32(), b, text)
		},
		"made: search hits": func(r *rand.Rand) string {
			return fmt.Sprintf("internal/%s/%s.go:%d:\t%s", pick(r, "store", "walk", "config", "chunk"),
				pick(r, "index", "reader", "options"), r.IntN(900), pick(r, "if err != nil {", "return nil, err",
					"defer f.Close()", "for _, entry := range entries {", "func (s *Store) Flush(ctx context.Context) error {"))
		},
		"made: numbers": func(r *rand.Rand) string {
			return fmt.Sprintf("%d,%.3f,%d,%.6f,%s", r.IntN(1e6), r.Float64()*100, r.IntN(100), r.NormFloat64(), pick(r, "north", "south"))
		},
		"made: JSON lines": func(r *rand.Rand) string {
			return fmt.Sprintf(`{"ts":%d,"level":"%s","msg":"%s","user":{"id":%d,"ip":"10.%d.%d.%d"},"ok":%t}`, 1776400000+r.IntN(1e6),
				pick(r, "info", "error"), pick(r, "login", "page viewed", "payment declined"), r.IntN(1e5), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(2) == 0)
		},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		var b strings.Builder
		for range 120 {
			b.WriteString(line(r) + "\n")
		}
		all[name] = b.String()
	}
	return all
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestEstimateIsClose checks that the estimate for each text differs by less than a
// tenth from the mean of OpenAI's two tokenizers, which differ by less than that from
// each other for most texts.
func TestEstimateIsClose(t *testing.T) {
	t.Parallel()
	both := tokenizers(t)
	all := texts(t)
	sum, square := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		real := 0.0
		for _, c := range both {
			n, err := c.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			real += float64(n) / 2
		}
		off := float64(OfText(text).Tokens())/real - 1
		sum, square = sum+off, square+off*off
		t.Logf("%+5.1f%%  %s, %.0f tokens", 100*off, name, real)
		if off > 0.1 || off < -0.1 {
			t.Errorf("%s: the estimate is off by %+.1f%%", name, 100*off)
		}
	}
	n := float64(len(all))
	t.Logf("%d texts: mean %+.1f%%, mean square %.2f%%²", len(all), 100*sum/n, 1e4*square/n)
}

// The estimate for a text too long to be read is near that of all its parts.
func TestLongText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(strings.Repeat("all work and no play ", 40)+strings.Repeat("0x9f86d081 ", 40)+"\n", 20_000) // 25 MB
	want := float64(scan(text))
	escaped := []byte(strings.ReplaceAll(text, "\n", `\n`))
	for name, got := range map[string]Cost{"text": OfText(text), "bytes": OfText([]byte(text)), "escaped": OfEscaped(escaped)} {
		if float64(got) < want*0.98 || float64(got) > want*1.02 {
			t.Errorf("%s: %d, want about %.0f", name, got, want)
		}
	}
}

func TestRounding(t *testing.T) {
	t.Parallel()
	for cost, want := range map[Cost]int{0: 0, Token/2 - 1: 0, Token / 2: 1, Token: 1, 3*Token - 1: 3} {
		if got := cost.Tokens(); got != want {
			t.Errorf("a cost of %d is %d tokens, want %d", cost, got, want)
		}
	}
}

// The cost of any text is bounded by its length, and cutting it in two changes
// the cost by no more than the two ends can.
func FuzzText(f *testing.F) {
	f.Add("hello, world\n", 5)
	f.Add("\xff\xfe\x00\x80 \\u12 \\ud800", 3)
	f.Add("历史 café 🎉 \u200d\u0301", 4)
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := scan(text)
		if whole < 0 || whole > Cost(len(text))*4*Token {
			t.Fatalf("%q costs %d", text, whole)
		}
		if escaped := scanEscaped([]byte(text)); escaped < 0 {
			t.Fatalf("%q costs %d as an escaped text", text, escaped)
		}
		if at >= 0 && at < len(text) && utf8.RuneStart(text[at]) {
			if parts := scan(text[:at]) + scan(text[at:]); parts < whole-20*Token || parts > whole+20*Token {
				t.Errorf("%q costs %d, and %d cut at %d", text, whole, parts, at)
			}
		}
	})
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		quoted, err := json.Marshal(text) // which escapes some that Pollux does not
		if err != nil {
			t.Fatal(err)
		}
		plain, inResult := scan(strings.ReplaceAll(text, "\r", "\n")), scanEscaped(quoted[1:len(quoted)-1])
		if plain != inResult {
			t.Errorf("%q costs %d, %s %d", text, plain, quoted, inResult)
		}
	})
}
