package file

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "line %d", i)
	}
	return b.String()
}

func TestReadFileText(t *testing.T) {
	t.Parallel()
	wide := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	long := strings.Repeat("x", lineUnits)
	for name, c := range map[string]struct {
		file       string
		first, end int
		want       string
		summary    string
		display    string
	}{
		"plain":              {file: "hello\nworld", want: "hello\nworld", summary: "2 lines"},
		"empty":              {file: "", want: "The file is empty.", summary: "0 lines"},
		"newline at end":     {file: "a\n", want: "a\n", summary: "1 line"},
		"crlf":               {file: "a\r\nb\r\n", want: "a\nb\n", summary: "2 lines"},
		"lone cr":            {file: "a\rb", want: "a\rb", summary: "1 line"},
		"bom":                {file: "\ufeffa", want: "a", summary: "1 line"},
		"utf-16":             {file: wide("grüß 𝄞\r\nb"), want: "Encoding: UTF-16LE.\ngrüß 𝄞\nb", summary: "2 lines"},
		"utf-16 odd":         {file: "\xff\xfea\x00b", want: "Encoding: UTF-16LE.\na\uFFFD", summary: "1 line"},
		"utf-32":             {file: "\x00\x00\xfe\xff\x00\x01\xd1\x1e", want: "Encoding: UTF-32BE.\n𝄞", summary: "1 line"},
		"utf-32 bad":         {file: "\xff\xfe\x00\x00\xff\xff\xff\xff", want: "Encoding: UTF-32LE.\n\uFFFD", summary: "1 line"},
		"invalid utf-8":      {file: "a long line with one bad \xff byte", want: "a long line with one bad \uFFFD byte", summary: "1 line"},
		"exactly all":        {file: lines(1, 2000), want: lines(1, 2000), summary: "2000 lines"},
		"one too many":       {file: lines(1, 2001), want: "Lines 1-2000 of 2001 (the file has 18.5 KB). Not shown: lines 2001-2001; read on with start_line: 2001; grep_search finds a text in it:\n" + lines(1, 2000), summary: "1-2000 of 2001", display: "Read lines 1-2000 of 2001 from f"},
		"from a line":        {file: lines(1, 3000), first: 900, want: "Lines 900-2899 of 3000 (the file has 28.2 KB). Not shown: lines 2900-3000; read on with start_line: 2900, or see the end with start_line: 2901:\n" + lines(900, 2899), summary: "900-2899 of 3000", display: "Read lines 900-2899 of 3000 from f"},
		"to a line":          {file: lines(1, 9), end: 3, want: "Lines 1-3 of 9:\n" + lines(1, 3), summary: "1-3 of 9", display: "Read lines 1-3 of 9 from f"},
		"one line":           {file: lines(1, 9), first: 4, end: 4, want: "Lines 4-4 of 9:\n" + "line 4", summary: "4-4 of 9", display: "Read lines 4-4 of 9 from f"},
		"5000":               {file: lines(1, 5000), want: "Lines 1-2000 of 5000 (the file has 47.7 KB). Not shown: lines 2001-5000; read on with start_line: 2001, or see the end with start_line: 4901; grep_search finds a text in it:\n" + lines(1, 2000), summary: "1-2000 of 5000", display: "Read lines 1-2000 of 5000 from f"},
		"more than 5000":     {file: lines(1, 5001), want: "Lines 1-200 of 5001 (the file has 47.8 KB). Not shown: lines 201-5001; read on with start_line: 201, or see the end with start_line: 4902; grep_search finds a text in it:\n" + lines(1, 200), summary: "1-200 of 5001", display: "Read lines 1-200 of 5001 from f"},
		"large":              {file: strings.Repeat(strings.Repeat("x", 1249)+"\n", 201), want: "Lines 1-200 of 201 (the file has 245.4 KB). Not shown: lines 201-201; read on with start_line: 201; grep_search finds a text in it:\n" + strings.TrimSuffix(strings.Repeat(strings.Repeat("x", 1249)+"\n", 200), "\n"), summary: "1-200 of 201", display: "Read lines 1-200 of 201 from f"},
		"large, with lines":  {file: lines(1, 6000), end: 3000, want: "Lines 1-3000 of 6000:\n" + lines(1, 3000), summary: "1-3000 of 6000", display: "Read lines 1-3000 of 6000 from f"},
		"more than 2000":     {file: lines(1, 5000), end: 4000, want: "Lines 1-4000 of 5000:\n" + lines(1, 4000), summary: "1-4000 of 5000", display: "Read lines 1-4000 of 5000 from f"},
		"beyond the end":     {file: lines(1, 9), end: 99, want: "Lines 1-9 of 9, where the file ends:\n" + lines(1, 9), summary: "9 lines"},
		"range past the end": {file: lines(1, 9) + "\n", first: 9, end: 99, want: "Lines 9-9 of 9, where the file ends:\nline 9", summary: "9-9 of 9", display: "Read lines 9-9 of 9 from f"},
		"2000 with an end":   {file: lines(1, 2000) + "\n", want: lines(1, 2000) + "\n", summary: "2000 lines"},
		"an end more":        {file: lines(1, 2000) + "\n\n", want: "Lines 1-2000 of 2001 (the file has 18.5 KB). Not shown: lines 2001-2001; read on with start_line: 2001; grep_search finds a text in it:\n" + lines(1, 2000), summary: "1-2000 of 2001", display: "Read lines 1-2000 of 2001 from f"},
		"the lines it has":   {file: "a\nb\n", first: 1, end: 2, want: "Lines 1-2 of 2:\na\nb\n", summary: "2 lines"},
		"only an end":        {file: "\n", want: "\n", summary: "1 line"},
		"the last lines":     {file: lines(1, 9), first: 8, want: "Lines 8-9 of 9:\n" + lines(8, 9), summary: "8-9 of 9", display: "Read lines 8-9 of 9 from f"},
		"before an end":      {file: lines(1, 9) + "\n", first: 8, end: 9, want: "Lines 8-9 of 9:\n" + lines(8, 9), summary: "8-9 of 9", display: "Read lines 8-9 of 9 from f"},
		"long line":          {file: long, want: long, summary: "1 line"},
		"too long a line":    {file: long + "y\r\nz", want: "Lines 1-2 of 2. Lines that end in \"... [truncated]\" are cut: grep_search shows the part around a match:\n" + long + cutMark + "\nz", summary: "2 lines", display: "Read all 2 lines from f (some lines were shortened)"},
		"utf-16 units":       {file: strings.Repeat("𝄞", 1001), want: "Lines 1-1 of 1. Lines that end in \"... [truncated]\" are cut: grep_search shows the part around a match:\n" + strings.Repeat("𝄞", 1000) + cutMark, summary: "1 line", display: "Read all 1 lines from f (some lines were shortened)"},
		"not cut in two":     {file: "x" + strings.Repeat("𝄞", 1000), want: "Lines 1-1 of 1. Lines that end in \"... [truncated]\" are cut: grep_search shows the part around a match:\n" + "x" + strings.Repeat("𝄞", 999) + cutMark, summary: "1 line", display: "Read all 1 lines from f (some lines were shortened)"},
		"huge line":          {file: strings.Repeat("ab", 1<<20), want: "Lines 1-1 of 1. Lines that end in \"... [truncated]\" are cut: grep_search shows the part around a match:\n" + strings.Repeat("ab", 1000) + cutMark, summary: "1 line", display: "Read all 1 lines from f (some lines were shortened)"},
		"longest in bytes":   {file: strings.Repeat("€", lineUnits) + "\r\nb", want: strings.Repeat("€", lineUnits) + "\nb", summary: "2 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, map[string]string{"f": c.file})
			a := args{"file_path": "f"}
			if c.first > 0 {
				a["start_line"] = c.first
			}
			if c.end > 0 {
				a["end_line"] = c.end
			}
			r := run(t, NewReadFile(w, nil), a)
			wantText(t, r, c.want)
			display, _ := r.Display.(tool.TextDisplay)
			if r.Summary != c.summary || string(display) != c.display {
				t.Errorf("summary = %q, display = %q; want %q, %q", r.Summary, display, c.summary, c.display)
			}
		})
	}
}

// TestReadFilePastEnd checks that a start after the last line is an error with the number of lines.
func TestReadFilePastEnd(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": lines(1, 9) + "\n", "one": "x", "none": ""})
	for _, c := range []struct {
		file  string
		first int
		want  string
	}{
		{"f", 10, "which has 9 lines."}, {"f", 50, "which has 9 lines."}, {"one", 2, "which has 1 line."}, {"none", 2, "which has 0 lines."},
	} {
		r := run(t, NewReadFile(w, nil), args{"file_path": c.file, "start_line": c.first})
		wantError(t, r, tool.ErrInvalidParams, fmt.Sprintf("start_line %d is past the end of %s, %s", c.first, filepath.Join(w.Root(), c.file), c.want))
	}
	wantText(t, run(t, NewReadFile(w, nil), args{"file_path": "none", "start_line": 1, "end_line": 7}), "The file is empty.")
}

// TestReadFileOffset checks offset, the number of lines to skip, and limit, the number of lines
// to read.
func TestReadFileOffset(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": lines(1, 3000)})
	for _, c := range []struct {
		args        args
		first, last int
	}{
		{args{"offset": 10, "limit": 5}, 11, 15},
		{args{"offset": 10}, 11, 2010},
		{args{"limit": 5}, 1, 5},
		{args{"offset": 0, "limit": 5}, 1, 5},
		{args{"offset": "10", "limit": " 5 "}, 11, 15},
		{args{"start_line": 20, "limit": 5}, 20, 24},
		{args{"start_line": 20, "offset": 7, "end_line": 21, "limit": 500}, 20, 21},
		{args{"offset": -3, "limit": 2}, 1, 2},
		{args{"offset": "many", "limit": nil}, 1, 2000},
	} {
		c.args["file_path"] = "f"
		got := llm.PartsText(run(t, NewReadFile(w, nil), c.args).Content)
		want := fmt.Sprintf("Lines %d-%d of 3000", c.first, c.last)
		if !strings.Contains(got, want) {
			t.Errorf("%v: %.150q, want %s", c.args, got, want)
		}
	}
	refused(t, NewReadFile(w, nil), args{"file_path": "f", "offset": 10, "end_line": 5}, "start_line cannot be greater than end_line")
}

func TestReadFileNames(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"with space.txt": "space", "ümläut.txt": "umlaut", "100%.txt": "percent", "@at": "at", "dir/x.txt": "below"})
	for path, want := range map[string]string{
		"with%20space.txt":     "\"with%20space.txt\" was taken for with space.txt.\nspace",
		"with space.txt":       "space",
		"%C3%BCml%C3%A4ut.txt": "\"%C3%BCml%C3%A4ut.txt\" was taken for ümläut.txt.\numlaut",
		"100%.txt":             "percent",
		"@with space.txt":      "\"@with space.txt\" was taken for with space.txt.\nspace",
		"@at":                  "at",
		`dir\x.txt`:            "\"dir\\\\x.txt\" was taken for dir/x.txt.\nbelow",
		"./dir/../dir/x.txt":   "below",
		filepath.Join(w.Root(), "with%20space.txt"): fmt.Sprintf("%q was taken for with space.txt.\nspace", filepath.Join(w.Root(), "with%20space.txt")),
	} {
		wantText(t, run(t, NewReadFile(w, nil), args{"file_path": path}), want)
	}
}

func TestReadFileMedia(t *testing.T) {
	t.Parallel()
	binary := "\x00\x01\x02\xff"
	for name, mime := range map[string]string{
		"a.png": "image/png", "a.JPG": "image/jpeg", "a.webp": "image/webp", "a.pdf": "application/pdf",
		"a.mp3": "audio/mpeg", "a.wav": "audio/wav", "a.aif": "audio/aiff", "a.flac": "audio/flac", "a.mp4": "video/mp4", "a.mov": "video/quicktime",
	} {
		w := newWorkspace(t, map[string]string{name: binary})
		r := run(t, NewReadFile(w, nil), args{"file_path": name})
		if len(r.Content) != 1 || r.Content[0].InlineData == nil {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if b := r.Content[0].InlineData; b.MIMEType != mime || string(b.Data) != binary {
			t.Errorf("%s: %s %q", name, b.MIMEType, b.Data)
		}
		kind, _, _ := strings.Cut(mime, "/")
		if kind == "application" {
			kind = "pdf"
		}
		if want := "Read " + kind + " file: " + name; r.Display != tool.TextDisplay(want) {
			t.Errorf("display = %q, want %q", r.Display, want)
		}
	}
}

func TestReadFileKinds(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.ts": "export {}", "list.mp3": "#EXTM3U", "a.svg": "<svg/>", "big.svg": strings.Repeat("x", maxSVG+1),
		"a.zip": "PK", "nul": "a\x00b", "noise": "\x81\x8d\x8f\x90 few", "pdf": "%PDF-1.7", "a.ipynb": "{}", "proto": "\x08\x03\x12\x02\x03\x04",
		"a.m4a": "\x00",
	}
	w := newWorkspace(t, files)
	for name, want := range map[string]string{
		"a.ts": "export {}", "list.mp3": "#EXTM3U", "a.svg": "<svg/>", "a.ipynb": "{}",
		"big.svg": "Cannot display content of SVG file larger than 1MB: big.svg",
		"a.zip":   "Cannot display content of binary file: a.zip",
		"nul":     "Cannot display content of binary file: nul",
		"noise":   "Cannot display content of binary file: noise",
		"pdf":     "Cannot display content of binary file: pdf",
		"proto":   "Cannot display content of binary file: proto",
	} {
		wantText(t, run(t, NewReadFile(w, nil), args{"file_path": name}), want)
	}
	wantError(t, run(t, NewReadFile(w, nil), args{"file_path": "a.m4a"}), tool.ErrReadContent,
		"Cannot read audio file "+filepath.Join(w.Root(), "a.m4a")+": models take MP3, WAV, AIFF, AAC, OGG, and FLAC only.")
}

func TestReadFileErrors(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/a": "", "locked": "x"})
	huge := filepath.Join(w.Root(), "huge")
	f, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(3 << 30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	read := NewReadFile(w, nil)
	wantError(t, run(t, read, args{"file_path": "huge"}), tool.ErrFileTooLarge, "File size exceeds the 20MB limit: "+huge+" (3072.00MB)")
	wantError(t, run(t, read, args{"file_path": "dir"}), tool.ErrTargetIsDirectory, "Path is a directory, not a file: "+filepath.Join(w.Root(), "dir")+". List it with list_directory.")
	wantError(t, run(t, read, args{"file_path": "none"}), tool.ErrFileNotFound, "File not found: "+filepath.Join(w.Root(), "none"))
	wantError(t, run(t, read, args{"file_path": "locked/none"}), tool.ErrFileNotFound, "File not found: "+filepath.Join(w.Root(), "locked/none"))
	if os.Geteuid() != 0 {
		if err := os.Chmod(filepath.Join(w.Root(), "locked"), 0); err != nil {
			t.Fatal(err)
		}
		wantError(t, run(t, read, args{"file_path": "locked"}), tool.ErrReadContent, "EACCES: permission denied, open '")
	}
}

// TestReadFileIgnored checks that the refusal of an ignored file names the rule and the way out,
// which for files that may hold secrets is to ask the user.
func TestReadFileIgnored(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		".git/HEAD": "", ".gitignore": "out/\n*.local\n", "sub/.gitignore": "# generated\n/gen.*\n", ".geminiignore": "secret.txt\n",
		"secret.txt": "s", "out/a/b.txt": "x", "sub/gen.go": "x", ".env.local": "KEY=1",
	})
	const gitWay = "If the task needs it, grep_search with no_ignore or a shell command shows it."
	for name, want := range map[string]string{
		"secret.txt":  `The rule "secret.txt" of .geminiignore hides it. If the task needs it, ask the user.`,
		"out/a/b.txt": `The rule "out/" of .gitignore hides it. ` + gitWay,
		"sub/gen.go":  `The rule "/gen.*" of sub/.gitignore hides it. ` + gitWay,
		".env.local":  `The rule "*.local" of .gitignore hides it. If the task needs it, ask the user.`,
	} {
		refused(t, NewReadFile(w, nil), args{"file_path": name}, "File path '"+filepath.Join(w.Root(), name)+"' is ignored by configured ignore patterns. "+want)
	}
	refused(t, NewReadFile(w, nil), args{"file_path": ".env"}, "Path not allowed: ")
}

// TestMissing checks the suggestions of the file tools for a path that does not exist.
func TestMissing(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"src/server.go": "x", "src/Deep/handler.ts": "x", "lib/server.go": "x"})
	at := func(name string) string { return filepath.Join(w.Root(), name) }
	wantError(t, run(t, NewReadFile(w, nil), args{"file_path": "server.go"}), tool.ErrFileNotFound,
		"File not found: "+at("server.go")+`. Did you mean one of: "lib/server.go", "src/server.go"?`)
	wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "src/servr.go", "instruction": "x", "old_string": "x", "new_string": "y"}), tool.ErrFileNotFound,
		"File not found: "+at("src/servr.go")+`. Did you mean one of: "src/server.go", "lib/server.go"?`)
	wantError(t, run(t, NewList(w), args{"dir_path": "src/deep"}), tool.ErrList, at("src/deep")+` does not exist. Did you mean "src/Deep"?`)
	r := run(t, NewReadFile(w, nil), args{"file_path": "nothing/like/it.xyz"})
	if want := "File not found: " + at("nothing/like/it.xyz"); r.Error == nil || r.Error.Message != want {
		t.Errorf("error = %v, want %s", r.Error, want)
	}
}

// TestBrokenLink names the link whose target is missing, and no link to a directory on the way to a missing file.
func TestBrokenLink(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/x": "x"})
	for name, target := range map[string]string{"note": "gone", "way": "dir"} {
		if err := os.Symlink(target, filepath.Join(w.Root(), name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for path, want := range map[string]string{"note": "/gone (note is a link to it)", "way/missing": "/dir/missing", "missing": "/missing"} {
		want = "File not found: " + w.Root() + filepath.FromSlash(want)
		for name, r := range map[string]*tool.Result{
			"read":    run(t, NewReadFile(w, nil), args{"file_path": path}),
			"replace": run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": path, "instruction": "i", "old_string": "a", "new_string": "b"}),
		} {
			if r.Error == nil || r.Error.Message != want {
				t.Errorf("%s of %s: %v, want %s", name, path, r.Error, want)
			}
		}
	}
}

func TestReadFileCancelled(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": strings.Repeat("\n", 1<<20)})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := build(t, NewReadFile(w, nil), args{"file_path": "f"}).Run(ctx, tool.Host{}); r.Error == nil {
		t.Error("read to the end")
	}
}

// growing is a file that has become larger than Stat reports.
type growing struct {
	fs.File
	io.Reader
}

func (g growing) Read(p []byte) (int, error) { return g.Reader.Read(p) }

// A file that grows while it is read stops at the limit.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"f.txt", "f.png"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var size int64
	w, _ := workspace.New(workspace.Options{Root: dir, Disk: workspace.Disk{Open: func(path string) (fs.File, error) {
		f, err := os.Open(path)
		return growing{f, io.LimitReader(strings.NewReader(strings.Repeat("a line\n", maxFile/7+2)), size)}, err
	}}})
	for _, name := range []string{"f.txt", "f.png"} {
		for size = maxFile; size <= maxFile+1; size++ {
			want := size > maxFile
			for _, c := range []struct {
				to tool.Tool
				a  args
			}{
				{NewReadFile(w, nil), args{"file_path": name}},
				{NewReplace(w, nil, nil, EditObserver{}), args{"file_path": name, "old_string": "nowhere", "new_string": "x"}},
			} {
				r := build(t, c.to, c.a).Run(t.Context(), tool.Host{})
				if got := r.Error != nil && r.Error.Type == tool.ErrFileTooLarge; got != want {
					t.Errorf("%s of %d bytes, %s: %+v", name, size, c.to.Spec().Name, r.Error)
				}
			}
		}
	}
}

func BenchmarkReadFile(b *testing.B) {
	w := newWorkspace(b, map[string]string{"f.go": strings.Repeat("\tfmt.Println(\"a line of code\")\n", 128)})
	to := NewReadFile(w, nil)
	raw := []byte(`{"file_path":"f.go"}`)
	b.ReportAllocs()
	for b.Loop() {
		call, err := tool.Build(to, raw)
		if err != nil {
			b.Fatal(err)
		}
		if r := call.Run(context.Background(), tool.Host{}); r.Error != nil || len(llm.PartsText(r.Content)) < 3900 {
			b.Fatal(r.Error)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"))
	f.Add([]byte("\x00\x00\xfe\xff\x00\x00\x00a"))
	f.Add([]byte("\xef\xbb\xbfa\r\nb"))
	f.Add([]byte("\xfe\xff\xd8\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newDocument(data)
		if after, err := d.change(nil); d.isExact && (err != nil || !bytes.Equal(after.data, data)) {
			t.Errorf("no change changes %q: %v", data, err)
		}
		in := &source{rest: bytes.NewReader(data), again: func() ([]byte, error) { return data, nil }}
		if err := in.begin(int64(len(data))); err != nil {
			t.Fatal(err)
		}
		isBinary := in.isBinary()
		w, err := in.text(context.Background(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if in.enc.Name() != d.enc.Name() || isBinary == d.enc.IsText() {
			t.Errorf("%q is read as %s, and changed as %s", data, in.enc.Name(), d.enc.Name())
		}
		if text, _, _ := strings.Cut(w.text, cutMark); !w.partial() && text != strings.ToValidUTF8(d.text, "\uFFFD") {
			t.Errorf("%q is read as %q, and changed as %q", data, text, d.text)
		}
		if w.text != strings.ToValidUTF8(w.text, "") {
			t.Errorf("%q is not valid", w.text)
		}
		if n := strings.Count(w.text, "\n"); n > windowLines || !w.partial() && n != w.total && n != w.total-1 {
			t.Errorf("%d ends of lines in %d lines", n, w.total)
		}
		for line := range strings.Lines(w.text) {
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), cutMark)
			if n := len(utf16.Encode([]rune(line))); n > lineUnits {
				t.Errorf("a line of %d", n)
			}
		}
	})
}
