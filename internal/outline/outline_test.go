package outline

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pollux/internal/process/processtest"
)

// TestOf checks the outlines of the languages. Of each text, lines that end in a mark are listed:
// "§" and the level, then the line if it is listed differently.
func TestOf(t *testing.T) {
	t.Parallel()
	for name, marked := range map[string]string{
		"a.go": `package a §-

/* func hidden() {
type Hidden int */
import "fmt"

const ( §0const: A, B, c, d
	A, B = 1, 2
	// func comment()
	c, d = '"', '\''
)

var table = map[string]int{ §0var table = map[string]int
	"a": 1,
}

type T struct { §0type T struct: a, b, *Embedded, tool.Described, deep
	a, b int
	*Embedded
	tool.Described
	deep struct {
		inner int
	}
}

type ( §0type (...
	X int §1
	Y = string §1
)

type I interface{ A() } §0

func (t *T) Method(a func() error) (err error) { §0func (t *T) Method(a func() error) (err error)
	const local = 1
	text := ` + "`\nfunc inString() {\n`" + `
	return nil
}
func New( §0func New(...
	a int,
) *T {
	return nil
}
func one() int { return 1 } §0func one() int
func broken( {{{ §0func broken( {{
func last() interface{} {} §0func last() interface{}
`,
		"a.py": `"""Module.

def hidden(): pass
"""
import os
MAX_SIZE: int = 3 §0
_URL = "x" §0
x == 1
class A(Base): §0class A(Base)
    field = 1
    @property
    def name(self) -> str: §1def name(self) -> str
        def inner():
            pass
        class Hidden:
            def more(self): pass
    class Meta: §1class Meta
        def deep(self): §2def deep(self)
            '''
    def hidden(self):
'''
async def go( §0async def go(...
    a,
):
    class Local:
        pass
if x:
    def conditional(): §0def conditional()
        pass
`,
		"a.ts": `import x from "x"; // ` + "`" + `
export interface Props { §0export interface Props
}
export interface Options { §0export interface Options: size, name, call
  readonly size: number;
  name?: string;
  call(): void;
}
export class Shop<T> extends Base { §0export class Shop<T> extends Base
  private items = new Map();
  constructor(private readonly x: X) { §1constructor(private readonly x: X)
    if (x) {
      const f = () => {};
    }
  }
  async *each(): AsyncGenerator { §1async *each(): AsyncGenerator
  }
  handle = async (e: Event) => { §1handle = async (e: Event)
    for (const a of b) {
      while (call(a)) {}
    }
  };
  "quoted name"() { §1"quoted name"()
  }
}
const re = /[` + "`" + `"']/g;
const text = ` + "`\nfunction hidden() {\n`" + `;
const helper = (a) => { §0const helper = (a)
};
export default function App() { §0export default function App()
  return <p>Don't {x}</p>;
}
type Pair = [a, b]; §0type Pair = [a, b]
enum Color { §0enum Color: Red, Green
  Red = 1,
  Green,
}
module.exports = { §0module.exports
  data() { §1data()
  },
};
describe("shop", () => { §0describe("shop"
  it("opens", () => { §1it("opens"
    function inTest() {}
  });
});
`,
		"a.java": `package a;
@Entity(name = "x")
public final class Shop extends Base §0
        implements Other {
    private final List<String> list = new ArrayList<>();
    enum Kind { A, B } §1enum Kind
    public Shop(int a) { §1public Shop(int a)
        if (a > 0) { call(a); }
        Runnable r = new Runnable() {
            public void run() {
            }
        };
    }
    @Override
    public <T> Map<String, T> find(String q, §1public <T> Map<String, T> find(String q,...
            int limit) throws IOException {
    }
    abstract void done(); §1abstract void done()
}
`,
		"a.kt": `data class Point(val x: Int) §0
object Registry { §0object Registry
    suspend fun load(id: String): Point = call(id) §1
    val x = 1
}
fun String.shout() = uppercase() §0
`,
		"a.cs": `namespace Shop; §0namespace Shop
[Serializable]
public class Cart : ICart { §0public class Cart : ICart
    [Test] public async Task<int> Run() => await Go(); §1[Test] public async Task<int> Run() => await Go()
    public int Size { get; set; } §1public int Size
    private int x;
}
`,
		"a.swift": `extension Shop: Codable { §0extension Shop: Codable
    public init?(from d: Decoder) throws { §1public init?(from d: Decoder) throws
    }
    mutating func add(_ x: Int) -> Bool { §1mutating func add(_ x: Int) -> Bool
    }
}
`,
		"a.c": `#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b)) §0
#define GUARD
struct node { §0struct node
	int value;
};
struct node;
static struct node table[] = {
};
typedef int (*callback)(void *); §0typedef int (*callback)(void *)
int declared(const char *s); §0int declared(const char *s)
MODULE_LICENSE("GPL");
static void *
find(struct node *n, int c) §0
{
	if (c == '"') {
		return find(n, 2);
	}
out:
	return 0;
}
int main(void) { return 0; } §0int main(void)
`,
		"a.hpp": `namespace shop { §0namespace shop
template <typename T> class Cart : public Base { §0template <typename T> class Cart : public Base
public:
    Cart(int a); §1Cart(int a)
    virtual ~Cart(); §1virtual ~Cart()
    std::vector<T> items() const { return x; } §1std::vector<T> items() const
private:
    int x;
};
void Cart::go(int a) { §0void Cart::go(int a)
}
}
`,
		"a.rs": `#[derive(Debug)]
pub struct Point { §0pub struct Point: x, y
    pub x: f64,
    y: f64,
}
pub(crate) enum Kind { §0pub(crate) enum Kind: A, B
    A(u8),
    B { c: i32 },
}
impl<'a> Point { §0impl<'a> Point
    pub async fn new(x: &'a str) -> Self §1pub async fn new(x: &'a str) -> Self
    where
        X: Y,
    {
        fn inner() {}
    }
    const MAX: usize = 3; §1const MAX: usize = 3
}
mod tests { §0mod tests
    fn works() {} §1fn works()
}
macro_rules! shout { §0macro_rules! shout
}
`,
		"a.rb": `module Shop §0
  class Cart < Base §1
    attr_reader :items §2
    LIMIT = 3 §2
    def add(x) §2
      call do
      end
    end
    def self.build §2
    end
  end
end
`,
		"a.php": `<?php
# function hidden()
abstract class Cart extends Base { §0abstract class Cart extends Base
    public const MAX = 3; §1public const MAX = 3
    private static function add(int $x): void { §1private static function add(int $x): void
    }
}
function helper() { §0function helper()
}
`,
		"a.sh": `#!/bin/sh
# f() comment
build() { §0build()
	inner() { :; }
}
function deploy { §0function deploy
}
if x; then build; fi
`,
		"a.sql": `-- CREATE TABLE hidden
create table if not exists users ( §0create table if not exists users (...
  id int
);
CREATE OR REPLACE FUNCTION f() RETURNS int AS §0
insert into users values ('create
table x');
CREATE UNIQUE INDEX i ON users (id); §0CREATE UNIQUE INDEX i ON users (id)
`,
		"a.html": `<!doctype html>
<!-- <h1>hidden</h1>
<h2>hidden</h2> -->
<div id="main" class="x"> §0
  <h1>Title</h1> §1
  <p>text</p>
</div>
<h2>Other</h2> §0
`,
		"a.md": "Text\n# Title §0Title\n```sh\n# comment\n~~~\n```\n## Part ## §1Part\n# #\n## C# §1C#\n#hash\n  # indented\n~~~~\n~~~\n# code\n~~~~\n### Deep §2Deep\n",
		"a.yaml": `# a: comment
name: x §0
jobs: §0jobs
  build: §1build
    steps:
      - run: y
  "quoted": 1 §1
list: §0list
- a: 1
script: | §0
  key: value
last: 1 §0
`,
		"a.toml": `name = "x" §0name
text = """ §0text
[hidden]
"""
[package] §0
version = "1"
[[bin]] # a comment §0
list = [
]
`,
		"a.json": `{
  "name": "a{\"b", §0name
  "scripts": { §0scripts
    "build": "x: {y}", §1build
    "deep": {"more": 1} §1deep
  },
  // "comment": 1
  "list": [{"a": 1}], §0list
  "last": null §0last
}
`,
		"a.txt": "func a() {\n}\n",
		"none":  "# Title\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text, want strings.Builder
			for i, line := range strings.Split(marked, "\n") {
				line, mark, isListed := strings.Cut(line, " §")
				text.WriteString(line + "\n")
				if isListed && mark != "-" {
					listed := mark[1:]
					if listed == "" {
						listed = strings.TrimSpace(line)
					}
					fmt.Fprintf(&want, "%d %s %s\n", i+1, mark[:1], listed)
				}
			}
			var got strings.Builder
			for _, l := range Of(name, text.String()) {
				fmt.Fprintf(&got, "%d %d %s\n", l.Number, l.Level, l.Text)
			}
			if got.String() != want.String() {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want.String())
			}
			if crlf := Of(name, strings.ReplaceAll(text.String(), "\n", "\r\n")); fmt.Sprint(crlf) != fmt.Sprint(Of(name, text.String())) {
				t.Errorf("with CRLF: %v", crlf)
			}
		})
	}
}

// TestKnows checks names of files.
func TestKnows(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"/a/B.GO": true, "x.tsx": true, "a.css": false, "a.log": false, "go": false, "a.": false, "": false} {
		if got := Knows(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// extensions are one of each language.
var extensions = []string{"go", "py", "ts", "java", "hpp", "rs", "rb", "php", "sh", "sql", "html", "yaml", "md", "toml", "json"}

// hostile returns texts that are expensive to look at.
func hostile() map[string]string {
	return map[string]string{
		"one line":     strings.Repeat("func a(", 10<<20/7),
		"quotes":       strings.Repeat(`"`, 1<<18),
		"backslashes":  strings.Repeat("\\`", 1<<17),
		"parentheses":  strings.Repeat("((((((((a ", 1<<15),
		"lines":        strings.Repeat("a b\n", 2_000_000),
		"declarations": strings.Repeat("class a {\n", 50_000),
		"keys":         "{" + strings.Repeat(`"a":1,`, 50_000) + strings.Repeat("{", 1<<18),
		"fields":       "type a struct {\n" + strings.Repeat("\ta int\n", 50_000),
		"depth":        strings.Repeat(strings.Repeat(" ", 300)+"class a:\n", 1000),
		"comments":     strings.Repeat("/*", 1<<18),
	}
}

// TestHostile checks that time and results are bounded.
func TestHostile(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	for what, text := range hostile() {
		for _, ext := range extensions {
			begun := time.Now()
			lines := Of("a."+ext, text)
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("%s of %s took %v", what, ext, took)
			}
			check(t, lines, text)
		}
	}
}

// check checks the limits of an outline.
func check(t *testing.T, lines []Line, text string) {
	t.Helper()
	if len(lines) > maxLines {
		t.Errorf("%d lines", len(lines))
	}
	last, all := 1, strings.Count(text, "\n")+1
	for _, l := range lines {
		if l.Number < last || l.Number > all || l.Level < 0 {
			t.Fatalf("line %d, level %d after line %d of %d", l.Number, l.Level, last, all)
		}
		last = l.Number
		if n := utf8.RuneCountInString(l.Text); n == 0 || n > maxText+len(", ...") || strings.ContainsAny(l.Text, "\n\r") || !utf8.ValidString(l.Text) {
			t.Fatalf("text of %d characters: %q", n, l.Text)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, text := range []string{"func a() {}\n", "class A:\n\tdef b(self):\n", "```\n# x\n", "a: |\n  b: c\n", `{"a": {"b": [1]}}`, "type T struct {\n\tA, B int\n}\n", "`/*\"'\\"} {
		for i := range extensions {
			f.Add(i, text)
		}
	}
	f.Fuzz(func(t *testing.T, ext int, text string) {
		lines := Of("a."+extensions[uint(ext)%uint(len(extensions))], text)
		check(t, lines, text)
	})
}

func BenchmarkOf(b *testing.B) {
	texts := hostile()
	texts["code"] = strings.Repeat("// Move moves.\nfunc (f *T) Move(a int) error {\n\tif err := f.move(ctx, places[i]); err != nil {\n\t\treturn fmt.Errorf(\"move %s: %w\", name, err)\n\t}\n}\n", 1000)
	for _, c := range []struct{ text, ext string }{{"code", "go"}, {"code", "ts"}, {"one line", "go"}, {"lines", "c"}, {"lines", "ts"}, {"keys", "json"}} {
		b.Run(c.text+" "+c.ext, func(b *testing.B) {
			b.SetBytes(int64(len(texts[c.text])))
			b.ReportAllocs()
			for b.Loop() {
				Of("a."+c.ext, texts[c.text])
			}
		})
	}
}
