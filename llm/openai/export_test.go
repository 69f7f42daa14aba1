package openai

// Address returns the URL of a request.
func Address(base, model, method string) (string, error) {
	e, err := newEndpoint(base)
	if err != nil {
		return "", err
	}
	return e.url(model, method).String(), nil
}
