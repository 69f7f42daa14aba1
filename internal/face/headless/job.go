package headless

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/project"
	"pollux/internal/sandbox"
	"pollux/internal/session"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Job is a run of one prompt.
type Job struct {
	// Session holds the options of the session.
	Session session.Options
	// Input describes the sources of the prompt.
	Input Input
	// Options configures the rendering. RunJob sets Format, Debug, Model, Prompt,
	// Place, Stats and LeftOut from the session.
	Options Options
	// Terminal is the terminal that / commands use.
	Terminal *terminal.Terminal
}

// RunJob opens a session, reads the prompt and renders the run. It returns the errors
// of [Run], or the error of [project.Open], which the user has not seen.
func RunJob(ctx context.Context, j Job) error {
	_, j.Session.Offline = slash.Lookup(j.Input.Argument) // / commands can work without a model
	setup, err := project.Open(ctx, j.Session.Project)
	if err != nil {
		return err
	}
	defer setup.Close()
	began := false
	defer func() {
		if !began {
			setup.AbandonWorktree(ctx)
		}
	}()
	o := j.Options
	o.Format, o.Debug, o.Model = Format(config.OutputFormat.In(setup.Settings())), setup.Debugging(), setup.Model
	// Check credentials first: do not wait for standard input if no model can answer.
	s, err := session.Start(ctx, setup, j.Session)
	if err != nil {
		return RenderFailure(o, err)
	}
	defer s.Close()
	j.Input.Wait = time.Duration(config.StdinWait.In(s.Project.Settings()) * float64(time.Second))
	j.Input.Fit = s.Composer.FitInput
	text, err := ReadPrompt(ctx, j.Input)
	if err != nil {
		return RenderFailure(o, err)
	}
	o.LeftOut, o.Sandbox = s.Project.LeftOut(), s.Project.Sandbox.Name(sandbox.Name, s.Project.Options.Env.Get("SANDBOX"))
	o.SessionID = s.ID() // that of a resumed session
	o.Names, o.IsWatched = kit.NamesOf(s), o.IsWatched && !config.ScreenReader.In(s.Project.Settings())
	o.Prompt, o.Stats, o.Place = text, s.Observers.Stats, func(model string) wording.Place { return s.Place(false, model) }
	if now := s.Models.Current(); now.Account.Profile != nil && !catalog.IsGemini(now.Model) {
		o.Model = now.Model // other providers do not know Gemini's aliases
	}
	o.ShowCitations = config.ShowCitations.In(s.Project.Settings())
	o.Unfinished = exit.Code(config.ExitUnfinished.In(s.Project.Settings()))
	commands := &slash.Runner{Session: s, Terminal: j.Terminal}
	prompt, answer, err := runCommand(ctx, commands, text)
	switch {
	case err != nil:
		return RenderFailure(o, err)
	case answer != "":
		return RenderAnswer(o, answer)
	}
	began = true
	defer tellEnded(o.Err, s)
	defer tellRefused(o.Err, s)
	err = Run(ctx, o, s.Run(ctx, prompt))
	switch hints := s.Farewell.WorktreeHints(); {
	case hints != "":
		fmt.Fprintln(o.Err, hints)
	case s.Record.IsRecorded() && (ctx.Err() != nil || o.Format == Text && isWorthResuming(s, err)):
		fmt.Fprintln(o.Err, "To go on: "+s.Farewell.ResumeCommand()+` -p "Continue."`)
	}
	return err
}

// isWorthResuming reports whether err is a failed request that may succeed later, and the model has
// answered before: otherwise the user can run the same command again.
func isWorthResuming(s *session.Session, err error) bool {
	failure, _ := errors.AsType[*llm.Error](err)
	return failure != nil && failure.Retryable() &&
		slices.ContainsFunc(s.History(), func(m agent.Message) bool { return m.Content.Role == llm.RoleModel })
}

// tellRefused lists the permissions that the sandbox has refused commands. The model need not report them.
func tellRefused(w io.Writer, s *session.Session) {
	if wishes := s.Project.Sandbox.Refused(); len(wishes) > 0 {
		fmt.Fprintln(w, refused(wishes))
	}
}

// refused returns the line about permissions that the sandbox has refused, with the settings that can allow them.
func refused(wishes []sandbox.Wish) string {
	const most = 5
	remedy := ""
	for _, way := range sandbox.Ways(wishes) {
		if remedy == "" {
			remedy = way.Setting + " can allow " + way.Allows + ", "
		} else {
			remedy += way.Setting + " " + way.Allows + ", "
		}
	}
	if remedy == "" {
		remedy = "--no-sandbox allows all"
	} else {
		remedy += "--no-sandbox all"
	}
	var texts []string
	for _, wish := range wishes[:min(len(wishes), most)] {
		texts = append(texts, wish.Text)
	}
	if n := len(wishes) - most; n > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", n))
	}
	return terminal.Line("The sandbox refused commands: " + strings.Join(texts, "; ") + ". " + remedy + "; see pollux sandbox log.")
}

// tellEnded lists the background commands that end with the session, and the processes that do not.
func tellEnded(w io.Writer, s *session.Session) {
	var names []string
	add := func(command string, pid int) {
		name := []rune(strings.Join(strings.Fields(terminal.Clean(command)), " "))
		if len(name) > maxCommand {
			name = append(name[:maxCommand], []rune("...")...)
		}
		names = append(names, fmt.Sprintf("%s (PID %d)", string(name), pid))
	}
	for _, l := range s.Processes.Left() {
		for _, pid := range l.Apart() {
			add(l.Command, pid)
		}
	}
	if len(names) > 0 {
		fmt.Fprintln(w, "Still running, because it left the session of its command: "+strings.Join(names, ", "))
	}
	names = nil
	listed := map[int]bool{}
	for _, c := range s.Processes.List() {
		if !c.Exited && !c.IsOrphan {
			add(c.Command, c.PID)
			listed[c.PID] = true
		}
	}
	for _, l := range s.Processes.Left() {
		if !listed[l.PID()] && l.Stays() {
			add(l.Command, l.PID())
		}
	}
	switch len(names) {
	case 0:
	case 1:
		fmt.Fprintln(w, "Stopped the background command "+names[0])
	default:
		fmt.Fprintf(w, "Stopped %d background commands: %s\n", len(names), strings.Join(names, ", "))
	}
}

// maxCommand is the number of characters of a command that tellEnded shows.
const maxCommand = 60

// runCommand runs a prompt that is a / command. It returns the output of the command as the answer, or a prompt that
// the command makes. It returns any other prompt unchanged.
func runCommand(ctx context.Context, commands *slash.Runner, text string) (prompt agent.Prompt, answer string, err error) {
	r, known, err := commands.Run(ctx, text)
	switch {
	case ctx.Err() != nil:
		return agent.Prompt{}, "", context.Cause(ctx)
	case err != nil:
		return agent.Prompt{}, "", err
	case !known:
		if reason := commands.Unknown(text); reason != "" {
			commands.Session.Project.Warn("Warning: " + reason + " Pollux sends it to the model as text.")
		}
		return agent.TextPrompt(text), "", commands.Session.Models.Unreachable()
	case r.Failed:
		return agent.Prompt{}, "", r.Err
	}
	switch answer = r.Markdown(commands.Width()); {
	case r.Prompt == nil:
		return agent.Prompt{}, cmp.Or(answer, "Done."), nil
	case answer != "":
		commands.Session.Project.Warn(answer)
	}
	return *r.Prompt, "", commands.Session.Models.Unreachable()
}
