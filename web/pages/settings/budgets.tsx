import { Badge, Progress } from '@mantine/core'
import { IconCoins } from '@tabler/icons-react'
import { useState } from 'react'
import type { Budget } from '../../../runtime/ledger/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useAgents } from '../../parts/agents.ts'
import { ActionButton, AddButton, SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { Panel, Row } from '../../parts/page.tsx'
import { When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { actions, scopeName, windows } from './budget-labels.ts'

const BudgetForm = lazily(() => import('./budget-form.tsx'), 'BudgetForm')

export function Budgets() {
  const query = useEndpoint('/api/monitoring/budgets', { query: { limit: 200 } })
  const agents = useAgents()
  const providers = useEndpoint('/api/providers').data?.providers ?? []
  const [edited, setEdited] = useState<Budget | 'new' | null>(null)
  const add = <AddButton onClick={() => setEdited('new')}>New budget</AddButton>
  const empty = (
    <EmptyState icon={<IconCoins />} title="No budgets yet">
      A budget limits the cost of model calls, in total or for one agent.
    </EmptyState>
  )
  return (
    <Panel title="Budgets" count={query.data?.total} action={add}>
      <List
        query={query}
        what="Budgets"
        items="budgets"
        empty={empty}
        skeleton={<SkeletonRows count={2} height={84} />}
      >
        {(budget) => (
          <BudgetRow
            key={budget.id}
            budget={budget}
            name={scopeName(budget.scope, [...agents, ...providers])}
            edit={() => setEdited(budget)}
          />
        )}
      </List>
      {edited !== null && (
        <BudgetForm
          budget={edited === 'new' ? null : edited}
          agents={agents}
          providers={providers}
          close={() => setEdited(null)}
        />
      )}
    </Panel>
  )
}

interface BudgetRowProps {
  budget: Budget
  /** Name of its scope. */
  name: string
  edit: () => void
}

function BudgetRow({ budget, name, edit }: BudgetRowProps) {
  const { id, window, action, paused, used_pct, resets_at } = budget
  const warned = budget.warn_pct.some((percent) => used_pct >= percent)
  const resume = useChange(
    (api) => api.put('/api/monitoring/budgets/{id}', { params: { id }, body: { paused: false } }),
    { stale: ['/api/monitoring/budgets'] },
  )
  return (
    <Row
      name={name}
      label={`${name}, ${windows[window].each}`}
      badges={paused && <Badge color="red">Paused</Badge>}
      actions={
        <>
          {paused && <ActionButton run={resume}>Resume</ActionButton>}
          <SmallButton onClick={edit}>Edit</SmallButton>
        </>
      }
    >
      <Progress
        my={6}
        value={Math.min(100, used_pct)}
        color={used_pct >= 100 ? 'red' : warned ? 'yellow' : 'teal'}
        aria-label={`Used budget: ${name}`}
      />
      <Hint>
        {usedOf(budget)} {windows[window].each} · {used_pct} % · at the limit:{' '}
        {actions[action].label.toLowerCase()}
        <When label="resets" at={resets_at} />
      </Hint>
    </Row>
  )
}

function usedOf({ used, limit_usd, limit_tokens }: Budget): string {
  const parts = [
    limit_usd === null ? null : `${money(used.usd)} of ${money(limit_usd)}`,
    limit_tokens === null ? null : `${whole(used.tokens)} of ${whole(limit_tokens)} tokens`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
