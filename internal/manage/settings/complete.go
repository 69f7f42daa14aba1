package settings

import (
	"strings"

	"pollux/internal/config"
	"pollux/internal/manage"
	"pollux/internal/manage/models"
)

// keys completes a key of the settings.
func keys(words []string, typed string) ([]string, manage.Offer) {
	var keys []string
	for _, key := range config.Keys() {
		if len(words) == 0 && strings.HasPrefix(key.Path, typed) {
			keys = append(keys, key.Path+"\t"+key.Doc)
		}
	}
	return keys, manage.Nothing
}

// keysAndValues completes two arguments: a key, then a value of its type.
func keysAndValues(words []string, typed string) ([]string, manage.Offer) {
	if len(words) != 1 {
		return keys(words, typed)
	}
	key, ok := config.KeyOf(words[0])
	switch {
	case !ok:
		return nil, manage.Nothing
	case key.Type == "bool":
		return []string{"true", "false"}, manage.Nothing
	case key.Path == string(config.ModelName):
		names, _ := models.Names(typed)
		return names, manage.Nothing
	}
	if values, ok := strings.CutPrefix(key.Type, "enum "); ok {
		return strings.Fields(values), manage.Nothing
	}
	return nil, manage.Files // the value can be a file name
}
