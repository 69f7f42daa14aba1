package scriptmodel

func chatShape() *shape {
	textPart := obj(map[string]*shape{"text": is(str)}, "text")
	texts := oneOf(is(str), some(byTag("type", map[string]*shape{"text": textPart})))
	function := obj(map[string]*shape{"name": is(str), "arguments": is(str)}, "name", "arguments")
	calls := some(byTag("type", map[string]*shape{
		"function": obj(map[string]*shape{"id": is(str), "function": function}, "id", "function"),
	}))
	system := obj(map[string]*shape{"content": texts, "name": is(str)}, "content")
	return obj(map[string]*shape{
		"model": is(str),
		"messages": some(byTag("role", map[string]*shape{
			"system":    system,
			"developer": system,
			"user":      obj(map[string]*shape{"content": oneOf(is(str), some(chatPart())), "name": is(str)}, "content"),
			"assistant": obj(map[string]*shape{
				"content": orNull(oneOf(is(str), some(byTag("type", map[string]*shape{
					"text": textPart, "refusal": obj(map[string]*shape{"refusal": is(str)}, "refusal"),
				})))),
				"refusal": orNull(is(str)), "name": is(str), "tool_calls": calls,
			}),
			"tool": obj(map[string]*shape{"content": texts, "tool_call_id": is(str)}, "content", "tool_call_id"),
		})),
		"tools": some(byTag("type", map[string]*shape{"function": obj(map[string]*shape{"function": obj(map[string]*shape{
			"name": is(str), "description": is(str), "parameters": obj(nil), "strict": orNull(is(boolean)),
		}, "name")}, "function")})),
		"tool_choice": oneOf(word("none", "auto", "required"), byTag("type", map[string]*shape{
			"function": obj(map[string]*shape{"function": obj(map[string]*shape{"name": is(str)}, "name")}, "function"),
			"allowed_tools": obj(map[string]*shape{"allowed_tools": obj(map[string]*shape{
				"mode": word("auto", "required"), "tools": some(obj(nil)),
			}, "mode", "tools")}, "allowed_tools"),
		})),
		"parallel_tool_calls":   is(boolean),
		"temperature":           orNull(between(number, 0, 2)),
		"top_p":                 orNull(between(number, 0, 1)),
		"presence_penalty":      orNull(between(number, -2, 2)),
		"frequency_penalty":     orNull(between(number, -2, 2)),
		"n":                     between(integer, 1, 128),
		"seed":                  orNull(is(integer)),
		"stop":                  orNull(oneOf(is(str), some(is(str)))),
		"max_tokens":            orNull(between(integer, 1, 1e9)),
		"max_completion_tokens": orNull(between(integer, 1, 1e9)),
		"reasoning_effort":      orNull(word("none", "minimal", "low", "medium", "high", "xhigh", "max")),
		"verbosity":             orNull(word("low", "medium", "high")),
		"response_format":       formatShape(obj(map[string]*shape{"json_schema": obj(schemaFields(), "name")}, "json_schema")),
		"stream":                orNull(is(boolean)),
		"stream_options":        orNull(obj(map[string]*shape{"include_usage": is(boolean), "include_obfuscation": is(boolean)})),
		"store":                 orNull(is(boolean)),
		"metadata":              orNull(obj(nil)),
		"user":                  is(str),
		"safety_identifier":     is(str),
		"prompt_cache_key":      is(str),
		"service_tier":          orNull(is(str)),
		"logprobs":              orNull(is(boolean)),
		"top_logprobs":          orNull(between(integer, 0, 20)),
		"logit_bias":            orNull(obj(nil)),
	}, "messages", "model")
}

func chatPart() *shape {
	return byTag("type", map[string]*shape{
		"text": obj(map[string]*shape{"text": is(str)}, "text"),
		"image_url": obj(map[string]*shape{"image_url": obj(map[string]*shape{
			"url": is(str), "detail": word("auto", "low", "high"),
		}, "url")}, "image_url"),
		"input_audio": obj(map[string]*shape{"input_audio": obj(map[string]*shape{
			"data": is(base64Bytes), "format": word("wav", "mp3"),
		}, "data", "format")}, "input_audio"),
		"file": obj(map[string]*shape{"file": obj(map[string]*shape{
			"file_data": is(str), "filename": is(str), "file_id": is(str),
		})}, "file"),
	})
}

// formatShape is a format of the answer; schema is that with a schema.
func formatShape(schema *shape) *shape {
	return byTag("type", map[string]*shape{
		"text": obj(map[string]*shape{}), "json_object": obj(map[string]*shape{}), "json_schema": schema,
	})
}

func schemaFields() map[string]*shape {
	return map[string]*shape{"name": is(str), "description": is(str), "schema": obj(nil), "strict": orNull(is(boolean))}
}
