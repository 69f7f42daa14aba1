package tui

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pollux/internal/face/tui/display"
	"pollux/internal/face/tui/gallery"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/tool/spelling"
)

// GalleryOptions configures [Gallery].
type GalleryOptions struct {
	Terminal *terminal.Terminal
	// Getenv returns variables of the environment, which describe the terminal.
	Getenv func(name string) string
	Scenes []string // names from [GalleryScenes]; none for all
	Width  int      // in columns; below 1 is the width of the terminal, or 80 if that is unknown
	Theme  string   // the name of a built-in theme; "" is the default theme for the terminal
}

// GalleryScenes returns the names of the scenes that [Gallery] prints.
func GalleryScenes() (names []string) {
	for _, s := range gallery.Scenes() {
		names = append(names, s.Name)
	}
	return names
}

// Gallery prints parts of the user interface, with colors if input and output are a terminal that has them. It returns an
// error if a name is unknown or the output cannot be written.
func Gallery(o GalleryOptions) error {
	scenes, err := o.scenes()
	if err != nil {
		return err
	}
	look := display.NewLook(o.Terminal, o.Getenv)
	t, err := o.theme(look.Theme)
	if err != nil {
		return err
	}
	isColored := o.Terminal.InTTY && o.Terminal.OutTTY && look.Theme.Kind != theme.Plain
	if !isColored {
		t = theme.NoColor()
	}
	width := cmp.Or(max(o.Width, 0), o.Terminal.OutWidth(), 80)
	var lines []styled.Line
	for _, s := range scenes {
		lines = append(lines, styled.Of("== "+s.Name, t.Secondary()))
		lines = append(append(lines, s.Lines(width, t)...), nil)
	}
	if isColored {
		return display.Print(o.Terminal, look.Colors, lines)
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	_, err = io.WriteString(o.Terminal.Out, b.String())
	return err
}

// scenes returns the wanted scenes.
func (o GalleryOptions) scenes() ([]gallery.Scene, error) {
	all := gallery.Scenes()
	if len(o.Scenes) == 0 {
		return all, nil
	}
	var scenes []gallery.Scene
	for _, name := range o.Scenes {
		i := slices.IndexFunc(all, func(s gallery.Scene) bool { return s.Name == name })
		if i < 0 {
			return nil, unknown("scene", name, GalleryScenes(), "To list the scenes, run 'pollux ui-gallery --list'.")
		}
		scenes = append(scenes, all[i])
	}
	return scenes, nil
}

// theme returns the wanted theme, which is usual if none was named.
func (o GalleryOptions) theme(usual theme.Theme) (theme.Theme, error) {
	if o.Theme == "" {
		return usual, nil
	}
	t, ok := theme.Lookup(o.Theme)
	if ok {
		return t, nil
	}
	var names []string
	for _, n := range theme.Names() {
		names = append(names, n.Name)
	}
	return t, unknown("theme", o.Theme, names, "The themes are: "+strings.Join(names, ", ")+".")
}

// unknown returns the error for a name that is none of these. It ends with the advice if none resembles it.
func unknown(kind, name string, names []string, advice string) error {
	text := fmt.Sprintf("There is no %s %q.", kind, terminal.Cut(name, 40))
	if near := spelling.Closest(name, slices.Values(names)); near != "" {
		return fmt.Errorf("%s Did you mean %q?", text, near)
	}
	return fmt.Errorf("%s %s", text, advice)
}
