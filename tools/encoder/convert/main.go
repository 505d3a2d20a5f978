// Command convert makes a model file of ours from a Hugging Face folder or an
// ONNX file: what `daybook model import` does, for the script that makes the
// embedded asset.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"

	"daybook/model"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("convert: ")
	var o model.ImportOptions
	flag.StringVar(&o.Name, "name", "", "name of the model")
	flag.StringVar(&o.Licence, "licence", "", "its licence")
	flag.StringVar(&o.Origin, "origin", "", "where it comes from")
	flag.StringVar(&o.Pooling, "pooling", "", "mean or cls")
	flag.StringVar(&o.QueryPrefix, "query", "", "prefix of queries")
	flag.StringVar(&o.PassagePrefix, "passage", "", "prefix of passages")
	flag.IntVar(&o.Heads, "heads", 0, "attention heads, when no config.json says it")
	flag.IntVar(&o.MaxTokens, "max", 0, "tokens of one window")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: convert [flags] SOURCE FILE.dbm")
	}
	info, err := model.Import(flag.Arg(0), flag.Arg(1), o)
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
