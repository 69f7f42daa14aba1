package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// move is an old name of a key and its current name. A leading "!" in to inverts a bool; to is
// empty if the key no longer exists.
type move struct{ from, to string }

// flat lists the names of the first, flat layout.
var flat = [...]move{
	{"accessibility", "ui.accessibility"},
	{"allowMCPServers", "mcp.allowed"},
	{"allowedTools", "tools.allowed"},
	{"autoAccept", ""},
	{"autoConfigureMaxOldSpaceSize", "advanced.autoConfigureMemory"},
	{"bugCommand", "advanced.bugCommand"},
	{"checkpointing", "general.checkpointing"},
	{"contextFileName", "context.fileName"},
	{"coreTools", "tools.core"},
	{"customThemes", "ui.customThemes"},
	{"customWittyPhrases", "ui.customWittyPhrases"},
	{"debugKeystrokeLogging", "general.debugKeystrokeLogging"},
	{"disableAutoUpdate", "!general.enableAutoUpdate"},
	{"disableUpdateNag", "!general.enableAutoUpdateNotification"},
	{"dnsResolutionOrder", "advanced.dnsResolutionOrder"},
	{"enableInteractiveShell", "tools.shell.enableInteractiveShell"},
	{"enforcedAuthType", "security.auth.enforcedType"},
	{"excludeMCPServers", "mcp.excluded"},
	{"excludeTools", "tools.exclude"},
	{"excludedProjectEnvVars", "advanced.excludedEnvVars"},
	{"fileFiltering", "context.fileFiltering"},
	{"folderTrust", "security.folderTrust.enabled"},
	{"hasSeenIdeIntegrationNudge", "ide.hasSeenNudge"},
	{"hideBanner", "ui.hideBanner"},
	{"hideCWD", "ui.footer.hideCWD"},
	{"hideContextSummary", "ui.hideContextSummary"},
	{"hideFooter", "ui.hideFooter"},
	{"hideModelInfo", "ui.footer.hideModelInfo"},
	{"hideSandboxStatus", "ui.footer.hideSandboxStatus"},
	{"hideTips", "ui.hideTips"},
	{"hideWindowTitle", "ui.hideWindowTitle"},
	{"ideMode", "ide.enabled"},
	{"includeDirectories", "context.includeDirectories"},
	{"loadMemoryFromIncludeDirectories", "context.loadMemoryFromIncludeDirectories"},
	{"maxSessionTurns", "model.maxSessionTurns"},
	{"mcpServerCommand", "mcp.serverCommand"},
	{"memoryDiscoveryMaxDirs", "context.discoveryMaxDirs"},
	{"memoryImportFormat", "context.importFormat"},
	{"preferredEditor", "general.preferredEditor"},
	{"retryFetchErrors", "general.retryFetchErrors"},
	{"sandbox", "tools.sandbox"},
	{"selectedAuthType", "security.auth.selectedType"},
	{"shellPager", "tools.shell.pager"},
	{"shellShowColor", "tools.shell.showColor"},
	{"shouldUseNodePtyShell", "tools.shell.enableInteractiveShell"},
	{"showCitations", "ui.showCitations"},
	{"showLineNumbers", "ui.showLineNumbers"},
	{"showMemoryUsage", "ui.showMemoryUsage"},
	{"showStatusInTitle", "ui.showStatusInTitle"},
	{"skipNextSpeakerCheck", "model.skipNextSpeakerCheck"},
	{"summarizeToolOutput", "model.summarizeToolOutput"},
	{"theme", "ui.theme"},
	{"toolCallCommand", "tools.callCommand"},
	{"toolDiscoveryCommand", "tools.discoveryCommand"},
	{"usageStatisticsEnabled", "privacy.usageStatisticsEnabled"},
	{"useExternalAuth", "security.auth.useExternal"},
	{"useRipgrep", "tools.useRipgrep"},
	{"vimMode", "general.vimMode"},
}

// renamed lists keys that were renamed later. Members of an object that have other names now come before the object.
var renamed = [...]move{
	{"general.disableAutoUpdate", "!general.enableAutoUpdate"},
	{"general.disableUpdateNag", "!general.enableAutoUpdateNotification"},
	{"ui.accessibility.disableLoadingPhrases", "!ui.accessibility.enableLoadingPhrases"},
	{"context.fileFiltering.disableFuzzySearch", "!context.fileFiltering.enableFuzzySearch"},
	{"tools.approvalMode", "general.defaultApprovalMode"},
	{"experimental.codebaseInvestigatorSettings.maxNumTurns", "agents.overrides.codebase_investigator.runConfig.maxTurns"},
	{"experimental.codebaseInvestigatorSettings.maxTimeMinutes", "agents.overrides.codebase_investigator.runConfig.maxTimeMinutes"},
	{"experimental.codebaseInvestigatorSettings.model", "agents.overrides.codebase_investigator.modelConfig.model"},
	{
		"experimental.codebaseInvestigatorSettings.thinkingBudget",
		"agents.overrides.codebase_investigator.modelConfig.generateContentConfig.thinkingConfig.thinkingBudget",
	},
	{"experimental.codebaseInvestigatorSettings", "agents.overrides.codebase_investigator"},
	{"experimental.cliHelpAgentSettings", "agents.overrides.cli_help"},
	{"experimental.plan", "general.plan.enabled"},
}

// flatNames collects names of the flat layout and the files that use them.
type flatNames struct {
	files, names []string
}

// add adds the names that a file uses.
func (f *flatNames) add(path string, names []string) {
	if len(names) > 0 {
		f.files = append(f.files, path)
		f.names = append(f.names, names...)
	}
}

// warning returns one warning for all files, none if there is nothing to warn about.
func (f *flatNames) warning() []Warning {
	verb := "use"
	switch len(f.files) {
	case 0:
		return nil
	case 1:
		verb = "uses"
	}
	slices.Sort(f.names)
	return []Warning{Warning(fmt.Sprintf("%s %s old names of settings, which Pollux reads as the current ones: %s",
		strings.Join(f.files, " and "), verb, enumerate(slices.Compact(f.names))))}
}

// migrate converts a file's tree to current keys. It returns the names of the flat layout in the
// tree, the old name of each key that it moved, and warnings. The file itself does not change. If both names are set, the current one is
// used, and the other one is hidden.
func migrate(tree map[string]any, scope Scope) (flat []string, written map[string]string, hidden []hiddenValue, warnings []Warning) {
	written = map[string]string{}
	hide := func(h hiddenValue) { hidden = append(hidden, h) }
	flat = migrateFlat(tree, written, hide)
	var old []string
	for _, m := range renamed {
		if m.apply(tree, hide) {
			old = append(old, m.from)
			written[strings.TrimPrefix(m.to, "!")] = m.from
		}
	}
	if len(old) > 0 && (scope == System || scope == SystemDefaults) {
		warnings = append(warnings, Warning(fmt.Sprintf("The %s configuration contains deprecated settings: [%s]. "+
			"These could not be migrated automatically as system settings are read-only. "+
			"Please update the system configuration manually.", scopeName(scope), strings.Join(old, ", "))))
	}
	migrateValues(tree, scope)
	return flat, written, hidden, warnings
}

// migrateFlat moves the keys of the flat layout, and returns their names. It adds the old name of
// each key to written.
func migrateFlat(tree map[string]any, written map[string]string, hide func(hiddenValue)) (old []string) {
	if name, ok := tree["model"].(string); ok {
		tree["model"] = map[string]any{"name": name}
		old = append(old, "model (model.name)")
	}
	for _, m := range flat {
		if !m.apply(tree, hide) {
			continue
		}
		now := strings.TrimPrefix(m.to, "!")
		written[now] = m.from
		if now == "" {
			now = "gone"
		}
		old = append(old, m.from+" ("+now+")")
	}
	return old
}

// migrateValues converts values to their current form.
func migrateValues(tree map[string]any, scope Scope) {
	if on, ok := Coerce("bool", tree["telemetry"]); ok {
		tree["telemetry"] = map[string]any{"enabled": on}
	}
	ui, _ := tree["ui"].(map[string]any)
	if access, _ := ui["accessibility"].(map[string]any); access["enableLoadingPhrases"] == false {
		if _, ok := ui["loadingPhrases"]; !ok {
			ui["loadingPhrases"] = "off"
		}
	}
	if scope == User || scope == Workspace {
		switch ui["theme"] {
		case "VS":
			ui["theme"] = "Default Light"
		case "VS2015":
			ui["theme"] = "Default"
		}
	}
}

// apply moves a key in tree, and reports whether there was anything to move. It calls hide for each value that stays hidden.
func (m move) apply(tree map[string]any, hide func(hiddenValue)) bool {
	names := strings.Split(m.from, ".")
	parent := tree
	for _, name := range names[:len(names)-1] {
		parent, _ = parent[name].(map[string]any)
	}
	last := names[len(names)-1]
	v, ok := parent[last]
	if !ok {
		return false
	}
	delete(parent, last)
	to, negate := strings.CutPrefix(m.to, "!")
	if to == "" {
		return true
	}
	if on, isBool := Coerce("bool", v); negate && isBool {
		v = on != true
	}
	graft(tree, strings.Split(to, "."), v, func(now string, v, there any) { hide(hiddenValue{m.from, now, v, there}) })
	return true
}

// graft sets the value at a path of the tree unless there is one already, and calls hide if so. It joins two
// objects; if a value is in the way of an object, the value stays, and a check reports it.
func graft(tree map[string]any, at []string, v any, hide func(now string, v, there any)) {
	path := strings.Join(at, ".")
	for _, name := range at[:len(at)-1] {
		if _, taken := tree[name]; !taken {
			tree[name] = map[string]any{}
		}
		below, ok := tree[name].(map[string]any)
		if !ok {
			hide(path, v, nil)
			return
		}
		tree = below
	}
	last := at[len(at)-1]
	there, taken := tree[last]
	if !taken {
		tree[last] = v
		return
	}
	object, ok := there.(map[string]any)
	more, isObject := v.(map[string]any)
	if !ok || !isObject {
		hide(path, v, there)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		graft(object, []string{name}, more[name], func(below string, v, there any) { hide(path+"."+below, v, there) })
	}
}

func scopeName(scope Scope) string {
	if scope == SystemDefaults {
		return "system default"
	}
	return "system"
}
