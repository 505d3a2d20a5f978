package source

import (
	"archive/zip"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"daybook"
)

func isZip(in Input) bool {
	var head [4]byte
	n, _ := in.Data.ReadAt(head[:], 0)
	return n == 4 && (string(head[:]) == "PK\x03\x04" || string(head[:]) == "PK\x05\x06")
}

// zipParts returns the files of an archive that are read: the conversations of an
// export where it has some, else every document and chat. Exports carry much else
// (pages for the browser, pictures, account data), which is not read.
func zipParts(in Input) ([]part, error) {
	z, err := zip.NewReader(in.Data, in.Size)
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "the zip file is damaged or cut short (%w); download or copy it again", err)
	}
	files := pick(z.File, conversations)
	if len(files) == 0 {
		files = pick(z.File, readable)
	}
	if len(files) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "the zip file has no conversations.json, chat or document in it; unpack it and import the files that you mean")
	}
	if err := checkUnpacked(files, in.Size); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	var parts []part
	for _, f := range files {
		p := newPart(path.Base(f.Name), int64(min(f.UncompressedSize64, 1<<62)), f.Modified) //nolint:gosec // it is at most 1<<62
		p.file = f.Name
		if p.name == "_chat" { // WhatsApp's; the archive has the name of the chat
			p.name = newPart(filepath.Base(in.Name), 0, in.Modified).name
		}
		p.open = func() (io.ReadCloser, error) {
			r, err := f.Open()
			if err != nil {
				return nil, daybook.Errorf(daybook.Invalid, "%s cannot be unpacked: %w", f.Name, err)
			}
			return r, nil
		}
		if p.modified.IsZero() {
			p.modified = in.Modified
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// What an archive may unpack to: any small one, and of a larger one text that was written
// by people, which is packed to a fifth or a tenth.
const (
	maxUnpacked = 256 << 20 // bytes
	maxRatio    = 200
	maxMembers  = 100_000
)

// checkUnpacked refuses archives that are made to fill memory or disk. What a member says of
// its size is held against what it has when it is read.
func checkUnpacked(files []*zip.File, size int64) error {
	var total uint64
	for _, f := range files {
		if total += min(f.UncompressedSize64, 1<<50); total > maxUnpacked && total > uint64(size)*maxRatio { //nolint:gosec // a size is not negative
			return daybook.Errorf(daybook.Invalid, "the zip file of %d bytes unpacks to more than %d times as much; unpack it and import the files that you mean", size, maxRatio)
		}
	}
	if len(files) > maxMembers {
		return daybook.Errorf(daybook.Invalid, "the zip file has %d files to read, and at most %d are read; unpack it and import them in parts", len(files), maxMembers)
	}
	return nil
}

func pick(files []*zip.File, want func(name string) bool) (picked []*zip.File) {
	for _, f := range files {
		if want(f.Name) {
			picked = append(picked, f)
		}
	}
	return picked
}

// conversations reports whether a member is a list of conversations of ChatGPT
// or Claude; large exports have several, numbered.
func conversations(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "conversations") && path.Ext(base) == ".json" && !hidden(name)
}

func readable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".txt", ".md", ".markdown", ".json", ".jsonl", ".ndjson", ".pdf":
		return !hidden(name)
	}
	return false
}

// hidden members are what file managers leave behind.
func hidden(name string) bool {
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(path.Base(name), ".")
}
