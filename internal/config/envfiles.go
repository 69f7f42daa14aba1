package config

import (
	"errors"
	"slices"
)

// EnvFile is a .env file that the search of [WithDotEnv] comes by.
type EnvFile struct {
	Path string
	// State is "read" for the one that counts, else why this one does not.
	State string
	// Err is why it cannot be read, where that is the reason.
	Err error
	// Taken are the names that it sets; Overruled those that the environment has
	// already, and Forbidden those in which such a file has no say. Odd are the
	// numbers of lines that are no assignment.
	Taken, Overruled, Forbidden []string
	Odd                         []int
}

// EnvFiles returns the .env files that there are for a working directory, in the
// order of the search. It is for those who look for what is wrong; env is the
// environment without them.
func EnvFiles(env *Env, s *Settings, p *Paths) []EnvFile {
	var files []EnvFile
	found := false
	for at := range dotEnvPlaces(p) {
		data, err := readFile(at.file, maxDotEnv)
		f := EnvFile{Path: at.file, State: at.ignored(s.Trusted(), IgnoreLocalEnv.In(s))}
		switch {
		case errors.Is(err, errAbsent):
			continue
		case f.State != "":
		case err != nil:
			f.State, f.Err = err.Error(), err
		case found:
			f.State = "another one comes first"
		default:
			f.State, found = "read", true
			f.sort(data, env, s)
		}
		files = append(files, f)
	}
	return files
}

// sort says what becomes of each variable in a file.
func (f *EnvFile) sort(data []byte, env *Env, s *Settings) {
	excluded := excludedFrom(f.Path, s)
	for _, v := range parseDotEnv(data, func(line int) { f.Odd = append(f.Odd, line) }) {
		switch _, fate := judge(v, excluded, env, s); fate {
		case taken:
			f.Taken = append(f.Taken, v.name)
		case overruled:
			f.Overruled = append(f.Overruled, v.name)
		case forbidden:
			f.Forbidden = append(f.Forbidden, v.name)
		}
	}
	slices.Sort(f.Taken)
}
