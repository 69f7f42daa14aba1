// Package arch holds the shape of the house. It has no code, only tests, and
// they read the source of every package, whatever platform it is for:
//
//   - Imports point down: cmd > internal/cli > internal/face/* > internal/slash > internal/app >
//     the other rooms of internal > agent > tool > llm.
//   - A vendor's or a toolkit's library stays in the room that adapts it.
//   - The environment is read in internal/config, the process ends in
//     internal/cli, and what is printed goes through internal/terminal.
//   - Nothing happens before main: no init functions, no regular expressions
//     compiled into package variables.
//   - No package is a drawer: util, common, helpers, ...
//
// Each failure says where the thing belongs. The rules are tables, in
// imports_test.go and source_test.go; a new top-level directory needs a row.
package arch
