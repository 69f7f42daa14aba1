package config

import "strings"

// Class says what a setting, a file or a variable of a project does by itself. Classes can be combined.
type Class uint8

// The classes. What acts or loosens takes effect after the user has seen it, what tightens always,
// and what describes needs no question.
const (
	Acts      Class = 1 << iota // starts a program, sends something, or decides who gets it
	Loosens                     // lets calls pass or reaches more
	Tightens                    // restricts
	Describes                   // changes how Pollux works, within what is allowed
)

// IsAsked reports whether the user must see what has the class before it takes effect.
func (c Class) IsAsked() bool { return c&(Acts|Loosens) != 0 }

// String returns the words for the class.
func (c Class) String() string {
	var words []string
	for i, word := range [...]string{"acts", "loosens", "tightens", "describes"} {
		if c&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
