//go:build unix

package shell_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/tools/shell"
	"pollux/tool"
)

// TestLocale checks that bash reads commands as UTF-8 in locales whose characters may end with the byte of a backslash: it would
// run the command behind it.
func TestLocale(t *testing.T) {
	t.Parallel()
	requireBash(t)
	dir := t.TempDir()
	for locale, from := range map[string][2]string{"zh_CN.GBK": {"zh_CN", "GBK"}, "zh_TW.BIG5": {"zh_TW", "BIG5"}} {
		out, err := exec.Command("localedef", "-c", "-i", from[0], "-f", from[1], filepath.Join(dir, locale)).CombinedOutput()
		if _, missing := os.Stat(filepath.Join(dir, locale)); missing != nil {
			t.Skipf("NOT TESTED: no locale %s: %v: %s", locale, err, out)
		}
	}
	for _, locale := range []string{"LC_ALL=zh_CN.GBK", "LC_CTYPE=zh_TW.BIG5", "LANG=zh_CN.GBK"} {
		o := options(t)
		o.Environ = append(o.Environ, "LOCPATH="+dir, locale)
		touched := filepath.Join(t.TempDir(), "touched")
		for _, tl := range []tool.Tool{shell.New(o), shell.NewForUser(o)} {
			got := text(build(t, tl, args{"command": "echo 中\\;touch " + touched + "; locale charmap"}).Run(context.Background(), tool.Host{}))
			if _, err := os.Stat(touched); err == nil || !strings.Contains(got, "中;touch "+touched) || !strings.Contains(got, "UTF-8") {
				t.Errorf("%s: %v, %q", locale, err, got)
			}
		}
	}
}
