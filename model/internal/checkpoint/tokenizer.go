package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"daybook"
	"daybook/model/internal/wordpiece"
)

// tokenizerFile is what the importer reads of tokenizer.json.
type tokenizerFile struct {
	Added []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer *struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		Chinese      bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string          `json:"type"`
		Unknown  string          `json:"unk_token"`
		Prefix   string          `json:"continuing_subword_prefix"`
		MaxChars int             `json:"max_input_chars_per_word"`
		Vocab    json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// tokenizer reads the vocabulary and how text is cut; pieces beyond the
// network's vocabulary are Invalid.
func (s *source) tokenizer(limit int) ([]byte, wordpiece.Config, error) {
	pieces, config, err := s.readTokenizer(limit)
	if err != nil {
		return nil, config, err
	}
	if len(pieces) > limit {
		return nil, config, daybook.Errorf(daybook.Invalid, "tokenizer has %d pieces but the network only %d: they do not belong together", len(pieces), limit)
	}
	vocabulary, err := wordpiece.Vocabulary(pieces)
	if err != nil {
		return nil, config, err
	}
	_, err = wordpiece.New(string(vocabulary), config)
	return vocabulary, config, err
}

func (s *source) readTokenizer(limit int) ([]string, wordpiece.Config, error) {
	if s.tokens == "" {
		return s.readVocabulary()
	}
	config := wordpiece.BERT()
	data, err := os.ReadFile(s.tokens)
	if err != nil {
		return nil, config, fileError("read tokenizer", err)
	}
	var f tokenizerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, config, daybook.Errorf(daybook.Corrupt, "tokenizer.json: %w", err)
	}
	if config, err = f.config(); err != nil {
		return nil, config, err
	}
	pieces, err := f.pieces(limit)
	return pieces, config, err
}

// config maps tokenizer.json to ours; what it cannot map is Invalid.
func (f *tokenizerFile) config() (wordpiece.Config, error) {
	c := wordpiece.BERT()
	if f.Model.Type != "WordPiece" {
		return c, daybook.Errorf(daybook.Invalid, "tokenizer of type %q is not supported; the encoder has WordPiece", f.Model.Type)
	}
	if f.Normalizer == nil || f.Normalizer.Type != "BertNormalizer" {
		return c, daybook.Errorf(daybook.Invalid, "tokenizer has no BertNormalizer, the only one supported")
	}
	if f.PreTokenizer == nil || f.PreTokenizer.Type != "BertPreTokenizer" {
		return c, daybook.Errorf(daybook.Invalid, "tokenizer has no BertPreTokenizer, the only one supported")
	}
	n := f.Normalizer
	c.Lowercase, c.CleanText, c.SplitCJK = n.Lowercase, n.CleanText, n.Chinese
	c.StripAccents = n.Lowercase
	if n.StripAccents != nil {
		c.StripAccents = *n.StripAccents
	}
	c.Unknown, c.Continuation = first(f.Model.Unknown, c.Unknown), first(f.Model.Prefix, c.Continuation)
	c.MaxWordChars = firstPositive(f.Model.MaxChars, c.MaxWordChars)
	c.Special = nil
	for _, a := range f.Added {
		c.Special = append(c.Special, a.Content)
	}
	return c, nil
}

// pieces lists the vocabulary by id. Ids must be below limit, so that a garbled
// file cannot ask for a huge list.
func (f *tokenizerFile) pieces(limit int) ([]string, error) {
	var vocab map[string]int
	if err := json.Unmarshal(f.Model.Vocab, &vocab); err != nil {
		return nil, daybook.Errorf(daybook.Corrupt, "tokenizer.json vocabulary: %w", err)
	}
	if vocab == nil {
		return nil, daybook.Errorf(daybook.Corrupt, "tokenizer.json has no vocabulary")
	}
	for _, a := range f.Added {
		vocab[a.Content] = a.ID
	}
	size := 0
	for _, id := range vocab {
		if id < 0 || id >= limit {
			return nil, daybook.Errorf(daybook.Invalid, "tokenizer has id %d but the network knows %d: they do not belong together", id, limit)
		}
		size = max(size, id+1)
	}
	pieces := make([]string, size)
	for piece, id := range vocab {
		pieces[id] = piece
	}
	return pieces, nil
}

// readVocabulary reads vocab.txt, for folders without tokenizer.json.
func (s *source) readVocabulary() ([]string, wordpiece.Config, error) {
	c := wordpiece.BERT()
	data, err := os.ReadFile(filepath.Join(s.dir, "vocab.txt"))
	if os.IsNotExist(err) {
		return nil, c, daybook.Errorf(daybook.Invalid, "no tokenizer.json or vocab.txt beside the weights; the encoder has WordPiece only")
	}
	if err != nil {
		return nil, c, fileError("read vocab.txt", err)
	}
	var t struct {
		Lowercase *bool `json:"do_lower_case"`
	}
	readJSON(filepath.Join(s.dir, "tokenizer_config.json"), &t)
	if t.Lowercase != nil {
		c.Lowercase, c.StripAccents = *t.Lowercase, *t.Lowercase
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	return strings.Split(text, "\n"), c, nil
}
