package tree

import _ "embed"

// The prompts, each with its version in the name of the file.
var (
	//go:embed prompts/score_v1.txt
	scorePrompt string
	//go:embed prompts/plan_v1.txt
	planPrompt string
	//go:embed prompts/verify_v1.txt
	verifyPrompt string
)
