package gallery

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/vim"
)

// composerScenes returns the scenes of the input.
func composerScenes() []Scene {
	return []Scene{
		input("composer-empty", composer.Composer{}, ""),
		input("composer-text", composer.Composer{}, "Compare @internal/tide/station.go with @scripts/import.py, and look at [Image chart.png]"),
		input("composer-lines", composer.Composer{}, "The table has\n\n\tone row for each hour\n\nand 潮 as its title."),
		input("composer-command", composer.Composer{}, "/model set gemini-2.5-pro"),
		{"composer-paste", func(s *stage) {
			c := newInput(composer.Composer{})
			c.InsertText("What is wrong with these levels? ")
			c.Paste(stationLog(24))
			s.showInput(c)
		}},
		input("composer-shell", composer.Composer{}, "", "!"),
		input("composer-shell-text", composer.Composer{}, "", "!", "git diff --stat"),
		input("composer-auto-edit", composer.Composer{Mode: composer.AutoEdit}, "Rename Offset to Zone everywhere."),
		input("composer-plan", composer.Composer{Mode: composer.Plan}, "How would you split the package?"),
		input("composer-yolo", composer.Composer{Mode: composer.Yolo}, "Fix all warnings of the linter."),
		input("composer-away", composer.Composer{Mode: composer.Yolo, IsAway: true}, ""),
		{"composer-vim-insert", func(s *stage) { s.showInput(newInput(composer.Composer{Vim: &vim.Mode{}})) }},
		{"composer-vim-normal", func(s *stage) {
			c := newInput(composer.Composer{Vim: &vim.Mode{}})
			press(c, s.bindings, "escape")
			s.showInput(c)
		}},
		input("composer-search", composer.Composer{}, "", "ctrl+r", "zone"),
		input("composer-search-none", composer.Composer{}, "", "ctrl+r", "anchor"),
		input("composer-search-more", composer.Composer{WidenKey: "Ctrl+R"}, "", "ctrl+r", "zone"),
		{"composer-search-all", func(s *stage) {
			c := newInput(composer.Composer{WidenKey: "Ctrl+R"})
			press(c, s.bindings, "ctrl+r", "zone")
			if o, ok := c.Handle(keysOf([]string{"ctrl+r"})[0], s.bindings).(composer.HistoryWanted); ok {
				o.Search.Widen([]history.Past{{Text: "Which time zone do the logs of the buoys have?", Label: "buoys, 3d"}})
			}
			s.showInput(c)
		}},
		suggested("suggestions-files", "Look at @st", files),
		suggested("suggestions-commands", "/mo", commands),
		suggested("suggestions-loading", "Look at @in", completion.Result{}),
	}
}

// files and commands are suggestions.
var (
	files = completion.Result{Suggestions: []completion.Suggestion{
		{Label: "internal/tide/station.go", MatchAt: []int{14, 15}},
		{Label: "scripts/stations.sh", MatchAt: []int{8, 9}},
		{Label: "stations/", MatchAt: []int{0, 1}},
		{Label: "weather:station-list", Suffix: "MCP", MatchAt: []int{8, 9}},
	}}
	commands = completion.Result{Suggestions: []completion.Suggestion{
		{Label: "model", Detail: "Show or change the model", MatchAt: []int{0, 1}},
		{Label: "mode", Detail: "Show or change the approval mode", MatchAt: []int{0, 1}},
		{Label: "moderate", Detail: "Review the wording of the changelog", Suffix: "project", Group: "Custom commands", MatchAt: []int{0, 1}},
	}, Note: "The prompts of the MCP server weather are missing: it does not answer."}
)

func newInput(c composer.Composer) *composer.Composer {
	c.Prompts = history.Prompts(func() []string {
		return []string{"Where is the zone of a station read?", "List the stations without a time zone", "Run the tests", "What does zone.tab have that zoneinfo does not?\nAnswer in one line."}
	})
	return &c
}

// input returns the scene of a composer with a text, after these keys.
func input(name string, like composer.Composer, text string, pressed ...string) Scene {
	return Scene{name, func(s *stage) {
		c := newInput(like)
		c.View(s.width, height, s.theme)
		c.InsertText(text)
		press(c, s.bindings, pressed...)
		s.showInput(c)
	}}
}

// press presses keys, one a second.
func press(c *composer.Composer, b *keys.Bindings, pressed ...string) {
	for i, k := range keysOf(pressed) {
		k.At = clock(float64(i + 1))
		c.Handle(k, b)
	}
}

// suggested returns the scene of a text with suggestions for its last word. If there are none, they are still to come.
func suggested(name, text string, r completion.Result) Scene {
	return Scene{name, func(s *stage) {
		c := newInput(composer.Composer{})
		press(c, s.bindings, text)
		request, _ := c.Wanted()
		if r.Suggestions == nil {
			c.ShowLoading()
		} else {
			at := strings.LastIndexAny(text, "@/") + 1
			r := r
			r.Request, r.Range, r.Suggestions = request, buffer.Range{Start: at, End: len(text)}, slices.Clone(r.Suggestions)
			c.Found(r)
		}
		s.showInput(c)
	}}
}

// showInput adds a composer.
func (s *stage) showInput(c *composer.Composer) {
	c.Help = func(int, theme.Theme) []styled.Line { return nil }
	v := c.View(s.width, height, s.theme)
	s.addWithCursor(v.Lines, v.Cursor)
}
