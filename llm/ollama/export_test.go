package ollama

// Know makes c know a model as if its server had described it.
func (c *Client) Know(name, description string) error {
	m := c.first(name)
	if err := m.describe([]byte(description)); err != nil {
		return err
	}
	c.add(m)
	return nil
}
