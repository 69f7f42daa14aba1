package cli

import (
	"context"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/editor/external"
	"pollux/internal/exit"
	"pollux/internal/face/plain"
	"pollux/internal/guard/trust"
	"pollux/internal/memory"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Interactive talks with the person at the terminal, in lines, until they leave. The
// face is there first, so that what must be settled before the session can begin,
// trust in the folder and credentials, can be asked for.
func Interactive(ctx context.Context, req Request) error {
	interrupts, release := req.CatchInterrupts()
	defer release()
	c := &conversation{}
	c.face = plain.New(plain.Options{Terminal: req.Terminal, Interrupts: interrupts, Prepare: c.prepare})
	screen := *req.Terminal
	screen.Err = warnings{c.face}
	c.req = req
	c.req.Terminal = &screen
	defer c.close()
	return c.face.Run(ctx)
}

// warnings is standard error of an interactive session: whole lines, which come
// between what the face has to say.
type warnings struct{ face *plain.Face }

func (w warnings) Write(b []byte) (int, error) {
	if text := strings.TrimRight(string(b), "\n"); text != "" {
		w.face.Warn(text)
	}
	return len(b), nil
}

// conversation is an interactive session.
type conversation struct {
	req  Request
	face *plain.Face

	session  *session // nil until it is settled, as are the others
	app      *app.App
	commands *slash.Session
	// policies is what was said about the project's.
	policies *bool
}

func (c *conversation) close() {
	if c.app != nil {
		c.app.Close()
	}
	if c.session != nil {
		c.session.close()
	}
}

// prepare settles what applies here, puts an agent together and says what the face
// works with.
func (c *conversation) prepare(ctx context.Context) (plain.Options, error) {
	h, err := settle(c.req, func(h *session, s *config.Settings) (trust.State, error) { return c.askTrust(ctx, h, s) })
	if err != nil {
		return plain.Options{}, err
	}
	c.session = h
	if !h.settings.Trusted() {
		h.warn("This folder is untrusted, project settings, hooks, MCPs, and GEMINI.md files will not be applied for this folder.\n" +
			"Use the `/permissions` command to change the trust level.")
	}
	if err := c.assemble(ctx); err != nil {
		if ctx.Err() != nil { // the person had enough of being asked
			err = exit.Errorf(exit.Interrupted, "Nothing was started.")
		}
		return plain.Options{}, err
	}
	h.log.Debug("start", "version", h.req.Version(), "dir", h.paths.Dir(), "settings", h.settings.UserFile(),
		"model", h.model, "approval", h.mode.String(), "auth", c.app.Auth().Type, "session", h.req.SessionID)
	c.commands = h.commands(c.app, c.face.Ask)
	c.commands.Shortcuts = plain.Shortcuts
	return c.options(), nil
}

// assemble puts the agent together. Where nobody answers for lack of a key, the
// person may store one, and is answered by its provider.
func (c *conversation) assemble(ctx context.Context) error {
	o := c.session.app()
	err := c.build(ctx, o)
	if exit.CodeOf(err) != exit.Auth || ctx.Err() != nil || auth.CheckNetwork(o.Env) != nil {
		return err
	}
	c.face.Warn(err.Error())
	command := auth.Command{Inputs: auth.Inputs{Settings: o.Settings, Env: o.Env}, Paths: o.Paths}
	chosen, said, again := command.SignIn(ctx, c.face.Ask)
	if again != nil {
		return again
	}
	c.face.Warn(said)
	if again = c.session.renew(chosen); again != nil {
		return again
	}
	o = c.session.app()
	o.Warn = func(string) {} // it has been warned of
	if again = c.build(ctx, o); again != nil && again.Error() == err.Error() {
		return told{again}
	}
	return again
}

func (c *conversation) build(ctx context.Context, o app.Options) (err error) {
	o.Interactive = true
	o.AcceptPolicies = func(dir string) bool {
		if c.policies == nil {
			accepted := c.acceptPolicies(ctx, dir)
			c.policies = &accepted
		}
		return *c.policies
	}
	c.app, err = app.New(ctx, o)
	return err
}

// acceptPolicies asks whether a project's policies count.
func (c *conversation) acceptPolicies(ctx context.Context, dir string) bool {
	const yes = "Use them"
	answer, err := c.face.Ask(ctx, &tool.QuestionConfirmation{Title: "Policies", Questions: []tool.Question{{
		Text:   "This project brings policies along, which are new or were changed: they decide what runs without asking. They are in\n" + dir,
		Header: "Policies", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{
			{Label: yes, Description: "Until they change"},
			{Label: "Leave them out", Description: "For this session; you are asked again"},
		},
	}}})
	return err == nil && answer.Outcome != tool.Cancel && answer.Reply != nil && answer.Reply.Answers["0"] == yes
}

// askTrust asks whether the folder is trusted.
func (c *conversation) askTrust(ctx context.Context, h *session, s *config.Settings) (trust.State, error) {
	level, err := slash.AskTrust(ctx, c.face.Ask, h.trust(s), h.req.Env, memory.Names(config.MemoryNames.In(s)))
	switch {
	case err != nil:
		return trust.Unknown, err
	case level == "":
		return trust.Unknown, exit.Errorf(exit.Interrupted, "Nothing was decided about this folder, so nothing was started.")
	}
	return h.decide(s)
}

// options are what the face works with.
func (c *conversation) options() plain.Options {
	h, a := c.session, c.app
	return plain.Options{
		Run: a.Run,
		Expand: func(ctx context.Context, text string) (agent.Prompt, []string, error) {
			return expand(ctx, a, text)
		},
		Command: func(line string) (known, busy bool) {
			call, known := slash.Lookup(line)
			return known, known && call.Command.Busy
		},
		Do: func(ctx context.Context, line string) (slash.Result, error) {
			r, _, err := c.commands.Run(ctx, line)
			return r, err
		},
		Meant:    slash.Meant,
		Shell:    a.Typed,
		First:    h.req.Query,
		Welcome:  terminal.Line(fmt.Sprintf("Pollux %s in %s, with %s", h.req.Version(), h.paths.Dir(), a.Model())),
		Farewell: c.commands.Farewell,

		Offers: a.Offers, SavedIn: a.SavedIn(), Allowed: a.Allowed,
		Mode: func() string { return a.Mode().String() },
		Title: func(name string) string {
			for _, s := range a.Tools() {
				if s.Name == name {
					return s.DisplayName
				}
			}
			return ""
		},
		Editor:    pen{c},
		Stats:     a.Stats,
		Thoughts:  config.InlineThinking.In(h.settings) == "full",
		Spoken:    config.ScreenReader.In(h.settings),
		QuotaHint: func() string { return quotaHint(a.Auth()) },
		Debug:     h.debug(),
	}
}

// pen is the person's editor, as the settings are when it is needed. What a
// project's .env says plays no part.
type pen struct{ c *conversation }

func (p pen) editor() *external.Editor {
	env, settings := p.c.req.Env, p.c.commands.Current()
	return external.New(external.Options{
		Preferred: config.PreferredEditor.In(settings), NewWindow: config.EditorInNewWindow.In(settings),
		Visual: env.Get("VISUAL"), Editor: env.Get("EDITOR"),
		Environ: env.List(), Terminal: p.c.req.Terminal,
	})
}

func (p pen) Open(ctx context.Context, path string) error { return p.editor().Open(ctx, path) }

func (p pen) Text(ctx context.Context, text string) (string, error) {
	return p.editor().Text(ctx, text)
}

func (p pen) Change(ctx context.Context, name, before, after string) (string, error) {
	return p.editor().Change(ctx, name, before, after)
}
