package plain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

// ask shows the question and returns the user's answer.
func (d *dialog) ask() (tool.Answer, error) {
	ask := d.askFunc()
	if ask == nil {
		return tool.Answer{}, errors.New("unknown kind of question")
	}
	return ask()
}

// askFunc returns the function that asks this kind of question, nil for an unknown
// kind.
func (d *dialog) askFunc() func() (tool.Answer, error) {
	switch c := d.q.details.(type) {
	case *tool.EditConfirmation:
		return func() (tool.Answer, error) { return d.confirmEdit(c) }
	case *tool.ExecConfirmation:
		return func() (tool.Answer, error) { return d.confirmExec(c) }
	case *tool.InfoConfirmation:
		return func() (tool.Answer, error) { return d.confirmInfo(c) }
	case *tool.RemoteConfirmation:
		return func() (tool.Answer, error) { return d.confirmRemote(c) }
	case *tool.PlanConfirmation:
		return func() (tool.Answer, error) { return d.confirmPlan(c) }
	case *tool.QuestionConfirmation:
		return func() (tool.Answer, error) { return d.askQuestions(c) }
	}
	return nil
}

// confirmOption is a choice with the outcome that it stands for.
type confirmOption struct {
	choice
	outcome tool.Outcome
}

// Numbers of lines shown at first of a diff, a command and a plan.
const (
	longDiff    = 200
	longCommand = 200
	longPlan    = 400
)

var (
	refuseOption = confirmOption{
		choice{key: "n", label: "No, tell the model what to do differently", help: "You can then type what to do instead."},
		tool.Cancel,
	}
	onceOption = confirmOption{choice{key: "y", label: "Allow once", help: "Pollux asks again the next time."}, tool.ProceedOnce}
)

// confirmOptions returns the options for a call: allow once, the lasting answers that are offered,
// those of more, and refuse. saved is the label of the answer for all future sessions.
func confirmOptions(offers []tool.Offer, saved string, more ...confirmOption) []confirmOption {
	list := []confirmOption{onceOption}
	for _, o := range offers {
		list = append(list, lastingOption(o, saved))
	}
	return append(append(list, more...), refuseOption)
}

// lastingOption returns the option for a lasting answer.
func lastingOption(o tool.Offer, saved string) confirmOption {
	rule := terminal.Line(o.Rule)
	c := choice{key: "a", label: "Allow for this session", help: "Until you quit, Pollux does not ask about: " + rule + "."}
	switch o.Outcome {
	case tool.ProceedAlwaysTool:
		c.key, c.label = "t", "Allow this tool for this session"
	case tool.ProceedAlwaysServer:
		c.key, c.label = "l", "Allow all tools of this server for this session"
	case tool.ProceedAlwaysAndSave:
		c.key, c.label = "s", saved+", rule: "+rule
		if o.SavedIn != "" {
			c.label += ", saved in " + terminal.Line(o.SavedIn)
		}
		c.help = "Pollux does not ask about this again, in later sessions too."
	}
	if len(o.Runners) > 0 {
		c.label += " (" + terminal.Line(strings.Join(o.Runners, ", ")) + " can run other programs)"
	}
	c.isDefault = o.IsFirst
	return confirmOption{c, o.Outcome}
}

// chooseOutcome asks for one of the options and returns its outcome.
func (d *dialog) chooseOutcome(list []confirmOption, help string) (tool.Outcome, error) {
	choices := make([]choice, len(list))
	for i, c := range list {
		choices[i] = c.choice
		if c.outcome == tool.Cancel && d.q.call == nil {
			choices[i].label, choices[i].help = "No", "Nothing runs, and nothing is sent to the model."
		}
	}
	n, err := d.choose(choices, help)
	if err != nil {
		return "", err
	}
	return list[n].outcome, nil
}

// answerFor returns the answer with this outcome. If the user refuses a call, it asks
// for feedback to the model.
func (d *dialog) answerFor(outcome tool.Outcome) (tool.Answer, error) {
	a := tool.Answer{Outcome: outcome}
	if outcome != tool.Cancel || d.q.call == nil {
		return a, nil
	}
	var err error
	a.Feedback, err = d.readText("What should the model do instead? Enter alone stops it: ", textAnswer, textHelp)
	return a, err
}

// viewAll is the pseudo-outcome that shows the whole text and asks again.
const viewAll tool.Outcome = "view"

// viewOption returns the option that shows the hidden lines, none if there are no such
// lines.
func viewOption(hidden int) []confirmOption {
	if hidden == 0 {
		return nil
	}
	return []confirmOption{{choice{key: "v", label: fmt.Sprintf("Show all (%d more lines)", hidden), help: "Pollux then asks again."}, viewAll}}
}

// indent precedes each line of the model's text, so that it cannot pass for a line of
// Pollux.
const indent = "  "

// showText writes at most so many lines of a text, 0 for all of them, and returns the
// number of hidden lines. It warns if the text has characters that cannot be shown.
func (d *dialog) showText(text string, most int) (hidden int) {
	return d.showLines(text, most, d.screen.line)
}

// showCode is showText for a text whose lines must not be broken.
func (d *dialog) showCode(text string, most int) (hidden int) {
	return d.showLines(text, most, d.screen.verbatim)
}

func (d *dialog) showLines(text string, most int, write func(string)) (hidden int) {
	lines, hidden := firstLines(text, most, 0)
	write(indent + strings.Join(append(lines, omittedLines(hidden)...), "\n"+indent))
	if !isShownUnchanged(text) {
		d.print("Warning: the text above has characters that cannot be shown.")
	}
	return hidden
}

// isShownUnchanged reports whether a text has no characters that are removed before it
// is shown.
func isShownUnchanged(text string) bool {
	return terminal.Text(text) == strings.ReplaceAll(text, "\r\n", "\n")
}

func (d *dialog) confirmEdit(c *tool.EditConfirmation) (tool.Answer, error) {
	d.printTitle(c.Title)
	text := diffText(&c.DiffDisplay, d.backend.ScreenReader)
	d.print("File: " + d.shortPath(c.FilePath) + ", " + countChanges(c.Diff))
	hidden := d.showCode(text, longDiff)
	d.showApproval(&c.Approval)
	for {
		d.print("Apply this change?")
		var also []confirmOption
		if c.Modifiable {
			also = append(also, confirmOption{choice{key: "e", label: "Modify with external editor", help: "Pollux then asks about your version."}, tool.ModifyWithEditor})
		}
		outcome, err := d.chooseOutcome(confirmOptions(c.Offers, "Allow for this file in all future sessions", append(also, viewOption(hidden)...)...), c.Reason)
		if err != nil {
			return tool.Answer{}, err
		}
		switch outcome {
		case viewAll:
			hidden = d.showCode(text, 0)
		case tool.ModifyWithEditor:
			if edited, ok := d.editChange(c); ok {
				return tool.Answer{Outcome: outcome, Content: &edited}, nil
			}
		default:
			return d.answerFor(outcome)
		}
	}
}

// shortPath returns a path in the form that people read.
func (f *Face) shortPath(path string) string {
	if f.backend.ShortPath != nil {
		path = f.backend.ShortPath(path)
	}
	return terminal.Line(path)
}

// noEditor is the message for a missing external editor.
const noEditor = "No editor is available. Choose one with /editor."

// editChange opens a proposed change in the external editor and returns the user's
// version; ok is false if there is none.
func (d *dialog) editChange(c *tool.EditConfirmation) (edited string, ok bool) {
	if d.backend.Editor == nil {
		d.print(noEditor)
		return "", false
	}
	before := ""
	if c.Before != nil {
		before = *c.Before
	}
	if text := d.backend.Editor.Leaving(); text != "" {
		d.print(terminal.Line(text))
	}
	err := d.lend(func() (err error) {
		edited, err = d.backend.Editor.Change(d.ctx, c.FileName, before, c.After)
		return err
	})
	switch {
	case err != nil:
		d.print(terminal.Text(err.Error()))
		return "", false
	case strings.TrimSuffix(edited, "\n") == strings.TrimSuffix(c.After, "\n"):
		d.print("The text is unchanged.")
		return "", false
	}
	return edited, true
}

func (d *dialog) confirmExec(c *tool.ExecConfirmation) (tool.Answer, error) {
	d.printTitle(c.Title)
	hidden := d.showCode(c.Command, longCommand)
	d.showCommands(&c.Reach)
	mode := ""
	if d.backend.Mode != nil {
		mode = d.backend.Mode()
	}
	if hasRedirection(c.Roots) && mode != "autoEdit" && mode != "yolo" {
		d.print("The command redirects its input or output. Mode auto_edit allows that without a question: see /help mode.")
	}
	if len(c.Servers) > 0 {
		d.print("Servers: " + joinBrief(hosts(c.Servers)))
	}
	for i := range c.Servers {
		d.warnServer(&c.Servers[i])
	}
	d.showWarnings(c)
	d.showApproval(&c.Approval)
	for {
		d.print("Run this command?")
		outcome, err := d.chooseOutcome(confirmOptions(c.Offers, "Allow this command for all future sessions", viewOption(hidden)...), c.Reason)
		switch {
		case err != nil:
			return tool.Answer{}, err
		case outcome == viewAll:
			hidden = d.showCode(c.Command, 0)
		default:
			return d.answerFor(outcome)
		}
	}
}

// showWarnings explains why a command can only be allowed once.
func (d *dialog) showWarnings(c *tool.ExecConfirmation) {
	if len(c.UntrustedFlags) > 0 {
		d.print("Warning: these words come from tool output, not from you: " + joinBrief(c.UntrustedFlags))
	}
	if len(c.ModifiedBuildFiles) > 0 {
		d.print("Warning: the command runs code from files that changed in this session: " + joinBrief(c.ModifiedBuildFiles))
	}
}

// showApproval shows what the call reaches, and why the user is asked, if that is not only because of
// the approval mode.
func (d *dialog) showApproval(a *tool.Approval) {
	if len(a.Writes) > 1 {
		d.print("It writes to: " + joinBrief(a.Writes))
	}
	if len(a.Outside) > 0 {
		d.print("Outside the workspace: " + joinBrief(d.shortPaths(a.Outside)))
	}
	if a.Quoted != "" {
		d.print("Warning: these words stand in " + brief(a.Quoted) + ". The model may only repeat them.")
	}
	if a.IsChanged {
		d.print("Warning: a hook has changed this call. The model did not write it like this.")
	}
	switch {
	case a.IsRequired && a.Message == "":
		d.print("A hook requires your approval.")
	case a.IsRequired:
		d.print("A hook requires your approval:")
		d.showText(a.Message, longCommand)
	case a.Reason != "" && !a.IsUsual:
		d.print(terminal.Line(a.Reason))
	}
}

// shortPaths returns absolute paths in the form that people read.
func (d *dialog) shortPaths(paths []string) []string {
	var list []string
	for _, path := range paths {
		list = append(list, d.shortPath(path))
	}
	return list
}

// joinBrief joins up to 20 items of a list that the model wrote, each of them
// shortened.
func joinBrief(list []string) string {
	const most = 20
	var text []string
	for _, item := range list[:min(len(list), most)] {
		text = append(text, brief(item))
	}
	if len(list) > most {
		text = append(text, fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(text, ", ")
}

// showCommands lists the commands of a command line, so that a long line hides no program.
func (d *dialog) showCommands(r *tool.Reach) {
	const most = 20
	list := r.Commands
	if len(list) == 0 {
		return
	}
	d.print(fmt.Sprintf("The line runs %d commands:", r.Total))
	for i, c := range list[:min(len(list), most)] {
		times := ""
		if c.Times > 1 {
			times = fmt.Sprintf(" (%d times)", c.Times)
		}
		d.print(fmt.Sprintf("Command %d: %s%s", i+1, brief(c.Text), times))
	}
	if more := list[min(len(list), most):]; len(more) > 0 {
		d.print(fmt.Sprintf("and %d more: %s", len(more), joinBrief(programs(more))))
	}
}

// programs returns the names of the programs of these commands, each once.
func programs(list []tool.ShellCommand) []string {
	var names []string
	for _, c := range list {
		if !slices.Contains(names, c.Program) {
			names = append(names, c.Program)
		}
	}
	return names
}

// hasRedirection reports whether the roots of a command contain a redirection.
func hasRedirection(roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(root, "redirection") })
}

func titleOf(titleFunc func(string) string, name string) string {
	if titleFunc != nil {
		if t := titleFunc(name); t != "" {
			name = t
		}
	}
	return terminal.Line(name)
}

func (d *dialog) confirmInfo(c *tool.InfoConfirmation) (tool.Answer, error) {
	d.printTitle(c.Title)
	hidden := d.showText(c.Prompt, longPlan)
	if len(c.Servers) > 0 {
		what := "URLs to fetch:"
		if c.IsSent {
			what = "This text is sent to:"
		}
		d.print(what)
	}
	for i := range c.Servers {
		d.print(terminal.Line(c.Servers[i].URL))
		d.warnServer(&c.Servers[i])
	}
	return d.confirmText(c.Prompt, hidden, &c.Approval)
}

// confirmRemote asks about a call of a server's tool.
func (d *dialog) confirmRemote(c *tool.RemoteConfirmation) (tool.Answer, error) {
	d.printTitle(c.Title)
	d.print("MCP server: " + terminal.Line(c.Server))
	d.print("Tool: " + terminal.Line(c.Tool))
	args := string(c.Args)
	var indented bytes.Buffer
	if json.Indent(&indented, c.Args, "", "  ") == nil {
		args = indented.String()
	}
	return d.confirmText(args, d.showText(args, longCommand), &c.Approval)
}

// confirmText asks about a call whose text is shown, but for some hidden lines.
func (d *dialog) confirmText(text string, hidden int, a *tool.Approval) (tool.Answer, error) {
	d.showApproval(a)
	for {
		d.print("Do you want to proceed?")
		outcome, err := d.chooseOutcome(confirmOptions(a.Offers, "Allow for all future sessions", viewOption(hidden)...), a.Reason)
		switch {
		case err != nil:
			return tool.Answer{}, err
		case outcome == viewAll:
			hidden = d.showText(text, 0)
		default:
			return d.answerFor(outcome)
		}
	}
}

// warnServer warns about what can deceive in a URL.
func (d *dialog) warnServer(s *tool.Server) {
	if s.IsLookalike {
		d.print("Warning: this host name can deceive: " + terminal.Line(s.Readable) + " is " + terminal.Line(s.Host))
	}
	if s.HasUser {
		d.print("Warning: the text before the @ is not the host. The host is " + terminal.Line(s.Host))
	}
}

// hosts returns the hosts of these servers, each once; the whole URL where there is no host.
func hosts(servers []tool.Server) []string {
	var list []string
	for _, s := range servers {
		if name := cmp.Or(s.Readable, s.URL); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func (d *dialog) confirmPlan(c *tool.PlanConfirmation) (tool.Answer, error) {
	d.printTitle(c.Title)
	d.print("Plan in " + d.shortPath(c.Path) + ":")
	hidden := d.showText(c.Plan, longPlan)
	for {
		d.print("Ready to start implementation?")
		outcome, err := d.chooseOutcome(append([]confirmOption{
			{choice{key: "a", label: "Yes, automatically accept edits", help: "Pollux carries out the plan and edits files without asking."}, tool.ProceedAlways},
			{choice{key: "y", label: "Yes, manually accept edits", help: "Pollux carries out the plan and asks before each edit."}, tool.ProceedOnce},
			{choice{key: "f", label: "Request changes", help: "The model revises the plan and asks again."}, viewFeedback},
			{choice{key: "e", label: "Edit the plan in your editor", help: "The model reads your version and asks again."}, tool.ModifyWithEditor},
			{choice{key: "n", label: "No", help: "Pollux does not carry out the plan."}, tool.Cancel},
		}, viewOption(hidden)...), "")
		if err != nil {
			return tool.Answer{}, err
		}
		switch outcome {
		case viewAll:
			hidden = d.showText(c.Plan, 0)
		case tool.ProceedAlways:
			return replyAnswer(tool.Reply{Approved: true, Mode: "auto_edit"}), nil
		case tool.ProceedOnce:
			return replyAnswer(tool.Reply{Approved: true}), nil
		case tool.Cancel:
			return tool.Answer{Outcome: tool.Cancel}, nil
		case viewFeedback:
			text, err := d.readText("What should change? ", textAnswer, textHelp)
			if err != nil {
				return tool.Answer{}, err
			}
			if text != "" {
				return replyAnswer(tool.Reply{Feedback: text}), nil
			}
		case tool.ModifyWithEditor:
			if d.editPlan(c.Path) {
				return replyAnswer(tool.Reply{Feedback: planEdited}), nil
			}
		}
	}
}

// viewFeedback is the pseudo-outcome that asks for feedback on a plan.
const viewFeedback tool.Outcome = "feedback"

const planEdited = "I have changed the plan file by hand. Read it again, take over what I changed, and ask again for approval."

func replyAnswer(r tool.Reply) tool.Answer {
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &r}
}

func (d *dialog) editPlan(path string) bool {
	if d.backend.Editor == nil {
		d.print(noEditor)
		return false
	}
	if err := d.lend(func() error { return d.backend.Editor.Open(d.ctx, path) }); err != nil {
		d.print(terminal.Text(err.Error()))
		return false
	}
	return true
}
