import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import type { Labels, Metrics } from '../../runtime/ports/metrics.ts'

const prefix = 'service_'

/** Seconds: from below a warm read to above a slow model call. */
const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

/** Maximum values per label of a metric, because model names are arbitrary. Further values are counted as `other`. */
const maxValues = 1_000

/** The `Metrics` port over prom-client, with a registry of its own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const metrics = new Map<string, Metric>()
  /** By metric and label. */
  const values = new Map<string, Map<string, Set<string>>>()

  function bounded(name: string, labels: Labels): Labels {
    const known = values.get(name) ?? new Map<string, Set<string>>()
    if (isKnown(known, labels)) return labels
    values.set(name, known)
    const entries = Object.entries(labels).map(([label, value]) => {
      const seen = known.get(label) ?? new Set()
      known.set(label, seen)
      if (!seen.has(value) && seen.size >= maxValues) return [label, 'other'] as const
      seen.add(value)
      return [label, value] as const
    })
    return Object.fromEntries(entries)
  }

  function metric<Kind extends Metric>(name: string, make: (options: MetricOptions) => Kind, labels: Labels): Kind {
    const metric = metrics.get(name) as Kind | undefined
    if (metric) return metric
    const full = prefix + name
    const made = make({
      name: full,
      help: help(name),
      labelNames: Object.keys(labels),
      registers: [registry],
    })
    metrics.set(name, made)
    return made
  }

  return {
    count: (name, labels, by = 1) =>
      metric(name, (options) => new Counter(options), labels).inc(bounded(name, labels), by),
    gauge: (name, labels, value) =>
      metric(name, (options) => new Gauge(options), labels).set(bounded(name, labels), value),
    observe: (name, labels, value) =>
      metric(name, (options) => new Histogram({ ...options, buckets }), labels).observe(bounded(name, labels), value),
    text: () => registry.metrics(),
  }
}

function isKnown(known: Map<string, Set<string>>, labels: Labels): boolean {
  for (const label in labels) if (!known.get(label)?.has(labels[label] ?? '')) return false
  return true
}

interface MetricOptions {
  name: string
  help: string
  labelNames: string[]
  registers: Registry[]
}

const help = (name: string) => name.replaceAll('_', ' ')
