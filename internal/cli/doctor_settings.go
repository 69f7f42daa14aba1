package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
)

// layerReport is a settings file.
type layerReport struct {
	Scope string `json:"scope"`
	File  string `json:"file"`
	// State is "read", "absent", or why the file does not count.
	State string `json:"state"`
	Keys  int    `json:"keys"` // that it sets
}

// lookAtSettings reads the settings, those files that can be read.
func (x *examination) lookAtSettings() sectionReport {
	s := sectionReport{ID: "settings", Title: "Settings"}
	unread := map[config.Scope]error{}
	var failures []string
	x.state = trust.Unknown
	var untold error // about trust
	settings, warnings, err := config.Load(config.Sources{
		Paths: x.paths, Env: x.req.Env, Flags: x.req.Flags.Settings,
		Trusted: func(s *config.Settings) (bool, error) {
			x.state, untold = x.decide(s)
			return x.state == trust.Trusted, nil
		},
		Broken: func(scope config.Scope, path string, err error) {
			unread[scope] = err
			failures = append(failures, "Error in "+path+": "+err.Error())
		},
	})
	if err != nil { // of which there are no others; a diagnosis goes on all the same
		s.broken("settings", err.Error(), "")
		x.fail(err)
		settings = &config.Settings{}
	}
	x.settings, x.session.settings = settings, settings
	x.Settings = x.settings.UserFile()
	if len(failures) > 0 {
		x.unread = true
		x.fail(exit.Errorf(exit.Config, "%s\nPlease fix the configuration file(s) and try again.", strings.Join(failures, "\n")))
	}
	x.layers(&s, unread)
	for _, w := range warnings {
		subject, text, next := aboutSettings(string(w))
		s.warn(subject, text, next)
	}
	if untold != nil {
		x.fail(untold)
	}
	x.distrust = untold
	return s
}

// layers says what became of each file.
func (x *examination) layers(s *sectionReport, unread map[config.Scope]error) {
	for _, l := range config.Files(x.settings, x.paths) {
		r := layerReport{Scope: l.Scope.String(), File: l.File, State: l.State}
		subject := r.Scope
		switch err := unread[l.Scope]; {
		case err != nil:
			r.State = err.Error()
			s.broken(subject, l.File+": "+r.State, "correct the file, or move it away: until then no run starts, and the rest of this leaves it out")
		case l.State == "read":
			r.Keys = len(x.settings.Only(l.Scope).Set())
			s.ok(subject, fmt.Sprintf("%s sets %s", l.File, count(r.Keys, "key")))
		case l.State == "absent":
			s.ok(subject, l.File+" is not there")
		case l.File == "":
			s.ok(subject, "none, as this is the home directory")
		case l.State == "ignored":
			s.warn(subject, l.File+" is ignored", "see below what is wrong with it")
		default:
			s.warn(subject, l.File+" is "+l.State, "see below how to trust the folder")
		}
		x.Layers = append(x.Layers, r)
	}
}

// aboutSettings makes one line of a warning about settings, which may be a page.
func aboutSettings(w string) (subject, text, next string) {
	const wrong, later = "Invalid configuration in ", "Warning: no effect yet in this version of Pollux: "
	switch {
	case strings.HasPrefix(w, later):
		return "not yet", "these keys are set and have no effect yet: " + strings.TrimPrefix(w, later), "take them out, or wait for a later version"
	case !strings.HasPrefix(w, wrong):
		next = "pollux config path says which files count"
		if strings.Contains(w, "permission denied") {
			next = "change its permissions, or its owner"
		}
		return "note", strings.TrimPrefix(strings.Join(strings.Fields(w), " "), "Warning: "), next
	}
	lines := strings.Split(w, "\n")
	file := strings.TrimSuffix(strings.TrimPrefix(lines[0], wrong), ":")
	var values []string
	for i, line := range lines {
		if key, is := strings.CutPrefix(line, "Error in: "); is && i+1 < len(lines) {
			values = append(values, key+" ("+strings.TrimSpace(lines[i+1])+")")
		}
		if strings.HasPrefix(line, "...and ") {
			values = append(values, line)
		}
	}
	return "wrong values", file + ": " + strings.Join(values, ", "), "correct them: pollux config explain KEY says what each may be"
}

// envReport is a .env file.
type envReport struct {
	File  string `json:"file"`
	State string `json:"state"` // "read" for the one that counts
	// Sets are the names of the variables that it sets, Overruled of those that were
	// set already, and Refused of those that it may not set.
	Sets      []string `json:"sets"`
	Overruled []string `json:"overruled"`
	Refused   []string `json:"refused"`
}

// lookAtEnv finds the .env file that counts.
func (x *examination) lookAtEnv() sectionReport {
	s := sectionReport{ID: "env", Title: ".env file"}
	for _, f := range config.EnvFiles(x.req.Env, x.settings, x.paths) {
		x.EnvFiles = append(x.EnvFiles, envReport{f.Path, f.State, noneAsEmpty(f.Taken), noneAsEmpty(f.Overruled), noneAsEmpty(f.Forbidden)})
		switch {
		case f.State == "read":
			x.envFile = &f
			x.envFileSays(&s, &f)
		case f.Err != nil:
			s.warn("unread file", f.Path+" cannot be read: "+f.State, "make it a readable text file, or move it away")
		default:
			s.ok("other file", f.Path+" does not count: "+f.State)
		}
	}
	if x.envFile == nil {
		s.ok("file", "none is used")
	}
	if x.EnvFiles == nil {
		x.EnvFiles = []envReport{}
	}
	x.readEnv()
	x.Asked, x.Named = x.session.model, x.namedBy()
	return s
}

// envFileSays says what becomes of what stands in the file that counts.
func (x *examination) envFileSays(s *sectionReport, f *config.EnvFile) {
	says := " sets nothing"
	if len(f.Taken) > 0 {
		says = " sets " + strings.Join(f.Taken, ", ")
	}
	s.ok("file", f.Path+says)
	if len(f.Overruled) > 0 {
		s.ok("overruled", "set in the environment already: "+strings.Join(f.Overruled, ", "))
	}
	if len(f.Forbidden) > 0 {
		s.warn("refused", "it may not set "+strings.Join(f.Forbidden, ", ")+" from where it lies",
			"set them in the environment, or in "+filepath.Join(x.paths.Gemini(), ".env"))
	}
	if n := len(f.Odd); n > 0 {
		lines := make([]string, 0, 5)
		for _, line := range f.Odd[:min(n, 5)] {
			lines = append(lines, strconv.Itoa(line))
		}
		s.warn("odd lines", fmt.Sprintf("%s of it say nothing: %s", count(n, "line"), strings.Join(lines, ", ")), "write NAME=value, one a line")
	}
}

// noneAsEmpty returns names for JSON, where none are an empty list.
func noneAsEmpty(names []string) []string { return append([]string{}, names...) }

// lookAtTrust says whether the folder is trusted, and why.
func (x *examination) lookAtTrust() sectionReport {
	s := sectionReport{ID: "trust", Title: "Trust"}
	dir := x.paths.Dir()
	x.Trust = [...]string{trust.Unknown: "unknown", trust.Trusted: "trusted", trust.Untrusted: "untrusted"}[x.state]
	const how = "--skip-trust trusts it for one run, GEMINI_CLI_TRUST_WORKSPACE=true for a shell or a CI job"
	env := x.req.Env
	switch {
	case x.distrust != nil:
		s.broken("folder", x.distrust.Error(), "correct the file, or move it away")
	case x.state == trust.Trusted && env.Get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
		s.ok("folder", dir+" is trusted, by GEMINI_CLI_TRUST_WORKSPACE")
	case x.state == trust.Trusted && !config.FolderTrust.In(x.settings):
		s.ok("folder", dir+" is trusted, as security.folderTrust.enabled is off")
	case x.state == trust.Trusted:
		s.ok("folder", dir+" is trusted, by "+x.trustFile())
	default:
		refused := trust.Refuse(x.state)
		x.fail(refused)
		text := dir + " is not trusted: its settings and instructions do not count, and a run that cannot ask refuses to work in it"
		switch {
		case env.Get("GEMINI_RESTRICTED_MODE") == "true":
			text += " (GEMINI_RESTRICTED_MODE is set)"
		case env.Get("GEMINI_CLI_TRUST_WORKSPACE") == "false":
			text += " (GEMINI_CLI_TRUST_WORKSPACE is false)"
		}
		s.broken("folder", text, how)
	}
	return s
}

// lookAtRules reads what the user has written about which calls may be made, and what
// takes the place of Pollux's own instruction. What a run would be refused for only
// once its model is known, it returns.
func (x *examination) lookAtRules() (s sectionReport, behindModel error) {
	s = sectionReport{ID: "rules", Title: "Policies and instructions"}
	found := app.Inspect(x.options(func(text string) {
		s.warn("policies", strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "Warning: "), "correct the file, or move it away")
	}))
	if found.Refused != nil {
		s.broken("policies", found.Refused.Error(), "correct the file, or move it away")
		x.fail(found.Refused)
	} else {
		s.ok("policies", count(found.Rules, "rule")+" in files")
	}
	switch {
	case found.Unread != nil:
		s.broken("instruction", found.Unread.Error(), "correct "+x.where("GEMINI_SYSTEM_MD")+", or unset it")
		behindModel = found.Unread
	case found.Instruction != "":
		s.ok("instruction", found.Instruction+", by "+x.where("GEMINI_SYSTEM_MD"))
	}
	switch {
	case found.Undiscovered != nil:
		s.broken("tool discovery", found.Undiscovered.Error(), "correct it, or unset tools.discoveryCommand")
		behindModel = found.Undiscovered // they come before the instruction
	case found.Discovers:
		s.ok("tool discovery", "tools.discoveryCommand is set; a run will run it, and nothing has been run here")
	}
	return s, behindModel
}

// setups are what users set up that this version does not use yet, by where it lies.
func (x *examination) setups() []setup {
	static := func() bool { return true }
	command := func(name string) func() bool {
		return func() bool {
			return slices.ContainsFunc(laterCommands[:], func(names []string) bool { return names[0] == name })
		}
	}
	return []setup{
		{"policies", func() bool { return isLater("policy") }, []string{"policies"}},
		{"extensions", command("extensions"), []string{"extensions"}},
		{"skills", command("skills"), []string{"skills", filepath.Join("..", ".agents", "skills")}},
		{"commands of your own", static, []string{"commands"}},
		{"agents of your own", static, []string{"agents"}},
		{"key bindings", static, []string{"keybindings.json"}},
		{"sandbox profile", func() bool { return isLater("sandbox") }, []string{"sandbox.Dockerfile", "sandbox.bashrc"}},
	}
}

// setup is something that lies in ~/.gemini or in a folder's .gemini.
type setup struct {
	subject string
	later   func() bool
	names   []string
}

// lookAtSetups names what is there and not used yet.
func (x *examination) lookAtSetups() sectionReport {
	s := sectionReport{ID: "later", Title: "Set up, and not used yet"}
	const next = "nothing has to be done: it does no harm, and counts once Pollux knows it"
	dirs := []string{x.paths.Gemini()}
	if !x.paths.AtHome() {
		dirs = append(dirs, filepath.Join(x.paths.Dir(), ".gemini"))
	}
	for _, one := range x.setups() {
		if !one.later() {
			continue
		}
		for _, dir := range dirs {
			for _, name := range one.names {
				if path := filepath.Join(dir, name); holdsSomething(path) {
					s.missing(one.subject, path, next)
				}
			}
		}
	}
	for _, key := range [...]struct{ path, subject string }{{"hooks", "hooks"}, {"mcpServers", "MCP servers"}} {
		v, from := x.settings.Effective(key.path)
		entries, _ := v.(map[string]any)
		if row, known := config.KeyOf(key.path); !known || row.Support != config.Later || len(entries) == 0 {
			continue
		}
		s.missing(key.subject, fmt.Sprintf("%s, in the settings (%s)", strings.Join(names(entries), ", "), strings.Join(from, ", ")), next)
	}
	if len(s.Checks) == 0 {
		s.ok("nothing", "all that is set up here is used")
	}
	return s
}

// names returns the names of entries in order, not too many of them.
func names(entries map[string]any) []string {
	const most = 12
	list := make([]string, 0, len(entries))
	for name := range entries {
		list = append(list, name)
	}
	slices.Sort(list)
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return list
}
