package dataset_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// A set of three items whose ranks are known: item 1 is first, item 2 second.
func ExampleJSONLReader() {
	file := strings.NewReader(`{"id": "q7", "items": [{"features": [9]}, {"features": [2]}, {"features": [5]}], "rank": [2, 0, 1]}`)
	r, err := dataset.NewJSONLReader(file, "sets.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	for set, err := range r.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(set.ID, set.OrderGiven, set.Order)
		for _, item := range perm.Act(set.Order, set.Items) {
			fmt.Println(item.Features)
		}
	}
	// Output:
	// q7 rank [1 2 0]
	// [2]
	// [5]
	// [9]
}
