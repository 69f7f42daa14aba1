package file

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var edits = flag.Int("edits", 8000, "number of random edits for TestSameAsExact")

// TestSameAsExact makes random edits of files that look like Python, Go, YAML and Makefiles, with
// an old_string that differs slightly from the file, and sometimes the same mistake in
// new_string. An edit that is made must have the result of the exact edit.
func TestSameAsExact(t *testing.T) {
	t.Parallel()
	counts := map[string]*tally{}
	bad, made := 0, 0
	for n := 0; made < *edits; n++ {
		i := n
		if n < len(hardEdits) {
			i = hardEdits[n]
		}
		c := randomCase(rand.New(rand.NewPCG(uint64(i), 11)))
		if c == nil {
			continue
		}
		made++
		n := counts[c.kind]
		if n == nil {
			n = &tally{}
			counts[c.kind] = n
		}
		m, err := find(c.text, c.old, c.new, never)
		if err != nil || len(m.changes) != 1 {
			n.rejected++
			continue
		}
		keepLastNewline(c.text, m.changes)
		after, err := newDocument([]byte(c.text)).change(m.changes)
		if err != nil {
			t.Fatal(err)
		}
		got := after.text
		switch {
		case got == c.text:
			n.rejected++ // as an edit that changes nothing
		case got == c.want:
			n.accepted++
		case m.how == "exact" && trimEnds(got) == trimEnds(c.want):
			n.accepted++ // white space at a line end that the call leaves out stays behind it
		default:
			if n.wrong++; bad < 20 {
				t.Errorf("seed %d, %s, %s %v:\n%s\nold:\n%s\nnew:\n%s\ngot:\n%s\nwant:\n%s", i, c.kind, m.how, m.differences, c.text,
					visible(c.old), visible(c.new), around(visible(got), visible(c.text)), around(visible(c.want), visible(c.text)))
			}
			bad++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-28s %+v", kind, *counts[kind])
	}
	t.Logf("%d edits, %d wrong", made, bad)
}

// hardEdits are seeds of edits that are easily made wrong: with equal lines, blank lines, one line
// that is indented in another way, or words of a slip in new_string.
var hardEdits = []int{29863, 37444, 43998, 49281, 50094, 56573, 57673, 65163, 81808, 82705, 84811, 92115, 104095, 107259, 118459}

type tally struct{ accepted, rejected, wrong int }

func visible(s string) string {
	return strings.NewReplacer("\t", "»", " ", "·", "\n", "$\n").Replace(s)
}

// trimEnds returns a text without spaces at line ends.
func trimEnds(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}

// around returns the part of a text that differs from another.
func around(a, b string) string {
	p, s := commonPrefix(a, b), commonSuffix(a, b)
	return a[max(0, p-60):max(p, min(len(a), len(a)-s+60))]
}

// randomCall is an edit of a text, and the result of the exact edit.
type randomCall struct {
	kind           string
	text, old, new string
	want           string
}

// language makes lines of code.
type language struct {
	name        string
	unit        string
	open, plain []string
	closing     string
}

var languages = []language{
	{"python", "    ", []string{"if %s:", "def %s(self, %s):", "for %s in %s:", "else:", "class %s:", "with %s(\"%s\") as f:"}, []string{"return %s", "%s = %s", "%s(%s, \"%s\")", "pass", "# %s and %s", "raise %s(f'%s')"}, ""},
	{"python2", "  ", []string{"if %s:", "def %s(self, %s):", "for %s in %s:", "else:"}, []string{"return %s", "%s = %s", "%s(%s, \"%s\")", "pass"}, ""},
	{"go", "\t", []string{"if %s {", "func %s(%s int) {", "for _, %s := range %s {", "switch %s {", "go func() {"}, []string{"return %s", "%s := %s", "%s(%s, \"%s\")", "// %s: %s", "%s = append(%s, '%s')"}, "}"},
	{"yaml", "  ", []string{"%s:", "- %s:", "%s: # %s"}, []string{"%s: %s", "- %s", "%s: \"%s\"", "- %s: %s", "# %s"}, ""},
	{"make", "\t", []string{"%s: %s", ".PHONY: %s %s", "%s.o: %s.c"}, []string{"$(CC) -o %s %s", "@echo \"%s\"", "rm -f %s", "if [ %s ]; then \\", "%s && \\"}, ""},
}

var someWords = []string{"total", "item", "items", "value", "config", "result", "err", "name", "index", "count", "buffer", "Error", "response", "i", "x", "parse", "handler", "options", "path", "self.value"}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func (l *language) fill(r *rand.Rand, form string) string {
	for strings.Contains(form, "%s") {
		form = strings.Replace(form, "%s", pick(r, someWords), 1)
	}
	return form
}

// block returns lines from this depth on.
func (l *language) block(r *rand.Rand, depth, n int) []string {
	var out []string
	for len(out) < n {
		indent := strings.Repeat(l.unit, depth)
		if l.name == "make" && depth > 1 || r.IntN(3) > 0 || depth > 5 {
			if l.name == "make" && depth == 0 {
				out = append(out, l.fill(r, "%s := %s"))
				continue
			}
			out = append(out, indent+l.fill(r, pick(r, l.plain)))
		} else {
			out = append(out, indent+l.fill(r, pick(r, l.open)))
			out = append(out, l.block(r, depth+1, 1+r.IntN(4))...)
			if l.closing != "" {
				out = append(out, indent+l.closing)
			}
		}
		switch r.IntN(12) {
		case 0:
			out = append(out, "")
		case 1:
			out[len(out)-1] += strings.Repeat(" ", 1+r.IntN(2))
		}
	}
	return out
}

// randomCase returns an edit with a mistake, nil if the random one is not useful.
func randomCase(r *rand.Rand) *randomCall {
	l := &languages[r.IntN(len(languages))]
	file := l.block(r, 0, 5+r.IntN(40))
	from := r.IntN(len(file))
	n := min(1+r.IntN(6), len(file)-from)
	old := file[from : from+n]
	replacement := l.change(r, old)
	for i := range replacement {
		if !slices.Contains(old, replacement[i]) {
			replacement[i] = strings.TrimRight(replacement[i], " \t")
		}
	}
	end := pick(r, []string{"", "\n"})
	text := strings.Join(file, "\n") + "\n"
	exactOld, exactNew := strings.Join(old, "\n")+end, strings.Join(replacement, "\n")+end
	if len(replacement) == 0 {
		exactOld, exactNew = strings.Join(old, "\n")+"\n", ""
	}
	at := strings.Index(text, exactOld)
	if blank(exactOld) || strings.Count(text, exactOld) != 1 || exactOld == exactNew || at > 0 && text[at-1] != '\n' || end == "" && len(replacement) > 0 && !strings.HasPrefix(text[at+len(exactOld):], "\n") {
		return nil
	}
	want := strings.Replace(text, exactOld, exactNew, 1)
	d := pick(r, distortions)
	both := r.IntN(2) == 0
	old2, new2 := d.distort(r, l, old, replacement, both)
	if old2 == nil || slices.Equal(old2, old) || misleading(old, old2, replacement, new2) {
		return nil
	}
	c := &randomCall{kind: l.name + " " + d.name, text: text, want: want}
	c.kind = fmt.Sprintf("%s, %s", d.name, map[bool]string{true: "both", false: "old"}[both])
	c.old, c.new = strings.Join(old2, "\n"), strings.Join(new2, "\n")
	if len(replacement) == 0 {
		c.old, c.new = c.old+"\n", ""
	} else {
		c.old, c.new = c.old+end, c.new+end
	}
	c.old, c.new = lf(c.old), lf(c.new)
	if elsewhere := text[:at] + "\n" + text[at+len(exactOld):]; strings.Contains(elsewhere, c.old) {
		return nil // an exact edit of another place
	}
	if strings.Contains("\n"+text, "\n"+c.old) || strings.HasPrefix(c.old, "\n") && strings.Contains(text, c.old) {
		return nil // another exact edit
	}
	if len(old) > 1 && slices.Equal(old[1:], old2[1:]) && !strings.Contains(d.name, "line") && new2 != nil && !slices.Equal(replacement, new2) {
		return nil // as if the indentation of the first line alone was left out
	}
	return c
}

// misleading reports whether the call is the one that another exact edit with the same mistake
// in both texts gives.
func misleading(old, old2, replacement, new2 []string) bool {
	if len(new2) == 0 {
		return false
	}
	same := func(lines []string, line string) bool {
		return slices.ContainsFunc(lines, func(other string) bool { return strings.TrimRight(line, " ") == strings.TrimRight(other, " ") })
	}
	for _, line := range old2 {
		if slices.Equal(replacement, new2) && !same(old, line) && same(new2, line) {
			return true
		}
	}
	solid := func(line string) bool { return !blank(line) }
	i, j := slices.IndexFunc(old, solid), slices.IndexFunc(old2, solid)
	return new2[0] == replacement[0] && indentOf(old2[j]) == indentOf(new2[0]) && indentOf(old2[j]) != indentOf(old[i])
}

// change returns other lines.
func (l *language) change(r *rand.Rand, old []string) []string {
	out := slices.Clone(old)
	for range 1 + r.IntN(3) {
		if len(out) == 0 {
			break
		}
		i := r.IntN(len(out))
		depth := strings.Count(indentOf(out[i]), l.unit)
		indent := strings.Repeat(l.unit, depth)
		switch r.IntN(9) {
		case 0, 1:
			out = slices.Insert(out, i+r.IntN(2), indent+l.fill(r, pick(r, l.plain)))
		case 2:
			out = slices.Insert(out, i+1, append([]string{indent + l.fill(r, pick(r, l.open))}, l.block(r, depth+1, 1+r.IntN(2))...)...)
		case 3:
			out = slices.Delete(out, i, i+1)
		case 4, 5:
			out[i] = strings.Replace(out[i], pick(r, someWords), pick(r, someWords), 1)
		case 6: // put lines into a block
			out = slices.Clone(out)
			for j := i; j < len(out); j++ {
				if out[j] != "" {
					out[j] = l.unit + out[j]
				}
			}
			out = slices.Insert(out, i, indent+l.fill(r, pick(r, l.open)))
		case 7:
			out = append(out, "", l.fill(r, pick(r, l.open)), l.unit+l.fill(r, pick(r, l.plain)))
		case 8:
			out = l.block(r, depth, 1+r.IntN(4))
		}
	}
	return out
}

type distortion struct {
	name    string
	distort func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string)
}

// each distorts all lines in the same way.
func each(change func(r *rand.Rand, l *language) func(string) string) func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
	return func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		f := change(r, l)
		apply := func(lines []string) []string {
			out := slices.Clone(lines)
			for i := range out {
				if !blank(out[i]) {
					out[i] = f(out[i])
				}
			}
			return out
		}
		if both {
			return apply(old), apply(replacement)
		}
		return apply(old), replacement
	}
}

// one distorts one line, and in new_string the equal lines.
func one(change func(r *rand.Rand, line string) string) func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
	return func(r *rand.Rand, _ *language, old, replacement []string, both bool) (old2, new2 []string) {
		i := r.IntN(len(old))
		line := old[i]
		changed := change(r, line)
		if changed == line || blank(line) {
			return nil, nil
		}
		for j, other := range append(slices.Clone(old), replacement...) {
			if strings.TrimSpace(other) == strings.TrimSpace(line) && (other != line || j < len(old) && j != i) {
				return nil, nil // it is not certain which one is meant
			}
		}
		old2, new2 = slices.Clone(old), slices.Clone(replacement)
		for j := range old2 {
			if old2[j] == line {
				old2[j] = changed
			}
		}
		for j, i := range alignLines(old, replacement) {
			if both && i >= 0 && new2[j] == line {
				new2[j] = changed
			}
		}
		return old2, new2
	}
}

// everyWord distorts a word of old_string, and in new_string the equal words.
func everyWord(change func(r *rand.Rand, word string) string) func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
	return func(r *rand.Rand, _ *language, old, replacement []string, both bool) (old2, new2 []string) {
		i := r.IntN(len(old))
		parts := elements(old[i])
		k := -1
		for range 10 {
			if n := r.IntN(len(parts) + 1); n < len(parts) && isWord(parts[n]) {
				k = n
			}
		}
		if k < 0 {
			return nil, nil
		}
		word := parts[k]
		changed := change(r, word)
		apply := func(lines []string) []string {
			out := slices.Clone(lines)
			for i, line := range out {
				parts := elements(line)
				for j := range parts {
					if parts[j] == word {
						parts[j] = changed
					}
				}
				out[i] = strings.Join(parts, "")
			}
			return out
		}
		if both {
			return apply(old), apply(replacement)
		}
		return apply(old), replacement
	}
}

// typo changes a character of a word.
func typo(r *rand.Rand, word string) string {
	i := r.IntN(len(word))
	switch r.IntN(4) {
	case 0:
		if len(word) > 1 {
			return word[:i] + word[i+1:]
		}
	case 1:
		return word[:i] + string(rune('a'+r.IntN(26))) + word[i:]
	case 2:
		return word[:i] + string(rune('a'+r.IntN(26))) + word[i+1:]
	}
	if i+1 < len(word) {
		return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
	}
	return word + word[i:]
}

func inWord(change func(r *rand.Rand, word string) string) func(r *rand.Rand, line string) string {
	return func(r *rand.Rand, line string) string {
		parts := elements(line)
		for range 10 {
			if i := r.IntN(len(parts) + 1); i < len(parts) && isWord(parts[i]) {
				parts[i] = change(r, parts[i])
				return strings.Join(parts, "")
			}
		}
		return line
	}
}

func otherCase(r *rand.Rand, word string) string {
	if r.IntN(2) == 0 {
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.ToLower(word)
}

func reindent(from, to string) func(line string) string {
	return func(line string) string {
		i := indentOf(line)
		n := strings.Count(i, from)
		return strings.Repeat(to, n) + i[min(len(i), n*len(from)):] + line[len(i):]
	}
}

var distortions = []distortion{
	{"blanks at an end", one(func(r *rand.Rand, line string) string { return line + strings.Repeat(" ", 1+r.IntN(3)) })},
	{"no blanks at ends", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		trim := func(line string) string { return strings.TrimRight(line, " ") }
		for _, line := range replacement {
			if slices.ContainsFunc(old, func(other string) bool { return other != line && trim(other) == trim(line) }) {
				return nil, nil // new_string could be either
			}
		}
		return each(func(*rand.Rand, *language) func(string) string { return trim })(r, l, old, replacement, both)
	}},
	{"tabs or spaces", each(func(r *rand.Rand, l *language) func(string) string {
		if l.unit == "\t" {
			return reindent("\t", strings.Repeat(" ", pick(r, []int{2, 4, 4, 8})))
		}
		return reindent(l.unit, "\t")
	})},
	{"another width", each(func(r *rand.Rand, l *language) func(string) string {
		return reindent(l.unit, strings.Repeat(" ", pick(r, []int{2, 3, 4, 8})))
	})},
	{"deeper", each(func(r *rand.Rand, l *language) func(string) string {
		more := strings.Repeat(l.unit, 1+r.IntN(2))
		return func(line string) string { return more + line }
	})},
	{"odd depth", each(func(r *rand.Rand, l *language) func(string) string {
		more := strings.Repeat(" ", 1+r.IntN(3))
		return func(line string) string { return more + line }
	})},
	{"less deep", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		less := "" // the common indentation of all lines
		for i, line := range append(slices.Clone(old), replacement...) {
			if i >= len(old) && !both {
				break
			}
			if in := indentOf(line); !blank(line) && (less == "" && i == 0 || len(in) < len(less)) {
				less = in
			}
		}
		less = less[:r.IntN(len(less)+1)]
		return each(func(*rand.Rand, *language) func(string) string {
			return func(line string) string { return strings.TrimPrefix(line, less) }
		})(r, l, old, replacement, both)
	}},
	{"to the margin and other width", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		less := indentOf(old[0])
		for i, line := range append(slices.Clone(old), replacement...) {
			if (i < len(old) || both) && !blank(line) && !strings.HasPrefix(line, less) {
				return nil, nil
			}
		}
		to := strings.Repeat(" ", pick(r, []int{2, 4}))
		return each(func(*rand.Rand, *language) func(string) string {
			return func(line string) string { return reindent(l.unit, to)(strings.TrimPrefix(line, less)) }
		})(r, l, old, replacement, both)
	}},
	{"first line not indented", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		old2, new2 = slices.Clone(old), slices.Clone(replacement)
		if blank(old[0]) || both && (len(new2) == 0 || indentOf(old[0]) != indentOf(new2[0])) {
			return nil, nil // the indentation of the new line is unknown
		}
		old2[0] = strings.TrimLeft(old2[0], " \t")
		if both && len(new2) > 0 {
			new2[0] = strings.TrimLeft(new2[0], " \t")
		}
		if r.IntN(2) == 0 {
			old2[len(old2)-1] += " "
		}
		return old2, new2
	}},
	{"first line less indented", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		old2, new2 = slices.Clone(old), slices.Clone(replacement)
		if !strings.HasPrefix(old[0], l.unit) || both && (len(new2) == 0 || !strings.HasPrefix(new2[0], l.unit)) {
			return nil, nil
		}
		old2[0] = old2[0][len(l.unit):]
		if both {
			new2[0] = new2[0][len(l.unit):]
		}
		return old2, new2
	}},
	{"one line indented differently", one(func(r *rand.Rand, line string) string {
		if r.IntN(2) == 0 {
			return "  " + line
		}
		return strings.TrimPrefix(strings.TrimPrefix(line, "  "), "\t")
	})},
	{"case in a line", one(inWord(otherCase))},
	{"case of a word", everyWord(otherCase)},
	{"typo in a line", one(inWord(typo))},
	{"typo in a word", everyWord(typo)},
	{"spacing in a line", one(func(r *rand.Rand, line string) string {
		body := strings.TrimLeft(line, " \t")
		return line[:len(line)-len(body)] + strings.Replace(body, " ", pick(r, []string{"", "  "}), 1)
	})},
	{"blank line left out", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		if blank(old[0]) || blank(old[len(old)-1]) {
			return nil, nil // without the line that is left out, it would be another exact edit
		}
		drop := func(lines []string) []string {
			return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "" })
		}
		if old2 = drop(old); len(old2) == 0 {
			return nil, nil
		}
		// Blank lines that new_string adds stay.
		kept := alignLines(old, replacement)
		for i, line := range old {
			if j := slices.Index(kept, i); line == "" && (j <= 0 || j+1 == len(kept) || kept[j-1] != i-1 || kept[j+1] != i+1) {
				return nil, nil // the exact edit removes it, or changes a line next to it
			}
		}
		if !both {
			return old2, replacement
		}
		for i, line := range replacement {
			if line != "" || kept[i] < 0 {
				new2 = append(new2, line)
			}
		}
		return old2, new2
	}},
	{"blank line added", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		if len(old) < 2 || blank(old[0]) || blank(old[len(old)-1]) {
			return nil, nil
		}
		i := r.IntN(len(old) - 1)
		old2 = slices.Insert(slices.Clone(old), i+1, "")
		new2 = slices.Clone(replacement)
		if j := slices.Index(new2, old[i]); both && j >= 0 {
			new2 = slices.Insert(new2, j+1, "")
		}
		return old2, new2
	}},
	{"CRLF", each(func(*rand.Rand, *language) func(string) string {
		return func(line string) string { return line + "\r" }
	})},
	{"escaped quotes", each(func(*rand.Rand, *language) func(string) string {
		return func(line string) string { return strings.ReplaceAll(line, `"`, `\"`) }
	})},
	{"other quotes", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		if strings.Contains(strings.Join(replacement, ""), "'") {
			return nil, nil // they may be meant
		}
		return each(func(*rand.Rand, *language) func(string) string {
			return func(line string) string { return strings.ReplaceAll(line, `"`, "'") }
		})(r, l, old, replacement, both)
	}},
	{"typo and blanks", one(func(r *rand.Rand, line string) string { return inWord(typo)(r, line) + " " })},
	{"typo and depth", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		if old2, new2 = one(inWord(typo))(r, l, old, replacement, both); old2 == nil {
			return nil, nil
		}
		return each(func(*rand.Rand, *language) func(string) string {
			return func(line string) string { return l.unit + line }
		})(r, l, old2, new2, both)
	}},
	{"typo and tabs or spaces", func(r *rand.Rand, l *language, old, replacement []string, both bool) (old2, new2 []string) {
		if old2, new2 = one(inWord(typo))(r, l, old, replacement, both); old2 == nil {
			return nil, nil
		}
		if !slices.ContainsFunc(old, func(line string) bool { return !blank(line) && indentOf(line) != "" }) {
			return nil, nil // old_string does not show the indentation
		}
		to := "\t"
		if l.unit == "\t" {
			to = "    "
		}
		return each(func(*rand.Rand, *language) func(string) string { return reindent(l.unit, to) })(r, l, old2, new2, both)
	}},
}

// alignLines returns for each line of new_string the line of old_string that it repeats, apart
// from white space at the beginning and end, or -1.
func alignLines(old, replacement []string) []int {
	trim := func(lines []string) (all []string) {
		for _, line := range lines {
			all = append(all, strings.TrimSpace(line))
		}
		return all
	}
	kept := slices.Repeat([]int{-1}, len(replacement))
	for _, p := range commonPairs(trim(old), trim(replacement)) {
		kept[p[1]] = p[0]
	}
	return kept
}
