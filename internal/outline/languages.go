package outline

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// language is a family of languages. The patterns match lines without their indentation; an empty
// one matches nothing.
type language struct {
	syntax    syntax
	depth     int     // most levels, 0 for any
	top       pattern // declarations without indentation
	leaf      pattern // declarations, anywhere
	method    pattern // declarations directly in a container
	container pattern
	group     pattern
	field     pattern // members of a group
}

// begins reports whether a declaration can begin with this code.
func (l *language) begins(code string) bool {
	return strings.IndexByte("{}()],.;&|+?:=\r\n\\", code[0]) < 0
}

// kindOf returns the kind of a declaration; ok is false for other code.
func (l *language) kindOf(code string, indent int, isMember bool) (k kind, ok bool) {
	switch {
	case l.group.matches(code):
		return group, true
	case l.container.matches(code):
		return container, true
	case l.leaf.matches(code), indent == 0 && l.top.matches(code), isMember && l.method.matches(code):
		return leaf, true
	}
	return 0, false
}

// pattern is an expression that is compiled when it is first used.
type pattern struct {
	source string
	once   sync.Once
	re     *regexp.Regexp
}

// matches reports whether the pattern matches the beginning of some code. The name, which is the
// first group of the expression, must not be a statement.
func (p *pattern) matches(code string) bool {
	m := p.find(code)
	return m != nil && !(len(m) > 3 && m[2] >= 0 && slices.Contains(statements[:], code[m[2]:m[3]]))
}

// name returns the first group of the expression, "" if it does not match.
func (p *pattern) name(code string) string {
	if m := p.find(code); len(m) > 3 && m[2] >= 0 {
		return code[m[2]:m[3]]
	}
	return ""
}

func (p *pattern) find(code string) []int {
	if p.source == "" {
		return nil
	}
	p.once.Do(func() { p.re = regexp.MustCompile(`^(?:` + p.source + `)`) })
	return p.re.FindStringSubmatchIndex(code)
}

// statements are words that stand before parentheses but are no names of functions.
var statements = [...]string{
	"if", "for", "foreach", "while", "switch", "catch", "return", "new", "throw", "sizeof", "super", "this", "assert", "using", "lock",
	"await", "yield", "defined", "static_assert", "__attribute__", "else",
}

const (
	dots    = `"'`
	cStyle  = `/*`
	cEnd    = `*/`
	javaMod = `(?:(?:public|private|protected|internal|fileprivate|static|final|abstract|sealed|non-sealed|open|data|inner|override|case|implicit|` +
		`lazy|partial|readonly|inline|value|virtual|async|suspend|operator|infix|tailrec|external|const|unsafe|extern|required|convenience|` +
		`mutating|nonisolated|synchronized|native|default|strictfp|indirect|annotation|companion|@\w+(?:\([^)]*\))?|\[[^\]]*\])\s+)*`
)

var golang = language{
	syntax: syntax{comments: []string{"//"}, long: [][2]string{{"`", "`"}, {cStyle, cEnd}}, quotes: `"`, isChar: true},
	top:    pattern{source: `func\b|(?:type|const|var)\s+\w`},
	group:  pattern{source: `(?:const|var)\s*\($|type\s+\w.*\b(?:struct|interface)\s*\{$`},
	// Types in parentheses.
	container: pattern{source: `type\s*\($`},
	method:    pattern{source: `\w+\b`},
	field:     pattern{source: `((?:\w+, )*\*?[\w.]+)`},
}

var python = language{
	syntax:    syntax{comments: []string{"#"}, long: [][2]string{{`"""`, `"""`}, {`'''`, `'''`}}, quotes: dots},
	top:       pattern{source: `_?[A-Z][A-Z0-9_]*\s*(?::[^=]*)?=[^=]|type\s+\w+`},
	leaf:      pattern{source: `(?:async\s+)?def\s+\w`},
	container: pattern{source: `class\s+\w`},
}

var javascript = language{
	syntax: syntax{comments: []string{"//"}, long: [][2]string{{"`", "`"}, {cStyle, cEnd}}, quotes: dots, hasRegex: true},
	top: pattern{source: `export\s+(?:default|const|let|var|type)\b|(?:const|let|var)\s+[A-Z]|type\s+\w+.*=|` +
		`(?:module\.)?exports\b[\w.$]*\s*=|` +
		`[\w$.]+\.[\w$]+\s*=\s*(?:async\s*)?(?:function\b|\()|(?:const|let|var)\s+[\w$]+.*(?:=>|=\s*(?:async\s+)?function\b)`},
	leaf: pattern{source: `(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\b\s*\*?\s*[\w$(]|` +
		`(?:it|test)(?:\.\w+)*\(\s*['"` + "`" + `]`},
	method: pattern{source: `(?:(?:public|private|protected|static|async|override|readonly|abstract|get|set|declare)\s+)*\*?\s*([#\w$]+|"[^"]*"|'[^']*')\??\s*` +
		`(?:(?:<[^(]*>)?\(|(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\(.*(?:=>|$)|\w+\s*=>)|:\s*(?:async\s*)?(?:function\b|\(.*=>))`},
	container: pattern{source: `(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:(?:class|namespace)\b|module\s+['"\w])|` +
		`(?:export\s+)?(?:const|let|var)\s+[\w$]+[^=]*=\s*(?:class\b.*)?\{$|export\s+default\s+\{$|module\.exports\s*=\s*\{$|describe(?:\.\w+)*\(`},
	group: pattern{source: `(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:const\s+)?(?:interface\s+\w.*|enum\s+\w.*|type\s+\w.*=\s*)\{$`},
	field: pattern{source: `(?:readonly\s+)?([\w$]+|"[^"]*"|'[^']*')`},
}

var java = language{
	syntax:    syntax{comments: []string{"//"}, long: [][2]string{{`"""`, `"""`}, {cStyle, cEnd}}, quotes: `"`, isChar: true},
	leaf:      pattern{source: javaMod + `(?:(?:fun|func|def)\b|(?:init|deinit|subscript|constructor)\b\s*[?<(]|typealias\s|given\s)`},
	method:    pattern{source: javaMod + `(?:<[^(=]+>\s*)?(?:[\w<>\[\],.?]+\s+)*(\w+)\s*(?:<[^(=]*>)?\(|(?:public|protected|internal)\s[^=(]*\{\s*(?:get|set|init)\b`},
	container: pattern{source: javaMod + `(?:class|interface|enum|record|object|trait|struct|protocol|extension|actor|mixin|namespace|@interface)\b\s*(?:[\w{(<]|$)`},
}

var c = language{
	syntax: syntax{comments: []string{"//"}, long: [][2]string{{cStyle, cEnd}}, quotes: `"`, isChar: true},
	top: pattern{source: `typedef\b|#\s*define\s+\w+\(|@(?:interface|implementation|protocol)\b|[-+]\s*\(|` +
		`[\w:<>,*&~\[\] \t]*?([\w:~]+|operator\S+)\s*\([^;]*(?:\{|$)|(?:[\w:<>,]+[\s*&]+)+[\w:~]+\s*\(.*\)[^{}]*;`},
	method:    pattern{source: `(?:[\w:<>,*&\[\]]+\s+)*[*&~]*(\w+|operator\S+)\s*\(`},
	container: pattern{source: `(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:inline\s+)?(?:class|namespace|struct|union|enum)\b[^;()=]*$`},
}

var rust = language{
	syntax:    syntax{comments: []string{"//"}, long: [][2]string{{`r#"`, `"#`}, {cStyle, cEnd}}, quotes: `"`, isChar: true},
	leaf:      pattern{source: rustMod + `(?:(?:fn|struct|enum|union|type|const|static)\b|macro_rules!)`},
	container: pattern{source: rustMod + `(?:impl\b|trait\b|mod\s.*\{)`},
	group:     pattern{source: rustMod + `(?:struct|enum|union)\s.*\{$`},
	field:     pattern{source: rustMod + `(\w+)`},
}

const rustMod = `(?:(?:pub(?:\([^)]*\))?|unsafe|async|const|default|extern(?:\s+"[^"]*")?)\s+)*`

var ruby = language{
	syntax:    syntax{comments: []string{"#"}, long: [][2]string{{"=begin", "=end"}}, quotes: dots},
	leaf:      pattern{source: `def\s|[A-Z][A-Z0-9_]*\s*=[^=~]|(?:it|test|scope|task)\s+['":]|(?:private\s+)?attr_\w+\s`},
	container: pattern{source: `(?:class|module)\s|(?:RSpec\.)?(?:describe|context|namespace)\s`},
}

var php = language{
	syntax:    syntax{comments: []string{"//", "#"}, long: [][2]string{{cStyle, cEnd}}, quotes: dots},
	leaf:      pattern{source: `(?:(?:public|private|protected|static|final|abstract)\s+)*(?:function\s+&?\w|const\s+\w)`},
	container: pattern{source: `(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+\w`},
}

var shell = language{
	syntax: syntax{comments: []string{"#"}, quotes: dots},
	leaf:   pattern{source: `function\s+[\w:.-]+|[\w:.-]+\s*\(\)`},
}

var sql = language{
	syntax: syntax{comments: []string{"--"}, long: [][2]string{{cStyle, cEnd}}, quotes: `'`},
	leaf: pattern{source: `(?i)(?:create|alter)\s+(?:or\s+\w+\s+)?(?:(?:global|local|temp|temporary|unique|materialized|recursive|unlogged|virtual|external|constraint)\s+)*` +
		`(?:table|view|function|procedure|index|trigger|type|schema|sequence|extension|database|role|policy|domain|package)\b`},
}

var html = language{
	syntax:    syntax{long: [][2]string{{"<!--", "-->"}}},
	container: pattern{source: `(?i)<h[1-6]\b|<[\w-]+\s(?:[^>]*\s)?id\s*=|<(?:title|script|style|template|form|main|nav)\b`},
}

var yaml = language{
	syntax:    syntax{comments: []string{"#"}},
	depth:     2,
	top:       pattern{source: yamlKey + `:(?:\s|$)`},
	method:    pattern{source: yamlKey + `:(?:\s|$)`},
	container: pattern{source: yamlKey + `:$`},
}

const yamlKey = `(?:[\w.$/@*+][^:#"'\[\]{}]*|"[^"]*"|'[^']*')`
