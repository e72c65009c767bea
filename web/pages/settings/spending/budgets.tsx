import { Button } from '@mantine/core'
import { IconCoins, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { refresh } from '../../../api/live.ts'
import { type Budget, budgetsQuery } from '../../../api/monitoring.ts'
import { providersQuery } from '../../../api/providers.ts'
import { useEndpoint } from '../../../api/query.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { BudgetRow } from './budget-row.tsx'
import { scopeName } from './labels.ts'

const BudgetForm = lazy(async () => ({ default: (await import('./budget-form.tsx')).BudgetForm }))

export function Budgets() {
  const api = useApi()
  const query = useQuery(budgetsQuery(api))
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const providers = useQuery(providersQuery(api)).data?.providers ?? []
  const [edited, setEdited] = useState<Budget | 'new' | null>(null)
  const resume = useResume()
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
              A budget stops model calls before they cost more than you want, in all or for one agent.
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

function useResume() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      api.put('/api/monitoring/budgets/{id}', { params: { id }, body: { paused: false } }),
    onSettled: () => refresh(queries, '/api/monitoring/budgets'),
  })
}
