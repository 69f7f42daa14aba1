package llm

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

// texts are what the estimate is held to: none of them is among those that its
// costs were measured with. This repository's files count together, room by room,
// so that none of them can fail the test alone.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{
		"testdata/tokens/*", "*.go", "openai/*.go", "../agent/*.go", "../docs/*.md",
		"../internal/tools/shell/*.go", "../internal/prompt/testdata/*.golden",
		"anthropic/testdata/*.json", "../internal/face/headless/testdata/*.golden",
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
			if !strings.Contains(pattern, "tokens") {
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

// The estimate is within a tenth of what real tokenizers count, for each text:
// the mean of OpenAI's two, which are no more than that apart for most.
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
		off := float64(EstimateTokens([]Part{Text(text)}))/real - 1
		sum, square = sum+off, square+off*off
		t.Logf("%+5.1f%%  %s, %.0f tokens", 100*off, name, real)
		if off > 0.1 || off < -0.1 {
			t.Errorf("%s: the estimate is off by %+.1f%%", name, 100*off)
		}
	}
	n := float64(len(all))
	t.Logf("%d texts: mean %+.1f%%, mean square %.2f%%²", len(all), 100*sum/n, 1e4*square/n)
}

func TestEstimateParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\tthe \"quick\" brown fox → 跳过 the lazy dog\n", 50)
	plain := EstimateTokens([]Part{Text(text)})
	image := &Blob{MIMEType: "image/png", Data: make([]byte, 5000)}
	nested := func(depth int) []Part {
		parts := []Part{{InlineData: image}}
		for range depth {
			parts = []Part{{FunctionResponse: &FunctionResponse{Response: json.RawMessage(`{}`), Parts: parts}}}
		}
		return parts
	}
	for _, tt := range []struct {
		name      string
		parts     []Part
		low, high int
	}{
		{"nothing", nil, 0, 0},
		{"empty text", []Part{Text("")}, 0, 0},
		{"a word", []Part{Text("hello")}, 1, 1},
		{"an image", []Part{{InlineData: image}}, 3000, 3000},
		{"a PDF", []Part{{InlineData: &Blob{MIMEType: "application/pdf"}}}, 25800, 25800},
		{"a PDF elsewhere", []Part{{FileData: &FileData{MIMEType: "application/pdf", FileURI: "gs://b/o"}}}, 25800, 25800},
		{"a sound", []Part{{InlineData: &Blob{MIMEType: "audio/wav", Data: make([]byte, 3000)}}}, 1000, 1000},
		{"an output is its text", []Part{{FunctionResponse: Output("id", "x", text)}}, plain, plain + 4},
		{"an error is its text", []Part{{FunctionResponse: Failure("id", "x", text)}}, plain, plain + 4},
		{"an answer of another form is its JSON", []Part{{FunctionResponse: &FunctionResponse{
			Name: "x", Response: json.RawMessage(`{"content":` + string(AppendString(nil, text)) + `}`),
		}}}, plain + 100, plain * 2},
		{"a call is its arguments", []Part{{FunctionCall: &FunctionCall{Name: "read_file", Args: json.RawMessage(`{"file_path":"/tmp/a.txt"}`)}}}, 8, 14},
		{"an image in a result", nested(1), 3000, 3002},
		{"at the third depth", nested(3), 3000, 3006},
		{"too deep", nested(4), 0, 8},
	} {
		if n := EstimateTokens(tt.parts); n < tt.low || n > tt.high {
			t.Errorf("%s: %d tokens, want %d to %d", tt.name, n, tt.low, tt.high)
		}
	}
}

// Tokens are worked out once: a message does not change.
func TestTokensAreKept(t *testing.T) {
	t.Parallel()
	c := User(Text(strings.Repeat("word ", 100)))
	first := c.Tokens()
	c.Parts = nil
	if again := c.Tokens(); again != first || first < 85 || first > 115 {
		t.Errorf("%d, then %d tokens", first, again)
	}
}

// The guess for a text too long to be read is that for its parts.
func TestEstimateLongText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(strings.Repeat("all work and no play ", 40)+strings.Repeat("0x9f86d081 ", 40)+"\n", 20_000) // 25 MB
	want := float64(scan(text))
	for name, parts := range map[string][]Part{
		"text":   {Text(text)},
		"result": {{FunctionResponse: Output("id", "x", text)}},
		"call":   {{FunctionCall: &FunctionCall{Args: json.RawMessage(text)}}},
	} {
		if got := float64(EstimateTokens(parts)) * tokenUnit; got < want*0.98 || got > want*1.02 {
			t.Errorf("%s: %.0f, want about %.0f", name, got, want)
		}
	}
}

func TestEstimateDoesNotAllocate(t *testing.T) {
	parts := []Part{
		Text("plain and 中文 and \xff\x00"),
		{FunctionResponse: Output("id", "name", "a\nb\t\"c\" → \x01")},
		{FunctionCall: &FunctionCall{Name: "x", Args: json.RawMessage(`{"a":1}`)}},
	}
	EstimateTokens(parts)
	if n := testing.AllocsPerRun(100, func() { EstimateTokens(parts) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever a text is made of: it costs the same in a result as by itself, no
// more than its bytes, and cutting it in two changes that by no more than what
// the two ends may become.
func FuzzEstimate(f *testing.F) {
	f.Add("hello, world\n", 5)
	f.Add("\xff\xfe\x00\x80 \\u12 \\ud800", 3)
	f.Add("历史 café 🎉 \u200d\u0301", 4)
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := scan(text)
		if whole < 0 || whole > int64(len(text))*4*tokenUnit {
			t.Fatalf("%q costs %d", text, whole)
		}
		if response := Output("", "", text).Response; utf8.ValidString(text) && !strings.Contains(text, "\r") {
			if in := resultCost(response); in != whole {
				t.Errorf("%q costs %d, and %d in a result", text, whole, in)
			}
		}
		resultCost([]byte(`{"output":"` + text)) // whatever it is
		if at >= 0 && at < len(text) && utf8.RuneStart(text[at]) {
			if parts := scan(text[:at]) + scan(text[at:]); parts < whole-20*tokenUnit || parts > whole+20*tokenUnit {
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
