import { ActionIcon, Badge, Group, Switch, Text, Tooltip } from '@mantine/core'
import { IconArrowLeft, IconArrowRight, IconReload } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { AddressField } from './address-field.tsx'
import classes from './browser.module.css'
import { useDesk } from './desk.tsx'
import { DialogNote } from './dialog-note.tsx'
import { FailureNote } from './failure-note.tsx'
import { Screen } from './live/screen.tsx'
import { PageMenu } from './page-menu.tsx'
import { RunningMarks } from './running-marks.tsx'
import { TabStrip } from './tab-strip.tsx'

const moves = [
  { action: 'go_back', label: 'Back', Icon: IconArrowLeft },
  { action: 'go_forward', label: 'Forward', Icon: IconArrowRight },
  { action: 'reload', label: 'Reload', Icon: IconReload },
] as const

/** Tabs, address and the live view: the browser as one knows it. */
export function Stage() {
  const { live, act, acting } = useDesk()
  const [taken, setTaken] = useState(false)
  const { state, stream, connected } = live
  const take = (on: boolean) => {
    setTaken(on)
    stream.take(on)
  }
  useEffect(() => () => stream.take(false), [stream])
  return (
    <section className={classes.stage} aria-label="Live view">
      <div className={`card ${classes.frame}`}>
        <TabStrip />
        <div className={classes.bar}>
          <Group gap={2} wrap="nowrap">
            {moves.map(({ action, label, Icon }) => (
              <Tooltip key={action} label={label}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label={label}
                  loading={acting?.action === action}
                  onClick={() => act({ action })}
                >
                  <Icon size={18} />
                </ActionIcon>
              </Tooltip>
            ))}
          </Group>
          <AddressField
            url={state?.url ?? ''}
            open={(url) => act({ action: 'goto', url })}
            busy={acting?.action === 'goto'}
          />
          <PageMenu />
        </div>
        <div className="sunken">
          <Screen stream={stream} state={state} taken={taken} leave={() => take(false)} />
        </div>
        <div className={classes.foot}>
          <Switch
            label="Take over"
            checked={taken}
            disabled={!connected}
            onChange={(event) => take(event.currentTarget.checked)}
          />
          {taken && (
            <Badge color="ember" variant="filled">
              You have the page
            </Badge>
          )}
          {!taken && state?.taken_by && (
            <Badge color="yellow" variant="light" c="var(--mantine-color-text)">
              {state.taken_by} has the page
            </Badge>
          )}
          <Text size="xs" c="dimmed" className="words">
            {taken
              ? 'Agents wait. Mouse, keys and pasted text go to the page; Shift Esc gives it back.'
              : 'You are watching. Take over to use the page with mouse and keys.'}
          </Text>
          <RunningMarks />
          {!connected && (
            <Badge variant="light" color="gray">
              Not connected
            </Badge>
          )}
        </div>
      </div>
      <DialogNote />
      <FailureNote />
    </section>
  )
}
