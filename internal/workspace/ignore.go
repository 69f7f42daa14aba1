package workspace

// Filter says which ignore rules count: Git for .gitignore files and
// .git/info/exclude, Gemini for .geminiignore and the custom ignore files. The
// zero Filter hides nothing.
type Filter struct{ Git, Gemini bool }

type ruleSet struct{}

func newRuleSet(root string, o Options) *ruleSet { return &ruleSet{} }

// Ignored reports whether the ignore rules hide a path. dir says that it is a
// directory, which some patterns ask for.
func (w *Workspace) Ignored(abs string, dir bool, f Filter) bool { return false }
