package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what Prometheus reads at /metrics.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by route and status
	seconds  *prometheus.HistogramVec // by route
	waiting  *prometheus.GaugeVec     // by model
	batch    *prometheus.HistogramVec // by model
	busy     *prometheus.CounterVec   // by model
	step     *prometheus.GaugeVec     // by model
	reloads  *prometheus.CounterVec   // by model and result
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "riffle_requests_total", Help: "Requests answered."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "riffle_request_seconds", Help: "Time from a request's header to its answer.", Buckets: prometheus.ExponentialBuckets(0.001, 3, 10),
		}, []string{"route"}),
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "riffle_queue_requests", Help: "Requests that wait for a model or are in work."}, []string{"model"}),
		batch: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "riffle_batch_sets", Help: "Sets that were ordered together.", Buckets: prometheus.ExponentialBuckets(1, 2, 8),
		}, []string{"model"}),
		busy:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "riffle_model_busy_seconds_total", Help: "Time that a model worked."}, []string{"model"}),
		step:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "riffle_model_step", Help: "Training step of the checkpoint that answers."}, []string{"model"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "riffle_reloads_total", Help: "Checkpoints read again, by result."}, []string{"model", "result"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.waiting, m.batch, m.busy, m.step, m.reloads,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
