package config

// CommandPermissions are the permissions of the commands of a program in the sandbox.
type CommandPermissions struct {
	Paths []string `json:"paths,omitempty"`
	Hosts []string `json:"hosts,omitempty"`
}

// SandboxPermissions returns the permissions in pollux.sandboxCommands, by the names of the programs.
func SandboxPermissions(s *Settings) map[string]CommandPermissions {
	var list map[string]CommandPermissions
	if SandboxCommands.Decode(s, &list) != nil { // files are checked when they are read
		return nil
	}
	return list
}

// SandboxPaths returns the further files and directories that commands in the sandbox may change: those of
// tools.sandboxAllowedPaths, and of allowedPaths in the object form of tools.sandbox, in which a project adds none.
func SandboxPaths(s *Settings) []string {
	paths := append([]string{}, SandboxAllowedPaths.In(s)...)
	for _, scope := range [...]Scope{SystemDefaults, User, System, CommandLine} {
		if object, ok := ToolSandbox.In(s.ForScope(scope)).(map[string]any); ok && object["allowedPaths"] != nil {
			paths = append(paths, Texts(items(object["allowedPaths"]))...)
		}
	}
	return paths
}
