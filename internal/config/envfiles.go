package config

import (
	"errors"
	"slices"
)

// EnvFile is a .env file that the search of [DotEnv] has found.
type EnvFile struct {
	Path string
	// State is "read" for the file that is used, otherwise the reason why this one is not.
	State string
	// Err is the error of reading the file, if that is the reason.
	Err error
	// Set are the variables that the file sets, AlreadySet those that are already set in the
	// environment, and Forbidden those that such a file must not set. InvalidLines are the numbers of
	// lines that cannot be parsed.
	Set, AlreadySet, Forbidden []string
	InvalidLines               []int
}

// EnvFiles returns the .env files for a working directory in search order, for diagnosis. env
// must not contain their variables.
func EnvFiles(env *Env, s *Settings, p *Paths) []EnvFile {
	var files []EnvFile
	hasRead := false
	for at := range dotEnvPlaces(p) {
		data, err := readFile(at.file, maxDotEnv)
		f := EnvFile{Path: at.file, State: at.ignored(s.Trusted(), IgnoreLocalEnv.In(s))}
		switch {
		case errors.Is(err, errAbsent):
			continue
		case f.State != "":
		case err != nil:
			f.State, f.Err = err.Error(), err
		case hasRead:
			f.State = "another one comes first"
		default:
			f.State, hasRead = "read", true
			f.classify(data, at.excluded(s), env, s)
		}
		files = append(files, f)
	}
	return files
}

// classify sorts the file's variables by outcome.
func (f *EnvFile) classify(data []byte, excluded func(name string) bool, env *Env, s *Settings) {
	for _, v := range parseDotEnv(data, func(line int) { f.InvalidLines = append(f.InvalidLines, line) }) {
		switch _, fate := evaluate(v, excluded, env, s); fate {
		case taken:
			f.Set = append(f.Set, v.name)
		case alreadySet:
			f.AlreadySet = append(f.AlreadySet, v.name)
		case forbidden:
			f.Forbidden = append(f.Forbidden, v.name)
		}
	}
	slices.Sort(f.Set)
}
