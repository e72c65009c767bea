export type Labels = Record<string, string>

/** Counters, gauges and histograms by their Prometheus names (without the `service_` prefix). Aggregates only. */
export interface Metrics {
  count(name: string, labels: Labels, by?: number): void
  gauge(name: string, labels: Labels, value: number): void
  /** `value` is in the unit that the name ends with, for example `_seconds`. */
  observe(name: string, labels: Labels, value: number): void
  /** Prometheus text exposition format 0.0.4. */
  text(): Promise<string>
}
