import { Menu } from '@mantine/core'
import type { WhenBusy } from '../state/session.ts'
import classes from './composer.module.css'
import { WaysButton } from './ways-button.tsx'

const ways: Record<WhenBusy, { label: string; hint: string }> = {
  queue: { label: 'Queue', hint: 'Answered when this answer is done' },
  steer: { label: 'Steer', hint: 'The agent reads it at its next step' },
  interrupt: { label: 'Interrupt', hint: 'Stops this answer and takes the new message' },
}

/** What a message that is sent to a busy agent is to do with the answer under way. */
export function WaysMenu({ send }: { send: (whenBusy: WhenBusy) => void }) {
  return (
    <Menu position="top-end" width={260} defaultOpened>
      <Menu.Target>
        <WaysButton />
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(ways) as WhenBusy[]).map((way) => (
          <Menu.Item key={way} onClick={() => send(way)}>
            {ways[way].label}
            <span className={classes.hint}>{ways[way].hint}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
