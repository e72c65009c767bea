import { Alert, Button, Group, Modal, NumberInput, Select, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Agent } from '../../../runtime/agents/schema.ts'
import type { Budget } from '../../../runtime/monitoring/schema.ts'
import type { Provider } from '../../../runtime/providers/schema.ts'
import type { InputOf } from '../../api/client.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { actions, scopeName, windows } from './budget-labels.ts'

type NewBudget = InputOf<'POST', '/api/monitoring/budgets'>['body']

interface BudgetFormProps {
  /** Null for a new one. */
  budget: Budget | null
  agents: readonly Agent[]
  providers: readonly Provider[]
  close: () => void
}

const blank: NewBudget = {
  scope: { kind: 'global', id: null },
  window: 'day',
  limit_usd: 5,
  limit_tokens: null,
  warn_pct: [80],
  action: 'block',
}

export function BudgetForm({ budget, agents, providers, close }: BudgetFormProps) {
  const { limit_usd, limit_tokens, scope, window, warn_pct, action } = budget ?? blank
  const [form, setForm] = useState<NewBudget>({ limit_usd, limit_tokens, scope, window, warn_pct, action })
  const { save, remove, asked, ask } = useBudget(budget, close)
  const change = (changes: Partial<NewBudget>) => setForm({ ...form, ...changes })
  const errors = fieldErrors(save.error)
  const known = Object.keys(errors).some((path) => path.startsWith('limit') || path.startsWith('scope'))
  const name = budget ? scopeName(budget.scope, [...agents, ...providers]) : ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(form)
  }
  return (
    <>
      <Modal opened={!asked} onClose={close} title={budget ? 'Edit the budget' : 'New budget'}>
        <Stack component="form" onSubmit={submit}>
          {save.isError && !known && (
            <Alert color="red" role="alert">
              {readable(save.error)}
            </Alert>
          )}
          <Select
            label="For"
            data={scopesOf(form.scope, { agents, providers })}
            value={keyOf(form.scope)}
            onChange={(key) => key && change({ scope: scopeOf(key) })}
            allowDeselect={false}
            searchable
            error={errors.scope ?? errors['scope.id']}
          />
          <Select
            label="Period"
            data={Object.entries(windows).map(([value, { label }]) => ({ value, label }))}
            value={form.window}
            onChange={(value) => value && change({ window: value as Budget['window'] })}
            allowDeselect={false}
          />
          <Group grow align="flex-start">
            <NumberInput
              label="US dollars"
              placeholder="No limit"
              prefix="$"
              min={0}
              decimalScale={2}
              error={errors.limit_usd}
              value={form.limit_usd ?? ''}
              onChange={(value) => change({ limit_usd: numberOrNull(value) })}
            />
            <NumberInput
              label="Tokens"
              placeholder="No limit"
              min={0}
              allowDecimal={false}
              thousandSeparator=" "
              error={errors.limit_tokens}
              value={form.limit_tokens ?? ''}
              onChange={(value) => change({ limit_tokens: numberOrNull(value) })}
            />
          </Group>
          <Select
            label="When exhausted"
            data={Object.entries(actions).map(([value, { label, hint }]) => ({
              value,
              label: `${label}. ${hint}`,
            }))}
            value={form.action ?? 'block'}
            onChange={(value) => value && change({ action: value as Budget['action'] })}
            allowDeselect={false}
          />
          <NumberInput
            label="Warn at"
            suffix=" %"
            min={1}
            max={99}
            error={errors.warn_pct ?? errors['warn_pct.0']}
            value={form.warn_pct?.[0] ?? ''}
            placeholder="Never"
            onChange={(value) => change({ warn_pct: value === '' ? [] : [Number(value)] })}
          />
          <Group justify="space-between">
            {budget ? (
              <Button variant="subtle" c="var(--mantine-color-error)" onClick={() => ask(true)}>
                Delete
              </Button>
            ) : (
              <span />
            )}
            <Group gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isPending}>
                {budget ? 'Save' : 'Create'}
              </Button>
            </Group>
          </Group>
        </Stack>
      </Modal>
      <ConfirmByName
        name={asked ? name : null}
        what="budget"
        pending={remove.isPending}
        confirm={() => remove.mutate()}
        close={() => ask(false)}
      >
        These calls are no longer limited, except by other budgets.
      </ConfirmByName>
    </>
  )
}

const numberOrNull = (value: number | string) => (value === '' ? null : Number(value))

type Scope = NewBudget['scope']
const keyOf = ({ kind, id }: Scope) => `${kind}:${id ?? ''}`
function scopeOf(key: string): Scope {
  const [kind = 'global', id = ''] = key.split(/:(.*)/s)
  return { kind: kind as Scope['kind'], id: id || null }
}

/** The scopes to choose from, including the current one. */
function scopesOf(present: Scope, known: Pick<BudgetFormProps, 'agents' | 'providers'>) {
  const all = [...known.agents, ...known.providers]
  const scopes: Scope[] = [
    { kind: 'global', id: null },
    ...known.agents.map(({ id }) => ({ kind: 'agent' as const, id })),
    ...known.providers
      .filter(({ configured }) => configured)
      .map(({ id }) => ({ kind: 'provider' as const, id })),
  ]
  if (!scopes.some((scope) => keyOf(scope) === keyOf(present))) scopes.push(present)
  return scopes.map((scope) => ({
    value: keyOf(scope),
    label: scopeName({ kind: scope.kind, id: scope.id ?? null }, all),
  }))
}

function useBudget(budget: Budget | null, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, ask] = useState(false)
  const params = { id: budget?.id ?? '' }
  const done = async () => {
    await refresh(queries, '/api/monitoring/budgets')
    close()
  }
  const save = useMutation({
    mutationFn: (body: NewBudget) =>
      budget
        ? api.put('/api/monitoring/budgets/{id}', { params, body })
        : api.post('/api/monitoring/budgets', { body }),
    meta: { shown: true },
    onSuccess: done,
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/api/monitoring/budgets/{id}', { params }),
    onSuccess: done,
  })
  return { save, remove, asked, ask }
}
