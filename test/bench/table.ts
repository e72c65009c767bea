export interface Row {
  what: string
  value: number
  unit: string
  /** The same figure of the baseline, where there is one. */
  baseline?: number
  note?: string
}

const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))

export function printTable(rows: readonly Row[]): void {
  for (const { what, value, unit, baseline, note } of rows) {
    const beside =
      baseline === undefined ? '' : `   baseline ${shown(baseline)}   ratio ${(value / baseline).toFixed(2)}`
    console.log(`  ${what.padEnd(44)} ${shown(value).padStart(9)} ${unit}${beside}${note ? `   (${note})` : ''}`)
  }
}

/** The value below which `fraction` of the samples lie. */
export function percentile(samples: readonly number[], fraction: number): number {
  const sorted = [...samples].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}
