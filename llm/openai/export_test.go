package openai

// Address returns where a request goes.
func Address(base, model, method string) (string, error) {
	e, err := newEndpoint(base)
	if err != nil {
		return "", err
	}
	return e.url(model, method).String(), nil
}
