package sandbox

import (
	"slices"
	"strings"
)

// Way is a setting that lets commands do what the sandbox refuses them.
type Way struct {
	Setting string // its name
	Allows  string // what it can allow, such as "hosts"
}

// wish is how a kind of [Denial] reads in a list.
type wish struct {
	words string // all of it, or with a space at the end what stands before paths or hosts
	way   Way    // the zero Way if no setting allows it
}

var (
	ofPaths   = Way{"tools.sandboxAllowedPaths", "paths that exist"}
	ofHosts   = Way{"pollux.sandboxHosts", "hosts"}
	ofNetwork = Way{"tools.sandboxNetworkAccess", "the network"}
)

// wishes has the wish of each kind. Limits name their settings themselves.
var wishes = [endOfKinds]wish{
	HidesFile:        {"to read ", ofPaths},
	KeepsFile:        {"to change ", ofPaths},
	KeepsDirectory:   {"to create ", ofPaths},
	HasNoNetwork:     {"the network", ofNetwork},
	NotListed:        {"to reach ", ofHosts},
	HasNoKeys:        {"SSH keys", ofPaths},
	HasNoRights:      {"more privileges", Way{}},
	NotLocalSocket:   {"to connect to ", ofPaths},
	HasNoCredentials: {"passwords and tokens for git servers", ofPaths},
	HasNoSigningKeys: {"keys to sign with", Way{}},
	HasNoNamespaces:  {"namespaces", Way{}},
	NotSignalled:     {"to signal other processes", Way{}},
	NestsBrowser:     {"a sandbox of a browser", Way{}},
	NestsSeatbelt:    {"a sandbox of its own", Way{}},
	HasNoMemory:      {"more memory (pollux.sandboxMemory)", Way{}},
	HasNoProcesses:   {"more processes (pollux.sandboxProcesses)", Way{}},
	ReachesNoOthers:  {"to open other programs", Way{}},
}

// Wish returns the refused permission, for a list: "to change ~/notes", or "SSH keys". display shortens paths.
func (d Denial) Wish(display func(path string) string) string {
	kind := d.Kind
	if kind == KeepsFile && d.Exists != d.Path {
		kind = KeepsDirectory // whose words are about a new file
	}
	words := wishes[kind].words
	switch {
	case !strings.HasSuffix(words, " "):
		return words
	case kind == NotListed:
		return words + strings.Join(d.Hosts, ", ")
	}
	return words + display(d.Path)
}

// Ways returns the settings that can allow permissions in a list of [Denial.Wish], each once, in the order of the list.
func Ways(list []string) (ways []Way) {
	for _, text := range list {
		i := slices.IndexFunc(wishes[:], func(w wish) bool {
			return w.words != "" && (text == w.words || strings.HasSuffix(w.words, " ") && strings.HasPrefix(text, w.words))
		})
		if i >= 0 && wishes[i].way != (Way{}) && !slices.Contains(ways, wishes[i].way) {
			ways = append(ways, wishes[i].way)
		}
	}
	return ways
}
