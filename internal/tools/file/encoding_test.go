package file

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"pollux/llm"
	"pollux/tool"
)

// legacyFiles are texts in other encodings than UTF-8, each with a place to edit.
var legacyFiles = []struct {
	name  string
	codec encoding.Encoding
	text  string
	// unsupported is a text with a character that the encoding lacks, in its second line; "" if it has all.
	unsupported string
}{
	{"GB18030", simplifiedchinese.GBK, "/* 读取数据文件 */\r\nint EDIT = 1; // 返回值\r\n", ""},
	{"Big5", traditionalchinese.Big5, "/* 讀取資料檔案 */\nint EDIT = 1; // 傳回值\n", "a\n😀\n"},
	{"Shift_JIS", japanese.ShiftJIS, "/* データを読む */\nint EDIT = 1; // 結果を返す\n", "a\n€\n"},
	{"EUC-JP", japanese.EUCJP, "/* データを読む */\nint EDIT = 1; // 結果を返す\n", "a\n€\n"},
	{"EUC-KR", korean.EUCKR, "/* 데이터를 읽는다 */\nint EDIT = 1; // 결과를 반환한다\n", "a\n😀\n"},
	{"windows-1251", charmap.Windows1251, "/* Читает данные */\nint EDIT = 1; // результат\n", "a\né\n"},
	{"windows-1252", charmap.Windows1252, "/* Prüfung der Größe */\nint EDIT = 1; // für später\n", "a\n→\n"},
	{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "// no mark ü\r\nint EDIT = 1;\r\n", ""},
	{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "// mark 中\r\nint EDIT = 1;\r\n", ""},
}

func encodedText(t *testing.T, codec encoding.Encoding, text string) string {
	t.Helper()
	s, err := codec.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLegacyFiles reads, edits and overwrites files in other encodings than UTF-8, small and large.
func TestLegacyFiles(t *testing.T) {
	t.Parallel()
	for _, c := range legacyFiles {
		for _, pad := range []string{"", strings.Repeat("/* padding */\n", 4000)} {
			if pad != "" && strings.HasPrefix(c.name, "UTF") {
				continue
			}
			w := newWorkspace(t, map[string]string{"f.c": encodedText(t, c.codec, pad+c.text)})
			path := filepath.Join(w.Root(), "f.c")
			read := run(t, NewReadFile(w, nil), args{"file_path": "f.c", "end_line": 5000})
			if got := llm.PartsText(read.Content); !strings.HasPrefix(got, "Encoding: "+c.name+".\nLines 1-") || !strings.HasSuffix(strings.TrimSuffix(got, "\n"), strings.TrimSuffix(lf(c.text), "\n")) {
				t.Errorf("%s: %.300q", c.name, got)
			}

			line := lf(c.text[strings.Index(c.text, "int"):])
			r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f.c", "instruction": "", "old_string": line, "new_string": strings.Replace(line, "EDIT", "new", 1)})
			if r.Error != nil || !strings.Contains(llm.PartsText(r.Content), "(1 replacement, encoding: "+c.name+").") {
				t.Errorf("%s: %v %s", c.name, r.Error, llm.PartsText(r.Content))
			}
			want := encodedText(t, c.codec, pad+strings.Replace(c.text, "EDIT", "new", 1))
			if got := get(t, path); got != want {
				t.Errorf("%s: edited to %.300q, want %.300q", c.name, got, want)
			}

			if c.unsupported != "" {
				why := "is in the encoding " + c.name + ", which has no character "
				wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f.c", "instruction": "", "old_string": "new", "new_string": c.unsupported}), tool.ErrEditPreparation, why)
				wantError(t, run(t, NewWrite(w, nil, nil), args{"file_path": "f.c", "content": c.unsupported}), tool.ErrEditPreparation, why)
				wantError(t, run(t, NewWrite(w, nil, nil), args{"file_path": "f.c", "content": c.unsupported}), tool.ErrEditPreparation, "it would be in line 2. Nothing was changed.")
				if got := get(t, path); got != want {
					t.Errorf("%s: a failed edit changed the file to %.300q", c.name, got)
				}
			}

			r = run(t, NewWrite(w, nil, nil), args{"file_path": "f.c", "content": "// " + lf(c.text)})
			if r.Error != nil || !strings.Contains(llm.PartsText(r.Content), ", encoding: "+c.name+").") {
				t.Errorf("%s: %v %s", c.name, r.Error, llm.PartsText(r.Content))
			}
			want = encodedText(t, c.codec, "// "+c.text)
			if got := get(t, path); got != want {
				t.Errorf("%s: overwritten with %q, want %q", c.name, got, want)
			}
		}
	}
}

// TestLegacyCollect attaches a file, as a mention does.
func TestLegacyCollect(t *testing.T) {
	t.Parallel()
	c := legacyFiles[0]
	w := newWorkspace(t, map[string]string{"f.c": encodedText(t, c.codec, c.text)})
	got, err := Collect(t.Context(), w, Selection{Include: []string{"f.c"}})
	if err != nil || len(got.Files) != 1 || got.Files[0].Text != "Encoding: GB18030.\n"+lf(c.text) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestUndoEncoding undoes edits of a file in another encoding, unless the file has no character any more that shows it.
func TestUndoEncoding(t *testing.T) {
	t.Parallel()
	c := legacyFiles[1]
	data := encodedText(t, c.codec, c.text)
	for content, want := range map[string]string{c.text + "more\n": "", "int x;\n": otherEncoding} {
		w := newWorkspace(t, map[string]string{"f.c": data})
		path := filepath.Join(w.Root(), "f.c")
		e, ok := recordOf(t, NewWrite(w, nil, nil), args{"file_path": path, "content": content})
		if !ok {
			t.Fatal("no edit")
		}
		list := PlanUndo(t.Context(), w, []Edit{e})
		if len(list) != 1 || list[0].Problem != want {
			t.Fatalf("%q: %+v", content, list)
		}
		if want != "" {
			continue
		}
		if err := list[0].Apply(t.Context(), w); err != nil || get(t, path) != data {
			t.Errorf("%q, %v", get(t, path), err)
		}
	}
}

// TestEarlierEncoding parses an earlier result that names the encoding.
func TestEarlierEncoding(t *testing.T) {
	t.Parallel()
	c := &readFileCall{encoding: "Encoding: GB18030.\n"}
	if e := c.parseEarlier("Encoding: GB18030.\nLines 3-4 of 9:\nx\ny", 9); e.first != 3 || e.last != 4 || e.text != "x\ny" {
		t.Errorf("%+v", e)
	}
	if e := c.parseEarlier("Encoding: GB18030.\nx\n", 1); e.text != "x\n" {
		t.Errorf("%+v", e)
	}
}

// TestDamagedLegacyFile checks that a file with bytes that would not survive an edit is shown, and is
// not edited.
func TestDamagedLegacyFile(t *testing.T) {
	t.Parallel()
	text := encodedText(t, simplifiedchinese.GBK, strings.Repeat("/* 读取数据文件 */\n", 50)) + "/* \xb6\xc1\xff */\nint EDIT;\n"
	w := newWorkspace(t, map[string]string{"f.c": text})
	if got := llm.PartsText(run(t, NewReadFile(w, nil), args{"file_path": "f.c"}).Content); !strings.HasPrefix(got, "Encoding: GB18030.\n/* 读取数据文件 */") || !strings.Contains(got, "\uFFFD") {
		t.Errorf("%q", got)
	}
	wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f.c", "instruction": "", "old_string": "EDIT", "new_string": "x"}), tool.ErrEditPreparation, "cannot be edited as text")
	if get(t, filepath.Join(w.Root(), "f.c")) != text {
		t.Error("the file has changed")
	}
}

// FuzzLegacy checks that an edit of any file changes nothing but its place.
func FuzzLegacy(f *testing.F) {
	f.Add([]byte("\xd7\xdc\xca\xc7\xd3\xc3\xd6\xd0\xce\xc4 x"))
	f.Add([]byte("caf\xe9 x"))
	f.Add([]byte("\x82\xb1\x82\xea\x82\xcd x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newDocument(data)
		if !d.isExact {
			return
		}
		at := strings.Index(d.text, "x")
		if at < 0 || strings.Contains(d.raw, "\r") {
			return
		}
		after, err := d.change([]change{{at, at + 1, "x"}})
		if err != nil || !bytes.Equal(after.data, data) {
			t.Errorf("%s: %q became %q, %v", d.enc.Name(), data, after.data, err)
		}
	})
}
