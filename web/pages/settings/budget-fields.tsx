import { Select } from '@mantine/core'
import type { BudgetScope } from '../../../runtime/ledger/schema.ts'
import { useAgents } from '../../parts/agents.ts'
import { type FieldProps, NumberField } from '../../parts/schema/fields.tsx'
import { everything, useProviders, useScopeNames } from './budget-scopes.ts'

/** The first percentage; the API allows several. */
export const WarnField = ({ schema, value, change, ...props }: FieldProps) => (
  <NumberField
    {...props}
    schema={{ ...schema.items, ...schema, type: 'integer', minimum: 1, maximum: 99, default: null }}
    value={(value as number[])[0] ?? null}
    change={(percent) => change(typeof percent === 'number' ? [percent] : [])}
    nullable
  />
)

/** Everything, an agent or a provider; the saved scope stays in the list whatever its kind. */
export function ScopeField({
  label,
  value,
  change,
  error,
  errors,
  saved,
}: FieldProps & { saved?: BudgetScope | undefined }) {
  const nameOf = useScopeNames()
  const agents = useAgents().map(({ id }) => ({ kind: 'agent' as const, id }))
  const providers = useProviders()
    .filter(({ configured }) => configured)
    .map(({ id }) => ({ kind: 'provider' as const, id }))
  const scopes = new Map(
    [everything, ...agents, ...providers, ...(saved ? [saved] : [])].map((scope) => [keyOf(scope), scope]),
  )
  return (
    <Select
      label={label}
      data={[...scopes].map(([key, scope]) => ({ value: key, label: nameOf(scope) }))}
      value={keyOf(value as BudgetScope)}
      error={error ?? errors.id}
      searchable
      openOnFocus={false}
      allowDeselect={false}
      ref={saved ? null : focus}
      onChange={(key) => key && change(scopes.get(key), true)}
    />
  )
}

const keyOf = ({ kind, id }: BudgetScope) => `${kind}:${id ?? ''}`

/** The form has set its focus before this field is loaded. */
const focus = (input: HTMLInputElement | null) => input?.focus()
