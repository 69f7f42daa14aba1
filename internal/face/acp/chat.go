package acp

import (
	"context"
	"sync"

	"pollux/internal/crash"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/internal/guard/hook"
	"pollux/internal/wording"
)

// noPlace is the place of an error that no request of a session has caused.
var noPlace = wording.Place{}

// chat is a session of the client. Its id is that of the record.
type chat struct {
	server *server
	id     string
	place  place

	begun *hook.Begun // for hooks; only changed between turns

	shown   chan inTerminal // terminals of the client, for show
	turns   chan struct{}   // holds a token while a turn, or a change between turns, is under way
	telling sync.Mutex      // held while the client gets the state or the commands, so that the newest come last

	mu          sync.Mutex
	work        *work
	turn        *turn // in progress, nil for none
	last        *turn // that the client has asked for last
	isReopening bool
	isLost      bool // the work has ended, and the session has to be opened again
	isClosed    bool
	wasRefused  bool     // a question that came while the session opened
	isDecided   bool     // the person was asked about the folder, or need not be
	notes       []string // for the next turn
	model       string   // that the client has chosen during a turn, "" for none
	hasBegun    bool     // the client knows the session
	hasTitle    bool

	messages messages

	told  told  // modes, models and commands as the client knows them
	calls calls // of the turn in progress; only the goroutine of show uses them
	text  answer

	goroutines sync.WaitGroup
}

func newChat(s *server, id string, at place) *chat {
	c := &chat{server: s, id: id, place: at, begun: &hook.Begun{}, shown: make(chan inTerminal), turns: make(chan struct{}, 1)}
	c.messages.prefix = id[:min(8, len(id))]
	c.calls.chat, c.text.chat = c, c
	return c
}

// background calls f on a goroutine of its own.
func (c *chat) background(f func()) {
	c.goroutines.Go(func() {
		defer crash.Recover()
		f()
	})
}

// current returns the open session, nil for none.
func (c *chat) current() *work {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.work
}

// inTurn returns the turn in progress, nil for none.
func (c *chat) inTurn() *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn
}

// send sends an update to the client.
func (c *chat) send(update any) {
	_ = c.server.conn.Notify(schema.Update, schema.Notification{SessionID: c.id, Update: update}) // who does not read is gone
}

// close ends the session: first its turns.
func (c *chat) close() {
	c.mu.Lock()
	isClosed := c.isClosed
	c.isClosed = true
	c.mu.Unlock()
	if isClosed {
		return
	}
	c.cancel()
	c.turns <- struct{}{} // the turns have ended, and no other begins
	defer func() { <-c.turns }()
	if w := c.current(); w != nil {
		w.driver.LeaveSoon(w.ended)
	}
	c.goroutines.Wait()
}

// begin sends the news that belong behind the answer which has opened the session.
func (c *chat) begin() {
	c.mu.Lock()
	c.hasBegun = true
	c.mu.Unlock()
	c.tellCommands()
}

// show takes the events of a driver until its end.
func (c *chat) show(w *work, opened chan struct{}) {
	for {
		select {
		case e, ok := <-w.driver.Events():
			if !ok {
				return
			}
			c.take(w, opened, e)
		case in := <-c.shown:
			c.calls.showTerminal(in)
		case <-c.calls.waiting():
			c.calls.flush()
		}
	}
}

// take shows an event. Events of the driver that an editor shows in its own way, such as waiting prompts, are left out.
func (c *chat) take(w *work, opened chan struct{}, e kit.Event) {
	switch e := e.(type) {
	case kit.Opened:
		close(opened)
	case kit.Warning:
		c.note(e.Text)
	case kit.Notice:
		c.say(e.Text)
	case kit.Failed:
		c.failed(e.Err)
	case kit.Cancelled:
		c.cancelled()
	case kit.CommandDone:
		c.say(e.Result.Markdown(0))
	case kit.Asked:
		c.asked(w, e.Question)
	case kit.Ran:
		c.happened(w, e.Event, nil)
	}
	if c.current() == w {
		c.tellState()
		c.finishTurn(w, e)
	}
}

// workEnded ends the turn of a session that has ended, as after a crash of it.
func (c *chat) workEnded(w *work) {
	c.mu.Lock()
	isCurrent := c.work == w && !c.isReopening
	c.isLost = c.isLost || c.work == w
	t := c.turn
	c.mu.Unlock()
	if isCurrent && t != nil {
		if w.err != nil && context.Cause(c.server.life) == nil {
			t.err = w.err
		}
		t.end()
	}
}
