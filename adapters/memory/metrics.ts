import type { Labels, Metrics } from '../../runtime/ports/metrics.ts'

type Kind = 'counter' | 'gauge' | 'summary'

interface Series {
  kind: Kind
  values: Map<string, number>
}

const prefix = 'service_'

/** Counters and gauges in a map, written as Prometheus text without any package: for tests and workers. */
export function createMemoryMetrics(): Metrics {
  const series = new Map<string, Series>()

  function change(kind: Kind, name: string, { key, to }: { key: string; to: (old: number) => number }): void {
    const one = series.get(name) ?? { kind, values: new Map<string, number>() }
    series.set(name, one)
    one.values.set(key, to(one.values.get(key) ?? 0))
  }

  return {
    count: (name, labels, by = 1) => change('counter', name, { key: labelText(labels), to: (old) => old + by }),
    gauge: (name, labels, value) => change('gauge', name, { key: labelText(labels), to: () => value }),
    observe(name, labels, value) {
      const key = labelText(labels)
      change('summary', `${name}_sum`, { key, to: (old) => old + value })
      change('summary', `${name}_count`, { key, to: (old) => old + 1 })
    },
    text: async () => [...series].map(([name, one]) => seriesText(name, one)).join(''),
  }
}

function seriesText(name: string, { kind, values }: Series): string {
  const type = kind === 'summary' ? 'untyped' : kind
  const lines = [...values].map(([labels, value]) => `${prefix}${name}${labels} ${value}\n`)
  return `# TYPE ${prefix}${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, '\\$&')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
