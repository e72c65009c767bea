import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import classes from './status.module.css'

/** How a status is shown. */
export interface Status {
  label: string
  color: 'teal' | 'yellow' | 'red' | 'gray' | 'ember'
}

export const StatusBadge = ({ label, color }: Status) => <Badge color={color}>{label}</Badge>

/** Terms and values, in columns. Those without a value are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [term: string, value: ReactNode])[] }) => (
  <dl className={classes.facts}>
    {facts.map(
      ([term, value]) =>
        (value || value === 0) && (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

interface ViewsProps {
  label: string
  /** Address of the page. */
  base: string
  /** `place` follows the address of the page: empty for the page itself, and a whole address for another page. */
  views: readonly { place: string; label: string }[]
  /** The place that is shown. */
  current: string
}

/** On a phone the links are wider than the screen. */
export const showChosen = (link: HTMLAnchorElement | null): void =>
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

const hrefOf = (base: string, place: string) =>
  place.startsWith('/') ? place : [base, place].filter(Boolean).join('/')

/** Links to the views of a page. */
export const Views = ({ label, base, views, current }: ViewsProps) => (
  <nav className={classes.views} aria-label={label}>
    {views.map((view) => (
      <Link
        key={view.place}
        href={hrefOf(base, view.place)}
        className={classes.view}
        aria-current={view.place === current ? 'page' : undefined}
        ref={view.place === current ? showChosen : undefined}
      >
        {view.label}
      </Link>
    ))}
  </nav>
)

/** A status dot. The text next to it says the same, because some people cannot distinguish the colors. */
export function Dot({ color }: { color: 'teal' | 'yellow' | 'red' | 'gray' }) {
  const background = `var(--mantine-color-${color}-6)`
  return <span aria-hidden style={{ width: 8, height: 8, borderRadius: '50%', flexShrink: 0, background }} />
}
