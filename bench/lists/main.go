// Command lists writes ranked lists to measure with, as svmlight. They are documents of 12 numbers.
// The grade from 0 to 4 is a nonlinear function of eight of them with noise. Two of the numbers
// have heavy tails, one is a cube and one a count.
//
//	go run ./bench/lists --lists 20000 --least 10 --most 30 --seed 1 > lists.txt
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
)

func main() {
	lists := flag.Int("lists", 20000, "lists")
	least := flag.Int("least", 10, "documents in a list, at least")
	most := flag.Int("most", 30, "documents in a list, at most")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	rng := rand.New(rand.NewPCG(*seed, 1))
	for q := range *lists {
		for range *least + rng.IntN(*most-*least+1) {
			write(out, rng, q+1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "lists:", err)
		os.Exit(1)
	}
}

// write draws a document: x is normal, and what is written of it is monotone in it.
func write(out *bufio.Writer, rng *rand.Rand, list int) {
	var x [12]float64
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	relevance := 1.2*x[0]*x[1] + math.Sin(2*x[2]) + math.Abs(x[3]) - 0.5*x[4]*x[4] + max(x[5], 0)*x[6] + 0.6*x[7] + 0.4*rng.NormFloat64()
	grade := 0
	for _, bound := range []float64{0.2, 1.2, 2.2, 3.4} { // about 44, 25, 16, 9 and 5 of a hundred
		if relevance > bound {
			grade++
		}
	}
	x[1], x[4] = math.Exp(1.5*x[1]), math.Exp(2*x[4])
	x[6], x[7] = x[6]*x[6]*x[6], math.Floor(10*math.Exp(x[7]))
	fmt.Fprintf(out, "%d qid:%d", grade, list)
	for i, v := range x {
		fmt.Fprintf(out, " %d:%.5g", i+1, v)
	}
	fmt.Fprintln(out)
}
