// Package footer has the last line of the screen: the place, the model, and what the session has used.
package footer

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Values are what the footer shows. A zero value is unknown or nothing, and its item is left out.
type Values struct {
	Workspace string // the directory, with ~ for the home directory
	IsDebug   bool
	Branch    string // of git, or the beginning of a commit
	Sandbox   string // a description of the sandbox
	// IsUnsafe is set if the sandbox leaves the machine open, IsUntrusted if the folder is not trusted.
	IsUnsafe, IsUntrusted bool
	Model                 string
	HasContext            bool
	Context               float64 // the share of the context window in use
	CompressAt            float64 // the share at which the history is compressed
	HasQuota              bool
	Quota                 float64 // the share of the quota in use
	Memory                uint64  // of the process, in bytes
	Session               string
	Host                  string
	Auth                  string
	Added, Removed        int // lines
	Tokens                int
	HasCost               bool
	Cost                  float64       // in US dollars
	TurnTime              time.Duration // of the turn in progress, or the last one
	Command               string        // the line of the user's status program
	Errors                int           // in the log
	ErrorKey              string        // shows the errors
	Mode                  string        // of the editor: NORMAL or INSERT, "" without vim mode
}

// Options say which items the footer has.
type Options struct {
	Items      []string // ids in order; see [IDs]
	ShowLabels bool     // in a line above
}

// Settings are the settings of the user interface from which [Settings.Options] derives the items.
type Settings struct {
	Items        []string // ui.footer.items; nil if it is not set
	ShowLabels   bool     // ui.footer.showLabels
	HideCWD      bool
	HideSandbox  bool
	HideModel    bool
	HideContext  bool // ui.footer.hideContextPercentage is set, and true
	ShowMemory   bool
	HideIdentity bool // ui.showUserIdentity is false
}

// Options returns the options that the settings ask for.
func (s Settings) Options() Options {
	o := Options{ShowLabels: s.ShowLabels}
	if s.Items != nil {
		for _, id := range s.Items {
			if id != "auth" || !s.HideIdentity {
				o.Items = append(o.Items, id)
			}
		}
		return o
	}
	for _, item := range []struct {
		id      string
		isShown bool
	}{
		{"workspace", !s.HideCWD},
		{"git-branch", true},
		{"sandbox", !s.HideSandbox},
		{"model-name", !s.HideModel},
		{"context-used", !s.HideContext},
		{"quota", true},
		{"memory-usage", s.ShowMemory},
	} {
		if item.isShown {
			o.Items = append(o.Items, item.id)
		}
	}
	return o
}

// item is an item of the footer.
type item struct {
	id, label string
	show      func(v Values, t theme.Theme, width int) styled.Line // nil for nothing
}

// items returns all items.
func items() []item {
	return []item{
		{"workspace", "workspace (/directory)", nil}, // takes the room that the others leave
		{"git-branch", "branch", text(func(v Values) string { return v.Branch })},
		{"sandbox", "sandbox", showSandbox},
		{"model-name", "/model", text(func(v Values) string { return v.Model })},
		{"context-used", "context", showContext},
		{"quota", "quota", showQuota},
		{"memory-usage", "memory", showMemory},
		{"session-id", "session", text(func(v Values) string { return v.Session[:min(len(v.Session), 8)] })},
		{"hostname", "machine", text(func(v Values) string { return v.Host })},
		{"auth", "/auth", text(func(v Values) string { return v.Auth })},
		{"code-changes", "diff", showChanges},
		{"token-count", "tokens", text(tokens)},
		{"cost", "cost", text(func(v Values) string {
			if !v.HasCost {
				return ""
			}
			return fmt.Sprintf("$%.2f", v.Cost)
		})},
		{"turn-time", "turn", text(func(v Values) string {
			if v.TurnTime <= 0 {
				return ""
			}
			return v.TurnTime.Truncate(time.Second).String()
		})},
		{"command", "", text(func(v Values) string { return v.Command })},
	}
}

// IDs returns the ids of all items.
func IDs() (ids []string) {
	for _, i := range items() {
		ids = append(ids, i.id)
	}
	return ids
}

// text shows a text in the ordinary style.
func text(of func(Values) string) func(Values, theme.Theme, int) styled.Line {
	return func(v Values, t theme.Theme, _ int) styled.Line {
		if s := styled.Text(of(v)); s != "" {
			return styled.Of(s, t.Text())
		}
		return nil
	}
}

func showSandbox(v Values, t theme.Theme, _ int) styled.Line {
	s := styled.Text(v.Sandbox)
	switch {
	case v.IsUntrusted:
		return styled.Of("untrusted", t.Warning())
	case s == "":
		return nil
	case v.IsUnsafe:
		return styled.Of(s, t.Error())
	}
	return styled.Of(s, t.Success())
}

func showContext(v Values, t theme.Theme, width int) styled.Line {
	if !v.HasContext {
		return nil
	}
	s, style := percent(v.Context), t.Text()
	const narrow = 100
	if width >= narrow {
		s += " used"
	}
	switch {
	case v.Context >= 1:
		style = t.Error()
	case v.CompressAt > 0 && v.Context >= v.CompressAt:
		style = t.Warning()
	}
	return styled.Of(s, style)
}

func showQuota(v Values, t theme.Theme, _ int) styled.Line {
	switch {
	case !v.HasQuota:
		return nil
	case v.Quota >= 1:
		return styled.Of("limit reached", t.Error())
	}
	return styled.Of(percent(v.Quota)+" used", t.Text())
}

func showMemory(v Values, t theme.Theme, _ int) styled.Line {
	const much = 2 << 30
	switch {
	case v.Memory == 0:
		return nil
	case v.Memory >= much:
		return styled.Of(fmt.Sprintf("%.1f GB", float64(v.Memory)/(1<<30)), t.Error())
	}
	return styled.Of(fmt.Sprintf("%.1f MB", float64(v.Memory)/(1<<20)), t.Text())
}

func showChanges(v Values, t theme.Theme, _ int) styled.Line {
	if v.Added == 0 && v.Removed == 0 {
		return nil
	}
	return styled.Line{
		{Text: "+" + strconv.Itoa(v.Added), Style: t.Success()}, {Text: " "}, {Text: "-" + strconv.Itoa(v.Removed), Style: t.Error()},
	}
}

// tokens returns a compact number of tokens.
func tokens(v Values) string {
	switch n := v.Tokens; {
	case n <= 0:
		return ""
	case n < 1000:
		return strconv.Itoa(n) + " tokens"
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk tokens", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1fM tokens", float64(n)/1_000_000)
	}
}

// percent returns a share as whole percent, which is 100 only if all is used.
func percent(share float64) string {
	n := int(share*100 + 0.5)
	if share < 1 {
		n = min(n, 99)
	}
	return strconv.Itoa(max(n, 0)) + "%"
}

// shorten returns a path of at most width columns, with "..." in place of the directories in its middle.
func shorten(path string, width int) string {
	if terminal.Width(path) <= width {
		return path
	}
	parts := strings.Split(path, string(filepath.Separator))
	for keep := len(parts) - 2; keep >= 1; keep-- {
		short := parts[0] + string(filepath.Separator) + "..." + string(filepath.Separator) + strings.Join(parts[len(parts)-keep:], string(filepath.Separator))
		if terminal.Width(short) <= width {
			return short
		}
	}
	return styled.Plain(parts[len(parts)-1]).Cut(width).String()
}
