package source

import (
	"encoding/json"
	"maps"
	"slices"
)

// firstKeys returns the keys of the first object of a JSON file, at its top or
// inside an array; what could be read of them when the file is broken.
func firstKeys(dec *json.Decoder) (map[string]bool, error) {
	keys := map[string]bool{}
	t, err := dec.Token()
	for t == json.Delim('[') && err == nil {
		t, err = dec.Token()
	}
	if err != nil || t != json.Delim('{') {
		return keys, err
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return keys, err
		}
		key, _ := t.(string) // in this place a token is a key
		keys[key] = true
		if err := skipValue(dec); err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// skipValue passes over one value without keeping it.
func skipValue(dec *json.Decoder) error {
	depth := 0
	for {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// someKeys lists a few keys for an error message.
func someKeys(keys map[string]bool) []string {
	names := slices.Sorted(maps.Keys(keys))
	for i, name := range names {
		names[i] = shorten(name, 30)
	}
	return names[:min(len(names), 8)]
}
