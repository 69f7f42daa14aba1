package settings

import (
	"context"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// FooterCommand returns the command that chooses the items of the footer.
func FooterCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "footer", Aliases: []string{"statusline"}, Summary: "Choose the items of the footer", Run: listFooter, NeedsPerson: true,
		Instead: "Run pollux config set ui.footer.items '[\"workspace\", \"model-name\"]'.",
		Subs: []*manage.Command{
			{Name: "set", Args: "[--labels=on|off] <item>...|none", Summary: "Choose the items of the footer and their order", Run: setFooter, NeedsPerson: true},
			{Name: "reset", Summary: "Show the default items in the footer", Run: resetFooter, NeedsPerson: true},
		},
	})
}

// FooterItem is an item that the footer can have.
type FooterItem struct {
	ID    string // as in ui.footer.items
	About string
}

var footerItems = [...]FooterItem{
	{"workspace", "Current directory"},
	{"git-branch", "Git branch"},
	{"sandbox", "Sandbox, and whether the folder is trusted"},
	{"model-name", "Model"},
	{"context-used", "Share of the context window in use"},
	{"quota", "Whether the quota of the model is used up"},
	{"memory-usage", "Memory used by Pollux"},
	{"session-id", "Session ID"},
	{"hostname", "Name of this machine"},
	{"auth", "Account or authentication method"},
	{"code-changes", "Lines added and removed in this session"},
	{"token-count", "Tokens used in this session"},
	{"cost", "Estimated cost of this session"},
	{"turn-time", "Duration of the current or last turn"},
	{"command", "Output of ui.footer.command"},
}

// FooterItems returns all items that the footer can have.
func FooterItems() []FooterItem { return footerItems[:] }

const (
	footerKey  = string(config.FooterItems)
	labelsKey  = string(config.FooterLabels)
	labelsFlag = "--labels="
	noItem     = "none" // chooses no items
)

// listFooter lists the items. Those that ui.footer.items names are marked.
func listFooter(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	chosen := config.FooterItems.In(c.Live.Project.Settings())
	t := outcome.NewTable(nil, FooterItems(), func(i FooterItem) []string {
		mark := "  "
		if slices.Contains(chosen, i.ID) {
			mark = "* "
		}
		return []string{mark + i.ID, i.About}
	})
	note := "To choose the items and their order, run /footer set <item>..."
	if chosen == nil {
		note = "The footer shows its default items. " + note
	}
	return outcome.New(outcome.Text("Items of the footer:"), t, outcome.Text(note)), nil
}

// setFooter saves the items of the footer in the user's settings, its labels, or both.
func setFooter(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	var ids []string
	labels := ""
	for _, word := range strings.Fields(c.Text) {
		switch value, isLabels := strings.CutPrefix(word, labelsFlag); {
		case isLabels && value != "on" && value != "off":
			return manage.Misuse("Use --labels=on or --labels=off.")
		case isLabels:
			labels = value
		case word == noItem:
			ids = []string{}
		case !slices.ContainsFunc(FooterItems(), func(i FooterItem) bool { return i.ID == word }):
			return manage.Misuse("Unknown footer item %q. /footer lists the items.", terminal.Cut(terminal.Line(word), 40))
		case !slices.Contains(ids, word):
			ids = append(ids, word)
		}
	}
	if ids == nil && labels == "" {
		return manage.Misuse("Enter at least one item, such as /footer set workspace model-name")
	}
	p, keys := c.Live.Project, []string(nil)
	err = p.ChangeSettings(config.User, func() error {
		if labels != "" {
			keys = append(keys, labelsKey)
			if err := p.Paths.Set(config.User, labelsKey, labels == "on"); err != nil || ids == nil {
				return err
			}
		}
		keys = append(keys, footerKey)
		list := make([]any, len(ids))
		for i, id := range ids {
			list[i] = id
		}
		return p.Paths.Set(config.User, footerKey, list)
	})
	if err != nil {
		return o, err
	}
	text := "Footer: " + strings.Join(ids, ", ") + "."
	switch {
	case ids == nil:
		text = "Labels of the footer: " + labels + "."
	case len(ids) == 0:
		text = "The footer has no items."
	}
	return footerChanged(c, text, keys...)
}

// resetFooter removes the items of the footer and its labels from the user's settings.
func resetFooter(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	p := c.Live.Project
	err = p.ChangeSettings(config.User, func() error {
		if _, err := p.Paths.Unset(config.User, footerKey); err != nil {
			return err
		}
		_, err := p.Paths.Unset(config.User, labelsKey)
		return err
	})
	if err != nil {
		return o, err
	}
	return footerChanged(c, "The footer shows its default items.", footerKey, labelsKey)
}

// footerChanged reloads the settings after a change of keys. It returns text, and the reasons for which the change has no effect.
func footerChanged(c *manage.Call, text string, keys ...string) (o outcome.Outcome, err error) {
	if o, err = changed(c, footerKey, text); err != nil {
		return o, err
	}
	for _, key := range keys {
		if why := overruled(c, key, config.User); why != "" {
			o.Parts = append(o.Parts, outcome.Text(key+": "+why))
		}
	}
	if config.HideFooter.In(c.Live.Project.Settings()) {
		o.Parts = append(o.Parts, outcome.Text("The footer is hidden, because ui.hideFooter is true."))
	}
	return o, nil
}

// FooterSetCommand returns the / command that shows these items in the footer.
func FooterSetCommand(ids []string, showsLabels bool) string {
	labels := "off"
	if showsLabels {
		labels = "on"
	}
	if len(ids) == 0 {
		ids = []string{noItem}
	}
	return "/footer set " + labelsFlag + labels + " " + strings.Join(ids, " ")
}

// FooterResetCommand is the / command that shows the default items in the footer.
const FooterResetCommand = "/footer reset"
