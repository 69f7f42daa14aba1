package cli

import (
	"context"
	"iter"
	"log/slog"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/demo"
	"pollux/internal/guard/policy"
	"pollux/internal/terminal"
	"pollux/llm"
)

// Demo is the subcommand that shows Pollux at work on a scripted model.
func Demo(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch Pollux find and mend a bug: no key and no network needed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo.Run(cmd.Context(), demo.Options{
				Out: t.Out, Keep: keep, Live: t.OutTTY, Colour: t.OutColor(),
				Start: func(ctx context.Context, s demo.Setup) (iter.Seq2[agent.Event, error], error) {
					return startDemo(ctx, env, s)
				},
			})
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "Keep the project, and say where it is")
	return cmd
}

// startDemo puts an agent together as a headless run does, but with nothing of
// the user's: an empty home, no settings, the scripted model's address.
func startDemo(ctx context.Context, env *config.Env, s demo.Setup) (iter.Seq2[agent.Event, error], error) {
	// The project's tests are a shell script: it needs a shell where PATH has none.
	path := strings.TrimPrefix(env.Get("PATH")+":/usr/bin:/bin", ":")
	own := config.NewEnv("PATH="+path, "HOME="+s.Home, "TMPDIR="+env.Get("TMPDIR"), "LANG="+env.Get("LANG"),
		"GEMINI_API_KEY="+s.APIKey, "GOOGLE_GEMINI_BASE_URL="+s.BaseURL)
	paths := config.NewPaths(own, s.Dir)
	settings, _, err := config.Load(config.Sources{Paths: paths, Env: own})
	if err != nil {
		return nil, err
	}
	a, err := app.New(ctx, app.Options{
		Settings: settings, Env: own, Paths: paths,
		Model: s.Model, SessionID: uuid.NewString(), Mode: policy.Yolo, Trusted: true,
		UserAgent: userAgent(func() string { return version(env) }, env),
		Warn:      func(string) {}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	events := a.Agent.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text(s.Prompt)}})
	return func(yield func(agent.Event, error) bool) {
		defer a.Close()
		events(yield)
	}, nil
}
