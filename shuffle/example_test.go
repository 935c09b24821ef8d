package shuffle_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/shuffle"
)

func ExampleNewSchedule() {
	s, err := shuffle.NewSchedule(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("T = %d leaves %.4f to uniform, steps %v\n", s.T, s.TVUniform, s.Steps)
	// Output:
	// T = 15 leaves 0.0036 to uniform, steps [0 8 10 15]
}

func ExampleCheck() {
	warnings, err := shuffle.Check(200, []int{0, 9, 10, 12})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range warnings {
		fmt.Println(w.Message)
	}
	// Output:
	// schedule: n = 200, T = 12 leaves a total variation distance of 0.07942 to uniform, above 0.005; T = 16 is enough
}
