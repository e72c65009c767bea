import { Autocomplete, Skeleton, TagsInput } from '@mantine/core'
import { lazily } from '../../parts/lazily.ts'
import { type FieldProps, FormContext, isExpression } from '../../parts/schema/fields.tsx'
import { SchemaForm, type SchemaFormProps } from '../../parts/schema/schema-form.tsx'
import { pathText } from './completions.ts'
import { pathsOf } from './data-view.tsx'
import { ExpressionField } from './expression-field.tsx'
import { useScope, useTarget } from './scope.tsx'

const ScheduleField = lazily(() => import('../scheduler/schedule-field.tsx'), 'ScheduleField', <Skeleton h={120} />)

/** The fields of the items that arrive at the node. */
const useFieldNames = (): string[] => pathsOf(useScope()?.readable.input).map(pathText)

/** The name of a field of the items. */
function ItemField({ label, schema, value, change, error, required }: FieldProps) {
  const text = typeof value === 'string' ? value : ''
  const set = (next: string) => change(next === '' && !required ? undefined : next)
  const focus = useTarget({ label, insert: ({ path }) => set(pathText(path)) })
  const names = useFieldNames()
  const own = { label, description: schema.description, error, value: text, onFocus: focus }
  return <Autocomplete {...own} data={isExpression(text) ? [] : names} limit={50} onChange={set} />
}

/** Names of fields of the items. */
function ItemFields({ label, schema, value, change, error }: FieldProps) {
  const chosen = Array.isArray(value) ? value.map(String) : []
  const set = (next: string[]) => change(next.length > 0 ? next : undefined)
  const focus = useTarget({ label, insert: ({ path }) => set([...new Set([...chosen, pathText(path)])]) })
  const own = { label, description: schema.description, error, value: chosen, onFocus: focus }
  return <TagsInput {...own} data={useFieldNames()} limit={50} acceptValueOnBlur onChange={set} />
}

const formats = {
  schedule: (props: FieldProps) => (
    <ScheduleField {...props} change={(schedule) => props.change(schedule ?? undefined)} />
  ),
  item_field: ItemField,
  item_fields: ItemFields,
}

const fixed = { sparse: true, formats }
const computed = { ...fixed, Expression: ExpressionField }

/** The form of a node's parameters. */
export function ParameterForm(props: SchemaFormProps) {
  return (
    <FormContext value={useScope() ? computed : fixed}>
      <SchemaForm {...props} />
    </FormContext>
  )
}
