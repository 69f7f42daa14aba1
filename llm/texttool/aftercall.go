package texttool

import (
	"fmt"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/fence"
)

// scanAfterCall drops the end of a call, and returns the rest of s.
func (p *parser) scanAfterCall(s string) (rest string) {
	drop := func(n int) {
		if len(p.pending) > 0 {
			p.pending = append(p.pending, s[:n]...)
		}
		s = s[n:]
	}
	if text := p.object.LastText(); p.isAtEnd && s[0] == '"' && text.End > 0 && !p.isNative {
		p.isRead = true
		last := p.calls[len(p.calls)-1]
		p.form = rawForm(last.Name, text.Name, string(last.Args), p.tools)
		p.problem = fmt.Sprintf("the value of %.100q ends at a quote behind which the call ends, but another quote follows; a quote in a value is written \\\"", text.Name)
		p.mode = afterBrokenCall
		return s
	}
	p.isAtEnd = false
	for {
		extra := " \t\r\n}],;"
		if p.isNative {
			extra = " \t\r\n],;"
		}
		drop(len(s) - len(strings.TrimLeft(s, extra)))
		if s == "" {
			return ""
		}
		size, verdict := p.matchClosers(s)
		endsFence := verdict == yes && s[0] != '<'
		if verdict == no {
			size, verdict = matchEnd(s)
		}
		switch verdict {
		case maybe:
			p.held = append(p.held, s...)
			return ""
		case yes:
			if drop(size); endsFence {
				p.endFence()
			}
			continue
		}
		switch matchInventedResult(s, p.isTool) {
		case yes:
			p.mode = inInventedResult
			return ""
		case maybe:
			p.held = append(p.held, s...)
			return ""
		}
		p.mode, p.place, p.tail = inText, fence.Tracker{}, nil
		return s
	}
}

// isTool reports whether a tool is declared or was called.
func (p *parser) isTool(name string) bool {
	return p.tools.has(name) || slices.ContainsFunc(p.calls, func(c llm.FunctionCall) bool { return c.Name == name })
}

// matchClosers matches the end of a fence or element around the last call, and forgets
// it and those within it. s begins with any text.
func (p *parser) matchClosers(s string) (int, verdict) {
	found := no
	for i := len(p.closers) - 1; i >= 0; i-- {
		switch size, v := matchClosing(s, p.closers[i]); v {
		case yes:
			p.closers = p.closers[:i]
			return size, yes
		case maybe:
			found = maybe
		}
	}
	return 0, found
}

// endsFence reports whether s is the end of a fence or element around the last call.
func (p *parser) endsFence(s string) bool {
	_, v := p.matchClosers(s)
	return v == yes
}
