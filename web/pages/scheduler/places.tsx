import { Link } from 'wouter'
import classes from './scheduler.module.css'

const places = [
  ['', 'Jobs'],
  ['runs', 'Runs'],
  ['calendar', 'Calendar'],
  ['heatmap', 'Activity'],
  ['chains', 'Chains'],
] as const

/** The views of the scheduler; each has its own address. */
export function Places({ current }: { current: string }) {
  return (
    <nav className={classes.places} aria-label="Views of the scheduler">
      {places.map(([place, label]) => (
        <Link
          key={place}
          href={place ? `/scheduler/${place}` : '/scheduler'}
          className={classes.place}
          aria-current={current === place ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
