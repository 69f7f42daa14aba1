package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/terminal"
	"pollux/llm/catalog"
	"pollux/tool"
)

// modelChoose says which model answers and asks which one should (spec/tui.md §9,
// 9.4).
func modelChoose(ctx context.Context, s *Session, _ string) (Result, error) {
	const offered = 12
	options := []tool.Option{{Label: s.App.Model(), Description: "as it is"}}
	for _, m := range s.App.Known() {
		if len(options) < offered && m.Name != s.App.Model() {
			options = append(options, tool.Option{Label: m.Name, Description: describe(m)})
		}
	}
	name, err := s.choose(ctx, "Model", s.App.Model()+" answers now. Choose another one, or name any that --model takes.", true, options...)
	if err != nil || name == "" || name == s.App.Model() {
		return Result{Text: s.App.Model() + " answers."}, err
	}
	if len(name) > longestName {
		return fail("No model has such a long name.")
	}
	return s.setModel(name, false)
}

// describe says in a few words what a model takes and costs.
func describe(m catalog.Model) string {
	var words []string
	if m.Input > 0 {
		words = append(words, number(m.Input)+" tokens")
	}
	if p := m.Price; p != nil {
		words = append(words, fmt.Sprintf("$%g in, $%g out per million", p.Input, p.Output))
	}
	return strings.Join(words, ", ")
}

func modelSet(_ context.Context, s *Session, args string) (Result, error) {
	words := strings.Fields(args)
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--persist" })
	if len(rest) != 1 || strings.HasPrefix(rest[0], "--") || len(rest[0]) > longestName {
		return fail("Name one model, as in: /model set gemini-2.5-pro --persist")
	}
	return s.setModel(rest[0], len(rest) < len(words))
}

// longestName is longer than any model's.
const longestName = 300

func (s *Session) setModel(name string, persist bool) (Result, error) {
	outward, err := s.App.SetModel(name)
	if err != nil {
		return Result{}, err
	}
	text := "Model set to " + name
	if persist {
		if err := s.Paths.Set(config.User, string(config.ModelName), name); err != nil {
			return Result{}, fmt.Errorf("%s answers, but that is not kept: %w", name, err)
		}
		if err := s.reload(); err != nil {
			return Result{}, err
		}
		text += " (persisted)"
	}
	if outward != name {
		text += "\nRequests name it " + outward + "."
	}
	if persist && s.Env.Get("GEMINI_MODEL") != "" {
		text += "\nGEMINI_MODEL is set, and wins over the settings at the next start."
	}
	return Result{Text: text}, nil
}

// approval is an approval mode, as a person names it.
type approval struct {
	mode       policy.Mode
	name, does string
}

var modes = [...]approval{
	{policy.Default, "default", "asks before anything is changed or run"},
	{policy.AutoEdit, "auto_edit", "lets files be edited, and asks for the rest"},
	{policy.Plan, "plan", "lets nothing be changed, until you approve a plan"},
	{policy.Yolo, "yolo", "asks for nothing"},
}

func mode(_ context.Context, s *Session, name string) (Result, error) {
	if name == "" {
		return Result{Text: modeList(s.App.Mode())}, nil
	}
	asked, err := policy.ParseMode(cut(terminal.Line(name), 40))
	if err != nil {
		return fail("%w", err)
	}
	if err := s.App.SetMode(asked); err != nil {
		return Result{}, err
	}
	i := slices.IndexFunc(modes[:], func(m approval) bool { return m.mode == asked })
	return say("Approval mode: %s. Pollux %s.", modes[i].name, modes[i].does)
}

// modeList lists the modes, and marks this one.
func modeList(now policy.Mode) string {
	var rows [][]string
	for _, m := range modes {
		mark := "  "
		if m.mode == now {
			mark = "* "
		}
		rows = append(rows, []string{mark + m.name, m.does})
	}
	return "Approval modes:\n\n" + table(rows...) + "\n/mode <name> switches."
}
