import { Alert, Code, Group, Loader, Progress, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight, IconRepeat } from '@tabler/icons-react'
import { useState } from 'react'
import type { Part } from '../../../runtime/chat/schema.ts'
import type { Action, Iteration, Verdict } from '../../../runtime/loops/schema.ts'
import { Bars } from '../../parts/bars.tsx'
import { useConversation } from '../../parts/conversation-log.tsx'
import { pretty } from '../../parts/json.ts'
import { EmptyState } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { counted, duration, money, whole } from '../../parts/numbers.ts'
import { type Status, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Bullets, Hint } from '../../parts/typography.tsx'
import { iterationStatus } from './labels.ts'

interface IterationsProps {
  iterations: readonly Iteration[]
  /** In which the agent works. */
  conversation: string | null
  /** Whether the loop waits for a person. */
  isBlocked: boolean
}

/** The iterations of a run, newest first, and how its score developed. */
export function Iterations({ iterations, ...run }: IterationsProps) {
  const scored = iterations.flatMap(({ id, index, verdict }) => (verdict ? [{ id, index, verdict }] : []))
  if (iterations.length === 0)
    return (
      <EmptyState icon={<IconRepeat />} title="No iterations yet">
        Start the loop, and each iteration appears here while it is made.
      </EmptyState>
    )
  return (
    <Stack>
      {scored.length > 2 && (
        <Bars
          what="Score by iteration"
          full={100}
          format={(score) => `${Math.round(score)} of 100`}
          bars={scored.map(({ id, index, verdict }) => ({
            key: id,
            label: String(index),
            value: verdict.score,
          }))}
        />
      )}
      {iterations.toReversed().map((iteration) => (
        <IterationCard key={iteration.id} iteration={iteration} {...run} />
      ))}
    </Stack>
  )
}

const complete: Status = { label: 'Complete', color: 'teal' }
const waiting: Status = { label: 'Needs your answer', color: 'yellow' }

function labelOf({ status, verdict }: Iteration, isBlocked: boolean): Status {
  if (verdict?.complete) return complete
  return status === 'verifying' && isBlocked ? waiting : iterationStatus(status)
}

interface CardProps extends Omit<IterationsProps, 'iterations'> {
  iteration: Iteration
}

function IterationCard({ iteration, conversation, isBlocked }: CardProps) {
  const { index, status, summary, actions, verdict, error } = iteration
  return (
    <Stack
      component="article"
      className="card"
      gap="sm"
      px="md"
      py="sm"
      miw={0}
      style={{ overflowWrap: 'anywhere' }}
      aria-label={`Iteration ${index}`}
    >
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text component="h2" fw={600}>
            Iteration {index}
          </Text>
          <StatusBadge {...labelOf(iteration, isBlocked)} />
          {(status === 'running' || (status === 'verifying' && !isBlocked)) && (
            <Loader size={14} role="img" aria-label="In progress" />
          )}
        </Group>
        <Facts iteration={iteration} />
      </Group>
      {error && (
        <Alert color="red" p="xs">
          {error}
        </Alert>
      )}
      {verdict && <VerdictView verdict={verdict} />}
      {summary && <Markdown text={summary} />}
      {status === 'running' && conversation ? (
        <LiveActions conversation={conversation} since={iteration.started_at} />
      ) : (
        <Actions actions={actions} isLive={status === 'verifying'} />
      )}
    </Stack>
  )
}

/** The actions of the current iteration as they happen; they are stored with it when it ends. */
function LiveActions({ conversation, since }: { conversation: string; since: string }) {
  const query = useConversation(conversation)
  const messages = query.data?.messages.filter(({ created_at }) => created_at >= since) ?? []
  const actions = messages.flatMap(({ parts }) => actionsOf(parts))
  if (actions.length === 0) return <Hint>No action yet.</Hint>
  return <Actions actions={actions} isLive />
}

/** Characters of a result that are shown, as in stored actions. */
const maxResult = 300

function actionsOf(parts: readonly Part[]): Action[] {
  return parts.flatMap((part) => {
    if (part.type !== 'tool_use') return []
    const result = parts.find((other) => other.type === 'tool_result' && other.id === part.id)
    const output = result?.type === 'tool_result' ? pretty(result.output) : ''
    return {
      tool: part.tool,
      summary: part.summary,
      is_error: result?.type === 'tool_result' && result.is_error,
      result: output.slice(0, maxResult),
    }
  })
}

function Facts({ iteration: { tokens, cost_usd, started_at, ended_at } }: { iteration: Iteration }) {
  const seconds = ended_at && (Date.parse(ended_at) - Date.parse(started_at)) / 1000
  return (
    <Hint>
      <Time at={started_at} />
      {seconds !== null && ` · ${duration(seconds || 0)}`}
      {tokens > 0 && ` · ${whole(tokens)} tokens`}
      {ended_at && ` · ${money(cost_usd)}`}
    </Hint>
  )
}

function VerdictView({ verdict: { score, complete: isComplete, missing, evidence } }: { verdict: Verdict }) {
  const percent = Math.min(100, Math.max(0, score))
  return (
    <Stack component="section" className="sunken" gap="xs" p="sm" bdrs="md" aria-label="Verdict">
      <Group gap="sm" wrap="nowrap">
        <Progress className="grow" size="sm" value={percent} color={isComplete ? 'teal' : 'ember'} aria-label="Score" />
        <Text size="sm" fw={600}>
          {Math.round(score)} of 100
        </Text>
      </Group>
      {missing.length > 0 && (
        <div>
          <Hint fw={550}>Missing</Hint>
          <Bullets items={missing} />
        </div>
      )}
      {evidence && (
        <div>
          <Hint fw={550}>Evidence</Hint>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {evidence}
          </Text>
        </div>
      )}
    </Stack>
  )
}

interface ActionsProps {
  actions: readonly Action[]
  /** Shown from the start, and grows. */
  isLive: boolean
}

function Actions({ actions, isLive }: ActionsProps) {
  const [opened, setOpened] = useState<boolean | null>(null)
  if (actions.length === 0) return null
  const isOpen = opened ?? isLive
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div>
      <UnstyledButton fz="sm" fw={550} aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        <Icon size={16} aria-hidden style={{ verticalAlign: '-3px' }} /> {counted(actions.length, 'action', 'actions')}
      </UnstyledButton>
      {isOpen && (
        <Stack component="ol" className="plain" gap="xs" mt="xs" aria-label="Actions">
          {actions.map((action, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: actions are only added at the end
            <li key={index}>
              <ActionView action={action} />
            </li>
          ))}
        </Stack>
      )}
    </div>
  )
}

const ActionView = ({ action: { tool, summary, is_error, result } }: { action: Action }) => (
  <>
    <Text size="sm">{summary || tool}</Text>
    <Hint c={is_error ? 'var(--mantine-color-error)' : 'dimmed'}>{is_error ? `${tool} failed` : tool}</Hint>
    {result && (
      <Code block fz="xs" mah={120} mt={4} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }} tabIndex={0}>
        {pretty(result)}
      </Code>
    )}
  </>
)
