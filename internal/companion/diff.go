package companion

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/mcp"
)

const (
	// diffTime is how long an editor has to show a change.
	diffTime = 10 * time.Minute
	// closeTime is how long a person waits until it is closed.
	closeTime = 2 * time.Second
)

// Choice is the decision of the person about a change in the editor.
type Choice struct {
	IsAccepted bool
	// Text is the text of the file that the person has accepted.
	Text string
}

// Diff is a change that the editor shows.
type Diff struct {
	companion *Companion
	peer      *mcp.Peer
	path      string
	proposed  string
	opened    chan struct{} // closed when the editor has answered that it shows the change, or has not

	once   sync.Once
	done   chan struct{}
	choice Choice
	err    error
}

// Diff shows in the editor that the file at path is to have another text, and returns at once; nil if the editor cannot. The
// caller must call [Diff.Close] for an answer that the person has not given in the editor. An editor shows one change at a time.
func (c *Companion) Diff(ctx context.Context, path, text string) *Diff {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer == nil || c.diff != nil || !c.peer.Has("openDiff", "closeDiff") {
		return nil
	}
	d := &Diff{companion: c, peer: c.peer, path: path, proposed: text, opened: make(chan struct{}), done: make(chan struct{})}
	c.diff = d
	go func() {
		defer crash.Recover()
		defer close(d.opened)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diffTime) // a cancelled call may be shown anyway
		defer cancel()
		if _, err := d.peer.Call(ctx, "openDiff", map[string]any{"filePath": path, "newContent": text}); err != nil {
			d.end(Choice{}, err)
		}
	}()
	return d
}

// Wait waits until the person has accepted or rejected the change in the editor. It returns an error if that does not happen
// any more: because the editor does not show the change, because it has gone, or because of [Diff.Close].
func (d *Diff) Wait() (Choice, error) {
	<-d.done
	return d.choice, d.err
}

// errClosed is the error of a change that is closed without a choice.
var errClosed = errors.New("the change is closed")

// Close closes the change in the editor, and returns its text there: the person may have edited it.
func (d *Diff) Close(ctx context.Context) (text string) {
	if !d.end(Choice{}, errClosed) {
		return d.proposed
	}
	select { // else the editor could open it after it has closed it
	case <-d.opened:
		return d.closeOpen(ctx)
	case <-time.After(closeTime):
	}
	go func() {
		defer crash.Recover()
		<-d.opened
		d.closeOpen(ctx)
	}()
	return d.proposed
}

// closeOpen closes the change in the editor, which shows it, and returns its text there.
func (d *Diff) closeOpen(ctx context.Context) (text string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	answer, err := d.peer.Call(ctx, "closeDiff", map[string]any{"filePath": d.path, "suppressNotification": true})
	var said struct{ Content *string }
	if err != nil || json.Unmarshal([]byte(answer), &said) != nil || said.Content == nil {
		return d.proposed
	}
	return d.lineEnds(*said.Content)
}

// lineEnds gives a text of the editor the line ends of the proposed one.
func (d *Diff) lineEnds(text string) string {
	if !strings.Contains(d.proposed, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// end takes the change from the companion and settles it. It reports whether it was not settled before.
func (d *Diff) end(choice Choice, err error) bool {
	c := d.companion
	c.mu.Lock()
	defer c.mu.Unlock()
	return d.settle(choice, err)
}

// settle settles the change. The caller has the companion's mu.
func (d *Diff) settle(choice Choice, err error) (isFirst bool) {
	d.once.Do(func() {
		isFirst = true
		d.choice, d.err = choice, err
		close(d.done)
	})
	if d.companion.diff == d {
		d.companion.diff = nil
	}
	return isFirst
}

// hearChoice takes the decision of the person about the change of a file.
func (c *Companion) hearChoice(path string, isAccepted bool, text *string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.diff
	if d == nil || d.path != path {
		return
	}
	choice := Choice{IsAccepted: isAccepted, Text: d.proposed}
	if text != nil {
		choice.Text = d.lineEnds(*text)
	}
	d.settle(choice, nil)
}
