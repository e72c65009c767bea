import { Tooltip, VisuallyHidden } from '@mantine/core'
import { counted } from '../../../parts/numbers.ts'
import { weekdays } from '../calendar/days.ts'
import classes from './heatmap.module.css'

interface HeatGridProps {
  /** 24 rows of 7, Monday first. */
  grid: readonly (readonly number[])[]
  max: number
}

/** Hours by weekdays, as a table, so that it can be read without seeing colours. */
export function HeatGrid({ grid, max }: HeatGridProps) {
  const names = weekdays()
  return (
    <table className={classes.table}>
      <caption>
        <VisuallyHidden>Activity by hour and weekday</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          <td />
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {grid.map((row, hour) => {
          const label = `${String(hour).padStart(2, '0')}:00`
          return (
            <tr key={label}>
              <th scope="row" data-every={hour % 3 === 0 || undefined}>
                {label}
              </th>
              {row.map((count, weekday) => (
                <Tooltip
                  key={names[weekday]}
                  label={`${names[weekday]} ${label}: ${counted(count, 'time', 'times')}`}
                >
                  <td style={{ '--heat': `${heat(count, max)}%` } as React.CSSProperties}>
                    <VisuallyHidden>{count}</VisuallyHidden>
                  </td>
                </Tooltip>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** What is not nothing is never invisible. */
const heat = (count: number, max: number) =>
  count === 0 ? 0 : 15 + Math.round((count / Math.max(max, 1)) * 85)
