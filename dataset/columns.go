package dataset

// Columns are what the features of sets are called. The sets of a file share them; they are nil
// where features are a list of numbers, which has nothing but places.
type Columns struct {
	// Names are those of the features, each once.
	Names []string
	// Sparse is whether features have numbers for names, from First on, and one that is not
	// there is 0, as in svmlight. Names is then nil.
	Sparse bool
	First  int // 0 or 1
}
