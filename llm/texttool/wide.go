package texttool

import (
	"strings"
	"unicode/utf8"

	"pollux/llm/laxjson"
)

// wideQuotes are the quotes that models put in the place of ASCII quotes when they write Chinese. They open and close.
var wideQuotes = [...]string{"“", "”", "＂"}

// matchWideKey matches one of keys in wide quotes, of which the first is n bytes long.
func matchWideKey(s string, n int, keys []string) (string, int, verdict) {
	word := s[n:]
	end := 0
	for end < len(word) && end < maxFence && (word[end] == '_' || 'a' <= word[end] && word[end] <= 'z') {
		end++
	}
	if end == len(word) {
		for _, k := range keys {
			if strings.HasPrefix(k, word) {
				return "", 0, maybe
			}
		}
		return "", 0, no
	}
	for _, k := range keys {
		if k == word[:end] {
			closed, v := matchPrefix(word[end:], wideQuotes[:])
			return k, n + end + closed, v
		}
	}
	return "", 0, no
}

// scanWide reads the object with wide punctuation in held up to its end. If it is none, it is text.
func (p *parser) scanWide(isWhole bool) (rest string) {
	status := p.wide.read(p.held[p.open.at:], isWhole)
	switch {
	case status == laxjson.Done:
		n := p.open.at + p.wide.at
		p.object = laxjson.Reader{}
		used, status := p.object.Add(string(p.wide.out))
		if status == laxjson.Done && used == len(p.wide.out) {
			rest, p.held = string(p.held[n:]), p.held[:n]
			p.acceptObject(0)
			p.isAtEnd = p.mode == afterCall
			return rest
		}
	case status == laxjson.More && !isWhole:
		return ""
	}
	n := len(p.held)
	if status == laxjson.Broken { // the rest may hold other calls
		n = min(n, max(p.open.afterColon, p.open.at+p.wide.at))
	}
	rest, p.held = string(p.held[n:]), p.held[:n]
	p.release()
	return rest
}

// wideReader converts an object with wide punctuation, such as {“name”：“x”，“n”：1}, to JSON. Punctuation in a string stays. A
// quote ends a string only if what follows shows that: a colon behind a key; a closing bracket, or a comma and another item,
// behind a value.
type wideReader struct {
	out      []byte
	at       int    // bytes that were read
	brackets []byte // open ones
	isKey    bool   // the next string is a key
	quote    byte   // 0 outside of strings, '"' in one with ASCII quotes, 'w' in one with wide quotes
}

// read reads s, which begins with all that earlier calls got, from where they have ended. isWhole means that no more follows.
func (w *wideReader) read(s []byte, isWhole bool) laxjson.Status {
	for w.at < len(s) {
		if !utf8.FullRune(s[w.at:]) && !isWhole {
			return laxjson.More
		}
		r, size := utf8.DecodeRune(s[w.at:])
		switch {
		case w.quote != 0 && r == '\\':
			if len(s) == w.at+1 {
				return laxjson.More
			}
			w.out, w.at = append(w.out, s[w.at:w.at+2]...), w.at+2
			continue
		case w.quote == '"':
			w.out = append(w.out, s[w.at:w.at+size]...)
			if r == '"' {
				w.quote = 0
			}
		case w.quote == 'w':
			if !isWideQuote(r) {
				if r == '"' {
					w.out = append(w.out, '\\')
				}
				w.out = append(w.out, s[w.at:w.at+size]...)
				break
			}
			switch w.ends(s[w.at+size:]) {
			case maybe:
				return laxjson.More
			case yes:
				w.out, w.quote = append(w.out, '"'), 0
			default:
				w.out = append(w.out, s[w.at:w.at+size]...)
			}
		default:
			if !w.addBetween(r) {
				return laxjson.Broken
			}
			if len(w.brackets) == 0 {
				w.at += size
				return laxjson.Done
			}
		}
		w.at += size
	}
	return laxjson.More
}

// addBetween adds a character outside of strings. It returns false if none may stand there.
func (w *wideReader) addBetween(r rune) bool {
	c := plain(r)
	switch {
	case isWideQuote(r):
		w.out, w.quote = append(w.out, '"'), 'w'
		return true
	case c == '"':
		w.quote = '"'
	case c == '{' || c == '[':
		w.brackets, w.isKey = append(w.brackets, c), c == '{'
	case c == '}' || c == ']':
		if len(w.brackets) == 0 || w.brackets[len(w.brackets)-1] != c-2 {
			return false
		}
		w.brackets, w.isKey = w.brackets[:len(w.brackets)-1], false
	case c == ':':
		w.isKey = false
	case c == ',':
		w.isKey = w.inObject()
	case c == 0 || !isNameByte(c) && c != '+' && strings.IndexByte(whiteSpace, c) < 0:
		return false
	}
	w.out = append(w.out, c)
	return true
}

func (w *wideReader) inObject() bool {
	return len(w.brackets) > 0 && w.brackets[len(w.brackets)-1] == '{'
}

// ends reports whether rest, which follows a wide quote in a string, shows that the quote ends the string.
func (w *wideReader) ends(rest []byte) verdict {
	c, rest, ok := next(rest)
	switch {
	case !ok:
		return maybe
	case w.isKey:
		return verdictOf(c == ':')
	case c == '}' || c == ']':
		return yes
	case c != ',':
		return no
	case !w.inObject():
		return yes
	}
	if c, _, ok = next(rest); !ok {
		return maybe
	}
	return verdictOf(c == '"')
}

func verdictOf(isTrue bool) verdict {
	if isTrue {
		return yes
	}
	return no
}

// next returns the first character of s behind white space as ASCII, with '"' for all quotes and 0 for other characters, and the
// text behind it. ok is false if the text ends before the end of the character.
func next(s []byte) (c byte, rest []byte, ok bool) {
	for len(s) > 0 && utf8.FullRune(s) {
		r, size := utf8.DecodeRune(s)
		s = s[size:]
		c := plain(r)
		if isWideQuote(r) {
			c = '"'
		}
		if c == 0 || strings.IndexByte(whiteSpace, c) < 0 {
			return c, s, true
		}
	}
	return 0, nil, false
}

// plain returns the ASCII form of r, 0 for none.
func plain(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return byte(r)
	case r == '\u3000':
		return ' '
	case '！' <= r && r <= '～':
		return byte(r - '！' + '!')
	}
	return 0
}

func isWideQuote(r rune) bool { return r == '“' || r == '”' || r == '＂' }
