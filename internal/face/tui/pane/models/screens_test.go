package models

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/models"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

func text(t *testing.T, p *Pane, width, height int) string {
	t.Helper()
	return panetest.TextWithCursor(t, p, width, height)
}

// few is a directory with few models, which do not change with the catalog.
type few struct{ isGoogle bool }

func (f few) Current() models.Current {
	c := models.Current{Requested: "gemini-2.5-pro", Model: "gemini-2.5-pro"}
	if f.isGoogle {
		return c
	}
	c.Requested, c.Model = "qwen3:4b", "qwen3:4b"
	c.Account.Profile = &provider.Profile{ID: "ollama", Local: &provider.Local{}}
	return c
}

func (f few) KnownModels() []catalog.Model {
	return []catalog.Model{
		{Name: "gemini-2.5-pro", Input: 1_048_576, Price: &catalog.Price{Input: 1.25, Output: 10}},
		{Name: "gemini-2.5-flash", Input: 1_048_576, Price: &catalog.Price{Input: 0.3, Output: 2.5}},
		{Name: "openai/gpt-5.6-sol", Input: 400_000, Price: &catalog.Price{Input: 1.25, Output: 10}},
		{Name: "openrouter/deepseek/deepseek-chat-v3.1-terminus:free", Input: 131_072},
		{Name: "local/unknown"},
	}
}

func (f few) ServerModels(context.Context) ([]catalog.Model, error) { return nil, nil }
func (f few) IsGoogle() bool                                        { return f.isGoogle }

// TestScreens compares the pane with its golden screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		var all strings.Builder
		for _, c := range []struct {
			name, keys string
			height     int
			isGoogle   bool
		}{
			{"google", "", 24, true},
			{"auto", "home tab", 24, true},
			{"long name", "d e e p", 24, true},
			{"no match", "q w e", 24, true},
			{"local server", "", 24, false},
			{"low", "down", 10, false},
			{"one row", "down", 1, true},
		} {
			p := newPane(t, few{c.isGoogle})
			press(p, strings.Fields(c.keys)...)
			fmt.Fprintf(&all, "== %s\n%s", c.name, text(t, p, width, c.height))
		}
		golden.Check(t, fmt.Sprintf("models.%d.txt", width), all.String())
	}
	p := newPane(t, few{true})
	for width := range 60 {
		for height := range 14 {
			text(t, p, width, height)
		}
	}
}
