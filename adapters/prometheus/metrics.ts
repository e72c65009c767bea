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
  const known = new Map<string, Metric>()
  const values = new Map<string, Set<string>>()

  function bounded(name: string, labels: Labels): Labels {
    const entries = Object.entries(labels).map(([label, value]) => {
      const place = `${name} ${label}`
      const seen = values.get(place) ?? new Set()
      values.set(place, seen)
      if (!seen.has(value) && seen.size >= maxValues) return [label, 'other'] as const
      seen.add(value)
      return [label, value] as const
    })
    return Object.fromEntries(entries)
  }

  function metric<Kind extends Metric>(
    name: string,
    make: (options: MetricOptions) => Kind,
    labels: Labels,
  ): Kind {
    const found = known.get(name) as Kind | undefined
    if (found) return found
    const full = prefix + name
    const made = make({
      name: full,
      help: help(name),
      labelNames: Object.keys(labels),
      registers: [registry],
    })
    known.set(name, made)
    return made
  }

  return {
    count: (name, labels, by = 1) =>
      metric(name, (options) => new Counter(options), labels).inc(bounded(name, labels), by),
    gauge: (name, labels, value) =>
      metric(name, (options) => new Gauge(options), labels).set(bounded(name, labels), value),
    observe: (name, labels, value) =>
      metric(name, (options) => new Histogram({ ...options, buckets }), labels).observe(
        bounded(name, labels),
        value,
      ),
    text: () => registry.metrics(),
  }
}

interface MetricOptions {
  name: string
  help: string
  labelNames: string[]
  registers: Registry[]
}

const help = (name: string) => name.replaceAll('_', ' ')
