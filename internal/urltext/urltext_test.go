package urltext

import (
	"slices"
	"strings"
	"testing"
)

// found returns the URLs in a text.
func found(text string) (urls []string) {
	for _, at := range Find(text) {
		urls = append(urls, text[at.Start:at.End])
	}
	return urls
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"no URL: a/b", ""},
		{"see https://a.example/b, and http://c.example.", "https://a.example/b http://c.example"},
		{"(https://a.example/b_(c)) [x](https://a.example/d) <https://a.example/e> 'https://a.example/f'", "https://a.example/b_(c) https://a.example/d https://a.example/e https://a.example/f"},
		{"url=https://a.example/?b[]=1&c=d|e", "https://a.example/?b[]=1&c=d"},
		{"http://[::1]:80/a [http://b.example/c]", "http://[::1]:80/a http://b.example/c"},
		{"http://[x", "http://[x"},
		{"://x http://", "://x http://"},
		{"git+ssh://a.example/b ftp://c", "git+ssh://a.example/b ftp://c"},
		{"https://a.example/b[text](c)", "https://a.example/b"},
		{"https://web.example/2020/https://a.example/b", "https://web.example/2020/https://a.example/b"},

		{"见https://a.example/b，然后", "https://a.example/b"},
		{"见https://a.example/b。", "https://a.example/b"},
		{"（https://a.example/b）和《https://a.example/c》、【https://a.example/d】", "https://a.example/b https://a.example/c https://a.example/d"},
		{"「https://a.example/b」“https://a.example/c”：https://a.example/d；https://a.example/e？", "https://a.example/b https://a.example/c https://a.example/d https://a.example/e"},
		{"https://a.example/b——然后 https://a.example/c…… https://a.example/d！", "https://a.example/b https://a.example/c https://a.example/d"},
		{"https://a.example/b　然后", "https://a.example/b"},
		{"https://a.example/b,然后 (https://a.example/c)然后 https://a.example/d;再", "https://a.example/b https://a.example/c https://a.example/d"},
		{"打开https://a.example然后", "https://a.example"},
		{"打开http://localhost:8080然后", "http://localhost:8080"},
		{"比较https://a.example/b和https://c.example/d。", "https://a.example/b https://c.example/d"},
		{"https://zh.example/wiki/中国 https://zh.example/wiki/Wikipedia:首页", "https://zh.example/wiki/中国 https://zh.example/wiki/Wikipedia:首页"},
		{"https://例子.中国/a https://abc中文.example/", "https://例子.中国/a https://abc中文.example/"},
		{"http://我:密码@a.example/", "http://我:密码@a.example/"},
		{"https://a.example/ｂ＿１，", "https://a.example/ｂ＿１"},
		{"https://a.example/b、\u200bhttps://c.example", "https://a.example/b https://c.example"},
	} {
		if got := strings.Join(found(tt.text), " "); got != tt.want {
			t.Errorf("%q: %q, not %q", tt.text, got, tt.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("见https://a.example/b，然后 http://[::1]:80/a(b)[c](d)")
	f.Add("https://a和https://b\xff://c://")
	f.Fuzz(func(t *testing.T, text string) {
		list := Find(text)
		if len(list) > strings.Count(text, "://") {
			t.Fatal(list)
		}
		last := 0
		for _, at := range list {
			if at.Start < last || at.End < at.Start+len("://") || at.End > len(text) || !strings.Contains(text[at.Start:at.End], "://") {
				t.Fatal(at)
			}
			last = at.End
		}
		if again := found(strings.Join(found(text), "\n")); len(again) != len(list) && !slices.Contains(found(text), "://") {
			t.Fatalf("%q, then %q", found(text), again)
		}
	})
}
