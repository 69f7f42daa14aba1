package project

import (
	"cmp"
	"strings"

	"pollux/internal/config"
)

// Where returns a key of the settings or a variable with the file that it is set in
// behind it. A variable of the environment that Pollux was started with stands alone.
func (p *Project) Where(source string) string {
	if _, set := p.Options.Env.Lookup(source); set {
		return source
	}
	if _, set := p.Env().Lookup(source); set {
		return source + " in " + config.DotEnvFile(p.Settings(), p.Paths)
	}
	key := source
	if entry, member, ok := strings.Cut(strings.TrimPrefix(source, "modelProviders."), "."); ok && key != entry+"."+member {
		key = "modelProviders." + entry // whose members no row of the settings is for
	}
	for scope := config.CommandLine; scope >= config.SystemDefaults; scope-- {
		if _, set := p.Settings().ForScope(scope).Lookup(key); set {
			return source + " in " + cmp.Or(p.Paths.File(scope), "the command line")
		}
	}
	return source
}

// DescribeSource returns [Project.Where] with a short path: "GEMINI_API_KEY in ~/project/.env".
// source is a variable, a key of the settings or a place.
func (p *Project) DescribeSource(source string) string {
	where := p.Where(source)
	if name, path, ok := strings.Cut(where, " in "); ok {
		return name + " in " + p.Paths.Display(path)
	}
	return p.Paths.Display(where)
}

// NamedBy returns where the user named the model, "" if nowhere.
func (p *Project) NamedBy() string {
	switch {
	case !p.Named:
		return ""
	case p.IsModelSetting():
		return p.Where(string(config.ModelName))
	case strings.TrimSpace(p.Options.Model) != "":
		return "--model"
	}
	return p.Where("GEMINI_MODEL")
}

// IsModelSetting reports whether the user named the model in the settings.
func (p *Project) IsModelSetting() bool {
	return p.Named && strings.TrimSpace(p.Options.Model) == "" && strings.TrimSpace(p.Env().Get("GEMINI_MODEL")) == ""
}
