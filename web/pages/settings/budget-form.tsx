import { Group, Modal } from '@mantine/core'
import type { Budget, BudgetScope } from '../../../runtime/ledger/schema.ts'
import type { Provider } from '../../../runtime/providers/schema.ts'
import type { Agent } from '../../../runtime/tools/agent.ts'
import { useApi } from '../../app/services.tsx'
import { changesTo, EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { useChange } from '../../parts/use-change.ts'
import { actions, scopeName, windows } from './budget-labels.ts'

interface BudgetFormProps {
  /** Null for a new one. */
  budget: Budget | null
  agents: readonly Agent[]
  providers: readonly Provider[]
  close: () => void
}

const stale = ['/api/monitoring/budgets']

export function BudgetForm({ budget, agents, providers, close }: BudgetFormProps) {
  const params = { id: budget?.id ?? '' }
  const form = useBudgetForm(budget, close)
  const remove = useChange((api) => api.delete('/api/monitoring/budgets/{id}', { params }), {
    stale,
    done: close,
  })
  const deletion = budget && {
    name: scopeName(budget.scope, [...agents, ...providers]),
    what: 'budget',
    effect: 'These calls are no longer limited, except by other budgets.',
    run: remove,
  }
  const { select, optionalNumber } = inputsOf(form)
  return (
    <Modal opened onClose={close} title={budget ? 'Edit budget' : 'New budget'}>
      <EntityForm form={form} verb={budget ? 'Save' : 'Create'} close={close} remove={deletion ?? false}>
        {select('scope', 'Applies to', scopesOf(budget, { agents, providers }), { searchable: true })}
        {select('window', 'Period', choices(windows))}
        <Group grow align="flex-start">
          {optionalNumber('limit_usd', 'US dollars', {
            ...limit,
            allowDecimal: true,
            decimalScale: 2,
            prefix: '$',
          })}
          {optionalNumber('limit_tokens', 'Tokens', { ...limit, thousandSeparator: ' ' })}
        </Group>
        {select('action', 'At the limit', choices(actions))}
        {optionalNumber('warn_pct', 'Warn at', { placeholder: 'Never', suffix: ' %', min: 1, max: 99 })}
      </EntityForm>
    </Modal>
  )
}

const limit = { placeholder: 'No limit', min: 0 }

const choices = (labels: Record<string, { label: string; hint?: string }>) =>
  Object.entries(labels).map(([value, { label, hint }]) => ({
    value,
    label: hint ? `${label}. ${hint}` : label,
  }))

function useBudgetForm(budget: Budget | null, close: () => void) {
  const api = useApi()
  return useApiForm({
    initial: {
      scope: keyOf(budget?.scope ?? everything),
      window: budget?.window ?? 'day',
      limit_usd: budget ? budget.limit_usd : 5,
      limit_tokens: budget?.limit_tokens ?? null,
      action: budget?.action ?? 'block',
      warn_pct: budget ? (budget.warn_pct[0] ?? null) : 80,
    },
    save(values, _, initial) {
      const body = bodyOf(values)
      return budget
        ? api.put('/api/monitoring/budgets/{id}', {
            params: { id: budget.id },
            body: changesTo(body, bodyOf(initial)),
          })
        : api.post('/api/monitoring/budgets', { body })
    },
    stale,
    saved: close,
    fieldOf: (path) => path.split('.')[0] ?? '',
  })
}

const bodyOf = <Values extends { scope: string; warn_pct: number | null }>({
  scope,
  warn_pct,
  ...values
}: Values) => ({ ...values, scope: scopeOf(scope), warn_pct: warn_pct === null ? [] : [warn_pct] })

const everything: BudgetScope = { kind: 'global', id: null }

const keyOf = ({ kind, id }: BudgetScope) => `${kind}:${id ?? ''}`

function scopeOf(key: string): BudgetScope {
  const [kind = 'global', id = ''] = key.split(/:(.*)/s)
  return { kind: kind as BudgetScope['kind'], id: id || null }
}

/** The scopes to choose from, including the current one. */
function scopesOf(
  budget: Budget | null,
  { agents, providers }: Pick<BudgetFormProps, 'agents' | 'providers'>,
) {
  const scopes: BudgetScope[] = [
    everything,
    ...agents.map(({ id }) => ({ kind: 'agent' as const, id })),
    ...providers.filter(({ configured }) => configured).map(({ id }) => ({ kind: 'provider' as const, id })),
    ...(budget ? [budget.scope] : []),
  ]
  const labels = new Map(
    scopes.map((scope) => [keyOf(scope), scopeName(scope, [...agents, ...providers])] as const),
  )
  return [...labels].map(([value, label]) => ({ value, label }))
}
