package run

import "github.com/riffle-ml/riffle/config"

// Names of package config, for code that has not moved to them yet.
type (
	Config   = config.Config
	Task     = config.Task
	Augment  = config.Augment
	Process  = config.Process
	Model    = config.Model
	Train    = config.Train
	Baseline = config.Baseline
	Decode   = config.Decode
	Eval     = config.Eval
	Paper    = config.Paper
	Key      = config.Key
	Use      = config.Use
)

// Functions of package config.
var (
	Default     = config.Default
	LoadConfig  = config.LoadConfig
	ParseConfig = config.ParseConfig
	Keys        = config.Keys
)
