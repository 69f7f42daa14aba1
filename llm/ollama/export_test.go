package ollama

// Know adds a model to c as if its server had described it.
func (c *Client) Know(name, description string) error {
	m := c.newModel(name)
	if err := m.describe([]byte(description)); err != nil {
		return err
	}
	c.addModel(m)
	return nil
}
