import { Badge, Group, Stack } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import type { AnswerOf } from '../../api/client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { plainOf } from '../../parts/schema/schema.ts'
import { useBodySchemas } from '../../parts/schema/use-body-schema.ts'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { SectionForm } from './section-form.tsx'

type Decision = AnswerOf<'GET', '/api/dispatcher/decisions/{id}'>
type Intent = Decision['intent']

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

/** How sentences were understood, with corrections, and the settings of the dispatcher. */
export function Dispatcher() {
  const isAdmin = useIsAdmin()
  return (
    <Stack gap="lg">
      <ResourceList
        path="/api/dispatcher/decisions"
        items="decisions"
        title="Decisions"
        size={20}
        icon={IconRoute}
        empty="What you type on Home appears here, with how it was understood."
        row={(decision) => {
          const status = statuses[decision.status]
          return {
            name: decision.input_excerpt,
            badges: (
              <>
                <Badge>{labelOf(decision.intent)}</Badge>
                {status && <Badge color={status.color}>{status.label}</Badge>}
              </>
            ),
            actions: <Corrections decision={decision} />,
            children: <DecisionFacts decision={decision} />,
          }
        }}
      />
      <ResourceList
        path="/api/dispatcher/rules"
        items="rules"
        title="Your corrections"
        size={20}
        empty={null}
        hidden
        row={({ id, text, intent, created_at }) => ({
          name: text,
          badges: <Badge>{labelOf(intent)}</Badge>,
          actions: (
            <ActionButton
              run={(api) => api.delete('/api/dispatcher/rules/{id}', { params: { id } })}
              done={() => announce('Similar sentences are decided without this correction now')}
            >
              Remove
            </ActionButton>
          ),
          children: (
            <Hint>
              Since <Time at={created_at} />
            </Hint>
          ),
        })}
      />
      {isAdmin && <SectionForm name="dispatcher" title="How sentences are sorted" />}
    </Stack>
  )
}

function linkTo(target: string | null) {
  if (target?.startsWith('conv_')) return { href: `/chat/${target}`, label: 'Open chat' }
  return target?.startsWith('proj_') ? { href: `/projects/${target}`, label: 'Open project' } : null
}

function DecisionFacts({ decision }: { decision: Decision }) {
  const { method, confidence, latency_ms, reason, target, created_at } = decision
  const link = linkTo(target)
  const facts = [methods[method], `${Math.round(confidence * 100)} % sure`, `${latency_ms} ms`, reason]
  return (
    <Hint>
      {facts.filter(Boolean).join(' · ')} · <Time at={created_at} />
      {link && (
        <>
          {' · '}
          <TextLink href={link.href} size="xs" underline="always">
            {link.label}
          </TextLink>
        </>
      )}
    </Hint>
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
  const { intent: schema } = useBodySchemas('/api/dispatcher/inject').create?.properties ?? {}
  const intents = ((schema && plainOf(schema).schema.enum) ?? []) as Intent[]
  const likely = alternatives.slice(0, 2).map((other) => other.intent)
  const others = intents.filter((other) => other !== intent && !likely.includes(other))
  return (
    <Group gap={6} role="group" aria-label={`Correct “${input_excerpt}”`}>
      {likely.map((other) => (
        <SmallButton key={other} disabled={correct.isPending} onClick={() => correct.mutate(other)}>
          {labelOf(other)}
        </SmallButton>
      ))}
      <ActionMenu actions={others.map((other) => ({ label: labelOf(other), onClick: () => correct.mutate(other) }))}>
        <SmallButton variant="subtle" disabled={correct.isPending}>
          Change to…
        </SmallButton>
      </ActionMenu>
    </Group>
  )
}
