// Command corpus reads, checks and packs the natural chats that the reader is trained on
// (docs/corpus.md). Run it from the root of the repository.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

const usage = `usage: corpus COMMAND
  check            check every chat and the corpus as a whole
  show NAME        print a chat in its reading form
  lint FILE …      check chats in their reading form
  add FILE …       put such chats into the corpus, in the place of those of their names
  import FOLDER    put chats into the corpus that lie as NAME.jsonl, NAME.claims.jsonl, NAME.questions.jsonl
  export FOLDER    write all chats as such files
  natural FOLDER   write the chats that are held out as a set for 'daybook bench natural'`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	command, args := args[0], args[1:]
	switch {
	case command == "check" && len(args) == 0:
		return check(archivePath)
	case command == "lint" && len(args) > 0:
		_, err := lint(args)
		return err
	case command == "add" && len(args) > 0:
		chats, err := lint(args)
		if err != nil {
			return err
		}
		return put(chats)
	case command == "import" && len(args) == 1:
		chats, err := readFolder(args[0])
		if err != nil {
			return err
		}
		return put(chats)
	}
	if len(args) != 1 || !slices.Contains([]string{"show", "export", "natural"}, command) {
		return errors.New(usage)
	}
	chats, err := readArchive(archivePath)
	if err != nil {
		return err
	}
	switch command {
	case "export":
		return writeFolder(args[0], chats)
	case "natural":
		return writeNatural(args[0], chats)
	}
	at := slices.IndexFunc(chats, func(c Chat) bool { return c.Name == args[0] })
	if at < 0 {
		return fmt.Errorf("no chat is called %q", args[0])
	}
	fmt.Print(formatText(chats[at]))
	return nil
}

// put adds chats to the corpus, or replaces those of their names.
func put(some []Chat) error {
	all, err := readArchive(archivePath)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return writeArchive(archivePath, replaceChats(all, some))
}

// check reports every fault of the corpus.
func check(path string) error {
	chats, err := readArchive(path)
	if err != nil {
		return err
	}
	faults := 0
	for _, c := range chats {
		for _, f := range checkChat(c) {
			fmt.Println(f)
			faults++
		}
	}
	n := count(chats)
	n.print(os.Stdout)
	for _, s := range n.shortcomings() {
		fmt.Println(s)
		faults++
	}
	if faults > 0 {
		return fmt.Errorf("%d faults", faults)
	}
	return nil
}

// lint reads chats in their reading form and reports what is wrong with them.
func lint(files []string) (chats []Chat, err error) {
	faults := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		chat, wrong := parseText(string(text))
		for _, f := range wrong {
			fmt.Printf("%s: %v\n", file, f)
		}
		found := checkChat(chat)
		for _, f := range found {
			fmt.Println(f)
		}
		faults += len(wrong) + len(found)
		n := count([]Chat{chat})
		fmt.Printf("%s: %d messages, %d claims, %d questions, %d changes of which %d implied or spread\n",
			chat.Name, n.Messages, n.Claims, n.Questions, n.Changes, n.Indirect)
		chats = append(chats, chat)
	}
	if faults > 0 {
		return nil, fmt.Errorf("%d faults", faults)
	}
	return chats, nil
}
