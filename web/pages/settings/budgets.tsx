import { Badge, Progress } from '@mantine/core'
import { IconCoins } from '@tabler/icons-react'
import type { Budget } from '../../../runtime/ledger/schema.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { useLabels } from '../../parts/schema/use-body-schema.ts'
import { When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { everything, useScopeNames } from './budget-scopes.ts'

const loading = <SkeletonRows count={1} height={57} />
const ScopeField = lazily(() => import('./budget-fields.tsx'), 'ScopeField', loading)
const WarnField = lazily(() => import('./budget-fields.tsx'), 'WarnField', loading)

const path = '/api/monitoring/budgets'

const each: Record<Budget['window'], string> = {
  run: 'a run',
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in total',
}

export function Budgets() {
  const nameOf = useScopeNames()
  const labelOf = useLabels(path, 'action')
  return (
    <ResourcePage
      path={path}
      items="budgets"
      noun="budget"
      title="Budgets"
      icon={IconCoins}
      empty="A budget limits the cost of model calls, in total or for one agent."
      row={(budget) => ({
        name: nameOf(budget.scope),
        label: `${nameOf(budget.scope)}, ${each[budget.window]}`,
        badges: budget.paused && <Badge color="red">Paused</Badge>,
        actions: budget.paused && (
          <ActionButton run={(api) => api.put(`${path}/{id}`, { params: { id: budget.id }, body: { paused: false } })}>
            Resume
          </ActionButton>
        ),
        children: <Use budget={budget} name={nameOf(budget.scope)} action={labelOf(budget.action).toLowerCase()} />,
      })}
      form={{
        name: ({ scope }) => nameOf(scope),
        start: { scope: everything, window: 'day', limit_usd: 5 },
        fields: (_, budget) => ({
          scope: (props) => <ScopeField {...props} saved={budget?.scope} />,
          warn_pct: (props) => <WarnField {...props} />,
          paused: false,
        }),
        layout: ['scope', 'window', ['limit_usd', 'limit_tokens'], 'action', 'warn_pct'],
        effect: 'These calls are no longer limited, except by other budgets.',
      }}
    />
  )
}

function Use({ budget, name, action }: { budget: Budget; name: string; action: string }) {
  const { window, warn_pct, used_pct, resets_at } = budget
  const warned = warn_pct.some((percent) => used_pct >= percent)
  return (
    <>
      <Progress
        my={6}
        value={Math.min(100, used_pct)}
        color={used_pct >= 100 ? 'red' : warned ? 'yellow' : 'teal'}
        aria-label={`Used budget: ${name}`}
      />
      <Hint>
        {usedOf(budget)} {each[window]} · {used_pct} % · at the limit: {action}
        <When label="resets" at={resets_at} />
      </Hint>
    </>
  )
}

function usedOf({ used, limit_usd, limit_tokens }: Budget): string {
  const parts = [
    limit_usd === null ? null : `${money(used.usd)} of ${money(limit_usd)}`,
    limit_tokens === null ? null : `${whole(used.tokens)} of ${whole(limit_tokens)} tokens`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
