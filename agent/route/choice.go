package route

import "pollux/llm/catalog"

// AutoChoice returns the models that the "auto" settings choose from. name is the model that
// the user selected, "" for "auto", and a lists the models that the user's account with Google may use.
// AutoChoice returns false if name is a single model.
func AutoChoice(name string, a catalog.Access) (Choice, bool) {
	switch name {
	case "", "auto", "auto-gemini-3":
		return Choice{Pro: catalog.Resolve("pro", a), Flash: catalog.Resolve("flash", a)}, true
	case "auto-gemini-2.5":
		a.Preview = false // and the flash model is the one beside 2.5 Pro
		return Choice{Pro: catalog.Resolve("pro", a), Flash: catalog.Resolve("flash", a)}, true
	}
	return Choice{}, false
}
