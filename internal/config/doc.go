// Package config reads the user's configuration: the environment, the settings files of all
// layers and .env files. It also knows the locations of Pollux's own files.
//
//   - keys.go is the table of all settings. Code reads a setting with
//     MaxSessionTurns.In(settings), for example.
//   - [Load] reads and merges the layers into immutable [Settings].
//   - [Paths.Set] and [Paths.Unset] change a settings file and preserve the rest
//     of it; [Explain] reports which layer a value comes from.
//   - [Environ] is the only function that reads the process environment. Other
//     packages get an [Env], or single values of it. A [FolderEnv] also has the
//     variables of a project: it must not answer questions about the user's files,
//     credentials and programs.
//   - [Paths] returns the locations of files below ~/.gemini. A project's own
//     directory is created when it is first needed.
//
// A mistake in the configuration results either in a [Warning], and the value of the layer
// below is used, or in an error with exit code 52 that names the file.
package config
