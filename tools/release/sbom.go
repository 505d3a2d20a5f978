package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// sbom is a list of what a binary was built from, in the form of SPDX 2.3.
type sbom struct {
	Version       string         `json:"spdxVersion"`
	DataLicence   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []component    `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type component struct {
	ID       string      `json:"SPDXID"`
	Name     string      `json:"name"`
	Version  string      `json:"versionInfo"`
	Download string      `json:"downloadLocation"`
	Analyzed bool        `json:"filesAnalyzed"`
	Declared string      `json:"licenseDeclared"`
	Found    string      `json:"licenseConcluded"`
	Copy     string      `json:"copyrightText"`
	Refs     []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const unknown = "NOASSERTION"

// writeSBOM lists the modules of a binary.
func (r *release) writeSBOM(binary, path string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".spdx.json")
	s := sbom{
		Version: "SPDX-2.3", DataLicence: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: "https://spdx.org/spdxdocs/" + name + "-" + r.revision,
		Creation:  creation{r.date.Format("2006-01-02T15:04:05Z"), []string{"Tool: daybook-release"}},
	}
	s.add("daybook", r.version, "Apache-2.0", "", "DESCRIBES", "SPDXRef-DOCUMENT")
	s.add("go", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause", "pkg:golang/stdlib@"+strings.TrimPrefix(info.GoVersion, "go"), "DEPENDS_ON", "SPDXRef-daybook")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		s.add(m.Path, m.Version, licenceOf(m), "pkg:golang/"+m.Path+"@"+m.Version, "DEPENDS_ON", "SPDXRef-daybook")
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func (s *sbom) add(name, version, licence, purl, kind, from string) {
	id := "SPDXRef-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, name)
	c := component{ID: id, Name: name, Version: version, Download: unknown, Declared: licence, Found: licence, Copy: unknown}
	if purl != "" {
		c.Refs = []reference{{"PACKAGE-MANAGER", "purl", purl}}
	}
	s.Packages = append(s.Packages, c)
	s.Relationships = append(s.Relationships, relationship{from, kind, id})
}

// licenceOf reads the licence of a module from its files in the module cache.
func licenceOf(m *debug.Module) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m.Path).Output()
	if err != nil {
		return unknown
	}
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING", "LICENSE-GO"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), name))
		if err == nil {
			return licenceIn(string(text))
		}
	}
	return unknown
}

// licenceIn names a licence by the words that only it has.
func licenceIn(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, known := range [][2]string{
		{"Apache License Version 2.0", "Apache-2.0"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Mozilla Public License Version 2.0", "MPL-2.0"},
		{"Neither the name of", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"This is free and unencumbered software", "Unlicense"},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return unknown
}

// formula is the Homebrew formula of a release.
func (r *release) formula(sums map[string]string) string {
	version := strings.TrimPrefix(r.version, "v")
	block := func(system, arch string) string {
		name := fmt.Sprintf("daybook_%s_%s_%s.tar.gz", version, system, arch)
		return fmt.Sprintf("      url %q\n      sha256 %q\n", r.url+"/"+name, sums[name])
	}
	return fmt.Sprintf(`# SPDX-License-Identifier: Apache-2.0
# Made by tools/release; do not edit.
class Daybook < Formula
  desc "Long-term memory for AI agents that knows what is true now and what changed"
  homepage %q
  version %q
  license "Apache-2.0"

  on_macos do
    on_arm do
%s    end
    on_intel do
%s    end
  end

  on_linux do
    on_arm do
%s    end
    on_intel do
%s    end
  end

  def install
    bin.install "daybook"
    generate_completions_from_executable(bin/"daybook", "completion", shells: [:bash, :zsh, :fish])
  end

  service do
    run [opt_bin/"daybook", "serve"]
    keep_alive true
  end

  test do
    system bin/"daybook", "--home", testpath, "add", "My dentist is Dr. Weiss.", "--speaker", "Ana"
    assert_match "Dr. Weiss", shell_output("#{bin}/daybook --home #{testpath} ask \"Who is Ana's dentist?\"")
  end
end
`, r.url, version, block("darwin", "arm64"), block("darwin", "amd64"), block("linux", "arm64"), block("linux", "amd64"))
}
