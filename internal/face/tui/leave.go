package tui

import (
	"strings"
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// drainWait is how long the end waits for replies of the terminal, which the shell would take for input.
const drainWait = 50 * time.Millisecond

// finish removes the live area, shows the last texts, and gives the terminal back. inOrder is false if a signal ended the
// session, or if it could not be opened.
func (l *loop) finish(inOrder bool) {
	defer l.counting.Wait()
	defer l.reader.close()
	defer l.output.Close()
	l.closeSettled()
	l.endWriting()
	l.keepLast(time.Now())
	l.keepReduced()
	if l.isLent {
		return
	}
	defer l.console.Close()
	if _, ok := l.output.Wait(outputWait); !ok || l.failure != nil {
		return
	}
	l.drain()
	if l.viewing != nil {
		l.closeViewer()
		_, _ = l.console.Write(l.pace.begin(time.Now()))
	}
	l.transcript.DropPictures()
	l.screen.Print(l.transcript.Take()...)
	l.leaveFullScreen()
	l.screen.Print(l.farewell(inOrder)...)
	l.fit()
	l.output.Write(l.screen.Erase())
	l.console.SetParting(l.screen.Below())
	_, _ = l.output.Wait(outputWait)
}

// farewell returns the last lines of the session.
func (l *loop) farewell(inOrder bool) (lines []styled.Line) {
	add := func(text string) {
		if text == "" {
			return
		}
		for _, line := range strings.Split(strings.TrimRight(terminal.Text(text), "\n"), "\n") {
			lines = append(lines, styled.Plain(line))
		}
	}
	lines = append(lines, nil)
	switch {
	case !inOrder:
		if l.view.isOpen() && l.hasTalked {
			add(l.view.live.Commands.ResumeHint())
		}
	case l.view.isOpen() && l.hasTalked:
		add(l.view.live.Commands.Farewell())
	default:
		add("Agent powering down. Goodbye!")
	}
	add(l.ending)
	return lines
}

// drain reads the rest of the replies that the terminal was asked for.
func (l *loop) drain() {
	most := drainWait
	if !l.hasSizes() { // tmux replies
		most = replyWait
	}
	l.awaitReplies(most, func(c chunk) {
		for _, e := range l.decoder.Feed(c.bytes, c.at) {
			switch e := e.(type) {
			case keys.DeviceAttributes:
				l.look.hasReplied = true
			case keys.Size:
				l.learnSize(e.Width, e.Height, time.Now())
			}
		}
	}, func() bool { return l.look.hasReplied && l.hasSizes() })
}

// awaitReplies reads chunks of the terminal until isDone returns true, for at most a time.
func (l *loop) awaitReplies(most time.Duration, read func(chunk), isDone func() bool) {
	late := time.NewTimer(most)
	defer late.Stop()
	for !isDone() {
		select {
		case c := <-l.reader.chunks:
			if read(c); c.err != nil {
				return
			}
		case <-late.C:
			return
		}
	}
}
