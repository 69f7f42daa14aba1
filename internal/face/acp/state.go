package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/models"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// told is the state of a session as the client knows it.
type told struct {
	mode, model, effort string
	commands            []byte
}

// The ids of the choices that the person has in a session.
const (
	modeOption   = "mode"
	modelOption  = "model"
	effortOption = "effort"
)

// state returns modes, models and options, and notes that the client knows them.
func (c *chat) state() schema.SessionState {
	w := c.current()
	s := schema.SessionState{Modes: modesOf(w), Models: c.modelsOf(w)}
	s.Options = optionsOf(w, s.Modes, s.Models)
	c.mu.Lock()
	c.told.mode, c.told.model, c.told.effort = s.Modes.Current, s.Models.Current, w.live.Models.Effort(s.Models.Current)
	c.mu.Unlock()
	return s
}

// optionsOf returns the choices of the person: the same modes and models, and how much the current model thinks, if it has levels.
func optionsOf(w *work, modes *schema.Modes, list *schema.Models) []schema.Option {
	mode := schema.Option{ID: modeOption, Name: "Mode", Description: "Which tools run without approval", Category: "mode", Type: "select", Current: modes.Current}
	for _, m := range modes.Available {
		mode.Values = append(mode.Values, schema.Value{Value: m.ID, Name: m.Name, Description: m.Description})
	}
	model := schema.Option{ID: modelOption, Name: "Model", Category: "model", Type: "select", Current: list.Current}
	for _, m := range list.Available {
		model.Values = append(model.Values, schema.Value{Value: m.ID, Name: m.Name, Description: m.Description})
	}
	options := []schema.Option{mode, model}
	if levels := effortsOf(w, list.Current); len(levels) > 0 {
		effort := schema.Option{ID: effortOption, Name: "Effort", Description: "How much the model thinks before it answers", Category: "thought_level", Type: "select", Current: w.live.Models.Effort(list.Current)}
		if effort.Current == "" {
			effort.Current = defaultEffort
		}
		effort.Values = append(effort.Values, schema.Value{Value: defaultEffort, Name: "Default", Description: "As your settings say"})
		for _, level := range levels {
			effort.Values = append(effort.Values, schema.Value{Value: level, Name: strings.ToUpper(level[:1]) + level[1:]})
		}
		options = append(options, effort)
	}
	return options
}

// defaultEffort is the value for the level of the settings.
const defaultEffort = "default"

// effortsOf returns the levels of thinking of a model, nil if it has none, or if they are not known without a request.
func effortsOf(w *work, model string) []string {
	for _, m := range w.live.Models.KnownModels() {
		if m.Name == model {
			return m.Efforts
		}
	}
	return nil
}

// modesOf returns the modes that the person can choose: not those that settings or the folder rule out.
func modesOf(w *work) *schema.Modes {
	set, current := w.live.Project.Settings(), w.live.Rulebook.Mode()
	list := &schema.Modes{Current: current.String()}
	for _, m := range []struct {
		policy.Mode
		name, description string
		isPossible        bool
	}{
		{policy.Default, "Default", "Asks before changes", true},
		{policy.AutoEdit, "Auto Edit", "Edits files without asking", true},
		{policy.Sandboxed, "Sandboxed", "Edits files, and runs commands in the sandbox, without asking", w.live.Rulebook.CanSandbox()},
		{policy.Yolo, "YOLO", "Runs all tools without asking", !config.DisableYolo.In(set)},
		{policy.Plan, "Plan", "Reads only, and makes a plan", config.PlanEnabled.In(set)},
	} {
		isAllowed := m.isPossible && (m.Mode <= policy.Default || w.live.Project.IsTrusted())
		if isAllowed || m.Mode == current {
			list.Available = append(list.Available, schema.Mode{ID: m.String(), Name: m.name, Description: m.description})
		}
	}
	return list
}

// maxModels is how many models the client gets. The others can be named.
const maxModels = 60

// auto is the model that leaves the choice to Pollux, among Google's.
const auto = "auto"

// modelsOf returns the models of the providers that are set up, the current one included.
func (c *chat) modelsOf(w *work) *schema.Models {
	now := w.live.Models.Current()
	list := &schema.Models{Current: now.Model}
	if w.live.Models.IsGoogle() {
		list.Available = append(list.Available, schema.Model{ID: auto, Name: "Auto", Description: "Pollux chooses a model for each prompt"})
		if strings.HasPrefix(now.Requested, auto) {
			list.Current = auto
		}
	}
	c.mu.Lock()
	if c.model != "" {
		list.Current = c.model
	}
	c.mu.Unlock()
	has := func(id string) bool {
		return slices.ContainsFunc(list.Available, func(m schema.Model) bool { return m.ID == id })
	}
	for _, m := range w.live.Models.KnownModels() {
		if len(list.Available) < maxModels && !has(m.Name) {
			list.Available = append(list.Available, schema.Model{ID: m.Name, Name: m.Name, Description: models.Facts(m)})
		}
	}
	if !has(list.Current) {
		list.Available = append(list.Available, schema.Model{ID: list.Current, Name: list.Current})
	}
	return list
}

// tellState tells the client when the mode or the model is another one, no matter how it was changed.
func (c *chat) tellState() {
	c.telling.Lock()
	defer c.telling.Unlock()
	w := c.current()
	mode := w.live.Rulebook.Mode().String()
	model := c.modelName(w)
	effort := w.live.Models.Effort(model)
	c.mu.Lock()
	before := c.told
	hasBegun := c.hasBegun
	if hasBegun {
		c.told.mode, c.told.model, c.told.effort = mode, model, effort
	}
	c.mu.Unlock()
	if !hasBegun || before.mode == mode && before.model == model && before.effort == effort {
		return
	}
	if before.mode != mode {
		c.send(schema.ModeUpdate{Kind: schema.ModeChanged, Current: mode})
		if c.server.IsGemini {
			c.say("[MODE_UPDATE] " + mode)
		}
	}
	c.send(schema.OptionsUpdate{Kind: schema.OptionsKnown, Options: optionsOf(w, modesOf(w), c.modelsOf(w))})
}

// modelName returns the id of the current model.
func (c *chat) modelName(w *work) string {
	c.mu.Lock()
	chosen := c.model
	c.mu.Unlock()
	now := w.live.Models.Current()
	switch {
	case chosen != "":
		return chosen
	case strings.HasPrefix(now.Requested, auto) && w.live.Models.IsGoogle():
		return auto
	}
	return now.Model
}

// setMode switches the approval mode, at once.
func (s *server) setMode(p schema.OfSession) wire.Answer {
	c, err := s.find(p.SessionID)
	if err == nil {
		err = c.switchMode("modeId", p.ModeID)
	}
	if err != nil {
		return wire.Fail(err)
	}
	return func(context.Context) (any, func(), error) { return schema.Empty{}, c.tellState, nil }
}

func (c *chat) switchMode(field, id string) error {
	w := c.current()
	m, err := policy.ParseMode(id)
	if err != nil {
		var ids []string
		for _, known := range modesOf(w).Available {
			ids = append(ids, known.ID)
		}
		return invalid(field, "There is no mode "+terminal.Cut(terminal.Line(id), 100)+". The modes are "+strings.Join(ids, ", ")+".")
	}
	if err = w.live.Rulebook.SetMode(m); err != nil {
		return invalid(field, terminal.Line(err.Error()))
	}
	w.driver.Recheck() // questions that the mode answers
	return nil
}

// setModel makes another model answer.
func (s *server) setModel(p schema.OfSession) wire.Answer {
	c, err := s.find(p.SessionID)
	if err != nil {
		return wire.Fail(err)
	}
	return func(ctx context.Context) (any, func(), error) {
		if err := c.chooseModel(ctx, "modelId", p.ModelID); err != nil {
			return nil, nil, err
		}
		return schema.Empty{}, c.tellState, nil
	}
}

// setOption sets the mode, the model, or how much it thinks.
func (s *server) setOption(p schema.OfSession) wire.Answer {
	c, err := s.find(p.SessionID)
	if err != nil {
		return wire.Fail(err)
	}
	var value string
	if json.Unmarshal(p.Value, &value) != nil {
		return wire.Fail(invalid("value", "It is not a text."))
	}
	return func(ctx context.Context) (any, func(), error) {
		var err error
		switch p.OptionID {
		case modeOption:
			err = c.switchMode("value", value)
		case modelOption:
			err = c.chooseModel(ctx, "value", value)
		case effortOption:
			err = c.chooseEffort(value)
		default:
			err = invalid("configId", "There is no such option. The options are mode, model and effort.")
		}
		if err != nil {
			return nil, nil, err
		}
		w := c.current()
		return schema.Options{Options: optionsOf(w, modesOf(w), c.modelsOf(w))}, c.tellState, nil
	}
}

// chooseEffort sets how much the current model thinks, from the next request on.
func (c *chat) chooseEffort(level string) error {
	w := c.current()
	model := c.modelName(w)
	levels := effortsOf(w, model)
	if len(levels) == 0 {
		return invalid("configId", "The model "+terminal.Line(model)+" has no levels of thinking.")
	}
	if level != defaultEffort && !slices.Contains(levels, level) {
		return invalid("value", "The model "+terminal.Line(model)+" has no level "+terminal.Cut(terminal.Line(level), 100)+". It has "+strings.Join(levels, ", ")+".")
	}
	if level == defaultEffort {
		level = ""
	}
	w.live.Models.UseEffort(model, level)
	return nil
}

// chooseModel makes another model answer from the next turn on. A model that the provider does not have is an error.
func (c *chat) chooseModel(ctx context.Context, field, id string) error {
	w := c.current()
	if id = strings.TrimSpace(id); id != auto {
		if _, err := w.live.Models.Resolve(id); err != nil {
			return invalid(field, terminal.Line(err.Error()))
		}
		found, err := w.live.Models.CheckName(ctx, id)
		if err == nil && !found.IsListed {
			text := found.Provider + " has no model " + terminal.Cut(terminal.Line(id), 100) + "."
			if len(found.Close) > 0 {
				text += " It has " + strings.Join(found.Close, ", ") + "."
			}
			return invalid(field, text)
		}
	}
	c.mu.Lock()
	c.model = id
	c.mu.Unlock()
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
		if err := c.applyModel(); err != nil {
			return invalid(field, terminal.Line(err.Error()))
		}
	default: // the turn in progress does it at its end
	}
	return nil
}

// applyModel makes the model answer that the client has chosen, between two turns.
func (c *chat) applyModel() error {
	c.mu.Lock()
	id := c.model
	c.model = ""
	c.mu.Unlock()
	if id == "" {
		return nil
	}
	if _, err := c.current().live.SetModel(id); err != nil {
		c.note(err.Error())
		return err
	}
	return nil
}

// isForTerminals reports whether a command makes no sense in an editor, by the first word of its name: it is about the
// screen or the keys, asks for secrets, or exchanges the conversation that the editor shows.
func isForTerminals(name string) bool {
	return slices.Contains([]string{"auth", "chat", "clear", "copy", "editor", "footer", "ide", "prompts", "quit", "resume", "rewind", "shortcuts", "terminal-setup", "theme", "vim"}, name)
}

// tellCommands tells the client the commands that a prompt can begin with, if they are others than it knows.
func (c *chat) tellCommands() {
	c.telling.Lock()
	defer c.telling.Unlock()
	w := c.current()
	list := schema.Commands{Kind: schema.CommandsKnown, Commands: []schema.Command{}}
	for _, row := range slash.Commands() {
		if !row.IsPlanned && !isForTerminals(row.Name) {
			list.Commands = append(list.Commands, commandOf(row))
		}
	}
	for _, added := range w.names.Commands.Added() {
		list.Commands = append(list.Commands, commandOf(added.Command))
	}
	data, err := json.Marshal(list)
	if err != nil {
		return
	}
	c.mu.Lock()
	isKnown := string(c.told.commands) == string(data)
	c.told.commands = data
	c.mu.Unlock()
	if !isKnown {
		c.send(list)
	}
}

// commandOf describes a command. Its hint has the arguments, or the words that can follow it.
func commandOf(row *manage.Command) schema.Command {
	cmd := schema.Command{Name: terminal.Line(row.Name), Description: terminal.Line(row.Summary)}
	hint := terminal.Line(row.Args)
	if hint == "" {
		var words []string
		for _, sub := range row.Subs {
			words = append(words, terminal.Line(sub.Name))
		}
		hint = strings.Join(words, "|")
	}
	if hint != "" {
		cmd.Input = &schema.Hint{Hint: hint}
	}
	return cmd
}
