package shell

import (
	"strings"
	"testing"

	"pollux/tool"
)

// TestOutputEncoding checks that output in another encoding is shown at once, and converted for the model.
func TestOutputEncoding(t *testing.T) {
	t.Parallel()
	const gbk = "\xb2\xe2\xca\xd4\xce\xc4\xbc\xfe\n"
	for _, c := range []struct {
		environ []string
		pieces  []string
		live    string
		want    string
	}{
		{nil, []string{"ok\n", gbk}, "ok\n测试文件", "ok\n测试文件"},
		{[]string{"LANG=zh_CN.GBK"}, []string{"\xd6", "\xd0\n"}, "中", "中"},
		{[]string{"LANG=zh_TW.Big5"}, []string{"\xa4\xa4\n"}, "中", "中"},
		{nil, []string{"l\x00s\x00\n\x00", "x\x00", "y", "\x00"}, "ls", "ls\nxy"},
	} {
		text := tool.NewCollector(0, nil)
		o := newOutput(text, c.environ)
		for i, p := range c.pieces {
			_, _ = o.Write([]byte(p))
			if i == len(c.pieces)-1 || i == 1 {
				if live, ok := o.display().(tool.TerminalDisplay); !ok || !strings.HasPrefix(string(live), c.live) {
					t.Errorf("%q: live %q, want %q", c.pieces, live, c.live)
				}
			}
		}
		shown, _ := o.finish()
		if got, _ := text.Text(); shown != c.want || got != c.want || o.binarySize() > 0 {
			t.Errorf("%q: %q, for the model %q, want %q", c.pieces, shown, got, c.want)
		}
	}
}
