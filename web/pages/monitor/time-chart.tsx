import { Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { lazily } from '../../parts/lazily.ts'

/** The chart library is large, so it is loaded when the first chart is shown. */
const Chart = lazily(
  () => import('./chart.tsx'),
  'Chart',
  ({ height }) => <Skeleton height={height} />,
)

export interface Line {
  label: string
  color: string
  /** One value per label; null leaves a gap. */
  values: readonly (number | null)[]
}

export interface ChartProps {
  height: number
  kind: 'bar' | 'line'
  labels: readonly string[]
  lines: readonly Line[]
  format: (value: number) => string
}

const height = 220

/** A chart of values over time with a caption; screen readers get the values as a list. */
export function TimeChart({ what, ...chart }: Omit<ChartProps, 'height'> & { what: string }) {
  const { lines, labels, format } = chart
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="xs" c="dimmed" mb="xs">
        {what}, highest {format(highest)}
      </Text>
      <div aria-hidden>
        <Chart {...chart} height={height} />
      </div>
      <VisuallyHidden>
        <ul>
          {labels.map((label, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat, and points are never reordered
            <li key={at}>
              {label}: {lines.map(({ label: name, values }) => `${name} ${format(values[at] ?? 0)}`).join(', ')}
            </li>
          ))}
        </ul>
      </VisuallyHidden>
    </figure>
  )
}
