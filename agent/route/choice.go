package route

import "pollux/llm/catalog"

// Between returns what there is to choose from where the user has named this
// model, and an account with Google gives this access; false if the name leaves
// no choice (spec/agent.md §7.1, §8). "" stands for "auto".
func Between(name string, a catalog.Access) (Choice, bool) {
	switch name {
	case "", "auto", "auto-gemini-3":
		return Choice{Pro: catalog.Resolve("pro", a), Flash: catalog.Resolve("flash", a)}, true
	case "auto-gemini-2.5":
		a.Preview = false // and the flash model is the one beside 2.5 Pro
		return Choice{Pro: catalog.Resolve("pro", a), Flash: catalog.Resolve("flash", a)}, true
	}
	return Choice{}, false
}
