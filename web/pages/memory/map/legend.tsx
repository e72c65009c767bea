import { Anchor, Switch, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Cluster } from '../../../api/memory.ts'
import { counted } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { percent } from '../labels.ts'
import { kindColour, type Paint } from '../stage/paint.ts'
import classes from './map.module.css'

interface LegendProps {
  clusters: readonly Cluster[]
  paint: Paint
  shown: string | null
  show: (id: string | null) => void
}

/** The groups by name and size: each can be stood out, and its memories listed. */
export function Legend({ clusters, paint, shown, show }: LegendProps) {
  return (
    <div className={classes.legend}>
      <Panel title="Groups">
        <ul className={classes.groups}>
          {clusters.map(({ id, label, size, avg_importance, entities }, place) => (
            <li key={id}>
              <span className={classes.colour} style={{ background: kindColour(paint, place) }} aria-hidden />
              <div className="grow">
                <Anchor component={Link} href={`/memory?cluster=${id}`} size="sm" underline="hover">
                  {label || 'Without a name'}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {counted(size, 'memory', 'memories')} · importance {percent(avg_importance)}
                </Text>
                {entities.length > 0 && (
                  <Text size="xs" c="dimmed" lineClamp={1}>
                    {entities
                      .slice(0, 4)
                      .map(({ name }) => name)
                      .join(', ')}
                  </Text>
                )}
              </div>
              <Switch
                size="xs"
                aria-label={`Stand out: ${label}`}
                checked={shown === id}
                onChange={(event) => show(event.currentTarget.checked ? id : null)}
              />
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}
