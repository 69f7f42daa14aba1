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

// modelChoose shows the current model, and asks the user to choose another one.
func modelChoose(ctx context.Context, s *Runner, _ string) (Result, error) {
	const maxOptions = 12
	options := []tool.Option{{Label: s.Current().Model, Description: "as it is"}}
	for _, m := range s.Known() {
		if len(options) < maxOptions && m.Name != s.Current().Model {
			options = append(options, tool.Option{Label: m.Name, Description: describeModel(m)})
		}
	}
	name, err := s.choose(ctx, "Model", s.Current().Model+" answers now. Choose another one, or name any that --model takes.", true, options...)
	if err != nil || name == "" || name == s.Current().Model {
		return Result{Text: s.Current().Model + " answers."}, err
	}
	if len(name) > maxModelName {
		return usageError("No model has such a long name.")
	}
	return s.setModel(name, false)
}

// describeModel returns the input limit and the price of a model, as far as they are known.
func describeModel(m catalog.Model) string {
	var words []string
	if m.Input > 0 {
		words = append(words, formatNumber(m.Input)+" tokens")
	}
	if p := m.Price; p != nil {
		words = append(words, fmt.Sprintf("$%g in, $%g out per million", p.Input, p.Output))
	}
	return strings.Join(words, ", ")
}

// modelSet sets the model by name. With --persist it also stores the name in the user's
// settings.
func modelSet(_ context.Context, s *Runner, args string) (Result, error) {
	words := strings.Fields(args)
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--persist" })
	if len(rest) != 1 || strings.HasPrefix(rest[0], "--") || len(rest[0]) > maxModelName {
		return usageError("Name one model, as in: /model set gemini-2.5-pro --persist")
	}
	return s.setModel(rest[0], len(rest) < len(words))
}

// maxModelName is the maximum length of a model name, in bytes.
const maxModelName = 300

// setModel sets the session's model. If persist is set, it also stores the name in the
// user's settings.
func (s *Runner) setModel(name string, persist bool) (Result, error) {
	requestName, err := s.SetModel(name)
	if err != nil {
		return Result{}, err
	}
	text := "Model set to " + name
	if persist {
		if err := s.Paths.Set(config.User, string(config.ModelName), name); err != nil {
			return Result{}, fmt.Errorf("%s answers, but that is not kept: %w", name, err)
		}
		if err := s.ReloadSettings(); err != nil {
			return Result{}, err
		}
		text += " (persisted)"
	}
	if requestName != name {
		text += "\nRequests name it " + requestName + "."
	}
	if persist && s.Env.Get("GEMINI_MODEL") != "" {
		text += "\nGEMINI_MODEL is set, and wins over the settings at the next start."
	}
	return Result{Text: text}, nil
}

// modeInfo is the name and description of an approval mode.
type modeInfo struct {
	mode              policy.Mode
	name, description string
}

// modeInfos lists the approval modes.
var modeInfos = [...]modeInfo{
	{policy.Default, "default", "asks before anything is changed or run"},
	{policy.AutoEdit, "auto_edit", "lets files be edited, and asks for the rest"},
	{policy.Plan, "plan", "lets nothing be changed, until you approve a plan"},
	{policy.Yolo, "yolo", "asks for nothing"},
}

// setMode switches the approval mode, or lists the modes if name is empty.
func setMode(_ context.Context, s *Runner, name string) (Result, error) {
	if name == "" {
		return Result{Text: s.modeList(s.Mode())}, nil
	}
	newMode, err := policy.ParseMode(terminal.Cut(terminal.Line(name), 40))
	if err != nil {
		return usageError("%w", err)
	}
	if err := s.SetMode(newMode); err != nil {
		return Result{}, err
	}
	i := slices.IndexFunc(modeInfos[:], func(m modeInfo) bool { return m.mode == newMode })
	return textResult("Approval mode: %s. Pollux %s.", modeInfos[i].name, modeInfos[i].description)
}

// modeList lists the approval modes, and marks the current one.
func (s *Runner) modeList(current policy.Mode) string {
	var rows [][]string
	for _, m := range modeInfos {
		mark := "  "
		if m.mode == current {
			mark = "* "
		}
		rows = append(rows, []string{mark + m.name, m.description})
	}
	return "Approval modes:\n\n" + s.formatTable(nil, rows...) + "\n/mode <name> switches to another one."
}
