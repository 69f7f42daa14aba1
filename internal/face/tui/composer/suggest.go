package composer

import (
	"strings"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/keys"
)

// suggested is the state of the suggestions.
type suggested struct {
	list    completion.List
	request completion.Request // for the current text, if isAsked

	isAsked    bool // suggestions are wanted for the current text
	isTaken    bool // the caller has the request
	isAnswered bool // the list shows the result of the request
	byTab      bool // the user has asked, in shell mode
	acceptsOne bool // the user wants the first suggestion, which is still to come
	isQuiet    bool // no suggestions until the user edits the text
}

// close closes the list until the user edits the text.
func (s *suggested) close() { *s = suggested{isQuiet: true} }

// ask asks for the suggestions of a shell command.
func (s *suggested) ask() { *s = suggested{byTab: true} }

// Wanted returns the text for which suggestions are wanted, once after each change. The caller asks for it after each
// event and after [Composer.Found], and passes the request to a [completion.Engine].
func (c *Composer) Wanted() (completion.Request, bool) {
	s := &c.suggested
	if !s.isAsked || s.isTaken {
		return completion.Request{}, false
	}
	s.isTaken = true
	return s.request, true
}

// Found shows the suggestions for a request, unless the text has changed since. In shell mode it inserts the only one. If there are
// none, and a Tab key has waited for them, the key has its other effect.
func (c *Composer) Found(r completion.Result) Outcome {
	s := &c.suggested
	if !s.isAsked || s.isAnswered || r.Request != s.request {
		return Ignored{}
	}
	s.isAnswered = true
	s.list.Show(r)
	n, hasWaited := len(r.Suggestions), s.acceptsOne
	if s.byTab && n == 1 || s.acceptsOne && n > 0 {
		c.insertSelected()
		c.refresh()
	}
	s.byTab, s.acceptsOne = false, false
	if hasWaited && n == 0 && !c.isShell {
		o := c.tab()
		c.refresh()
		return o
	}
	return Changed{}
}

// ShowLoading shows that suggestions are to come, if the user waits for some and sees none. The caller calls it 200 ms
// after it has taken a request.
func (c *Composer) ShowLoading() {
	if s := &c.suggested; s.isTaken && !s.isAnswered && !s.list.IsOpen() {
		s.list.ShowLoading()
	}
}

// HasSuggestions reports whether the list of suggestions is open.
func (c *Composer) HasSuggestions() bool { return c.suggested.list.IsOpen() }

// suggest gives a key to the list. It returns nil if the list has no use for the key.
func (c *Composer) suggest(k keys.Key, b *keys.Bindings) Outcome {
	s := &c.suggested
	s.acceptsOne = false
	if !s.isAnswered {
		if o, isAccept := c.acceptNext(k, b); isAccept {
			return o
		}
	}
	switch s.list.Handle(k, b) {
	case completion.Accepted:
		c.insertSelected()
	case completion.Submitted:
		c.insertSelected()
		return c.send()
	case completion.Sent:
		return c.send()
	case completion.Closed:
		s.close()
	case completion.Ignored:
		return nil
	}
	return Changed{}
}

// acceptNext takes a key that accepts a suggestion, while those for the current text are still to come: Tab waits for
// them, Enter does not. It returns false for other keys.
func (c *Composer) acceptNext(k keys.Key, b *keys.Bindings) (Outcome, bool) {
	s := &c.suggested
	if _, isAccept := b.Match(k.Chord, keys.SuggestAccept); !isAccept || !s.list.IsOpen() && !s.isTaken {
		return nil, false
	}
	if _, isEnter := b.Match(k.Chord, keys.InputSubmit); isEnter {
		return nil, true
	}
	s.acceptsOne = true
	return Changed{}, true
}

// insertSelected writes the selected suggestion into the text, and closes the list.
func (c *Composer) insertSelected() {
	s := &c.suggested
	if chosen, ok := s.list.Selected(); ok {
		c.field.Replace(s.list.Result().Range, chosen.Insert)
	}
	s.list.Close()
}

// refresh notes whether suggestions are wanted for the current text. A list for the text before stays until their
// result is there.
func (c *Composer) refresh() {
	s := &c.suggested
	if !c.wantsSuggestions() {
		*s = suggested{isQuiet: s.isQuiet}
		return
	}
	r := completion.Request{Text: c.field.Shown(), Cursor: c.field.Cursor(), IsShell: c.isShell}
	if !s.isAsked || r != s.request {
		s.request, s.isAsked, s.isTaken, s.isAnswered = r, true, false, false
	}
}

func (c *Composer) wantsSuggestions() bool {
	switch {
	case c.suggested.isQuiet || c.search != nil || c.IsEmpty() || !c.inserts():
		return false
	case c.isShell:
		return c.suggested.byTab || c.suggested.list.IsOpen()
	}
	return c.isInCommand() || c.isInPath()
}

// isInCommand reports whether the cursor is in the line of a slash command.
func (c *Composer) isInCommand() bool {
	return c.isCommand() && c.field.LineNumber(c.field.Cursor()) == 0
}

// isCommand reports whether the text looks like a slash command.
func (c *Composer) isCommand() bool {
	return isCommand(c.field.Text(buffer.Range{End: min(c.field.Len(), 2)}))
}

// isCommand reports whether a text looks like a slash command.
func isCommand(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/*")
}

// maxPath is the number of bytes before the cursor in which a path begins.
const maxPath = 4096

// isInPath reports whether an @ is before the cursor, without a space between them.
func (c *Composer) isInPath() bool {
	at := c.field.Cursor()
	text := c.field.Text(buffer.Range{Start: max(c.field.LineStart(at), at-maxPath), End: at})
	for i := len(text) - 1; i >= 0; i-- {
		switch {
		case text[i] == '@':
			return true
		case (text[i] == ' ' || text[i] == '\t') && !isEscaped(text[:i]):
			return false
		}
	}
	return false
}

// isEscaped reports whether a character behind a text has a backslash before it that is not escaped itself.
func isEscaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
