package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/wording"
)

// layerReport describes a settings file.
type layerReport struct {
	Scope string `json:"scope"`
	File  string `json:"file"`
	// State is "read", "absent", or the reason why the file is not used.
	State string `json:"state"`
	Keys  int    `json:"keys"` // number of keys that the file sets
}

// checkSettings loads the settings from all files that can be read, and reports the others.
func (x *examination) checkSettings(ctx context.Context) sectionReport {
	s := sectionReport{ID: "settings", Title: "Settings"}
	unread := map[config.Scope]error{}
	var failures []string
	unmute := x.set.Mute() // checkTrust reports them
	warnings, trustErr, err := x.set.Diagnose(ctx, func(scope config.Scope, path string, err error) {
		unread[scope] = err
		failures = append(failures, "Error in "+path+": "+err.Error())
	})
	unmute()
	if err != nil { // not expected, as broken files are left out; the diagnosis continues
		s.broken("settings", err.Error(), "")
		x.fail(err)
	}
	settings := x.set.Settings()
	x.Settings = settings.UserFile()
	if len(failures) > 0 {
		x.hasBrokenSettings = true
		x.fail(exit.Errorf(exit.Config, "%s\nPlease fix the configuration file(s) and try again.", strings.Join(failures, "\n")))
	}
	x.addLayers(&s, unread)
	for _, w := range warnings {
		subject, text, next := parseSettingsWarning(string(w))
		s.warn(subject, text, next)
	}
	for _, notice := range settings.Notices() {
		s.ok("keys", string(notice))
	}
	if names := settings.Ineffective(config.Later, config.Screen); len(names) > 0 {
		s.note("not yet", "settings without effect in this version: "+strings.Join(names, ", "), laterNext)
	}
	if trustErr != nil {
		x.fail(trustErr)
	}
	x.trustErr = trustErr
	return s
}

// addLayers reports the state of each settings file.
func (x *examination) addLayers(s *sectionReport, unread map[config.Scope]error) {
	for _, l := range config.Files(x.set.Settings(), x.set.Paths) {
		r := layerReport{Scope: l.Scope.String(), File: l.File, State: l.State}
		subject := r.Scope
		switch err := unread[l.Scope]; {
		case err != nil:
			r.State = err.Error()
			s.broken(subject, l.File+": "+r.State, "fix the file or move it away. Pollux does not start until then; the other checks ignore the file")
		case l.State == "read":
			r.Keys = len(x.set.Settings().ForScope(l.Scope).SetKeys())
			s.ok(subject, fmt.Sprintf("%s sets %s", l.File, wording.Count(r.Keys, "key")))
		case l.State == "absent":
			s.ok(subject, "none ("+l.File+")")
		case l.File == "":
			s.ok(subject, "none in the home directory")
		case l.State == "ignored":
			s.warn(subject, l.File+" is ignored", "see below for the reason")
		default:
			s.warn(subject, l.File+" is "+l.State, "see Folder trust")
		}
		x.Layers = append(x.Layers, r)
	}
}

// parseSettingsWarning converts a warning about settings, which may have many lines, to the
// parts of a check.
func parseSettingsWarning(w string) (subject, text, next string) {
	const wrong = "Invalid configuration in "
	if !strings.HasPrefix(w, wrong) {
		next = "'pollux config path' lists the settings files"
		if strings.Contains(w, "permission denied") {
			next = "change its permissions or its owner"
		}
		return "settings", strings.TrimPrefix(strings.Join(strings.Fields(w), " "), "Warning: "), next
	}
	lines := strings.Split(w, "\n")
	file := strings.TrimSuffix(strings.TrimPrefix(lines[0], wrong), ":")
	var values []string
	for i, line := range lines {
		if key, ok := strings.CutPrefix(line, "Error in: "); ok && i+1 < len(lines) {
			values = append(values, key+" ("+strings.TrimSpace(lines[i+1])+")")
		}
		if strings.HasPrefix(line, "...and ") {
			values = append(values, line)
		}
	}
	return "wrong values", file + ": " + strings.Join(values, ", "), "fix them; 'pollux config explain KEY' lists the allowed values"
}

// envReport describes a .env file.
type envReport struct {
	File  string `json:"file"`
	State string `json:"state"` // "read" for the file that is used
	// Sets are the variables that the file sets, Overruled those that the environment already
	// sets, and Refused those that the file must not set.
	Sets      []string `json:"sets"`
	Overruled []string `json:"overruled"`
	Refused   []string `json:"refused"`
	// Unseen are the variables that are not used, because the user has not seen that the file
	// sets them.
	Unseen []string `json:"unseen,omitempty"`
}

// checkEnv reports the .env file that is used, and the others.
func (x *examination) checkEnv() sectionReport {
	s := sectionReport{ID: "env", Title: ".env file"}
	x.set.ReadEnv()
	for _, f := range config.EnvFiles(x.set.Options.Env, x.set.Settings(), x.set.Paths) {
		used, unseen := x.splitUnseen(f.Set)
		x.EnvFiles = append(x.EnvFiles, envReport{f.Path, f.State, used, nonNil(f.AlreadySet), nonNil(f.Forbidden), unseen})
		switch {
		case f.State == "read":
			x.envFile = &f
			x.checkEnvFile(&s, &f, used, unseen)
		case f.Err != nil:
			s.warn("unread file", f.Path+" cannot be read: "+f.State, "make it a readable text file, or move it away")
		default:
			s.ok("other file", f.Path+" is not used: "+f.State)
		}
	}
	if x.envFile == nil {
		s.ok("file", "none")
	}
	if x.EnvFiles == nil {
		x.EnvFiles = []envReport{}
	}
	if names := config.IneffectiveVariables(x.set.Env()); len(names) > 0 {
		s.note("not yet", "variables without effect in this version: "+strings.Join(names, ", "), laterNext)
	}
	x.Asked, x.Named = x.set.Model, x.set.NamedBy()
	return s
}

// splitUnseen returns the variables that a .env file sets, and those that are left out, because the
// user has not seen that the file sets them.
func (x *examination) splitUnseen(names []string) (used, unseen []string) {
	used = []string{} // JSON shows an empty list
	for _, name := range names {
		if _, isSet := x.set.Env().Lookup(name); isSet {
			used = append(used, name)
		} else {
			unseen = append(unseen, name)
		}
	}
	return used, unseen
}

// checkEnvFile reports the variables and the invalid lines of the .env file that is used.
func (x *examination) checkEnvFile(s *sectionReport, f *config.EnvFile, used, unseen []string) {
	text := " sets nothing"
	if len(used) > 0 {
		text = " sets " + strings.Join(used, ", ")
	}
	s.ok("file", f.Path+text)
	if len(unseen) > 0 {
		s.warn("unseen", "not used, because you have not seen it: "+strings.Join(unseen, ", "), "see Folder trust")
	}
	if len(f.AlreadySet) > 0 {
		s.ok("overruled", "already set in the environment: "+strings.Join(f.AlreadySet, ", "))
	}
	if len(f.Forbidden) > 0 {
		s.warn("refused", "a .env file in this place may not set "+strings.Join(f.Forbidden, ", "),
			"set them in the environment, or in "+filepath.Join(x.set.Paths.GeminiDir(), ".env"))
	}
	if n := len(f.InvalidLines); n > 0 {
		lines := make([]string, 0, 5)
		for _, line := range f.InvalidLines[:min(n, 5)] {
			lines = append(lines, strconv.Itoa(line))
		}
		s.warn("invalid lines", fmt.Sprintf("%s without NAME=value: %s", wording.Count(n, "line"), strings.Join(lines, ", ")), "write one NAME=value per line")
	}
}

// nonNil returns a copy of names that is never nil, so that JSON shows an empty list.
func nonNil(names []string) []string { return append([]string{}, names...) }

// checkTrust reports whether the workspace is trusted, and why.
func (x *examination) checkTrust() sectionReport {
	s := sectionReport{ID: "trust", Title: "Folder trust"}
	dir := x.set.Paths.Dir()
	x.Trust = [...]string{trust.Unknown: "unknown", trust.Trusted: "trusted", trust.Untrusted: "untrusted"}[x.set.Trust.State()]
	how := "start pollux here and choose Trust folder. For one run: pollux --skip-trust -p ... In CI: GEMINI_CLI_TRUST_WORKSPACE=true"
	env := x.set.Options.Env
	switch {
	case x.trustErr != nil:
		s.broken("folder", x.trustErr.Error(), "fix the file or move it away")
	case x.set.IsTrusted() && env.Get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
		s.ok("folder", dir+" is trusted (GEMINI_CLI_TRUST_WORKSPACE)")
	case x.set.IsTrusted() && !config.FolderTrust.In(x.set.Settings()):
		s.ok("folder", dir+" is trusted (security.folderTrust.enabled is off)")
	case x.set.IsTrusted():
		s.ok("folder", dir+" is trusted ("+x.set.TrustOptions().File+")")
	default:
		refused := trust.CheckTrusted(x.set.Trust.State(), x.set.TrustOptions())
		x.fail(refused)
		text := dir + " is not trusted. Pollux ignores its settings and instructions, and 'pollux -p' does not run in it"
		switch {
		case env.Get("GEMINI_RESTRICTED_MODE") == "true":
			text, how = text+" (GEMINI_RESTRICTED_MODE is set)", "unset GEMINI_RESTRICTED_MODE"
		case env.Get("GEMINI_CLI_TRUST_WORKSPACE") == "false":
			text += " (GEMINI_CLI_TRUST_WORKSPACE is false)"
		}
		s.broken("folder", text, how)
	}
	for _, text := range x.set.LeftOut() {
		s.warn("unseen", text, "start pollux here in a terminal to look at it and use it")
	}
	x.LeftOut = append(x.LeftOut, x.set.LeftOut()...)
	if lost := x.set.Unseen(); lost != nil {
		x.fail(lost)
		s.broken("restrictions", policy.OnOneLine(lost.Error()), "start pollux here in a terminal")
	}
	return s
}

// checkLost reports parts of the configuration that cannot be used and may have restricted something.
func (x *examination) checkLost(s *sectionReport, subject string, lost []string) {
	for _, text := range lost {
		s.broken(subject, text, "fix it: until then a script ends with exit code 52, because it may be what restricts")
	}
	if err := config.CheckLost(lost, false); err != nil {
		x.fail(err)
	}
}

// checkHooks reports mistakes in the hooks of the settings.
func (x *examination) checkHooks(s *sectionReport) {
	if !x.set.AreHooksEnabled() {
		return
	}
	var warnings []string
	hooks, lost := x.set.WithWarn(func(text string) { warnings = append(warnings, strings.TrimPrefix(text, "Warning: ")) }).ReadHooks()
	for _, text := range warnings {
		if !slices.Contains(lost, text) {
			s.warn("hooks", policy.OnOneLine(text), "fix the hook; see /docs hooks")
		}
	}
	x.checkLost(s, "hooks", lost)
	if len(hooks) > 0 {
		s.ok("hooks", wording.Count(len(hooks), "hook"))
	}
}

// checkRules checks the policy files, the hooks, the custom system instruction and the tool discovery
// command. deferredErr is an error that a run reports only after it has chosen the model.
func (x *examination) checkRules() (s sectionReport, deferredErr error) {
	s = sectionReport{ID: "rules", Title: "Policies and instructions"}
	found := x.set.WithWarn(func(text string) {
		s.warn("policies", strings.TrimPrefix(policy.OnOneLine(text), "Warning: "), "fix the file or move it away")
	}).Inspect()
	if found.Refused != nil {
		s.broken("policies", policy.OnOneLine(found.Refused.Error()), "fix the file or move it away")
		x.fail(found.Refused)
	} else {
		s.ok("policies", wording.Count(found.Rules, "rule")+" in files")
	}
	x.checkHooks(&s)
	switch {
	case found.Unread != nil:
		s.broken("instruction", found.Unread.Error(), "fix "+x.set.Where("GEMINI_SYSTEM_MD")+" or unset it")
		deferredErr = found.Unread
	case found.Instruction != "":
		s.ok("instruction", found.Instruction+" ("+x.set.Where("GEMINI_SYSTEM_MD")+")")
	}
	switch {
	case found.Undiscovered != nil:
		s.broken("tool discovery", found.Undiscovered.Error(), "fix or unset tools.discoveryCommand")
		deferredErr = found.Undiscovered // a run checks discovery before the instruction
	case found.LacksCall:
		s.warn("tool discovery", "tools.discoveryCommand has no effect without tools.callCommand", "set both, or neither")
	case found.Discovers:
		s.ok("tool discovery", "tools.discoveryCommand is set (not run by pollux doctor)")
	}
	return s, deferredErr
}

// laterNext is the next step for features that this version does not support yet.
const laterNext = "nothing to do: a later version of Pollux will use it"

// checkUnusedFeatures lists the files that the user has set up, but Pollux does not use.
func (x *examination) checkUnusedFeatures() sectionReport {
	s := sectionReport{ID: "later", Title: "Not supported yet"}
	path := filepath.Join(x.set.Paths.Dir(), ".gemini", "sandbox.Dockerfile")
	if isNonEmpty(path) {
		s.note("image", path+" is not built", "build it, and name the image in GEMINI_SANDBOX_IMAGE")
	}
	if len(s.Checks) == 0 {
		s.ok("features", "everything that you have set up is supported")
	}
	return s
}
