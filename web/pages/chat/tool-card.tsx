import { Badge, Box, Flex, Loader, Stack, UnstyledButton } from '@mantine/core'
import {
  IconAlarm,
  IconApi,
  IconBrain,
  IconBrowser,
  IconCalendarClock,
  IconChecklist,
  IconClock,
  IconCode,
  IconDevices,
  IconFile,
  IconHelp,
  IconListCheck,
  IconPlug,
  IconSend,
  IconSitemap,
  IconTerminal2,
  IconTool,
  IconWorld,
} from '@tabler/icons-react'
import { useId, useState } from 'react'
import { ApprovalForm } from '../../parts/approval.tsx'
import { Chevron } from '../../parts/chevron.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Hint } from '../../parts/typography.tsx'
import type { ToolBlock, ToolState } from './state/blocks.ts'
import type { ChatSession } from './state/session.ts'
import classes from './tool-card.module.css'

const states: Record<ToolState, { label: string; color: string }> = {
  running: { label: 'Running', color: 'blue' },
  waiting: { label: 'Waiting for you', color: 'yellow' },
  done: { label: 'Done', color: 'green' },
  error: { label: 'Failed', color: 'red' },
  denied: { label: 'Not allowed', color: 'gray' },
  expired: { label: 'Expired', color: 'gray' },
  unknown: { label: 'Interrupted; may have taken effect', color: 'orange' },
  not_run: { label: 'Not run', color: 'gray' },
}

interface ToolCardProps {
  session: ChatSession
  block: ToolBlock
}

/** One tool call; a click shows its input and output. A pending approval is always visible. */
export function ToolCard({ session, block }: ToolCardProps) {
  const [opened, setOpened] = useState(false)
  const details = useId()
  const { use, result, approval } = block
  const asks =
    approval?.status === 'pending' && (block.state === 'waiting' || (approval.question && block.state === 'running'))
  return (
    <Box
      component="section"
      className="card"
      my="0.6rem"
      style={{ borderColor: block.state === 'waiting' ? 'var(--chat-waiting)' : undefined }}
      data-part="tool-call"
      data-state={block.state}
      aria-label={`Tool ${use.tool}`}
    >
      <UnstyledButton
        className={classes.head}
        aria-expanded={opened}
        aria-controls={opened ? details : undefined}
        onClick={() => setOpened(!opened)}
      >
        <ToolIcon tool={use.tool} />
        <span className={`truncate grow ${classes.summary}`}>
          {use.summary || use.tool}
          {use.summary && use.summary !== use.tool && <span className={classes.name}>{use.tool}</span>}
        </span>
        <ToolStateLabel state={asks ? 'waiting' : block.state} duration={result?.duration_ms ?? 0} />
        <Chevron opened={opened} />
      </UnstyledButton>
      {asks && approval && (
        <div style={{ borderTop: '1px solid var(--line)' }}>
          <ApprovalForm approval={approval} answer={(answer) => session.answer(answer)} />
        </div>
      )}
      {opened && (
        <Stack id={details} gap="0.6rem" px="sm" pt="0.5rem" pb="sm" style={{ borderTop: '1px solid var(--line)' }}>
          <JsonView label="Input" value={use.input} />
          {result?.calls && <JsonView label="Tools that the code called" value={result.calls} />}
          {result && <JsonView label={result.is_error ? 'Error' : 'Output'} value={result.output} />}
          {use.permission_id && <Hint>Allowed by one of your permissions, without asking.</Hint>}
          {result?.untrusted && <Hint>External content: the agent treats it as data, never as instructions.</Hint>}
        </Stack>
      )}
    </Box>
  )
}

function ToolStateLabel({ state, duration }: { state: ToolState; duration: number }) {
  const { label, color } = states[state]
  const isRunning = state === 'running'
  return (
    <Flex component="span" flex="none" gap="0.5rem" align="center" fz="xs" c="dimmed">
      {isRunning && <Loader size={14} aria-hidden />}
      {!isRunning && duration > 0 && <span>{milliseconds(duration)}</span>}
      {isRunning ? (
        label
      ) : (
        <Badge color={color} tt="none" fw={600} c="var(--mantine-color-text)">
          {label}
        </Badge>
      )}
    </Flex>
  )
}

const milliseconds = (time: number) =>
  time < 1_000 ? `${time} ms` : `${(time / 1_000).toFixed(time < 10_000 ? 1 : 0)} s`

const icons: readonly [prefix: string, icon: typeof IconTool][] = [
  ['mcp__', IconPlug],
  ['memory', IconBrain],
  ['web', IconWorld],
  ['http', IconApi],
  ['browser', IconBrowser],
  ['file', IconFile],
  ['shell', IconTerminal2],
  ['run_code', IconCode],
  ['arm_check_in', IconAlarm],
  ['time', IconClock],
  ['todo', IconListCheck],
  ['project', IconChecklist],
  ['workflow', IconSitemap],
  ['device', IconDevices],
  ['channel', IconSend],
  ['ask', IconHelp],
]

function ToolIcon({ tool }: { tool: string }) {
  const Icon = /_jobs?$/.test(tool)
    ? IconCalendarClock
    : (icons.find(([prefix]) => tool.startsWith(prefix))?.[1] ?? IconTool)
  return <Icon size={18} stroke={1.7} aria-hidden />
}
