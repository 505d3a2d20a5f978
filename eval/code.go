package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"daybook"
)

// CodeVersion names the code of this process: the revision that it was built
// from; where files were changed since, or no revision is known, the hash of the
// executable too.
func CodeVersion() (string, error) { return codeVersion() }

var codeVersion = sync.OnceValues(func() (string, error) {
	revision, clean := "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		revision, clean = builtFrom(info.Settings)
	}
	if clean {
		return revision, nil
	}
	sum, err := executableHash()
	if err != nil {
		return "", daybook.Errorf(daybook.Unavailable, "find the version of the code: %w", err)
	}
	if revision == "" {
		return "exe-" + sum, nil
	}
	return revision + "+" + sum, nil
})

// builtFrom returns the revision of a build, if it is known, and whether nothing
// was changed since.
func builtFrom(settings []debug.BuildSetting) (revision string, clean bool) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			clean = s.Value == "false"
		}
	}
	return revision, clean && revision != ""
}

func executableHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}
