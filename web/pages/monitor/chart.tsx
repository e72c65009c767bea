import '@mantine/charts/styles.css'
import { BarChart, LineChart } from '@mantine/charts'
import type { ChartProps, Line } from './time-chart.tsx'

const keyOf = (place: number) => `line${place}`

/** A bar or line chart. It is not focusable: its values are next to it as text. */
export function Chart({ kind, labels, lines, format, height }: ChartProps) {
  const data = labels.map((label, at) => ({
    label,
    ...Object.fromEntries(lines.map(({ values }, place) => [keyOf(place), values[at] ?? null])),
  }))
  const common = {
    h: height,
    data,
    dataKey: 'label',
    series: lines.map(({ label, color }, place) => ({ name: keyOf(place), label, color })),
    valueFormatter: format,
    withLegend: lines.length > 1,
    tickLine: 'none',
    gridAxis: 'x',
    // By default, the library moves the highest label below its line.
    yAxisProps: { width: 80, interval: 0 },
    xAxisProps: { minTickGap: 24 },
  } as const
  if (kind === 'bar') return <BarChart {...common} barChartProps={{ accessibilityLayer: false }} barProps={still} />
  return (
    <LineChart
      {...common}
      lineChartProps={{ accessibilityLayer: false }}
      lineProps={still}
      withDots={labels.length <= 31 || lines.some(hasLonePoint)}
      connectNulls={false}
      curveType="monotone"
    />
  )
}

const still = { isAnimationActive: false }

/** Whether a value has no neighbours, so that no line would show it. */
const hasLonePoint = ({ values }: Line): boolean =>
  values.some((value, at) => value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null)
