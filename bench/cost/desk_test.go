package cost

import (
	"fmt"
	"runtime"
	"time"

	"github.com/charmbracelet/colorprofile"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/full"
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/recap"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/todo"
	"pollux/internal/face/tui/transcript"
	"pollux/internal/face/tui/working"
	"pollux/tool"
)

// desk is the parts of the terminal's screen, as the face connects them: each event and each key is followed by a frame.
type desk struct {
	transcript transcript.Transcript
	working    working.Row
	todo       todo.Tray
	recap      recap.Keeper
	composer   composer.Composer
	bindings   *keys.Bindings
	theme      theme.Theme
	screen     interface {
		Print(lines ...styled.Line)
		Frame(f inline.Frame) []byte
	}
	now     time.Time
	written int // bytes
}

func newDesk(isFull bool) *desk {
	d := &desk{bindings: keys.Default("linux"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	d.theme, _ = theme.Lookup(theme.DefaultDark)
	const width, height = 120, 40
	d.transcript.Look = transcript.Look{Width: width, Theme: d.theme}
	d.screen = inline.New(inline.Options{Width: width, Height: height, Colors: colorprofile.TrueColor, Synchronizes: true})
	if isFull {
		d.screen = full.New(full.Options{Width: width, Height: height, Colors: colorprofile.TrueColor, Theme: func() theme.Theme { return d.theme }})
	}
	d.composer.Prompts = history.Prompts(func() []string { return nil })
	return d
}

// handle gives an event to the parts.
func (d *desk) handle(e kit.Event) {
	d.now = d.now.Add(40 * time.Millisecond) // a frame each
	d.working.Handle(e, d.now)
	d.todo.Handle(e)
	d.recap.Handle(e, d.now)
	d.transcript.Handle(e, d.now)
	d.draw()
}

func (d *desk) say(text string) { d.handle(kit.Ran{Event: agent.Text{Text: text}}) }

// press presses a key.
func (d *desk) press(k keys.Key) {
	d.now = d.now.Add(100 * time.Millisecond) // slower than a paste
	k.At = d.now
	d.recap.Touch(d.now)
	d.composer.Handle(k, d.bindings)
	d.draw()
}

// draw draws a frame.
func (d *desk) draw() {
	const width, room = 120, 39
	d.screen.Print(d.transcript.Take()...)
	v := d.composer.View(width, room-2, d.theme)
	lines := d.transcript.Pending(room/2, d.now)
	open := len(lines)
	lines = append(lines, d.todo.Lines(width, room, "", d.theme)...)
	lines = append(lines, d.working.Line(width, d.now, d.theme, d.bindings))
	v.Cursor.Row += len(lines)
	d.written += len(d.screen.Frame(inline.Frame{Lines: append(lines, v.Lines...), Open: open, Cursor: v.Cursor}))
}

// live adds so many items: prompts, answers, and calls.
func (d *desk) live(items int) {
	for i := range items / 5 {
		for _, r := range fmt.Sprintf("%d", i) {
			d.press(keys.Key{Text: string(r), Chord: keys.Chord{Code: r}})
		}
		d.press(keys.Key{Chord: keys.Chord{Code: keys.Enter}})
		d.handle(kit.Began{IsRun: true, IsNew: true, Prompt: fmt.Sprintf("What is on page %d?", i)})
		d.say("I *read* the page, and the one behind it.\n\n")
		for _, page := range []int{2 * i, 2*i + 1} {
			c := &agent.ToolCall{ID: fmt.Sprint("c", page), Name: "read_file"}
			d.handle(kit.Ran{Event: agent.ToolRequested{Call: c}})
			d.handle(kit.Ran{Event: agent.ToolUpdated{Call: c, Status: agent.Executing, Kind: tool.KindRead, Summary: fmt.Sprint("page", page)}})
			d.handle(kit.Ran{Event: agenttest.Finished(c, agent.Success, &tool.Result{Summary: "1 line"})})
		}
		d.say("It says that it is a `page`.")
		d.handle(kit.Finished{})
	}
}

// deskCosts returns the allocations and the written bytes of a chunk and of a key, with a frame each, after so many items.
func deskCosts(isFull bool, items int) counts {
	d := newDesk(isFull)
	d.live(items)
	d.handle(kit.Began{IsRun: true, IsNew: true, Prompt: "Go on"})
	const some = 200
	n := 0
	chunk := func() {
		text := fmt.Sprintf("word%d ", n%1000)
		if n++; n%40 == 0 {
			text += "\n\n"
		}
		d.say(text)
	}
	key := func() {
		if n++; n%50 == 0 {
			d.press(keys.Key{Chord: keys.Chord{Code: 'u', Mods: keys.Ctrl}})
		}
		r := rune('a' + n%26)
		d.press(keys.Key{Text: string(r), Chord: keys.Chord{Code: r}})
	}
	c := counts{}
	for _, name := range []string{"chunk", "key"} {
		do := map[string]func(){"chunk": chunk, "key": key}[name]
		n = 0
		for range some { // the first ones grow buffers
			do()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		written := d.written
		for range some {
			do()
		}
		runtime.ReadMemStats(&after)
		c[fmt.Sprintf("memory of a %s at %d", name, items)] = float64(after.TotalAlloc-before.TotalAlloc) / some
		c[fmt.Sprintf("objects of a %s at %d", name, items)] = float64(after.Mallocs-before.Mallocs) / some
		c[fmt.Sprintf("bytes of a %s at %d", name, items)] = float64(d.written-written) / some
	}
	return c
}

// desks returns the costs of a desk after a few items and after many.
func desks(isFull bool) counts {
	c := deskCosts(isFull, 10)
	for name, n := range deskCosts(isFull, 10_000) {
		c[name] = n
	}
	return c
}
