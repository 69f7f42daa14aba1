package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestStream converts the corpus in pieces of all sizes.
func TestStream(t *testing.T) {
	t.Parallel()
	for _, c := range corpus {
		if c.codec == encoding.Nop {
			continue
		}
		for _, text := range c.texts {
			data := encoded(t, c.codec, text)
			for size := 1; size <= len(data); size++ {
				if strings.HasPrefix(c.name, "UTF-") && size < 32 || strings.HasPrefix(c.name, "windows-") && size < 4 {
					continue // the first piece must tell, and not be valid UTF-8 by chance
				}
				var s Stream
				if got := convert(&s, data, size); got != text {
					t.Fatalf("%s in pieces of %d: %q, want %q", c.name, size, got, text)
				}
			}
		}
	}
}

func convert(s *Stream, data []byte, size int) string {
	var b strings.Builder
	for len(data) > 0 {
		n := min(size, len(data))
		b.Write(s.Convert(data[:n]))
		data = data[n:]
	}
	b.Write(s.Finish())
	return b.String()
}

func TestStreamUTF8(t *testing.T) {
	t.Parallel()
	gbk := string(encoded(t, simplifiedchinese.GBK, "中文文件的测试\n"))
	for _, c := range []struct{ text, want string }{
		{"Größe 中文 😀\nплюс\n", "Größe 中文 😀\nплюс\n"},
		{"a\xffb\n", "a\xffb\n"},
		{gbk + "\xc4\xa3\n", "中文文件的测试\n模\n"}, // the second line is valid UTF-8 by chance
		{"\xe4\xb8", "\xe4\xb8"},
		{"提交\n" + gbk + "提交\nascii\n" + gbk, "提交\n中文文件的测试\n提交\nascii\n中文文件的测试\n"},
		{strings.Repeat("\x01\xff\x02\n", 9000), strings.Repeat("\x01\xff\x02\n", 9000)},
	} {
		for _, size := range []int{1, 2, 3, 7, 1000, 100_000} {
			var s Stream
			if got := convert(&s, []byte(c.text), size); got != c.want {
				t.Errorf("%.50q in pieces of %d: %.80q", c.text, size, got)
			}
		}
	}
}

// TestStreamWaits checks that UTF-8 is passed on at once, text in another encoding when there is enough of it,
// and that Held shows it meanwhile.
func TestStreamWaits(t *testing.T) {
	t.Parallel()
	gbk := encoded(t, simplifiedchinese.GBK, "测试文件\n")
	var s Stream
	if got := string(s.Convert([]byte("ok 中\n"))); got != "ok 中\n" {
		t.Errorf("%q", got)
	}
	if got := string(s.Convert(gbk)); got != "" || s.Held() != "测试文件\n" {
		t.Errorf("%q, held %q", got, s.Held())
	}
	if got := string(s.Convert([]byte(strings.Repeat("x\n", maxHeld/2)))); !strings.HasPrefix(got, "测试文件\nx\n") {
		t.Errorf("%.20q", got)
	}
	if got := string(s.Convert(gbk)); got != "测试文件\n" || s.Held() != "" {
		t.Errorf("%q, held %q", got, s.Held())
	}
	s = Stream{NoWait: true}
	if got := string(s.Convert(gbk)); got != "测试文件\n" {
		t.Errorf("%q", got)
	}
	s = Stream{Locale: OfLocale([]string{"LANG=zh_CN.GBK"})}
	if got := string(s.Convert(gbk[:3])) + string(s.Convert(gbk[3:])); got != "测试文件\n" {
		t.Errorf("%q", got)
	}
}

func TestOfLocale(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{
		"": "UTF-8", "LANG=C": "UTF-8", "LANG=en_US.UTF-8": "UTF-8", "LANG=zh_CN.GBK": "GB18030", "LANG=zh_CN.GB18030": "GB18030", "LANG=zh_CN.gb2312": "GB18030",
		"LANG=zh_TW.Big5": "Big5", "LANG=ja_JP.eucJP": "EUC-JP", "LANG=ja_JP.SJIS": "Shift_JIS", "LANG=ko_KR.EUC-KR": "EUC-KR", "LANG=ru_RU.CP1251": "windows-1251", "LANG=de_DE.ISO8859-1@euro": "windows-1252",
		"LANG=zh_CN.GBK LC_ALL=C.UTF-8": "UTF-8", "LANG=C.UTF-8 LC_ALL=zh_TW.BIG5": "Big5", "LC_ALL=C LC_CTYPE=zh_TW.BIG5": "UTF-8", "LANG=xx_XX.nonsense": "UTF-8",
	} {
		if got := OfLocale(strings.Fields(environ)).Name(); got != want {
			t.Errorf("%s: %s, want %s", environ, got, want)
		}
	}
}
