package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/manage"
	"pollux/internal/models"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/wording"
	"pollux/tool"
)

// SessionCommand returns the commands about the model of a session.
func SessionCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "model", Summary: "Choose a model", NeedsPerson: true, Run: choose,
		Instead: "To choose the model of a run, use -m MODEL. 'pollux models' lists models.",
		Subs: []*manage.Command{
			{Name: "manage", Summary: "Choose a model from a list", NeedsPerson: true, Run: choose},
			{Name: "set", Args: "<name> [--persist]", Summary: "Use a model; --persist saves it in your settings", Run: set},
		},
	})
}

// choose shows the current model, and asks the user to choose another one: of the models of a
// server that may have any, else of the best known ones.
func choose(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	maxOptions, note := models.MaxChoices+1, "" // and the current model
	list, err := c.Live.Models.ServerModels(ctx)
	switch {
	case ctx.Err() != nil:
		return outcome.Outcome{}, context.Cause(ctx)
	case err != nil:
		note = "Cannot list its models: " + wording.Reason(err) + ".\n"
	case list == nil:
		maxOptions, list = 12, c.Live.Models.KnownModels()
	default:
		note = models.More(len(list))
	}
	current := c.Live.Models.Current().Model
	options := []tool.Option{{Label: current, Description: "current model"}}
	for _, m := range list {
		if len(options) < maxOptions && m.Name != current {
			options = append(options, tool.Option{Label: m.Name, Description: models.Facts(m)})
		}
	}
	name, err := c.Choose(ctx, person.Choice{
		Header: "Model", Text: "The current model is " + current + ".\n" + note + "Choose a model, or type the name of another one.", Free: "a model's name", Options: options,
		Help: "A name can begin with a provider, as in openai/gpt-5.6-sol.\nTo list all models of your providers: pollux models",
	})
	if err != nil || name == "" || name == current {
		return outcome.Textf("The current model is still %s.", current), err
	}
	if len(name) > MaxName {
		return manage.Misuse("The name of the model is too long.")
	}
	return checkAndSet(ctx, c, name, false)
}

// checkAndSet sets the session's model. If the provider does not list it, checkAndSet asks first.
func checkAndSet(ctx context.Context, c *manage.Call, name string, persist bool) (outcome.Outcome, error) {
	listing, err := c.Live.Models.CheckName(ctx, name)
	switch {
	case ctx.Err() != nil:
		return outcome.Outcome{}, context.Cause(ctx)
	case err != nil || !listing.IsListed && !c.HasPerson():
		o, err := use(c, name, persist)
		o.Parts = append(o.Parts, outcome.Text(listing.Provider+" did not confirm that it has this model."))
		return o, err
	case !listing.IsListed:
		if name, err = chooseUnlisted(ctx, c, name, listing); name == "" {
			return outcome.Textf("The current model is still %s.", c.Live.Models.Current().Model), err
		}
	}
	return use(c, name, persist)
}

// chooseUnlisted asks what to do about a model that its provider does not list. It returns the
// name of a model, "" if the user wants to keep the current one.
func chooseUnlisted(ctx context.Context, c *manage.Call, name string, listing models.Listing) (string, error) {
	anyway := "Use " + name + " anyway"
	var options []tool.Option
	for _, near := range listing.Close {
		options = append(options, tool.Option{Label: near})
	}
	options = append(options, tool.Option{Key: "y", Label: anyway}, tool.Option{Key: "n", Label: "Keep the current model"})
	answer, err := c.Choose(ctx, person.Choice{Header: "Model", Text: fmt.Sprintf("%s does not list a model %q.", listing.Provider, name), Options: options})
	switch {
	case answer == anyway:
		return name, nil
	case slices.Contains(listing.Close, answer):
		return answer, nil
	}
	return "", err
}

// set sets the model by name. With --persist it also stores the name in the user's settings.
func set(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	words := strings.Fields(c.Text)
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--persist" })
	if len(rest) != 1 || strings.HasPrefix(rest[0], "--") || len(rest[0]) > MaxName {
		return manage.Misuse("Name one model, as in: /model set gemini-2.5-pro --persist")
	}
	return checkAndSet(ctx, c, rest[0], len(rest) < len(words))
}

// MaxName is the maximum length of a model name, in bytes.
const MaxName = 300

// use sets the session's model. If persist is set, it also stores the name in the user's settings.
func use(c *manage.Call, name string, persist bool) (outcome.Outcome, error) {
	requestName, err := c.Live.SetModel(name)
	if err != nil {
		return outcome.Outcome{}, err
	}
	text := "Model set to " + name
	if persist {
		if err := c.Live.Project.Paths.Set(config.User, string(config.ModelName), name); err != nil {
			return outcome.Outcome{}, fmt.Errorf("%s is the current model, but Pollux cannot save it: %w", name, err)
		}
		if err := c.Live.Project.Reload(); err != nil {
			return outcome.Outcome{}, err
		}
		text += " (persisted)"
	}
	if requestName != name {
		text += "\nIts name in requests is " + requestName + "."
	}
	if variable := variable(c); persist && variable != "" {
		text += "\n" + variable + " is set and takes precedence the next time."
	}
	return manage.Say("%s", text)
}

// variable returns the environment variable that takes precedence over the model in the settings, "" if none is set.
func variable(c *manage.Call) string {
	if c.Live.Project.Env().Get("GEMINI_MODEL") != "" {
		return "GEMINI_MODEL"
	}
	return c.Live.Models.Current().Account.ModelVar
}
