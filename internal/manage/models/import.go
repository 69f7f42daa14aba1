package models

import (
	"pollux/internal/config"
	"pollux/internal/manage/models/foreign"
	"pollux/internal/project"
	"pollux/internal/transfer"
)

// Import returns the providers that another agent has in a scope. The part has no files if there are none. Those of a project are left out:
// they decide where keys go.
func Import(p *project.Project, agent string, scope config.Scope) (*transfer.Part, error) {
	part := &transfer.Part{Kind: "provider"}
	from := foreign.Agents(agent)
	if from == nil {
		return part, nil
	}
	if scope == config.Workspace {
		files, err := (transfer.Place{Dir: p.Paths.Dir(), IsProject: true}).Objects(from.Project...)
		part.Items = from.Refused(files)
		if len(part.Items) > 0 {
			part.Files = transfer.Paths(files)
		}
		return part, err
	}
	files, err := (transfer.Place{Dir: p.Paths.Home()}).Objects(from.User...)
	if err != nil || files == nil {
		return part, err
	}
	part.Files, part.Target, part.Settings = transfer.Paths(files), p.Paths.UserSettings(), p.Paths.UserSettings()
	part.Next = "To check one, run: pollux models NAME"
	there, err := transfer.Member(p.Paths.UserSettings(), string(config.ModelProviders))
	if err != nil {
		return part, err
	}
	if there == nil {
		there = map[string]any{}
	}
	list, model := from.Providers(files, there)
	for _, one := range list {
		part.Add(one.Item)
	}
	if model != "" {
		part.Notes = append(part.Notes, "Your model there is "+model+" here. To use it in a run: pollux -m "+model+". To use it in all: pollux config set model.name "+model)
	}
	part.Write = func() error {
		for _, one := range list {
			if !one.IsWritten() || one.Entry == nil {
				continue
			}
			if err := p.ChangeSettings(config.User, func() error { return p.Paths.SetProvider(one.ID, one.Entry) }); err != nil {
				return err
			}
		}
		return nil
	}
	return part, nil
}
