package source

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"

	"daybook"
)

// detect tells the format of a part by what is in it; the name decides only
// between Markdown and plain text.
func detect(p part) (Format, error) {
	f, err := p.open()
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	br := decode(f)
	head, err := br.Peek(headSize)
	if err != nil && err != io.EOF {
		return "", daybook.Errorf(daybook.Unavailable, "read: %w", err)
	}
	trimmed := bytes.TrimSpace(head)
	switch {
	case len(trimmed) == 0:
		return "", daybook.Errorf(daybook.Invalid, "the file is empty")
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF, nil
	case trimmed[0] == '{' || trimmed[0] == '[' && !isChat(head):
		return detectJSON(br, p.ext)
	}
	return detectText(head, trimmed, p.ext)
}

func detectText(head, trimmed []byte, ext string) (Format, error) {
	lower := bytes.ToLower(trimmed[:min(len(trimmed), 200)])
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return "", daybook.Errorf(daybook.Invalid, "the file is binary (a NUL byte at byte %d); if it is UTF-16 text, save it as UTF-8", bytes.IndexByte(head, 0))
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "", daybook.Errorf(daybook.Invalid, "the file is compressed; unpack it with gunzip first")
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return "", daybook.Errorf(daybook.Invalid, "the file is a web page; the exports of ChatGPT and Claude have a conversations.json beside it, which can be read")
	case isChat(head):
		return WhatsApp, nil
	case ext == ".json" || ext == ".jsonl" || ext == ".ndjson":
		return "", daybook.Errorf(daybook.Invalid, "the file is named %s and does not begin as JSON does; --format messages lists what is wrong with each line", ext)
	case ext == ".md" || ext == ".markdown":
		return Markdown, nil
	case ext == ".txt" || ext == ".text":
		return Text, nil
	case mostlyControl(trimmed):
		return "", daybook.Errorf(daybook.Invalid, "the file is binary; what can be read: JSON, text, Markdown, PDF, and zip files of them")
	case looksMarkdown(string(trimmed)):
		return Markdown, nil
	}
	return Text, nil
}

// isChat reports whether the first line that is not blank begins a WhatsApp
// message.
func isChat(head []byte) bool {
	for line := range strings.Lines(string(head)) {
		if strings.TrimSpace(line) != "" {
			_, ok := parseHeader(strings.TrimRight(line, "\r\n"))
			return ok
		}
	}
	return false
}

func looksMarkdown(text string) bool {
	lines := strings.Split(text, "\n")
	if frontMatter(lines) > 0 {
		return true
	}
	for _, l := range lines {
		if h := mdHeading.FindStringSubmatch(strings.TrimRight(l, "\r")); h != nil && h[2] != "" {
			return true
		}
	}
	return false
}

func mostlyControl(b []byte) bool {
	control := 0
	for _, r := range string(b) {
		if r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r) {
			control++
		}
	}
	return control*10 > len(b)
}

// detectJSON tells by the keys of the first record.
func detectJSON(r io.Reader, ext string) (Format, error) {
	keys, err := firstKeys(json.NewDecoder(r))
	has := func(names ...string) bool {
		for _, name := range names {
			if keys[name] {
				return true
			}
		}
		return false
	}
	switch {
	case has("mapping"):
		return ChatGPT, nil
	case has("chat_messages"):
		return Claude, nil
	case has("haystack_sessions"):
		return LongMemEval, nil
	case has("conversation") && has("sample_id", "qa"):
		return LoCoMo, nil
	case has("format") && has("head", "commits"):
		return Ledger, nil
	case has("memory", "results", "memories"), has("content") && has("user_id", "app_id") && !has("role"):
		return Mem0, nil
	case has("role", "speaker", "text", "messages"):
		return Messages, nil
	}
	if err != nil && len(keys) == 0 {
		if ext == ".md" || ext == ".markdown" || ext == ".txt" {
			return detectText(nil, []byte(" "), ext)
		}
		return "", daybook.Errorf(daybook.Invalid, "the file begins as JSON does and is not JSON: %w", err)
	}
	if len(keys) == 0 {
		return "", daybook.Errorf(daybook.Invalid, "the file is JSON without a record in it")
	}
	return "", daybook.Errorf(daybook.Invalid, "the JSON is of no known format (its first record has the keys %s); --format says which it is", strings.Join(someKeys(keys), ", "))
}
