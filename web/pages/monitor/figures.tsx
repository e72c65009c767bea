import { SegmentedControl, SimpleGrid, Text } from '@mantine/core'
import { Hint } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'

export type Figure = readonly [label: string, value: string]

/** The most important numbers of a panel. */
export const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
    {figures.map(([label, value]) => (
      <div key={label}>
        <Text fw={650}>{value}</Text>
        <Hint>{label}</Hint>
      </div>
    ))}
  </SimpleGrid>
)

/** A period, which is part of the address, and its control. */
export function usePeriod<Period extends string>(periods: { value: Period; label: string }[], usual: Period) {
  const { get, set } = useParameters()
  const period = periods.find(({ value }) => value === get('period'))?.value ?? usual
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label="Period"
      data={periods}
      value={period}
      onChange={(chosen) => set({ period: chosen })}
    />
  )
  return [period, choice] as const
}
