import classes from './calendar.module.css'
import { DayPanel } from './day-panel.tsx'
import type { Days } from './days.ts'

interface WeekProps {
  dates: readonly string[]
  today: string
  days: Days
}

export function Week({ dates, today, days }: WeekProps) {
  return (
    <div className={classes.week}>
      {dates.map((day) => (
        <DayPanel key={day} day={day} events={days.get(day) ?? []} today={day === today} />
      ))}
    </div>
  )
}
