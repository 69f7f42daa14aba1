package charset

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestForShell(t *testing.T) {
	t.Parallel()
	for _, locale := range []string{
		"", "C", "POSIX", "C.UTF-8", "en_US.UTF-8", "zh_CN.utf8", "de_DE@euro", "de_DE.ISO-8859-15@euro", "en_US", "ru_RU.KOI8-R", "ja_JP.eucJP", "ko_KR.EUC-KR", "zh_CN.GB2312",
		"en_US.iso88591", "ru_RU.CP1251", "en_US.ANSI_X3.4-1968",
	} {
		environ := []string{"A=1", "LC_ALL=" + locale, "LC_TIME=x"}
		if got := ForShell(environ); !slices.Equal(got, environ) {
			t.Errorf("%s: %q", locale, got)
		}
	}
	utf8 := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		utf8 = "UTF-8"
	}
	for _, locale := range []string{
		"zh_CN.GBK", "zh_CN.gb18030", "zh_TW.Big5", "zh_HK.BIG5-HKSCS", "ja_JP.SJIS", "ja_JP.Shift_JIS", "ja_JP.CP932", "ko_KR.JOHAB", "ko_KR.UHC", "zh_TW", "zh_HK", "ja_JP", "chinese-t", "x.unknown",
		"LC_CTYPE=zh_CN.GBK;LC_TIME=C",
	} {
		for _, environ := range [][]string{
			{"A=1", "LANG=C", "LC_ALL=" + locale, "LC_TIME=x"}, {"LANG=" + locale, "A=1", "LC_COLLATE=C"}, {"A=1", "LC_CTYPE=" + locale, "LC_MESSAGES=" + locale},
		} {
			if got := ForShell(environ); strings.Join(got, " ") != "A=1 LANG=C LC_CTYPE="+utf8+" LC_MESSAGES="+locale {
				t.Errorf("%q: %q", environ, got)
			}
		}
	}
}
