package demo

import (
	"context"
	"iter"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/session"
)

// startSession opens a session for the demo and runs its prompt. The session uses the home, the
// address and the key of the demo instead of the user's settings and credentials.
func startSession(ctx context.Context, env *config.Env, version string, s Setup) (iter.Seq2[agent.Event, error], error) {
	// The tests of the demo project are a shell script. Add the directories of the shell, in
	// case PATH does not contain them.
	path := strings.TrimPrefix(env.Get("PATH")+":/usr/bin:/bin", ":")
	own := config.NewEnv("PATH="+path, "HOME="+s.Home, "TMPDIR="+env.Get("TMPDIR"), "LANG="+env.Get("LANG"),
		"GEMINI_API_KEY="+s.APIKey, "GOOGLE_GEMINI_BASE_URL="+s.BaseURL)
	live, err := session.Open(ctx, session.Options{Project: project.Options{
		Dir: s.Dir, Env: own, Model: s.Model, ApprovalMode: "yolo", Folder: trust.Trusted, Version: version,
	}})
	if err != nil {
		return nil, err
	}
	events := live.Run(ctx, agent.TextPrompt(s.Prompt))
	return func(yield func(agent.Event, error) bool) {
		defer live.Close()
		events(yield)
	}, nil
}
