package config

import (
	"slices"
	"testing"
)

// Every key says what it means, and a default is one that the key has by itself.
func TestKeys(t *testing.T) {
	byName := map[string]Key{}
	for _, k := range Keys() {
		byName[k.Name] = k
		if k.Meaning == "" {
			t.Errorf("%s: has no meaning", k.Name)
		}
		if k.Table != (k.Type == "") {
			t.Errorf("%s: type %q", k.Name, k.Type)
		}
	}
	if len(byName) != len(knownKeys) {
		t.Errorf("%d keys, wanted %d", len(byName), len(knownKeys))
	}
	// By hand, from Default, fillUsed and uses.
	for name, want := range map[string]Key{
		"seed":               {Type: "a whole number, 0 or more", Default: "1"},
		"task.rows":          {Type: "a whole number", Uses: []Use{{"task.name", []string{"jigsaw"}}}},
		"process.forward":    {Type: "a text in quotes", Default: `"riffle"`, Uses: []Use{{"method", []string{"diffusion"}}}},
		"process.schedule":   {Type: "a list of whole numbers", Uses: []Use{{"method", []string{"diffusion"}}}},
		"model.gpl_rows":     {Type: "a text in quotes", Default: `"dummies"`, Uses: []Use{{"process.reverse", []string{"gpl"}}, {"method", []string{"diffusion"}}}},
		"train.entropy":      {Type: "a number", Default: "0.05", Uses: []Use{{"method", []string{"diffusion"}}, {"train.objective", []string{"latent"}}}},
		"train.epsilon":      {Type: "a number", Default: "1e-09"},
		"baseline.steps":     {Type: "a whole number", Default: "100", Uses: []Use{{"method", []string{"sedd", "difusco"}}}},
		"task.augment.shift": {Type: "a number", Uses: []Use{{"task.name", []string{"sort"}}}},
		"model.edges":        {Type: "true or false", Uses: []Use{{"model.encoder", []string{"points"}}}},
	} {
		got := byName[name]
		if got.Type != want.Type || got.Default != want.Default || !slices.EqualFunc(got.Uses, want.Uses, func(a, b Use) bool { return a.Key == b.Key && slices.Equal(a.Values, b.Values) }) {
			t.Errorf("%s: %+v, wanted %+v", name, got, want)
		}
	}
}
