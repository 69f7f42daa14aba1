package prompt

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// when returns text if applies is true, else "".
func when(applies bool, text string) string {
	if applies {
		return text
	}
	return ""
}

// bullets returns a heading and a list of the items that are not empty, "" if all are empty.
func bullets(heading string, items ...string) string {
	if items = filled(items); len(items) == 0 {
		return ""
	}
	return "# " + heading + "\n\n- " + strings.Join(items, "\n- ")
}

// filled returns the texts that are not empty.
func filled(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}

// sentences joins the texts that are not empty with spaces.
func sentences(texts ...string) string { return strings.Join(filled(texts), " ") }

// oneBlankLine reduces several blank lines to one.
func oneBlankLine(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// oneLine returns external text as one line: it replaces line ends and control characters with
// spaces.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text))
}

// cut returns the first n characters of text, followed by "…" if there are more.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// inElement returns external text for an element of a list: as one line, without tags.
func inElement(text string) string { return escaper().Replace(oneLine(text)) }

var escaper = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;") })

// inside escapes the closing tags of the given elements in a text, however they are written,
// so that the text cannot end them.
func inside(text string, elements ...string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if !strings.Contains(text, "</") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "</")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if closes(rest, elements) {
			b.WriteString("&lt;/")
		} else {
			b.WriteString("</")
		}
		text = rest
	}
}

// closes reports whether rest, which follows "</", begins with the name of one of the
// elements.
func closes(rest string, elements []string) bool {
	rest = strings.TrimLeftFunc(rest[:min(len(rest), 64)], unicode.IsSpace)
	return slices.ContainsFunc(elements, func(e string) bool {
		return len(rest) >= len(e) && strings.EqualFold(rest[:len(e)], e)
	})
}
