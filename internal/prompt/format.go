package prompt

import (
	"strings"
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
	var b strings.Builder
	for _, item := range items {
		if item != "" {
			b.WriteString("\n- " + item)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "# " + heading + "\n" + b.String()
}

// sentences joins the texts that are not empty with spaces.
func sentences(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

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
func inElement(text string) string {
	text = strings.ReplaceAll(oneLine(text), "&", "&amp;")
	return strings.ReplaceAll(strings.ReplaceAll(text, "<", "&lt;"), ">", "&gt;")
}

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
	for _, e := range elements {
		if len(rest) >= len(e) && strings.EqualFold(rest[:len(e)], e) {
			return true
		}
	}
	return false
}
