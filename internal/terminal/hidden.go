package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isUnseen reports whether r is an invisible character that no text needs: direction marks, tags, line
// separators, spaces without width. Text of others is shown without them.
func isUnseen(r rune) bool {
	return r >= 0xAD && IsHidden(r) && !isJoiner(r) && !unicode.In(r, unicode.Mn, unicode.Lo) ||
		0xE0000 <= r && r <= 0xE0FFF || r == 0x3164 || r == 0xFFA0
}

// IsHidden reports whether a terminal shows nothing for r, or only its effect on other characters.
// It includes the characters that some texts need: joiners, variation selectors, fillers.
func IsHidden(r rune) bool {
	switch {
	case r < 0xAD, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case 0xE0000 <= r && r <= 0xE0FFF: // tag characters and variation selectors: hidden text
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isJoiner reports whether r joins or separates its neighbors, or selects the form of the character before it.
func isJoiner(r rune) bool {
	return r == 0x200C || r == 0x200D || r == 0xFE0E || r == 0xFE0F
}

// joins reports whether a joiner does something between two characters: in emoji, and in scripts whose
// letters join. Elsewhere it only makes two texts differ that look the same.
func joins(before, joiner, after rune) bool {
	if joiner == 0xFE0E || joiner == 0xFE0F {
		return unicode.In(before, unicode.S) || after == 0x20E3 // a keycap
	}
	isJoined := func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.M, unicode.S) && r > 0x7F && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) &&
			(!IsHidden(r) || r == 0xFE0F)
	}
	return isJoined(before) && isJoined(after)
}

// Visible returns text of Pollux with names of others in it, safe to print: as [Text], but with invisible characters as
// escape sequences such as \u202e, so that names that differ look different. Joiners stay where they do something.
func Visible(s string) string {
	s = Clean(s)
	if strings.ContainsAny(s, "\r\v\f") {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n").Replace(s)
	}
	if strings.IndexFunc(s, IsHidden) < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s) + 16)
	before := rune(0)
	for i, r := range s {
		if IsHidden(r) {
			after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if !isJoiner(r) || !joins(before, r, after) {
				out.WriteString(strings.Trim(strconv.QuoteToASCII(string(r)), `"`))
				before = r
				continue
			}
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}

// AppendJSON appends JSON text to dst with escape sequences in place of the characters that a
// terminal or an editor does not show as they are: DEL, C1 control characters, invisible characters and
// those that change the text direction. In valid JSON they occur only in strings.
func AppendJSON(dst, text []byte) []byte {
	for len(text) > 0 {
		n := slices.IndexFunc(text, func(b byte) bool { return b >= 0x7F })
		if n < 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:n]...), text[n:]
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = utf8.AppendRune(dst, r)
		case r > 0xFFFF && IsHidden(r):
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		case r < 0xA0 || IsHidden(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}
