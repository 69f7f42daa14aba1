//go:build linux

package hostile

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// played returns the scenes that this run plays: all of them if POLLUX_LONG is 1, and of a part of a long run the scenes of
// that part and a selection in which each property of each scene occurs. A plain run plays a sixth of the selection.
func (k *kind) played() []*scene {
	var list []*scene
	whole := map[string]bool{}
	for _, s := range k.Scenes {
		if processtest.InLong(s.Name) {
			list, whole[s.Name] = append(list, s), true
		}
	}
	for i, s := range k.selection() {
		if !whole[s.Name] && processtest.InPlain(i, 6) {
			list = append(list, s)
		}
	}
	return list
}

// selection returns few scenes that together have each property of the file's scenes, in the order of the file. Each
// plays the rows that no scene before it has played, and the first few others.
func (k *kind) selection() []*scene {
	isPlayed := map[string]bool{}
	var list []*scene
	for _, s := range k.cover() {
		const others = 4
		c, n := *s, 0
		c.Attempts = nil
		for _, a := range s.Attempts {
			if isPlayed[a.Name] {
				if n++; n > others {
					continue
				}
			}
			isPlayed[a.Name] = true
			c.Attempts = append(c.Attempts, a)
		}
		list = append(list, &c)
	}
	return list
}

// cover returns few scenes that together have each property of the file's scenes, in the order of the file. It takes
// the scene with the most new properties first.
func (k *kind) cover() []*scene {
	unmet := map[*scene][]string{}
	for _, s := range k.Scenes {
		unmet[s] = s.properties()
	}
	isMet, isTaken := map[string]bool{}, map[*scene]bool{}
	for {
		var best *scene
		for _, s := range k.Scenes {
			unmet[s] = slices.DeleteFunc(unmet[s], func(p string) bool { return isMet[p] })
			if len(unmet[s]) > 0 && (best == nil || len(unmet[s]) > len(unmet[best])) {
				best = s
			}
		}
		if best == nil {
			return slices.DeleteFunc(slices.Clone(k.Scenes), func(s *scene) bool { return !isTaken[s] })
		}
		isTaken[best] = true
		for _, p := range unmet[best] {
			isMet[p] = true
		}
	}
}

// joints are where the name of a scene has its parts: "NEL in an answer in json" is an attack, a place and a form.
var joints = regexp.MustCompile(`: |, | and | in | as | for | of words| with | at `)

// properties are the parts of a scene's cross product: its face and mode, its flags and protocol, its protections,
// its rows, and the parts of its name, such as the form of a hook. A row with the name of its scene has the same parts.
func (s *scene) properties() []string {
	list := []string{"face " + s.face + " " + s.mode, "flags " + strings.Join(s.Args, " "), "wire " + s.Wire}
	parts := s.parts
	if parts == nil {
		parts = joints.Split(s.Name, -1)
	}
	for _, part := range parts {
		list = append(list, "part "+part)
	}
	for _, a := range s.Attempts {
		if a.Name == s.Name {
			continue
		}
		list = append(list, "row "+a.Name, "stopped "+a.Stopped)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestSelection checks the selection against the files: it has each row, each form and each text around it, each face
// with each mode, and each wire.
func TestSelection(t *testing.T) {
	t.Parallel()
	all, plain, attempts := 0, 0, 0
	for _, k := range readKinds(t) {
		want, got := map[string]bool{}, map[string]bool{}
		for _, s := range k.Scenes {
			mustHave(want, k, s)
		}
		list := k.selection()
		for _, s := range list {
			mustHave(got, k, s)
			attempts += len(s.Attempts)
		}
		for p := range want {
			if !got[p] {
				t.Errorf("%s: no scene of the selection has %s", k.file, p)
			}
		}
		all, plain = all+len(k.Scenes), plain+len(list)
		t.Logf("%s: %d of %d", k.file, len(list), len(k.Scenes))
	}
	t.Logf("%d of %d scenes, with %d attempts", plain, all, attempts)
	if plain > all/2 {
		t.Errorf("the selection has %d of %d scenes", plain, all)
	}
}

// mustHave adds the properties of a scene that the selection must not lose, as the file has them.
func mustHave(set map[string]bool, k *kind, s *scene) {
	set["face "+s.face+" "+s.mode], set["wire "+s.Wire] = true, true
	base, combination, isExpanded := strings.Cut(s.Name, ": ")
	if s.Each == nil || !isExpanded {
		for _, a := range s.Attempts {
			if len(s.Attempts) > 1 || a.isCall() {
				set["row "+a.Name] = true
			}
		}
		return
	}
	set["scene "+base] = true
	for _, f := range k.Forms {
		if strings.HasPrefix(combination, f.Name+", ") {
			set["form "+f.Name] = true
		}
	}
	for _, a := range k.Around {
		if strings.HasSuffix(combination, ", "+a.Name) {
			set["around "+a.Name] = true
		}
	}
}
