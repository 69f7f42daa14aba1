// Package config reads what the user set: the environment, the settings files
// of all layers, .env files, and where Pollux keeps its own files
// (spec/cli.md §2 to §4).
//
//   - keys.go is the table of all settings; a reader takes one in one line,
//     as in MaxSessionTurns.In(settings).
//   - [Load] reads and merges the layers into one immutable [Settings].
//   - [Paths.Set] and [Paths.Unset] change a file and leave the rest of it as it
//     is; [Explain] says which layer a value comes from.
//   - [Environ] is the only place that reads the process environment; all
//     others are handed an [Env], or single values of it.
//   - [Paths] knows the files below ~/.gemini; a project's own directory is
//     made when it is first asked for.
//
// Everything a user could have got wrong is either a [Warning], and the lower
// layer's value is used, or an error with exit code 52 that names the file.
package config
