import { Alert, Progress, Stack, Text } from '@mantine/core'
import { IconMessageCircle, IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconRepeat } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useLocation } from 'wouter'
import type { Loop, LoopDetails } from '../../../runtime/loops/schema.ts'
import { pendingApprovals } from '../../api/chat.ts'
import type { Api } from '../../api/client.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { AnswerForm } from '../../parts/answer-form.tsx'
import { ApprovalCard } from '../../parts/approval.tsx'
import { LinkButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Found, SkeletonRows } from '../../parts/list.tsx'
import { LoopQuestion } from '../../parts/loop-question.tsx'
import { duration, money, whole } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Facts, StatusBadge, Views } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, Muted, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { LoopMenu } from './actions.tsx'
import { Iterations } from './iterations.tsx'
import { isEnded, loopStatus, problemOf, stopReasons } from './labels.ts'

const loading = <SkeletonRows count={4} />
const LogView = lazily(() => import('./details-view.tsx'), 'LogView', loading)
const RunsView = lazily(() => import('./runs-view.tsx'), 'RunsView', loading)
const DetailsView = lazily(() => import('./details-view.tsx'), 'DetailsView', loading)
const LoopDrawer = lazily(() => import('./loop-form.tsx'), 'LoopDrawer')

interface View {
  place: string
  label: string
  view: ComponentType<{ loop: LoopDetails }>
}

const iterations: View = { place: '', label: 'Iterations', view: IterationsView }
const log: View = { place: 'log', label: 'Log', view: LogView }
const views: readonly View[] = [
  iterations,
  log,
  { place: 'runs', label: 'Runs', view: RunsView },
  { place: 'details', label: 'Details', view: DetailsView },
]

export function LoopPage({ id, view }: { id: string; view: string | undefined }) {
  const query = useOptional('/api/loops/{id}', { params: { id } })
  return (
    <div className="page">
      <TextLink href="/loops">← Loops</TextLink>
      <Found query={query} what="This loop" icon={<IconRepeat />} skeleton={<SkeletonRows count={6} />}>
        {(loop) => <Content loop={loop} place={view ?? ''} />}
      </Found>
    </div>
  )
}

function Content({ loop, place }: { loop: LoopDetails; place: string }) {
  const [, navigate] = useLocation()
  const isMine = useIsMine(loop)
  const base = `/loops/${loop.id}`
  // The log is the conversation of the agent, which belongs to the owner alone.
  const shown = views.filter((view) => isMine || view !== log)
  const current = shown.find((view) => view.place === place) ?? iterations
  return (
    <>
      <PageHeader title={loop.name}>
        <StatusBadge {...loopStatus(loop.status)} />
        {isMine && <Actions loop={loop} />}
        <LoopMenu loop={loop} />
      </PageHeader>
      <Stack>
        <Text style={{ whiteSpace: 'pre-wrap' }} lineClamp={4}>
          {loop.goal}
        </Text>
        <Limits loop={loop} />
        <Ending loop={loop} />
        {isMine && <NeedsYou loop={loop} />}
        {isMine && <Steer loop={loop} />}
        <div>
          <Views label="Loop views" base={base} views={shown} current={current.place} />
          <current.view loop={loop} />
        </div>
      </Stack>
      {place === 'edit' && isMine && <LoopDrawer loop={loop} close={() => navigate(base)} />}
    </>
  )
}

function Actions({ loop }: { loop: LoopDetails }) {
  const { id, status, pausing, conversation_id } = loop
  const to = (verb: 'start' | 'pause' | 'resume' | 'stop') => (api: Api) =>
    api.post(`/api/loops/{id}/${verb}`, { params: { id } })
  return (
    <>
      {conversation_id && (
        <LinkButton icon={IconMessageCircle} href={`/chat/${conversation_id}`}>
          Open chat
        </LinkButton>
      )}
      {(status === 'draft' || isEnded(loop)) && (
        <ActionButton icon={IconPlayerPlay} variant={status === 'failed' ? 'default' : 'filled'} run={to('start')}>
          {status === 'draft' ? 'Start' : 'Start again'}
        </ActionButton>
      )}
      {(status === 'running' || status === 'waiting') && (
        <ActionButton icon={IconPlayerPause} run={to('pause')} disabled={pausing}>
          {pausing ? 'Pausing' : 'Pause'}
        </ActionButton>
      )}
      {(status === 'paused' || status === 'failed' || pausing) && (
        <ActionButton icon={IconPlayerPlay} variant="filled" run={to('resume')}>
          Resume
        </ActionButton>
      )}
      {['running', 'waiting', 'blocked', 'paused'].includes(status) && (
        <ConfirmButton
          question="Stop this loop? Its current iteration is stopped. Finished iterations and files are kept."
          verb="Stop loop"
          icon={IconPlayerStop}
          run={to('stop')}
        >
          Stop
        </ConfirmButton>
      )}
    </>
  )
}

/** What the run has used of each limit. */
function Limits({ loop }: { loop: Loop }) {
  const { iteration, max_iterations, tokens_used, cost_usd, active_seconds, budget } = loop
  const limits: LimitProps[] = [
    { name: 'Iterations', used: iteration, limit: max_iterations, format: whole },
    { name: 'Tokens', used: tokens_used, limit: budget.tokens, format: whole },
    { name: 'Cost', used: cost_usd, limit: budget.usd, format: money },
    { name: 'Time', used: active_seconds, limit: budget.minutes && budget.minutes * 60, format: duration },
  ]
  return <Facts facts={limits.map((limit) => [limit.name, <Limit key={limit.name} {...limit} />])} />
}

interface LimitProps {
  name: string
  used: number
  /** Null for no limit. */
  limit: number | null
  format: (value: number) => string
}

function Limit({ name, used, limit, format }: LimitProps) {
  const percent = limit === null ? 0 : Math.min(100, limit === 0 ? 100 : (used / limit) * 100)
  return (
    <>
      {format(used)}
      <Text span size="xs" c="dimmed">
        {limit === null ? ' no limit' : ` of ${format(limit)}`}
      </Text>
      {limit !== null && (
        <Progress
          mt={4}
          size="sm"
          value={percent}
          color={percent >= 80 ? 'yellow' : 'ember'}
          aria-label={`${name} used`}
        />
      )}
    </>
  )
}

/** Why the loop does not run, and what to do. */
function Ending({ loop }: { loop: Loop }) {
  const { status, stop_reason, last_verdict } = loop
  if (stop_reason === null || status === 'running' || status === 'blocked') return null
  const { title, help } = stopReasons[stop_reason]
  const text = stop_reason === 'complete' ? last_verdict?.evidence : problemOf(loop)
  return (
    <Alert role={status === 'failed' ? 'alert' : 'status'} color={loopStatus(status).color} title={title}>
      {text && text !== title && <Text size="sm">{text}</Text>}
      {help && <Text size="sm">{help}</Text>}
    </Alert>
  )
}

/** The question of a blocked loop, and actions of its agent that need approval. */
function NeedsYou({ loop }: { loop: LoopDetails }) {
  const approvals = useEndpoint('/api/chat/approvals', pendingApprovals).data?.approvals ?? []
  const own = approvals.filter(({ conversation_id }) => conversation_id === loop.conversation_id)
  const count = own.length + Number(loop.question !== null)
  if (count === 0) return null
  return (
    <Panel title="Needs you" count={count}>
      <LoopQuestion loop={loop} />
      {own.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </Panel>
  )
}

/** Instructions for the next iteration. */
function Steer({ loop }: { loop: LoopDetails }) {
  const steer = useChange((api, instruction: string) =>
    api.post('/api/loops/{id}/steer', { params: { id: loop.id }, body: { instruction } }),
  )
  if (isEnded(loop)) return null
  return (
    <Panel title="Steer" gap={6}>
      <AnswerForm label="What should the agent do differently?" verb="Send" answer={steer} />
      <Hint>
        <When loop={loop} />
      </Hint>
      {loop.steering.map((text) => (
        <Text key={text} size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          <Muted span>For the next iteration:</Muted> {text}
        </Text>
      ))}
    </Panel>
  )
}

/** When instructions take effect. */
function When({ loop: { status, next_at } }: { loop: Loop }) {
  if (status === 'draft') return 'Takes effect in the first iteration, when you start the loop.'
  if (status === 'paused') return 'Takes effect in the next iteration, after you resume the loop.'
  if (status === 'blocked') return 'Takes effect in the next iteration, after you answer the question above.'
  if (next_at)
    return (
      <>
        Takes effect in the next iteration, which starts <Time at={next_at} />
      </>
    )
  return 'Takes effect in the next iteration. The current one is not interrupted.'
}

function IterationsView({ loop }: { loop: LoopDetails }) {
  const { iterations: own, conversation_id, status } = loop
  return <Iterations iterations={own} conversation={conversation_id} isBlocked={status === 'blocked'} />
}
