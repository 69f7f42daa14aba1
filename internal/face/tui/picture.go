package tui

import (
	"os"
	"path/filepath"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/face/tui/picture"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/transcript"
)

// pictureWait is how long the conversation waits for an image.
const pictureWait = 2 * time.Second

// applyPictures sets whether the transcript shows images.
func (l *loop) applyPictures() {
	o := &l.transcript.Options
	o.Picture = l.showPicture
	if config.ShowImages.In(l.view.settings()) == "off" {
		o.Picture = nil
	}
	o.Mentioned = func(prompt string) (pictures []transcript.Picture) {
		for _, path := range picture.Mentioned(prompt) {
			pictures = append(pictures, transcript.Picture{Path: path, Name: styled.Text(filepath.Base(path))})
		}
		return pictures
	}
}

// showPicture makes the lines of an image beside the loop.
func (l *loop) showPicture(p transcript.Picture, put func([]styled.Line)) {
	isDone := false
	finish := func(lines []styled.Line) {
		if !isDone {
			isDone = true
			put(lines)
			l.display.Change()
		}
	}
	v, style := l.view, l.display.Look.Theme.Secondary()
	s := picture.Screen{Protocol: l.display.Look.Protocol(), Width: l.display.Width(), Height: l.display.Height()}
	s.CellWidth, s.CellHeight = l.display.CellSize()
	go func() {
		defer crash.Recover()
		data := p.Data
		if p.Path != "" {
			data = v.imageFile(p.Path)
		}
		lines, err := s.Lines(p.Name, data, style)
		if err != nil {
			v.project().Log.Debug("an image is not shown", "error", err)
		}
		l.post(func() { finish(lines) })
	}()
	time.AfterFunc(pictureWait, func() {
		defer crash.Recover()
		l.post(func() { finish(nil) })
	})
}

// imageFile returns a file that a prompt mentions, nil if there is none that the model may see, or if it is too large.
func (v *view) imageFile(path string) []byte {
	if !filepath.IsAbs(path) {
		path = filepath.Join(v.project().Paths.Dir(), path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > picture.MaxSize || v.session.Workspace.CheckRead(path) != nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}
