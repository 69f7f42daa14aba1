package plain

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
	"pollux/tool"
)

// run asks the question (spec/tui.md §6.2).
func (d *dialog) run() (agent.Answer, error) {
	switch c := d.q.details.(type) {
	case *tool.EditConfirmation:
		return d.edit(c)
	case *tool.ExecConfirmation:
		return d.exec(c)
	case *tool.InfoConfirmation:
		return d.info(c)
	case *tool.PlanConfirmation:
		return d.plan(c)
	case *tool.QuestionConfirmation:
		return d.questions(c)
	}
	return agent.Answer{}, errors.New("a question of an unknown kind")
}

// consent is an answer that a person can choose, and what comes of it.
type consent struct {
	choice
	outcome tool.Outcome
}

// How many lines are shown of what is asked about, at first.
const (
	longDiff    = 200
	longCommand = 200
	longPlan    = 400
)

var (
	refuse = consent{
		choice{key: "n", label: "No, tell the model what to do differently", means: "You can then say what you want instead."},
		tool.Cancel,
	}
	once = consent{choice{key: "y", label: "Allow once", means: "It is done this time, and you are asked again the next time."}, tool.ProceedOnce}
)

// consents are the answers to a call: saved is the label of the one that counts for
// good, more what else there is.
func (d *dialog) consents(saved string, more ...consent) []consent {
	list := []consent{once}
	if d.q.call != nil && d.o.Offers != nil {
		for _, o := range d.o.Offers(d.q.call) {
			list = append(list, d.lasting(o, saved))
		}
	}
	return append(append(list, more...), refuse)
}

// lasting is an answer that is remembered.
func (d *dialog) lasting(o policy.Offer, saved string) consent {
	rule := terminal.Line(o.Rule)
	c := choice{key: "a", label: "Allow for this session", means: "From then on, until you leave, without asking: " + rule + "."}
	switch o.Outcome {
	case tool.ProceedAlwaysTool:
		c.key, c.label = "t", "Allow tool for this session"
	case tool.ProceedAlwaysServer:
		c.key, c.label = "l", "Allow all server tools for this session"
	case tool.ProceedAlwaysAndSave:
		c.key, c.label = "s", saved+", rule: "+rule
		if d.o.SavedIn != "" {
			c.label += ", saved in " + terminal.Line(d.o.SavedIn)
		}
		c.means = "You are not asked about that again, in later sessions either."
	}
	c.enter = o.First
	return consent{c, o.Outcome}
}

// decide asks for one of these answers.
func (d *dialog) decide(list []consent) (tool.Outcome, error) {
	choices := make([]choice, len(list))
	for i, c := range list {
		choices[i] = c.choice
	}
	n, err := d.choose(choices)
	if err != nil {
		return "", err
	}
	return list[n].outcome, nil
}

// conclude makes an answer of an outcome. Who refuses may say what they want.
func (d *dialog) conclude(outcome tool.Outcome) (agent.Answer, error) {
	a := agent.Answer{Outcome: outcome}
	if outcome != tool.Cancel || d.q.call == nil {
		return a, nil
	}
	var err error
	a.Feedback, err = d.read("What should the model do instead? Enter alone stops it: ")
	return a, err
}

// viewAll is not an answer yet.
const viewAll tool.Outcome = "view"

// view is the choice to see what was cut.
func view(hidden int) []consent {
	if hidden == 0 {
		return nil
	}
	return []consent{{choice{key: "v", label: fmt.Sprintf("Show all, %d more lines", hidden), means: "You are then asked again."}, viewAll}}
}

// indent stands before what the model wrote, so that it can't pass for ours.
const indent = "  "

// show writes a text that may be long, and returns how many lines it left out.
func (d *dialog) show(text string, most int) (hidden int) {
	lines, hidden := head(text, most, 0)
	for _, line := range append(lines, more(hidden)...) {
		d.say(indent + line)
	}
	if !isShown(text) {
		d.say("Warning: characters that cannot be shown were left out above.")
	}
	return hidden
}

// isShown reports whether a text is seen as it is.
func isShown(text string) bool {
	return terminal.Text(text) == strings.ReplaceAll(text, "\r\n", "\n")
}

func (d *dialog) edit(c *tool.EditConfirmation) (agent.Answer, error) {
	d.title(c.Title)
	text := diffText(&c.DiffDisplay, d.o.Spoken)
	d.say("File: " + terminal.Line(c.FilePath) + ", " + changes(c.Diff))
	hidden := d.show(text, longDiff)
	for {
		d.say("Apply this change?")
		var also []consent
		if c.Modifiable {
			also = append(also, consent{choice{key: "e", label: "Modify with external editor", means: "You are asked about your own version then."}, tool.ModifyWithEditor})
		}
		outcome, err := d.decide(d.consents("Allow for this file in all future sessions", append(also, view(hidden)...)...))
		if err != nil {
			return agent.Answer{}, err
		}
		switch outcome {
		case viewAll:
			hidden = d.show(text, 0)
		case tool.ModifyWithEditor:
			if mine, ok := d.modify(c); ok {
				return agent.Answer{Outcome: outcome, Content: &mine}, nil
			}
		default:
			return d.conclude(outcome)
		}
	}
}

// noEditor is said where an editor is wanted and there is none.
const noEditor = "No external editor is available. Please run /editor to configure one."

// modify has a person make their version of a change; false is for none.
func (d *dialog) modify(c *tool.EditConfirmation) (mine string, ok bool) {
	if d.o.Editor == nil {
		d.say(noEditor)
		return "", false
	}
	before := ""
	if c.Before != nil {
		before = *c.Before
	}
	d.say("Modify in progress: Save and close external editor to continue")
	err := d.lend(func() (err error) {
		mine, err = d.o.Editor.Change(d.ctx, c.FileName, before, c.After)
		return err
	})
	switch {
	case err != nil:
		d.say(terminal.Text(err.Error()))
		return "", false
	case strings.TrimSuffix(mine, "\n") == strings.TrimSuffix(c.After, "\n"):
		d.say("You changed nothing.")
		return "", false
	}
	return mine, true
}

func (d *dialog) exec(c *tool.ExecConfirmation) (agent.Answer, error) {
	d.title(c.Title)
	hidden := d.show(c.Command, longCommand)
	script, err := shellcmd.Parse(c.Command)
	if err == nil && len(script.Commands) > 1 {
		d.parts(script.Commands)
	}
	mode := ""
	if d.o.Mode != nil {
		mode = d.o.Mode()
	}
	if redirects(c.Roots) && mode != "autoEdit" && mode != "yolo" {
		note := "Redirection detected."
		if d.o.Command != nil {
			if known, _ := d.o.Command("/mode auto_edit"); known {
				note += " To auto-accept, type /mode auto_edit"
			}
		}
		d.say(note)
	}
	d.doubts(c)
	for {
		d.say("Allow execution of [" + d.toolTitle() + "]?")
		answers := append(append([]consent{once}, view(hidden)...), refuse)
		if !c.Once() {
			answers = d.consents("Allow this command for all future sessions", view(hidden)...)
		}
		outcome, err := d.decide(answers)
		switch {
		case err != nil:
			return agent.Answer{}, err
		case outcome == viewAll:
			hidden = d.show(c.Command, 0)
		default:
			return d.conclude(outcome)
		}
	}
}

// doubts says why a command can be allowed this time only.
func (d *dialog) doubts(c *tool.ExecConfirmation) {
	if len(c.UntrustedFlags) > 0 {
		d.say("Warning: These words are not yours, a command's output, a page or a server has brought them in: " + several(c.UntrustedFlags))
	}
	if len(c.ModifiedBuildFiles) > 0 {
		d.say("Warning: It runs what these files say, and they were changed in this session: " + several(c.ModifiedBuildFiles))
	}
}

// several writes a list that a model has made.
func several(list []string) string {
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

// parts says which commands a command is made of.
func (d *dialog) parts(commands []shellcmd.Command) {
	const most = 20
	d.say(fmt.Sprintf("It runs %d commands:", len(commands)))
	for i, c := range commands[:min(len(commands), most)] {
		d.say(fmt.Sprintf("Command %d: %s", i+1, brief(c.Text)))
	}
	if len(commands) > most {
		d.say(fmt.Sprintf("and %d more.", len(commands)-most))
	}
}

// redirects reports whether there is a redirection among what a command is made of.
func redirects(roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(root, "redirection") })
}

// toolTitle is what people call the tool that asks.
func (d *dialog) toolTitle() string {
	if d.q.call == nil {
		return "Shell"
	}
	return title(d.o.Title, d.q.call.Name)
}

func title(of func(string) string, name string) string {
	if of != nil {
		if t := of(name); t != "" {
			name = t
		}
	}
	return terminal.Line(name)
}

func (d *dialog) info(c *tool.InfoConfirmation) (agent.Answer, error) {
	d.title(c.Title)
	hidden := d.show(c.Prompt, longPlan)
	if len(c.URLs) > 0 {
		d.say("URLs to fetch:")
		for _, u := range c.URLs {
			d.address(u)
		}
	}
	for {
		d.say("Do you want to proceed?")
		outcome, err := d.decide(d.consents("Allow for all future sessions", view(hidden)...))
		switch {
		case err != nil:
			return agent.Answer{}, err
		case outcome == viewAll:
			hidden = d.show(c.Prompt, 0)
		default:
			return d.conclude(outcome)
		}
	}
}

// address shows an address as people read it, and where that is not what it seems.
func (d *dialog) address(address string) {
	u, err := url.Parse(address)
	if err != nil {
		d.say(terminal.Line(address))
		return
	}
	host := u.Hostname()
	ascii, err := idna.Punycode.ToASCII(host)
	if err != nil {
		ascii = host
	}
	people, err := idna.Punycode.ToUnicode(host)
	if err != nil {
		people = host
	}
	d.say(terminal.Line(strings.Replace(address, host, people, 1)))
	if strings.Contains(ascii, "xn--") {
		d.say("Warning: Deceptive URL(s) detected: " + terminal.Line(people) + " is " + terminal.Line(ascii))
	}
	if u.User != nil {
		d.say("Warning: what stands before the @ is no host. The host is " + terminal.Line(ascii))
	}
}

func (d *dialog) plan(c *tool.PlanConfirmation) (agent.Answer, error) {
	d.title(c.Title)
	d.say("Plan in " + terminal.Line(c.Path) + ":")
	hidden := d.show(c.Plan, longPlan)
	for {
		d.say("Ready to start implementation?")
		outcome, err := d.decide(append([]consent{
			{choice{key: "a", label: "Yes, automatically accept edits", means: "The plan is carried out, and edits are made without asking."}, tool.ProceedAlways},
			{choice{key: "y", label: "Yes, manually accept edits", means: "The plan is carried out, and you are asked before each edit."}, tool.ProceedOnce},
			{choice{key: "f", label: "Say what should be different", means: "The model changes the plan and asks again."}, feedback},
			{choice{key: "e", label: "Edit the plan in your editor", means: "The model reads it again and asks again."}, tool.ModifyWithEditor},
			{choice{key: "n", label: "No", means: "Nothing is done."}, tool.Cancel},
		}, view(hidden)...))
		if err != nil {
			return agent.Answer{}, err
		}
		switch outcome {
		case viewAll:
			hidden = d.show(c.Plan, 0)
		case tool.ProceedAlways:
			return reply(tool.Reply{Approved: true, Mode: "auto_edit"}), nil
		case tool.ProceedOnce:
			return reply(tool.Reply{Approved: true}), nil
		case tool.Cancel:
			return agent.Answer{Outcome: tool.Cancel}, nil
		case feedback:
			text, err := d.read("What should be different? ")
			if err != nil {
				return agent.Answer{}, err
			}
			if text != "" {
				return reply(tool.Reply{Feedback: text}), nil
			}
		case tool.ModifyWithEditor:
			if d.editPlan(c.Path) {
				return reply(tool.Reply{Feedback: planEdited}), nil
			}
		}
	}
}

// feedback is an answer that says more.
const feedback tool.Outcome = "feedback"

const planEdited = "I have changed the plan file by hand. Read it again, take over what I changed, and ask again for approval."

func reply(r tool.Reply) agent.Answer {
	return agent.Answer{Outcome: tool.ProceedOnce, Reply: &r}
}

func (d *dialog) editPlan(path string) bool {
	if d.o.Editor == nil {
		d.say(noEditor)
		return false
	}
	if err := d.lend(func() error { return d.o.Editor.Open(d.ctx, path) }); err != nil {
		d.say(terminal.Text(err.Error()))
		return false
	}
	return true
}
