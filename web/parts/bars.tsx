import { Flex, Text, Tooltip } from '@mantine/core'
import classes from './bars.module.css'

export interface Bar {
  /** Unique key of the bar. */
  key: string
  /** Label under the bar, if there is room. */
  label: string
  value: number
}

interface BarsProps {
  bars: readonly Bar[]
  /** Describes the bars, such as "Tokens by day". */
  what: string
  format: (value: number) => string
  /** The value of a full bar. Default: the highest value. */
  full?: number
}

/** About how many labels fit side by side on a phone. */
const labels = 6

/** A series over time. Each bar shows its value on hover, and is a list item for screen readers. */
export function Bars({ bars, what, format, full }: BarsProps) {
  const highest = Math.max(...bars.map(({ value }) => value), 0)
  const top = full ?? highest
  const every = Math.max(1, Math.ceil(bars.length / labels))
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="xs" c="dimmed">
        {what}, highest {format(highest)}
      </Text>
      <Flex component="ol" className="plain" gap="clamp(1px, 0.6%, 8px)" mt="xs">
        {bars.map(({ key, label, value }, place) => (
          <Tooltip key={key} label={`${label}: ${format(value)}`}>
            <li className={`grow ${classes.place}`} aria-label={`${label}: ${format(value)}`}>
              <svg className={classes.track} viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden>
                <rect
                  x="0"
                  width="10"
                  rx="1"
                  className={classes.bar}
                  {...shapeOf(top === 0 ? 0 : (value / top) * 100)}
                />
              </svg>
              <span className={classes.label} aria-hidden>
                {(bars.length - 1 - place) % every === 0 ? label : ''}
              </span>
            </li>
          </Tooltip>
        ))}
      </Flex>
    </figure>
  )
}

/** A value above zero is never invisible. */
function shapeOf(percent: number) {
  const height = percent === 0 ? 0 : Math.max(percent, 2)
  return { y: 100 - height, height }
}
