// Package pollux embeds the agent in a Go program: what the command does for a
// prompt, as a function call.
//
//	a, err := pollux.New(pollux.Options{Dir: "."})
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	for event, err := range a.Run(ctx, "Explain this project") {
//		if err != nil {
//			return err
//		}
//		if text, ok := event.(agent.Text); ok {
//			fmt.Print(text.Text)
//		}
//	}
//
// The kinds of events, and what a consumer may answer to them, are those of
// package agent; a tool of one's own implements package tool; a model of one's
// own implements package llm.
package pollux

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// Options are how an agent is to work. The zero value works in the current
// directory, with the model and the credentials that the environment names,
// and does nothing that changes anything.
type Options struct {
	// Dir is the directory to work in; "" is the current one.
	Dir string
	// Home is where Pollux keeps its files and reads the user's settings; "" is
	// the user's own home directory.
	Home string
	// Model is a model's name or alias; "" leaves it to environment and settings.
	Model string
	// Generator, where set, is the model itself, and no credentials are needed.
	Generator llm.Generator
	// Tools are tools of the program's own.
	Tools []tool.Tool
	// Approve says what may run unasked.
	Approve Approve
	// Ask says that the consumer of the events answers each agent.ToolAsked.
	// Without it what would have to be asked is refused.
	Ask bool
	// Editor returns what the person has open in an editor, false where there is
	// none; nil is for no editor. The model is told with each prompt what has
	// changed since the one before. It is called on the goroutine that runs.
	Editor func() (EditorState, bool)
	// Log takes what only debugging needs; nil drops it.
	Log *slog.Logger
}

// EditorState is what an editor has open, EditorFile one file, and EditorCursor a
// place in it.
type (
	EditorState  = editor.State
	EditorFile   = editor.File
	EditorCursor = editor.Cursor
)

// Approve says what may run unasked.
type Approve int

// The choices.
const (
	Reads      Approve = iota // what changes nothing
	Edits                     // that, and edits of files in the workspace
	Everything                // all that the model asks for
)

// Agent is one conversation.
type Agent struct {
	app *app.App
}

// New returns an agent at the start of its conversation. The directory counts
// as trusted: a program that names it has decided so.
func New(o Options) (*Agent, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find directory %s: %w", o.Dir, err)
	}
	env := config.Environ()
	if o.Home != "" {
		env = env.With("GEMINI_CLI_HOME=" + o.Home)
	}
	paths := config.NewPaths(env, dir)
	settings, _, err := config.Load(config.Sources{Paths: paths, Env: env})
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	env, warnings := config.WithDotEnv(env, settings, paths)
	for _, w := range warnings {
		o.Log.Warn(string(w))
	}
	a, err := app.New(context.Background(), app.Options{
		Settings: settings, Env: env, Paths: paths,
		Model:     config.Model(o.Model, env, settings),
		Named:     config.NamedModel(o.Model, env, settings) != "",
		SessionID: uuid.NewString(),
		Mode:      map[Approve]policy.Mode{Reads: policy.Default, Edits: policy.AutoEdit, Everything: policy.Yolo}[o.Approve],
		Trusted:   true, Interactive: o.Ask,
		Generator: o.Generator, Tools: o.Tools, Editor: o.Editor,
		UserAgent: "Pollux/embedded/{model}",
		Warn:      func(text string) { o.Log.Warn(text) },
		Log:       o.Log,
	})
	if err != nil {
		return nil, err
	}
	return &Agent{app: a}, nil
}

// Run puts a prompt to the model and works until the model has no more to ask
// for. See [agent.Agent.Run].
func (a *Agent) Run(ctx context.Context, prompt string) iter.Seq2[agent.Event, error] {
	return a.app.Agent.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text(prompt)}})
}

// History returns the conversation so far.
func (a *Agent) History() []agent.Message { return a.app.Agent.History() }

// Close ends what the agent has left running in the background.
func (a *Agent) Close() { a.app.Close() }
