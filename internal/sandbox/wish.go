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

// Wish is a refused permission. The zero Wish is none.
type Wish struct {
	Text string // for a list: "to change ~/notes", or "SSH keys"
	Way  Way    // the zero Way if no setting allows it
}

var (
	ofPaths   = Way{"tools.sandboxAllowedPaths", "paths that exist"}
	ofHosts   = Way{"pollux.sandboxHosts", "hosts"}
	ofNetwork = Way{"tools.sandboxNetworkAccess", "the network"}
	// ofCredentials is in place of ofPaths where commands can use credentials that they cannot read.
	ofCredentials = Way{"pollux.sandboxCredentials", "credentials"}
)

// wishes has the wish of each kind. A text with a space at its end stands before paths or hosts. Limits name their settings themselves.
var wishes = [endOfKinds]Wish{
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
	ReachesNoPollux:  {"to connect to Pollux at ", Way{}},
}

// Wish returns the refused permission, the zero Wish for none. display shortens paths.
func (d Denial) Wish(display func(path string) string) Wish {
	kind := d.Kind
	if kind == KeepsFile && d.Exists != d.Path {
		kind = KeepsDirectory // whose words are about a new file
	}
	w := wishes[kind]
	if kind == HasNoCredentials && KnowsHosts() {
		w.Way = ofCredentials
	}
	if d.Source != "" {
		w.Way = Way{d.Source, ofNetwork.Allows}
		if d.Path != "" {
			w.Way.Allows = "the workspace"
		}
	}
	switch {
	case d.Proxy != "":
		w = Wish{Text: "the network without the proxy"}
	case !strings.HasSuffix(w.Text, " "):
	case kind == NotListed, kind == ReachesNoPollux:
		w.Text += strings.Join(d.Hosts, ", ")
	default:
		w.Text += display(d.Path)
	}
	return w
}

// Ways returns the settings that can allow some of the permissions, each once.
func Ways(list []Wish) (ways []Way) {
	for _, w := range list {
		if w.Way != (Way{}) && !slices.Contains(ways, w.Way) {
			ways = append(ways, w.Way)
		}
	}
	return ways
}
