package dataset

// Warning is what is odd about sets that a model is asked about.
type Warning struct {
	// Kind is what is odd, whichever sets it is about. Warnings of one kind are not worth repeating.
	Kind string
	Text string // for people, with the name of the set where it is about one
}

// Texts are the texts of warnings.
func Texts(warnings []Warning) (texts []string) {
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	return texts
}
