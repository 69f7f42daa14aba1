package tool_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pollux/tool"
)

// spillTo returns a spill function for a file of this name.
func spillTo(path string) func() (*os.File, error) {
	return func() (*os.File, error) {
		return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0123456789", 6_124)[:61_234]
	for _, c := range []struct {
		name, text string
		limit      int
		want       string // FILE stands for the file
	}{
		{"empty", "", 10, ""},
		{"no limit", digits, 0, digits},
		{"fits exactly", "0123456789", 10, "0123456789"},
		{"one over", "0123456789x", 10, "Output too large. Showing first 2 and last 8 characters. For full output see: FILE\n01\n\n... [1 characters omitted] ...\n\n3456789x"},
		{"thousands", digits, 40_000, "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: FILE\n" +
			digits[:8000] + "\n\n... [21,234 characters omitted] ...\n\n" + digits[61_234-32_000:]},
		{"wide characters count once", "日本語日本語日本語日", 10, "日本語日本語日本語日"},
		{"astral characters count twice", "😀😀😀😀😀", 10, "😀😀😀😀😀"},
		// A cut in the middle of a pair takes neither half: 1 of 2 and 7 of 8 fit nothing more.
		{"no half characters", "a😀😀😀😀😀z", 10, "Output too large. Showing first 2 and last 8 characters. For full output see: FILE\na\n\n... [4 characters omitted] ...\n\n😀😀😀z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "full.txt")
			got, file := tool.Truncate(c.text, c.limit, spillTo(path))
			if want := strings.ReplaceAll(c.want, "FILE", path); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			full, err := os.ReadFile(path)
			if strings.Contains(c.want, "FILE") {
				if file != path || string(full) != c.text {
					t.Errorf("file %q has %d bytes (%v), want all %d", file, len(full), err, len(c.text))
				}
			} else if file != "" || !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a file was made for text that fits: %q, %v", file, err)
			}
		})
	}
}

// A collector returns the same text as Truncate, however the text was split, and never half a
// character.
func TestCollectorIsTruncate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		text := func(label string, n int) string {
			return rapid.StringOfN(rapid.RuneFrom([]rune("ab\né日😀")), 0, n, -1).Draw(t, label)
		}
		before, body, after := text("before", 12), text("body", 300), text("after", 12)
		limit := rapid.IntRange(1, 120).Draw(t, "limit")

		a, b := filepath.Join(dir, fmt.Sprint(runs, "a")), filepath.Join(dir, fmt.Sprint(runs, "b"))
		want, _ := tool.Truncate(before+body+after, limit, spillTo(a))
		want = strings.Replace(want, a, b, 1)

		c := tool.NewCollector(limit, spillTo(b))
		c.Before, c.After = before, after
		for rest := []byte(body); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "split")
			_, _ = c.Write(rest[:n])
			rest = rest[n:]
		}
		got, file := c.Text()
		if got != want {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("half a character in %q", got)
		}
		if full, _ := os.ReadFile(file); file != "" && string(full) != before+body+after {
			t.Fatalf("file has %q", full)
		}
	})
}

func TestCollectorWithoutFile(t *testing.T) {
	t.Parallel()
	const head = "Output too large. Showing first 2 and last 8 characters."
	for _, c := range []struct {
		name  string
		spill func() (*os.File, error)
		want  string
	}{
		{"none", nil, head + "\n01"},
		{"cannot be made", func() (*os.File, error) { return nil, errors.New("no room") }, head + " The full output could not be saved: no room\n01"},
		{"full disk", func() (*os.File, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) }, head + " The full output could not be saved: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "full disk" {
				if _, err := os.Stat("/dev/full"); err != nil {
					t.Skip("no /dev/full here")
				}
				// The collector removes a file that failed: let it be a link.
				link := filepath.Join(t.TempDir(), "full")
				if err := os.Symlink("/dev/full", link); err != nil {
					t.Fatal(err)
				}
				c.spill = func() (*os.File, error) { return os.OpenFile(link, os.O_WRONLY, 0) }
			}
			col := tool.NewCollector(10, c.spill)
			for range 100 {
				_, _ = col.Write([]byte("0123456789"))
			}
			got, file := col.Text()
			if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, "\n\n... [990 characters omitted] ...\n\n23456789") || file != "" {
				t.Errorf("got %q, file %q", got, file)
			}
		})
	}
}

func TestCollectorBoundsTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "full.txt")
	c := tool.NewCollector(40_000, spillTo(path))
	c.Before, c.After = "<begin>", "<end>"
	line := []byte(strings.Repeat("é", 512) + "\n")
	chunk := bytes.Repeat(line, 1024)
	const chunks = 20 // of 1 MiB
	for range chunks {
		_, _ = c.Write(chunk)
	}
	text, _ := c.Text()
	if !strings.HasPrefix(text, "Output too large. Showing first 8,000 and last 32,000 characters. Only the first 14 and the last 2 of its 20 MiB are kept: to search the rest, run it again with a filter. For these parts see: "+path+"\n") || !strings.HasSuffix(text, "é\n<end>") || len(text) > 81_000 {
		t.Errorf("text of %d bytes ends in %q", len(text), tool.Last(text, 20))
	}
	full, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !c.IsCut() || len(full) < 16<<20-2 || len(full) > 16<<20+200 || !utf8.Valid(full) {
		t.Errorf("file of %d bytes, valid UTF-8: %v", len(full), utf8.Valid(full))
	}
	begin, end, _ := bytes.Cut(full, []byte("\n\n... ["))
	if len(begin) < 14<<20-1 || len(end) < 2<<20-1 {
		t.Errorf("the file has the first %d bytes and the last %d", len(begin), len(end))
	}
	if !bytes.HasPrefix(full, []byte("<begin>éé")) || !bytes.HasSuffix(full, []byte("é\n<end>")) ||
		!bytes.Contains(full, []byte(" bytes omitted: the file is limited to 16 MiB] ...")) {
		t.Errorf("file begins %q and ends %q", full[:20], full[len(full)-20:])
	}
}

// A text up to the maximum size of a file is in it without a gap.
func TestCollectorFileWithoutGap(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "full.txt")
	c := tool.NewCollector(40_000, spillTo(path))
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	_, _ = c.Write(body[:15<<20])
	_, _ = c.Write(body[15<<20:])
	if _, file := c.Text(); file != path || c.IsCut() {
		t.Fatalf("file %q, cut: %v", file, c.IsCut())
	}
	if full, err := os.ReadFile(path); err != nil || !bytes.Equal(full, body) {
		t.Errorf("file of %d bytes, want %d (%v)", len(full), len(body), err)
	}
}

func TestCollectorBoundsMemoryWithoutLimit(t *testing.T) {
	t.Parallel()
	c := tool.NewCollector(0, nil)
	chunk := bytes.Repeat([]byte("日"), 1<<20)
	for range 10 {
		_, _ = c.Write(chunk)
	}
	text, _ := c.Text()
	if len(text) > 17<<20 || !strings.HasPrefix(text, "Output too large. Showing first 1,118,481 and last 4,473,924 characters.\n日") {
		t.Errorf("text of %d bytes: %q", len(text), text[:80])
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "units")
		tail := tool.NewTail(n)
		all := ""
		for _, p := range rapid.SliceOf(rapid.StringOfN(rapid.RuneFrom([]rune("aé日😀")), 0, 40, -1)).Draw(t, "pieces") {
			_, _ = tail.Write([]byte(p))
			all += p
		}
		if got, want := tail.String(), tool.Last(all, n); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func FuzzUnits(f *testing.F) {
	f.Add("plain", 3)
	f.Add("日本語😀\x80\xff", 4)
	f.Add(strings.Repeat("long ascii, then é ", 10), 50)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if utf8.ValidString(text) {
			if got, want := tool.Units(text), len(utf16.Encode([]rune(text))); got != want {
				t.Fatalf("Units(%q) = %d, want %d", text, got, want)
			}
		}
		last := tool.Last(text, n)
		if !strings.HasSuffix(text, last) || tool.Units(last) > max(n, 0) {
			t.Fatalf("Last(%q, %d) = %q", text, n, last)
		}
		if utf8.ValidString(text) && !utf8.ValidString(last) {
			t.Fatalf("Last(%q, %d) = %q: half a character", text, n, last)
		}
	})
}

func BenchmarkCollector(b *testing.B) {
	for _, c := range []struct {
		name  string
		chunk []byte
	}{
		{"ascii", bytes.Repeat([]byte("all work and no play makes a dull log\n"), 6899)},
		{"cjk", bytes.Repeat([]byte("日本語の長い出力の一行です\n"), 6553)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(50_000_000)
			b.ReportAllocs()
			for range b.N {
				col := tool.NewCollector(40_000, nil)
				for n := 0; n < 50_000_000; n += len(c.chunk) {
					_, _ = col.Write(c.chunk)
				}
				if text, _ := col.Text(); text == "" {
					b.Fatal("no text")
				}
			}
		})
	}
}

// A text that is shortened again states how much of the whole is missing, and the file of the whole.
func TestShortenAgain(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 100_000)
	kept := 0
	keep := func() string { kept++; return "It is in /x." }
	short := tool.Shorten(text, 40_000, keep)
	for _, limit := range []int{30_000, 10_000, 500} {
		short = tool.Shorten(short, limit, keep)
		if !strings.Contains(short, "characters. It is in /x.\n") {
			t.Errorf("%d: %.200s", limit, short)
		}
		want := fmt.Sprintf("\n\n... [%s characters omitted] ...\n\n", thousands(1_000_000-limit))
		if strings.Count(short, "characters omitted") != 1 || !strings.Contains(short, want) {
			_, after, _ := strings.Cut(short, "... [")
			t.Errorf("%d: %.40q, want %q", limit, after, want)
		}
	}
	if kept != 1 {
		t.Errorf("kept %d times", kept)
	}
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
