package gemini

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"pollux/llm"
)

// nameTool adds the name of the tool to a refusal of the service, which has its number only, as in "* GenerateContentRequest.tools[0].
// function_declarations[5].parameters.properties: should be non-empty".
func nameTool(c *llm.Config, err error) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindBadRequest {
		return
	}
	number := regexp.MustCompile(`\btools\[(\d{1,4})\]\.function_?[dD]eclarations\[(\d{1,4})\]`).FindStringSubmatch(e.Message)
	if number == nil {
		return
	}
	set, _ := strconv.Atoi(number[1]) // at most 4 digits fit
	function, _ := strconv.Atoi(number[2])
	for _, t := range c.Tools {
		if len(t.Encoded(encodingKey, appendTools)) == 0 {
			continue
		}
		if set == 0 {
			if function < len(t.Functions) && !strings.Contains(e.Message, t.Functions[function].Name) {
				e.Message = strings.TrimSuffix(strings.TrimSpace(e.Message), ".") + ". This is about the tool " + t.Functions[function].Name
			}
			return
		}
		set--
	}
}
