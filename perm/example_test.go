package perm_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/perm"
)

func ExampleOrder_RisingSequences() {
	o, err := perm.ParseOrder("1 4 2 5 3", perm.OneBased)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("order", o, "rank", o.Rank())
	fmt.Println("rising sequences", o.RisingSequences())
	// Output:
	// order [0 3 1 4 2] rank [0 2 4 1 3]
	// rising sequences [[0 1 2] [3 4]]
}
