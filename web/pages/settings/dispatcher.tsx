import { Badge, Group, Stack } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import type { AnswerOf } from '../../api/client.ts'
import { usePages } from '../../api/query.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { SectionForm } from './section-form.tsx'

type Decision = AnswerOf<'GET', '/api/dispatcher/decisions/{id}'>
type Intent = Decision['intent']

const intents: readonly Intent[] = [
  'chat',
  'question',
  'task',
  'project',
  'loop',
  'schedule',
  'workflow',
  'memory',
  'device',
  'browser',
  'settings',
]

const methods: Record<Decision['method'], string> = {
  rule: 'By a rule',
  embedding: 'By similar examples',
  llm: 'By a model',
  default: 'By default',
  override: 'By you',
}

const statuses: Record<Decision['status'], { label: string; color: string } | null> = {
  routed: null,
  clarifying: { label: 'Waiting for you', color: 'yellow' },
  failed: { label: 'Failed', color: 'red' },
  overridden: { label: 'Corrected', color: 'teal' },
}

/** What sentences were taken for, with corrections, and the settings of the dispatcher. */
export function Dispatcher() {
  const isAdmin = useIsAdmin()
  return (
    <Stack gap="lg">
      <Decisions />
      <OwnRules />
      {isAdmin && <SectionForm name="dispatcher" title="How sentences are sorted" />}
    </Stack>
  )
}

function Decisions() {
  const query = usePages('/api/dispatcher/decisions', {}, { size: 20 })
  return (
    <Panel title="Decisions" count={query.data?.pages[0]?.total}>
      <List
        query={query}
        what="Decisions"
        items="decisions"
        empty={
          <EmptyState icon={<IconRoute />} title="No decisions yet">
            What you type on Home appears here, with what it was taken for.
          </EmptyState>
        }
      >
        {(decision) => <DecisionRow key={decision.id} decision={decision} />}
      </List>
    </Panel>
  )
}

/** What this person's corrections have taught the dispatcher. */
function OwnRules() {
  const query = usePages('/api/dispatcher/rules', {}, { size: 20 })
  const total = query.data?.pages[0]?.total
  if (!total) return null
  return (
    <Panel title="Your corrections" count={total}>
      <List query={query} what="Corrections" items="rules" empty={null}>
        {(rule) => <RuleRow key={rule.id} rule={rule} />}
      </List>
    </Panel>
  )
}

function RuleRow({
  rule: { id, text, intent, created_at },
}: {
  rule: AnswerOf<'GET', '/api/dispatcher/rules'>['rules'][number]
}) {
  const remove = useChange((api) => api.delete('/api/dispatcher/rules/{id}', { params: { id } }), {
    stale: ['/api/dispatcher'],
    done: () => announce('Similar sentences are decided without this correction now'),
  })
  return (
    <Row
      name={text}
      badges={<Badge>{labelOf(intent)}</Badge>}
      actions={
        <SmallButton disabled={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </SmallButton>
      }
    >
      <Hint>
        Since <Time at={created_at} />
      </Hint>
    </Row>
  )
}

function linkTo(target: string | null) {
  if (target?.startsWith('conv_')) return { href: `/chat/${target}`, label: 'Open chat' }
  return target?.startsWith('proj_') ? { href: `/projects/${target}`, label: 'Open project' } : null
}

function DecisionRow({ decision }: { decision: Decision }) {
  const { input_excerpt, intent, method, confidence, latency_ms, reason, status, target, created_at } =
    decision
  const shown = statuses[status]
  const link = linkTo(target)
  const facts = [
    methods[method],
    `${Math.round(confidence * 100)} % sure`,
    `${latency_ms} ms`,
    ...(reason ? [reason] : []),
  ]
  return (
    <Row
      name={input_excerpt}
      badges={
        <>
          <Badge>{labelOf(intent)}</Badge>
          {shown && <Badge color={shown.color}>{shown.label}</Badge>}
        </>
      }
      actions={<Corrections decision={decision} />}
    >
      <Hint>
        {facts.join(' · ')} · <Time at={created_at} />
        {link && (
          <>
            {' · '}
            <TextLink href={link.href} size="xs" underline="always">
              {link.label}
            </TextLink>
          </>
        )}
      </Hint>
    </Row>
  )
}

/** One click corrects this decision, and those about similar sentences from now on. */
function Corrections({ decision: { id, intent, input_excerpt, alternatives } }: { decision: Decision }) {
  const correct = useChange(
    (api, chosen: Intent) =>
      api.post('/api/dispatcher/decisions/{id}/override', { params: { id }, body: { intent: chosen } }),
    {
      stale: ['/api/dispatcher'],
      done: (_, chosen) => announce(`Sentences like this now count as “${labelOf(chosen)}”`),
    },
  )
  const likely = alternatives.slice(0, 2).map((other) => other.intent)
  const others = intents.filter((other) => other !== intent && !likely.includes(other))
  return (
    <Group gap={6} role="group" aria-label={`Correct “${input_excerpt}”`}>
      {likely.map((other) => (
        <SmallButton key={other} disabled={correct.isPending} onClick={() => correct.mutate(other)}>
          {labelOf(other)}
        </SmallButton>
      ))}
      <ActionMenu
        actions={others.map((other) => ({ label: labelOf(other), onClick: () => correct.mutate(other) }))}
      >
        <SmallButton variant="subtle" disabled={correct.isPending}>
          Change to…
        </SmallButton>
      </ActionMenu>
    </Group>
  )
}
