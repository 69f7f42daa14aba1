package textindex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/journal"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newIndex returns the index of a directory. Its clock is late, so that it takes all files for settled.
func newIndex(dir string) *Index {
	return &Index{Dir: filepath.Join(dir, "index"), now: func() time.Time { return time.Now().Add(time.Hour) }}
}

// list returns the files of a directory.
func list(t testing.TB, dir string) (files []File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, File{e.Name(), StateOf(info)})
		}
	}
	return files
}

// found returns the texts of lines that contain a folded text.
func found(line, text []byte) (texts []string) {
	for t := range journal.Texts(line) {
		if bytes.Contains(Fold(nil, t.Text), text) {
			texts = append(texts, string(t.Text))
		}
	}
	return texts
}

// check compares a search by the index with a search of all lines. It returns how many bytes the one by
// the index has searched.
func check(t testing.TB, x *Index, dir, text string) (searched int) {
	t.Helper()
	folded := Fold(nil, []byte(text))
	files := list(t, dir)
	candidates := x.Candidates(t.Context(), files, folded)
	for i, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name))
		must(t, err)
		var want, got []string
		for line := range bytes.SplitAfterSeq(data, []byte("\n")) {
			want = append(want, found(line, folded)...)
		}
		for line := range candidates[i].Lines(bytes.NewReader(data), int64(len(data))) {
			searched += len(line)
			got = append(got, found(line, folded)...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %s: %d texts, want %d", text, file.Name, len(got), len(want))
		}
		if candidates[i].IsNone(file.Size) && len(want) > 0 {
			t.Fatalf("%q in %s: none", text, file.Name)
		}
	}
	return searched
}

// texts makes random texts of few words, so that they are found.
type texts struct{ *rand.Rand }

func newTexts(seed uint64) texts { return texts{rand.New(rand.NewPCG(seed, seed))} }

func (r texts) word() string {
	words := [...]string{
		"alpha", "Beta", "GAMMA", "délta", "ΣΊΓΜΑς", "日本語", "x<y>&z", `"quoted\path"`, "tab\tnew\nline", "\x1b[31mred", "ſ", "\u212a", "\u2028", "a/b", "İ", "🙂",
	}
	if r.IntN(3) == 0 {
		return fmt.Sprintf("w%x", r.IntN(5000))
	}
	return words[r.IntN(len(words))]
}

func (r texts) text(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(r.word() + " ")
	}
	return b.String()
}

// line returns a record, in one of the ways in which programs write JSON, or something else.
func (r texts) line() string {
	text := r.text(1 + r.IntN(60))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(r.IntN(2) == 0)
	_ = e.Encode(text)
	value := strings.TrimSuffix(b.String(), "\n")
	switch r.IntN(12) {
	case 0:
		value = strings.ReplaceAll(value, "/", `\/`)
	case 1:
		value = strings.ReplaceAll(value, "p", `\u0070`)
	case 2:
		return strings.Repeat("\x00", r.IntN(50)) + "not JSON " + value + "\n"
	case 3:
		return fmt.Sprintf(`{"$set":{"messages":[{"id":"s","type":"user","content":[{"text":%s}]},{"id":"t","type":"gemini","content":%s}]}}`+"\n", value, value)
	case 4:
		return fmt.Sprintf(`{"id":"i","timestamp":"2026-11-21T12:00:00Z","type":"info","content":%s}`+"\n", value)
	case 5:
		return fmt.Sprintf(`{"id":"c","type":"gemini","content":"","toolCalls":[{"id":"1","args":{"a":[%s]},"result":[{"functionResponse":{"response":{"output":%s}}}]}]}`+"\n", value, value)
	case 6:
		return fmt.Sprintf(`{"id":"c","type":"user","content":[{"functionResponse":{"response":{"deep":{"er":%s}}}},{"text":"thought %s"}]}`+"\r\n", value, "x")
	}
	return fmt.Sprintf(`{"id":"m","timestamp":"2026-11-21T12:00:00Z","type":"user","content":[{"text":%s},{"text":"hidden %d","thought":true}]}`+"\n", value, r.IntN(9))
}

// file returns the content of a session file of about this size.
func (r texts) file(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"sessionId":"s","projectHash":"h","kind":"main"}` + "\n")
	for b.Len() < size {
		b.WriteString(r.line())
	}
	if r.IntN(2) == 0 {
		b.Truncate(b.Len() - 1 - r.IntN(20)) // a torn line
	}
	return b.Bytes()
}

// needle returns a text to find.
func (r texts) needle() string {
	text := r.text(1 + r.IntN(3))
	if r.IntN(2) == 0 {
		text = strings.ToUpper(text)
	}
	runes := []rune("x" + text)
	from := r.IntN(len(runes))
	if text = string(runes[from : from+1+r.IntN(len(runes)-from)]); strings.TrimSpace(text) == "" {
		return "x"
	}
	return text
}

// Searches by the index find the same as searches of all lines, whatever happens to files and
// index.
func TestSameAsPlainScan(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r, dir := newTexts(seed), t.TempDir()
			x := newIndex(dir)
			path := func() string { return filepath.Join(dir, fmt.Sprint("f", r.IntN(4))) }
			for range 5 {
				must(t, os.WriteFile(path(), r.file(1<<10+r.IntN(300<<10)), 0o600))
			}
			for step := range 15 {
				r.mutate(t, path(), x)
				if r.IntN(3) == 0 {
					must(t, x.Update(t.Context(), dir, list(t, dir), false))
				}
				for range 2 {
					text := r.needle()
					check(t, x, dir, text)
					if t.Failed() {
						t.Fatal("step", step)
					}
				}
			}
		})
	}
}

// mutate does something to a file or to the index.
func (r texts) mutate(t testing.TB, path string, x *Index) {
	data, _ := os.ReadFile(path)
	info, _ := os.Stat(path)
	edit := func(data []byte) {
		must(t, os.WriteFile(path, data, 0o600))
		if info != nil {
			must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		}
	}
	segments := x.segments()
	switch kind := r.IntN(9); {
	case kind == 0:
		must(t, os.WriteFile(path, r.file(1<<10+r.IntN(300<<10)), 0o600))
	case kind == 1:
		edit(append(data, r.line()...))
	case kind == 2:
		edit(append(data, r.file(200<<10)...))
	case kind == 3 && len(data) > 0: // of the same size and time
		at := r.IntN(len(data))
		edit(append(data[:at:at], append([]byte(strings.ToUpper(string(data[at:min(len(data), at+1)]))), data[min(len(data), at+1):]...)...))
	case kind == 4 && len(data) > 0:
		edit(data[:r.IntN(len(data))])
	case kind == 5:
		_ = os.Remove(path)
	case len(segments) > 0:
		s := segments[r.IntN(len(segments))].path
		data, err := os.ReadFile(s)
		must(t, err)
		switch at := r.IntN(len(data)); kind {
		case 6:
			data[at] ^= 1 << r.IntN(8)
		case 7:
			data = data[:at]
		case 8:
			must(t, os.Remove(s))
			return
		}
		must(t, os.WriteFile(s, data, 0o600))
	}
}

// The index makes searches read little, also of a file that was only appended to, and takes little
// space.
func TestNarrows(t *testing.T) {
	t.Parallel()
	r, dir := newTexts(1), t.TempDir()
	x := newIndex(dir)
	total := int64(0)
	for i := range 12 {
		data := r.file(200 << 10)
		if i == 7 {
			data = append(data, "\n"+`{"id":"u","type":"user","content":"The UNIQUE text, ünïqüé"}`+"\n"...)
		}
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), data, 0o600))
		total += int64(len(data))
	}
	must(t, x.Update(t.Context(), dir, list(t, dir), false))
	expect := func(text string, most int) {
		t.Helper()
		if n := check(t, x, dir, text); n > most {
			t.Errorf("%q: %d of %d bytes", text, n, total)
		}
	}
	expect("unique", 2*blockSize)
	expect("ÜNÏQÜÉ", 2*blockSize)
	expect("is not there", 2*blockSize)
	expect("qz", 2*blockSize)
	expect("qzv", 2*blockSize)
	f, err := os.OpenFile(filepath.Join(dir, "f7"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"id":"u","type":"user","content":"unique again"}` + "\n")
	must(t, err)
	must(t, f.Close())
	expect("unique", 2*blockSize)
	size := int64(0)
	for _, s := range x.segments() {
		size += s.size
	}
	if size > total/10 {
		t.Errorf("the index has %d bytes for %d", size, total)
	}
}

// A file that was changed after it was indexed is read again, however it was changed.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	line := `{"id":"u","type":"user","content":"` + strings.Repeat("words that are common ", 100) + `"}` + "\n"
	const before, after = "are common words", "is unique, words"
	content := strings.Repeat(line, 3*blockSize/len(line)) + `{"id":"u","type":"user","content":"it ends with uni`
	for name, change := range map[string]func(f *os.File){
		"nothing":   func(*os.File) {},
		"completed": func(f *os.File) { _, _ = f.WriteString(`que"}`) },
		"edited": func(f *os.File) {
			_, _ = f.WriteAt([]byte(after), int64(strings.Index(content[blockSize+len(line):], before)+blockSize+len(line)))
		},
		"cut": func(f *os.File) {
			_ = f.Truncate(blockSize / 2)
			_, _ = f.WriteString("\n" + strings.Replace(line, before, after, 1))
		},
		"grown": func(f *os.File) {
			_, _ = f.Seek(0, 0)
			_, _ = f.WriteString(strings.Repeat(line, 5*blockSize/len(line)) + strings.Replace(line, before, after, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			x, path := newIndex(dir), filepath.Join(dir, "f")
			must(t, os.WriteFile(path, []byte(content), 0o600))
			for i := range fewFiles {
				must(t, os.WriteFile(path+fmt.Sprint(i), []byte(line), 0o600))
			}
			must(t, x.Update(t.Context(), dir, list(t, dir), false))
			info, err := os.Stat(path)
			must(t, err)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.Seek(0, 2)
			must(t, err)
			change(f)
			must(t, f.Close())
			must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
			if n := check(t, x, dir, "unique"); n == 0 && name != "nothing" {
				t.Error("the text is not found")
			}
		})
	}
}

// A signature contains all parts of its texts, whatever size it has.
func TestSignature(t *testing.T) {
	t.Parallel()
	r := newTexts(5)
	for _, size := range []int{1, 20, 1000, 50_000} {
		text := Fold(nil, []byte(r.text(size)))
		c := collectors.Get().(*collector)
		c.begin(1 << 20)
		c.add(text)
		s := c.take(int64(20 * len(text)))
		for range 2000 {
			from := r.IntN(len(text))
			part := text[from : from+1+r.IntN(min(40, len(text)-from))]
			if !s.mayContain(grams(part)) {
				t.Fatalf("%d words: %q", size, part)
			}
			if !s.mayContain(grams(text[:1+r.IntN(min(len(text), 40))])) {
				t.Fatalf("%d words: the beginning", size)
			}
		}
		if absent := []byte("qqzzxxyyqqjj"); len(s) > 1000 && s.mayContain(grams(absent)) {
			t.Errorf("%d words: %q", size, absent)
		}
	}
	for n := range 200 {
		text := []byte(fmt.Sprintf("%x", r.Uint64()))
		c := collectors.Get().(*collector)
		c.begin(1 << 20)
		c.add(text)
		s := c.take(1 << 20)
		for i := range text {
			if !s.mayContain(grams(text[:i+1])) || !s.mayContain(grams(text[i:])) {
				t.Fatalf("%d: %q at %d", n, text, i)
			}
		}
	}
}

// Sessions that are gone leave nothing in the index, few changes do not rewrite it, and damaged entries
// are replaced.
func TestUpdate(t *testing.T) {
	t.Parallel()
	r, dir := newTexts(2), t.TempDir()
	x := newIndex(dir)
	for i := range 8 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%d.", i)), r.file(200<<10), 0o600))
	}
	update := func() { t.Helper(); must(t, x.Update(t.Context(), dir, list(t, dir), true)) }
	names := func() (names []string) {
		for i := range 9 {
			for _, s := range x.segments() {
				data, err := os.ReadFile(s.path)
				must(t, err)
				if name := fmt.Sprintf("file-%d.", i); bytes.Contains(data, []byte(name)) {
					names = append(names, name)
				}
			}
		}
		return names
	}
	expect := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, names()); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
		check(t, x, dir, "alpha")
	}
	update()
	expect("file-0.", "file-1.", "file-2.", "file-3.", "file-4.", "file-5.", "file-6.", "file-7.")
	must(t, x.Remove(t.Context(), []string{"file-0.", "file-9."}))
	expect("file-1.", "file-2.", "file-3.", "file-4.", "file-5.", "file-6.", "file-7.")
	must(t, os.Remove(filepath.Join(dir, "file-0.")))
	must(t, os.Remove(filepath.Join(dir, "file-1.")))
	update()
	expect("file-2.", "file-3.", "file-4.", "file-5.", "file-6.", "file-7.")
	before := x.segments()
	must(t, os.WriteFile(filepath.Join(dir, "file-8."), r.file(2<<10), 0o600))
	update()
	if diff := cmp.Diff(before, x.segments(), cmp.AllowUnexported(segment{})); diff != "" {
		t.Error(diff)
	}
	must(t, os.WriteFile(filepath.Join(dir, "file-8."), r.file(2<<20), 0o600))
	update()
	expect("file-2.", "file-3.", "file-4.", "file-5.", "file-6.", "file-7.", "file-8.")
	for _, s := range x.segments() {
		must(t, os.WriteFile(s.path, []byte("damaged"), 0o600))
	}
	update()
	expect("file-2.", "file-3.", "file-4.", "file-5.", "file-6.", "file-7.", "file-8.")
	entries, err := os.ReadDir(x.Dir)
	must(t, err)
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(e.Name(), info.Mode(), err)
		}
	}
}

// Files that cannot be an index are ignored, at no cost.
func TestHostileIndex(t *testing.T) {
	t.Parallel()
	r, dir := newTexts(3), t.TempDir()
	x, elsewhere := newIndex(dir), t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), r.file(1<<20+1), 0o600))
	for name, prepare := range map[string]func(){
		"a file":    func() { must(t, os.WriteFile(x.Dir, nil, 0o600)) },
		"a link":    func() { must(t, os.Symlink(elsewhere, x.Dir)) },
		"a segment": func() { must(t, os.MkdirAll(filepath.Join(x.Dir, "text-x.idx"), 0o700)) },
		"huge": func() {
			must(t, os.Mkdir(x.Dir, 0o700))
			must(t, os.WriteFile(filepath.Join(x.Dir, "text-x.idx"), []byte(magic), 0o600))
			must(t, os.Truncate(filepath.Join(x.Dir, "text-x.idx"), 1<<40))
		},
	} {
		prepare()
		check(t, x, dir, "alpha")
		_ = x.Update(t.Context(), dir, list(t, dir), false)
		check(t, x, dir, "alpha")
		if err := x.Remove(t.Context(), []string{"f"}); err != nil {
			t.Error(name, err)
		}
		must(t, os.RemoveAll(x.Dir))
	}
	if files := list(t, elsewhere); len(files) > 0 {
		t.Error(files)
	}
}

func FuzzSegment(f *testing.F) {
	e := &entry{File: File{"f", State{Size: 200 << 10}}, covered: 200 << 10}
	e.blocks = []block{{length: 150 << 10}, {length: 50 << 10}}
	var blocks []byte
	c := collectors.Get().(*collector)
	for _, b := range e.blocks {
		c.begin(b.length)
		blocks = appendBlock(blocks, b, c.take(b.length))
	}
	f.Add(append([]byte(magic), e.encode(blocks)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := newSegmentReader(bytes.NewReader(data), grams([]byte("alpha")), func(string) (int64, bool) { return 300 << 10, true })
		for err == nil {
			var e *entry
			if e, err = r.next(); err == nil && len(e.blocks) > 3 {
				t.Error(len(e.blocks))
			}
		}
	})
}

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Abc Z[@`{": "abc z[@`{", "ABCDEFGHIJKLMNOPQRSTUVWXYZ": "abcdefghijklmnopqrstuvwxyz", "ÄÖÜ ß": "äöü ß", "ΣΊΓΜΑς": "σίγμασ",
		"\u212aİſI": "\u212aİſi", "日本": "日本", "a\xffB": "a\ufffdb", "12345678É12345678": "12345678é12345678",
	} {
		if got := string(Fold(nil, []byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		ascii := make([]byte, len(text))
		foldASCII(ascii, []byte(text))
		if want := strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, text); string(ascii) != want && !strings.Contains(text, "\xff") {
			t.Errorf("%q: %q", text, ascii)
		}
	}
	text := []byte("xȺİ日é\xff.needle")
	if at := Unfold(text, bytes.Index(Fold(nil, text), []byte("needle"))); string(text[at:]) != "needle" {
		t.Errorf("%d", at)
	}
}

// TestRunningSession: an update in the background leaves out a file that was just written, another update does not.
func TestRunningSession(t *testing.T) {
	t.Parallel()
	r, dir := newTexts(3), t.TempDir()
	for _, name := range []string{"running", "ended"} {
		must(t, os.WriteFile(filepath.Join(dir, name), r.file(2<<20), 0o600))
	}
	files := list(t, dir)
	var written time.Time
	for i, f := range files {
		if f.Name == "ended" {
			files[i].modified, files[i].changed = 0, 0
		} else {
			written = time.Unix(0, f.modified)
		}
	}
	x := &Index{Dir: filepath.Join(dir, "index"), now: func() time.Time { return written }}
	indexed := func(isSlow bool) (names []string) {
		must(t, x.Update(t.Context(), dir, files, isSlow))
		for _, s := range x.segments() {
			data, err := os.ReadFile(s.path)
			must(t, err)
			for _, f := range files {
				if bytes.Contains(data, []byte(f.Name)) {
					names = append(names, f.Name)
				}
			}
		}
		return names
	}
	if got := indexed(true); !slices.Equal(got, []string{"ended"}) {
		t.Errorf("indexed in the background: %q", got)
	}
	if got := indexed(false); len(got) != 2 {
		t.Errorf("indexed: %q", got)
	}
}
