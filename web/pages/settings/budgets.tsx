import { Badge, Button, Group, Progress, Text } from '@mantine/core'
import { IconCoins, IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { Budget } from '../../../runtime/monitoring/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'
import { actions, scopeName, windows } from './budget-labels.ts'

const BudgetForm = lazy(async () => ({ default: (await import('./budget-form.tsx')).BudgetForm }))

export function Budgets() {
  const query = useEndpoint('/api/monitoring/budgets', { query: { limit: 200 } })
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const providers = useEndpoint('/api/providers').data?.providers ?? []
  const [edited, setEdited] = useState<Budget | 'new' | null>(null)
  const resume = useChange(
    (api, id: string) => api.put('/api/monitoring/budgets/{id}', { params: { id }, body: { paused: false } }),
    { stale: ['/api/monitoring/budgets'] },
  )
  const add = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEdited('new')}>
      New budget
    </Button>
  )
  return (
    <Panel title="Budgets" count={query.data?.total} action={add}>
      <Loaded query={query} what="Budgets" skeleton={<SkeletonRows count={2} height={84} />}>
        {({ budgets }) =>
          budgets.length === 0 ? (
            <EmptyState icon={<IconCoins />} title="No budgets yet">
              A budget limits the cost of model calls, in total or for one agent.
            </EmptyState>
          ) : (
            budgets.map((budget) => (
              <BudgetRow
                key={budget.id}
                budget={budget}
                name={scopeName(budget.scope, [...agents, ...providers])}
                edit={() => setEdited(budget)}
                resume={() => resume.mutate(budget.id)}
              />
            ))
          )
        }
      </Loaded>
      {edited !== null && (
        <Suspense>
          <BudgetForm
            budget={edited === 'new' ? null : edited}
            agents={agents}
            providers={providers}
            close={() => setEdited(null)}
          />
        </Suspense>
      )}
    </Panel>
  )
}

interface BudgetRowProps {
  budget: Budget
  /** Name of its scope. */
  name: string
  edit: () => void
  resume: () => void
}

function BudgetRow({ budget, name, edit, resume }: BudgetRowProps) {
  const { window, action, paused, used_pct, resets_at } = budget
  const warned = budget.warn_pct.some((percent) => used_pct >= percent)
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={`${name}, ${windows[window].each}`}>
      <div className="words">
        <Group gap={6}>
          <Text fw={500}>{name}</Text>
          {paused && (
            <Badge size="sm" variant="light" color="red">
              Paused
            </Badge>
          )}
        </Group>
        <Progress
          my={6}
          value={Math.min(100, used_pct)}
          color={used_pct >= 100 ? 'red' : warned ? 'yellow' : 'teal'}
          aria-label={`Used budget: ${name}`}
        />
        <Text size="xs" c="dimmed" component="div">
          {usedOf(budget)} {windows[window].each} · {used_pct} % · {actions[action].label.toLowerCase()}
          {resets_at && (
            <>
              {' '}
              · resets <Time at={resets_at} />
            </>
          )}
        </Text>
      </div>
      <Group gap="xs">
        {paused && (
          <Button size="xs" onClick={resume}>
            Resume
          </Button>
        )}
        <Button size="xs" variant="default" onClick={edit}>
          Edit
        </Button>
      </Group>
    </article>
  )
}

function usedOf({ used, limit_usd, limit_tokens }: Budget): string {
  const parts = [
    limit_usd === null ? null : `${money(used.usd)} of ${money(limit_usd)}`,
    limit_tokens === null ? null : `${whole(used.tokens)} of ${whole(limit_tokens)} tokens`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
