package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/models"
	"pollux/internal/person"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm/catalog"
	"pollux/tool"
)

// modelChoose shows the current model, and asks the user to choose another one: of the models of a
// server that may have any, else of the best known ones.
func modelChoose(ctx context.Context, s *Runner, _ string) (Result, error) {
	maxOptions, note := session.MaxModelChoices+1, "" // and the current model
	list, err := s.Session.Models.ServerModels(ctx)
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		note = "Cannot list its models: " + wording.Reason(err) + ".\n"
	case list == nil:
		maxOptions, list = 12, s.Session.Models.KnownModels()
	default:
		note = session.MoreModels(len(list))
	}
	current := s.Session.Models.Current().Model
	options := []tool.Option{{Label: current, Description: "current model"}}
	for _, m := range list {
		if len(options) < maxOptions && m.Name != current {
			options = append(options, tool.Option{Label: m.Name, Description: describeModel(m)})
		}
	}
	name, err := person.Choose(ctx, s.Session.Project.Options.Asker, person.Choice{
		Header: "Model", Text: "The current model is " + current + ".\n" + note + "Choose a model, or type the name of another one.", Free: "a model's name", Options: options,
		Help: "A name can begin with a provider, as in openai/gpt-5.6-sol.\nTo list all models of your providers: pollux models",
	})
	if err != nil || name == "" || name == current {
		return Result{Text: "The current model is still " + current + "."}, err
	}
	if len(name) > maxModelName {
		return usageError("The name of the model is too long.")
	}
	return s.checkAndSetModel(ctx, name, false)
}

// checkAndSetModel sets the session's model. If the provider does not list it, checkAndSetModel
// asks first.
func (s *Runner) checkAndSetModel(ctx context.Context, name string, persist bool) (Result, error) {
	listing, err := s.Session.Models.CheckName(ctx, name)
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil || !listing.IsListed && s.Session.Project.Options.Asker == nil:
		r, failed := s.setModel(name, persist)
		r.Text += "\n" + listing.Provider + " did not confirm that it has this model."
		return r, failed
	case !listing.IsListed:
		if name, err = s.chooseUnlisted(ctx, name, listing); name == "" {
			return Result{Text: "The current model is still " + s.Session.Models.Current().Model + "."}, err
		}
	}
	return s.setModel(name, persist)
}

// chooseUnlisted asks what to do about a model that its provider does not list. It returns the
// name of a model, "" if the user wants to keep the current one.
func (s *Runner) chooseUnlisted(ctx context.Context, name string, listing models.Listing) (string, error) {
	anyway := "Use " + name + " anyway"
	var options []tool.Option
	for _, near := range listing.Close {
		options = append(options, tool.Option{Label: near})
	}
	options = append(options, tool.Option{Key: "y", Label: anyway}, tool.Option{Key: "n", Label: "Keep the current model"})
	answer, err := s.choose(ctx, "Model", fmt.Sprintf("%s does not list a model %q.", listing.Provider, name), "", options...)
	switch {
	case answer == anyway:
		return name, nil
	case slices.Contains(listing.Close, answer):
		return answer, nil
	}
	return "", err
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
func modelSet(ctx context.Context, s *Runner, args string) (Result, error) {
	words := strings.Fields(args)
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--persist" })
	if len(rest) != 1 || strings.HasPrefix(rest[0], "--") || len(rest[0]) > maxModelName {
		return usageError("Name one model, as in: /model set gemini-2.5-pro --persist")
	}
	return s.checkAndSetModel(ctx, rest[0], len(rest) < len(words))
}

// maxModelName is the maximum length of a model name, in bytes.
const maxModelName = 300

// setModel sets the session's model. If persist is set, it also stores the name in the
// user's settings.
func (s *Runner) setModel(name string, persist bool) (Result, error) {
	requestName, err := s.Session.SetModel(name)
	if err != nil {
		return Result{}, err
	}
	text := "Model set to " + name
	if persist {
		if err := s.Session.Project.Paths.Set(config.User, string(config.ModelName), name); err != nil {
			return Result{}, fmt.Errorf("%s is the current model, but Pollux cannot save it: %w", name, err)
		}
		if err := s.Session.Project.Reload(); err != nil {
			return Result{}, err
		}
		text += " (persisted)"
	}
	if requestName != name {
		text += "\nIts name in requests is " + requestName + "."
	}
	if variable := s.modelVariable(); persist && variable != "" {
		text += "\n" + variable + " is set and takes precedence the next time."
	}
	return Result{Text: text}, nil
}

// modelVariable returns the environment variable that takes precedence over the model in the
// settings, "" if none is set.
func (s *Runner) modelVariable() string {
	if s.Session.Project.Env().Get("GEMINI_MODEL") != "" {
		return "GEMINI_MODEL"
	}
	return s.Session.Models.Current().Account.ModelVar
}

// modeInfo is the name and description of an approval mode.
type modeInfo struct {
	mode              policy.Mode
	name, description string
}

// modeInfos lists the approval modes.
var modeInfos = [...]modeInfo{
	{policy.Default, "default", "asks before each change and command"},
	{policy.AutoEdit, "auto_edit", "edits files without asking, and asks for the rest"},
	{policy.Plan, "plan", "changes nothing until you approve a plan"},
	{policy.Yolo, "yolo", "never asks"},
}

// setMode switches the approval mode, or lists the modes if name is empty.
func setMode(_ context.Context, s *Runner, name string) (Result, error) {
	if name == "" {
		return Result{Text: s.modeList(s.Session.Rulebook.Mode())}, nil
	}
	newMode, err := policy.ParseMode(terminal.Cut(terminal.Line(name), 40))
	if err != nil {
		return usageError("%w", err)
	}
	if err := s.Session.Rulebook.SetMode(newMode); err != nil {
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
