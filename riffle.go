// Package riffle learns in what order objects belong.
//
// Give it sets of objects with their right order. It learns p(order | objects) by discrete
// diffusion on the symmetric group S_n. Then it orders new sets, draws samples and gives
// likelihoods. Noise is card shuffling. A set in order is shuffled until nothing is left of its
// order, and a network learns to undo the shuffles, some at a time. The method is that of
// "SymmetricDiffusers: Learning Discrete Diffusion on Finite Symmetric Groups" (Zhang, Yang & Liao,
// ICLR 2025), which "the paper" means everywhere here.
//
// This package holds no code. What there is to use, in the order that data goes:
//
//	perm       orders and ranks: compose, invert, index, parse
//	constraint rules that orders obey: pins, precedences, forbidden positions
//	shuffle    forward laws (card shuffles), exact total variation, denoising schedules
//	metric     Kendall's tau and tau-b, NDCG, exact, correct, RMSE, MAE, bootstrap intervals
//	tsp        tours and paths without a model: distances, local search, an exact solver
//	dataset    readers and writers of file formats
//	reverse    reverse laws: Plackett–Luce, its generalization, inverse shuffles
//	engine     opens the tensor engine: pure Go, or XLA by a plugin
//	denoiser   the network
//	diffusion  objectives, training step, decoding, the likelihood bound
//	baseline   what the paper compares with, and fits of Plackett–Luce and Mallows to votes
//	plot       pictures
//	config     the configuration of a training: one table of keys
//	run        a training on disk: log, checkpoints
//	onnx       a trained network as two ONNX models
//	method     what is minimised, one method a file
//	task       what can be learned: task/sort, jigsaw, tour, delta, ranking, listed by task/tasks
//	learn      all of it together: train, load, order, sample, score
//	evaluate   how good a model is: test sets, calibration, marginals, importance
//	question   complete questions to a model, which command and server put
//	presets    ready configurations, the paper's among them
//	export     weights of runs for other programs
//	training   how a training begins: a preset with changes, a run that goes on
//	reproduce  the paper's tables, its figures beside ours
//	server     an HTTP API in front of trained models, and a page
//
// perm, constraint, shuffle, metric, tsp and dataset need no tensor engine and are useful alone.
//
// # From the paper to the names used here
//
//	paper                              here
//	σ, as a list of indices            perm.Order: o[i] is the item at position i
//	σ⁻¹, the positions of the items    perm.Rank: r[k] is the position of item k
//	Q_σ X                              perm.Act(o, x)
//	σ ∘ π                              perm.Compose; see there for which acts first
//	q(σ_t), one shuffle                shuffle.Law: Riffle, Transposition, Insertion
//	q^(t)_RS                           shuffle.Riffle{}.LogProbT, by rising sequences
//	A_{n,r}, Eulerian numbers          shuffle.Eulerian
//	D_TV(q^(t), u), D_TV(q^(t), q^(t'))  shuffle.TVUniform, shuffle.TVBetween
//	denoising schedule [t_0, …, t_k]   shuffle.Schedule, diffusion.Process.Steps
//	p_θ(σ'_t | X_t)                    reverse.Law
//	PL, GPL, IRS, II, IT               reverse.PlackettLuce, GeneralizedPlackettLuce,
//	                                   InverseRiffle, InverseInsertion, InverseTransposition
//	(not in the paper)                 reverse.TransitionPlackettLuce, law "path"
//	(not in the paper)                 reverse.ContextualPlackettLuce, law "cgpl"
//	theorem on GPL's expressiveness    reverse.RealizeWithGPL
//	encoder_θ, time_embd, Z_1, Z_2     denoiser.Denoiser: Encode, Scores
//	S_θ = Z_1 Z_2ᵀ                     the scores of GPL; rows "items" or "dummies"
//	the loss, eq. "loss"               diffusion.Objective; the bound: diffusion.Decoder.Bound
//	a random timestep                  diffusion.Objective.RandomStep
//	greedy search, beam search         diffusion.Decoder: Greedy, Beam
//
// Indices are 0-based, logarithms natural, and every probability of an order is a log in
// nats.
package riffle

// Citation is the BibTeX entry of the paper.
const Citation = `@inproceedings{zhang2025symmetricdiffusers,
  title     = {{SymmetricDiffusers}: Learning Discrete Diffusion on Finite Symmetric Groups},
  author    = {Zhang, Yongxing and Yang, Donglin and Liao, Renjie},
  booktitle = {International Conference on Learning Representations},
  year      = {2025}
}
`
