import { Button, Group, Slider, Text } from '@mantine/core'
import type { Graph } from '../../../api/memory.ts'
import { locale } from '../../../parts/locale.ts'
import { momentsOf } from './moments.ts'

interface TimeSliderProps {
  graph: Graph
  /** Empty is now. */
  day: string
  change: (day: string) => void
}

const shown = (day: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))

/** From the first fact to the last: each step is a day on which one began or ended, so that none is missed. */
export function TimeSlider({ graph, day, change }: TimeSliderProps) {
  const moments = momentsOf(graph)
  const [first, last] = [moments[0], moments.at(-1)]
  if (!first || !last || first === last) return null
  const found = day === '' ? -1 : moments.findLastIndex((moment) => moment <= day)
  const place = day === '' ? moments.length : Math.max(found, 0)
  return (
    <div style={{ marginTop: 12 }}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={500}>
          {day === '' ? 'Now, with what has ended' : `As it was on ${shown(day)}`}
        </Text>
        <Button size="compact-xs" variant="subtle" disabled={day === ''} onClick={() => change('')}>
          Back to now
        </Button>
      </Group>
      <Slider
        min={0}
        max={moments.length}
        label={null}
        thumbLabel="Time"
        thumbProps={{ 'aria-valuetext': day === '' ? 'Now' : shown(day) }}
        value={place}
        onChange={(next) => change(moments[next] ?? '')}
      />
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          {shown(first)}
        </Text>
        <Text size="xs" c="dimmed">
          Now
        </Text>
      </Group>
    </div>
  )
}
