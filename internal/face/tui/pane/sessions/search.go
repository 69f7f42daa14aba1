package sessions

import (
	"context"
	"strings"
	"time"

	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/sessions"
)

// Bounds of a search.
const (
	maxText   = 1000            // bytes of the text to search for
	maxFound  = 500             // sessions with the text
	indexTime = 2 * time.Second // to update the index of the texts
)

// search is the search in the titles and texts of the sessions.
type search struct {
	field    field.Field
	excerpts map[string][]sessions.Excerpt // by the ID of the session
	hasMore  bool                          // more than maxFound sessions have the text
	problem  string                        // of reading, "" for none

	cancel    context.CancelFunc // of the search in the background, nil if there is none
	isIndexed bool               // the index was brought up to date
}

// text returns the text to search for.
func (s *search) text() string {
	text := s.field.Value()
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxText)], ""))
}

// pressSearching takes a key or a paste while keys edit the text to search for.
func (p *Pane) pressSearching(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, isKey := e.(keys.Key)
	if isKey {
		command, _ := b.Match(k.Chord, keys.BasicCancel, keys.BasicConfirm)
		switch {
		case command == keys.BasicCancel:
			p.endSearch()
			return pane.Changed{}
		case command == keys.BasicConfirm:
			return p.resume()
		case p.navigate(k, b, keys.NavUp, keys.NavDown):
			return pane.Changed{}
		}
	}
	before := p.search.text()
	if !p.search.field.Handle(e, b) {
		return pane.Ignored{}
	}
	if p.search.text() != before {
		p.search.excerpts, p.search.hasMore, p.search.problem = nil, false, ""
		p.arrange(p.selectedID())
		p.find()
	}
	return pane.Changed{}
}

// endSearch shows all sessions.
func (p *Pane) endSearch() {
	if p.search.cancel != nil {
		p.search.cancel()
	}
	p.search.field.Clear()
	p.search.excerpts, p.search.hasMore, p.search.problem = nil, false, ""
	p.state = browsing
	p.arrange(p.selectedID())
}

// find searches the texts in the background. If a search is in progress, its end starts the next one.
func (p *Pane) find() {
	if p.search.cancel != nil {
		p.search.cancel()
		return
	}
	text, infos := p.search.text(), p.list.infos()
	if text == "" {
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.search.cancel = cancel
	p.o.Background(func() func() {
		found, hasMore, err := sessions.Search(ctx, infos, text, maxFound)
		return func() {
			isCancelled := ctx.Err() != nil
			cancel()
			p.search.cancel = nil
			p.found(text, found, hasMore, err, isCancelled)
		}
	})
}

// found takes the result of a search.
func (p *Pane) found(text string, found []sessions.Found, hasMore bool, err error, isCancelled bool) {
	switch {
	case p.ctx.Err() != nil:
		return
	case isCancelled, text != p.search.text():
		p.find()
		return
	case err != nil:
		p.search.problem = err.Error()
	}
	p.search.excerpts, p.search.hasMore = map[string][]sessions.Excerpt{}, hasMore
	for _, f := range found {
		p.search.excerpts[f.ID] = f.Excerpts
	}
	p.arrange(p.selectedID())
	p.indexOnce()
}

// indexOnce updates the index after the first search, which makes the next ones fast.
func (p *Pane) indexOnce() {
	if p.search.isIndexed {
		return
	}
	p.search.isIndexed = true
	infos := p.list.infos()
	p.o.Background(func() func() {
		ctx, cancel := context.WithTimeout(p.ctx, indexTime)
		defer cancel()
		_ = sessions.IndexTexts(ctx, infos, true) // a search is only faster with an index
		return func() {}
	})
}
