import { Badge, Switch, TextInput } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { PricedAutomation } from '../../../runtime/monitoring/automations.ts'
import type { Api } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { eventName } from '../../parts/events.ts'
import { LinkRow } from '../../parts/link-row.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { money } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { statusesOf } from '../../parts/statuses.ts'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const views = [
  { place: '', label: 'All' },
  { place: 'runs', label: 'Runs' },
  { place: 'open', label: 'Running' },
  { place: 'failed', label: 'Failed' },
]

/** Whatever works without being asked each time, and all that it did. `/automations/<view>` shows runs. */
export function Automations() {
  const { view = '' } = useParams<{ view?: string }>()
  return (
    <div className="page">
      <PageHeader
        title="Automations"
        description="Jobs, chains, loops, workflows, hooks and webhooks, and their runs."
      />
      <NewAutomation />
      <Views label="Automation views" base="/automations" views={views} current={view} />
      {view ? <Runs state={view === 'open' || view === 'failed' ? view : 'all'} /> : <All />}
    </div>
  )
}

/** Opens the form of what a sentence asks for, filled in; nothing is saved before. */
function NewAutomation() {
  const api = useApi()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const draft = useChange((_, sentence: string) => formFor(api, sentence), { done: (path) => navigate(path) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) draft.mutate(text.trim())
  }
  return (
    <form onSubmit={submit} style={{ display: 'flex', gap: '0.5rem', marginBottom: '1rem' }}>
      <TextInput
        className="grow"
        aria-label="New automation"
        placeholder="Say what should happen, and when: every Friday at 4 pm, write a summary of the week"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <SmallButton type="submit" h={36} variant="filled" loading={draft.isPending} disabled={!text.trim()}>
        New
      </SmallButton>
    </form>
  )
}

/** Words of a sentence about an event. */
const event = /\b(?:when|whenever|if|once|as soon as)\b/i

/**
 * The dispatcher decides what the sentence is. What is not a loop, a project or a workflow is a job, unless an event and no
 * schedule starts it: an agent finds the event.
 */
async function formFor(api: Api, text: string): Promise<string> {
  const { decision } = await api.post('/api/dispatcher/inject', { body: { text, source: 'chat', dry_run: true } })
  if (decision.intent === 'loop') return `/loops/new?${new URLSearchParams({ text })}`
  if (decision.intent === 'project') return `/projects/new?${new URLSearchParams({ text })}`
  const parsed = await api
    .post('/api/scheduler/parse-nl', { body: { text, split: true, preview: true } })
    .catch(() => null)
  if (decision.intent === 'workflow' || (!parsed && event.test(text)))
    return `/chat?${new URLSearchParams({ message: text })}`
  const start: Record<string, string> = parsed
    ? { what: parsed.goal ?? text, schedule: JSON.stringify(parsed.schedule) }
    : { what: text }
  return `/scheduler/new?${new URLSearchParams(start)}`
}

const triggers: Readonly<Record<string, string>> = {
  'trigger.manual': 'By hand',
  'trigger.event': 'When an event happens',
}

/** What starts it, in words. */
function startOf({ kind, starts }: PricedAutomation): string {
  if (kind === 'hook') return starts.map(eventName).join(', ')
  if (kind === 'webhook') return 'When a message arrives'
  if (kind === 'workflow') return starts.map((type) => triggers[type] ?? labelOf(type.slice(8))).join(', ') || 'By hand'
  return starts.join(', ') || 'By hand'
}

const statusOf = statusesOf<string>()
const does = ({ kind, does: text }: PricedAutomation) =>
  kind === 'hook' || kind === 'webhook' ? labelOf(text || 'record') : text

function All() {
  const query = useEndpoint('/api/automations')
  return (
    <Panel title="All" count={query.data?.total}>
      <List
        query={query}
        what="Automations"
        items="automations"
        empty={
          <EmptyState icon={<IconBolt />} title="No automations yet">
            Say above what should happen, and when.
          </EmptyState>
        }
      >
        {(one) => <AutomationRow key={one.kind + one.id} automation={one} />}
      </List>
    </Panel>
  )
}

function AutomationRow({ automation }: { automation: PricedAutomation }) {
  const { kind, name, href, last_run_at, last_status, next_run_at, cost_usd } = automation
  return (
    <Row
      name={name}
      open={href}
      badges={
        <>
          <Badge color="gray">{labelOf(kind)}</Badge>
          {last_status && <StatusBadge {...statusOf(last_status)} />}
        </>
      }
      actions={<OnOff automation={automation} />}
    >
      <Hint lineClamp={2}>{[startOf(automation), does(automation)].filter(Boolean).join(' → ')}</Hint>
      <Hint>
        {last_run_at ? (
          <>
            Last run <Time at={last_run_at} />
          </>
        ) : (
          'Never run'
        )}
        {next_run_at && (
          <>
            {' '}
            · next <Time at={next_run_at} />
          </>
        )}
        {cost_usd !== null && cost_usd > 0 && ` · ${money(cost_usd)} in 30 days`}
      </Hint>
    </Row>
  )
}

function OnOff({ automation: { kind, id, name, enabled } }: { automation: PricedAutomation }) {
  const params = { id }
  const turn = useChange(
    async (api, on: boolean): Promise<unknown> => {
      if (kind === 'hook') return api.put('/api/hooks/{id}', { params, body: { enabled: on } })
      if (kind === 'webhook') return api.put('/api/webhooks/incoming/{id}', { params, body: { enabled: on } })
      if (kind === 'workflow') return api.post(`/api/workflows/{id}/${on ? 'activate' : 'deactivate'}`, { params })
      return api.post(`/api/scheduler/jobs/{id}/${on ? 'resume' : 'pause'}`, { params })
    },
    { stale: ['/api/automations'] },
  )
  if (enabled === null) return null
  return (
    <Switch
      aria-label={`${name} is on`}
      checked={turn.isPending ? turn.variables : enabled}
      onChange={({ currentTarget: { checked } }) => turn.mutate(checked)}
    />
  )
}

const empty = { all: 'No runs yet.', open: 'Nothing is running.', failed: 'Nothing has failed.' } as const

function Runs({ state }: { state: keyof typeof empty }) {
  const query = useEndpoint('/api/automations/runs', { query: { state } })
  return (
    <Panel title="Runs of the last 30 days">
      <List query={query} what="Runs" items="runs" empty={empty[state]}>
        {({ kind, run_id, status, ...run }) => (
          <LinkRow key={kind + run_id} {...run} icon={<Badge color="gray">{labelOf(kind)}</Badge>}>
            <StatusBadge {...statusOf(status)} />
          </LinkRow>
        )}
      </List>
    </Panel>
  )
}
