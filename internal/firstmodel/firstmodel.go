// Package firstmodel asks the person who has just signed in which of the provider's models to use.
package firstmodel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/models"
	"pollux/internal/person"
	"pollux/llm/catalog"
	"pollux/tool"
)

// maxModels is how many models the question lists. The person can name others.
const maxModels = 12

// auto is the name that leaves the choice between Google's models to Pollux.
const auto = "auto"

// Choose asks the person to choose one of the models of the current model's provider. The current one is selected: Enter keeps it,
// and so does Esc. Choose returns the name of another model, in the form that also names the provider, or "".
func Choose(ctx context.Context, asker person.Asker, d *models.Directory) (string, error) {
	now := d.Current()
	if now.Account.ModelVar != "" {
		return "", nil // a variable names the model
	}
	kept := now.Model
	if strings.EqualFold(now.Requested, auto) && d.IsGoogle() {
		kept = auto
	}
	list, _ := d.ProviderModels(ctx) // without a list, there is nothing to choose from
	list = slices.DeleteFunc(list, func(m catalog.Model) bool { return m.Name == kept })
	if len(list) == 0 {
		return "", nil
	}
	name, err := ask(ctx, asker, d, kept, list)
	if err != nil || name == "" || name == kept {
		return "", err
	}
	if provider := now.Account.ConfiguredID + "/"; !d.IsGoogle() && !strings.HasPrefix(name, provider) {
		name = provider + name // another provider may be the default later
	}
	return name, nil
}

// Store stores a model in the user's settings, and returns a message about that. A failure is no error, because the session can use
// the model.
func Store(paths *config.Paths, name string) string {
	if err := paths.Set(config.User, string(config.ModelName), name); err != nil {
		return fmt.Sprintf("Using the model %s. Pollux cannot save it for future sessions: %v", name, err)
	}
	return fmt.Sprintf("Set %s to %q in %s.", config.ModelName, name, paths.File(config.User))
}

// ask asks for one of the models in a list, or kept. It returns "" if the person chooses none. A name that the provider does not
// list has to be given twice.
func ask(ctx context.Context, asker person.Asker, d *models.Directory, kept string, list []catalog.Model) (name string, err error) {
	first := tool.Option{Label: kept, Description: strings.TrimSuffix("default, "+models.Facts(d.Describe(d.Current().Model)), ", ")}
	if kept == auto {
		first.Description = "default, the best model for the task"
	}
	options := []tool.Option{first}
	for _, m := range list[:min(len(list), maxModels)] {
		options = append(options, tool.Option{Label: m.Name, Description: models.Facts(m)})
	}
	for problem := ""; ; {
		answer, err := person.Choose(ctx, asker, person.Choice{
			Header: "Model", Text: problem + "Which model do you want to use?", Free: "another model's name", Options: options,
			Help: "Esc keeps " + kept + ". To change the model later, type /model.\nTo list all models: pollux models",
		})
		if err != nil || answer == "" || answer == name || slices.ContainsFunc(options, func(o tool.Option) bool { return o.Label == answer }) {
			return answer, err
		}
		listing, err := d.CheckName(ctx, answer)
		if err != nil || listing.IsListed {
			return answer, nil //nolint:nilerr // a provider that lists no models may have it
		}
		name = answer
		problem = fmt.Sprintf("%s does not list a model %q.\n", listing.Provider, name)
		if len(listing.Close) > 0 {
			problem += "Did you mean " + strings.Join(listing.Close, " or ") + "? "
		}
		problem += "To use " + name + ", type it again.\n"
	}
}
