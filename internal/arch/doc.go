// Package arch tests the architecture. It has no code besides tests; they parse the source of
// every package, for all platforms:
//
//   - Imports point down: cmd > internal/cli > faces > slash > manage > doctor > session >
//     action > knowledge > foundations > agent > tool > llm, and no package imports
//     another of its own layer.
//   - Only the package that adapts a third-party library imports it.
//   - The environment is read in internal/config, the process ends in
//     internal/cli, and output goes through the writers of internal/terminal,
//     which clean it.
//   - Programs are started in internal/process.
//   - Nothing happens before main: no init functions, no regular expressions
//     compiled into package variables.
//   - No package is a drawer: util, common, helpers, ...
//   - Packages and exported names have comments, which begin with the name.
//
// Each failure names the package where the code belongs. The rules are tables in
// imports_test.go and source_test.go; a new top-level directory needs a row.
package arch
