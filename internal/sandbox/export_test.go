package sandbox

import "strings"

// PretendVersion has a sandbox that was not used yet work as on a kernel with an older version of Landlock.
func (s *Sandbox) PretendVersion(v int) { s.version = v }

// PretendMute has a sandbox that was not used yet work as on a machine that does not let Pollux decide about connections.
func (s *Sandbox) PretendMute() { s.mute = true }

// EndOfKinds is behind the last kind of denial.
const EndOfKinds = endOfKinds

// ChooseExtras is chooseExtras.
var ChooseExtras = chooseExtras

// Seatbelt is seatbelt, with the terminals of a program.
func (p *Profile) Seatbelt(base string, knows, terminals []string) string {
	text := p.seatbelt(base, knows)
	for i := 1; i < 2*len(terminalParameters); i += 2 {
		name, path, _ := strings.Cut(parameters(terminals)[i], "=")
		text = strings.ReplaceAll(text, `(param "`+name+`")`, `"`+path+`"`)
	}
	return text
}

// Extras is extras.
var Extras = extras

// Present is present.
func (p *Profile) Present(exists func(string) bool) (Profile, []string) { return p.present(exists) }

// MayConnect is mayConnect.
func (p *Profile) MayConnect(path string) bool { return p.mayConnect(path) }
