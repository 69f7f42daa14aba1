package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/models"
	"pollux/internal/person"
	"pollux/llm/catalog"
	"pollux/tool"
)

// maxFirstModels is how many models the question after a sign-in lists. The person can name others.
const maxFirstModels = 12

// offerModels lets the person who has just signed in choose one of the provider's models, and stores the choice in the user's
// settings. The model that the session would use is selected: Enter keeps it, and so does Esc. It returns s, or the session with
// another model.
func (b *builder) offerModels(ctx context.Context, s *Session, done *auth.SignIn) (*Session, error) {
	now := s.Models.Current()
	if b.project.Named || done.Model != "" || now.Account.ConfiguredID != done.ID || now.Account.ModelVar != "" {
		return s, nil // the person has chosen a model, or the provider is for another one
	}
	list, _ := s.Models.ProviderModels(ctx) // without a list, there is nothing to choose from
	kept := now.Model
	if strings.EqualFold(now.Requested, autoModel) && s.Models.IsGoogle() {
		kept = autoModel
	}
	list = slices.DeleteFunc(list, func(m catalog.Model) bool { return m.Name == kept })
	if len(list) == 0 {
		return s, nil
	}
	name, err := b.askFirstModel(ctx, s.Models, kept, list)
	switch {
	case err != nil:
		s.closeParts()
		return nil, err
	case name == "" || name == kept:
		return s, nil
	}
	if !s.Models.IsGoogle() && !strings.HasPrefix(name, done.ID+"/") {
		name = done.ID + "/" + name // whatever is the default later
	}
	s.closeParts()
	b.notify(b.storeModel(name))
	b.project.UseModel(name)
	return b.rebuild(ctx, nil)
}

// autoModel is the name that leaves the choice between Google's models to Pollux.
const autoModel = "auto"

// askFirstModel asks for one of the models in a list, or kept. It returns "" if the person chooses none. A name that the provider
// does not list has to be given twice.
func (b *builder) askFirstModel(ctx context.Context, d *models.Directory, kept string, list []catalog.Model) (name string, err error) {
	first := tool.Option{Label: kept, Description: strings.TrimSuffix("default, "+models.Facts(d.Describe(d.Current().Model)), ", ")}
	if kept == autoModel {
		first.Description = "default, the best model for the task"
	}
	options := []tool.Option{first}
	for _, m := range list[:min(len(list), maxFirstModels)] {
		options = append(options, tool.Option{Label: m.Name, Description: models.Facts(m)})
	}
	for problem := ""; ; {
		answer, err := person.Choose(ctx, b.project.Options.Asker, person.Choice{
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

// storeModel stores a model in the user's settings, and returns a message about it. A failure is no error, because this session can
// use the model.
func (b *builder) storeModel(name string) string {
	p := b.project
	err := p.Paths.Set(config.User, string(config.ModelName), name)
	if err == nil {
		err = p.Reload()
	}
	if err != nil {
		return fmt.Sprintf("Using the model %s. Pollux cannot save it for future sessions: %v", name, err)
	}
	return fmt.Sprintf("Set %s to %q in %s.", config.ModelName, name, p.Paths.Display(p.Settings().UserFile()))
}
