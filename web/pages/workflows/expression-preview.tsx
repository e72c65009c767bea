import { Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createContext, type ReactNode, use } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { pretty } from '../../parts/json.ts'
import { lazily } from '../../parts/lazily.ts'
import { type FieldProps, FormContext } from '../../parts/schema/fields.tsx'
import { SchemaForm, type SchemaFormProps } from '../../parts/schema/schema-form.tsx'
import classes from './workflows.module.css'

interface Scope {
  node: string
  /** The previous node and the output connected to this node. */
  after: string | undefined
  after_output: string | undefined
  /** Id of the execution whose data expressions are evaluated over; null if none is shown. */
  execution: string | null
}

const ScopeContext = createContext<Scope | null>(null)

/** Whether values of a form may be computed: those of a trigger may not. */
export const ExpressionScope = ({ children, ...scope }: Scope & { children: ReactNode }) => (
  <ScopeContext value={scope}>{children}</ScopeContext>
)

const ScheduleField = lazily(() => import('../scheduler/schedule-field.tsx'), 'ScheduleField', <Skeleton h={120} />)

const formats = {
  schedule: (props: FieldProps) => (
    <ScheduleField {...props} change={(schedule) => props.change(schedule ?? undefined)} />
  ),
}

/** The form of a node's parameters. Below an expression is its value in the execution that is shown. */
export function ParameterForm(props: SchemaFormProps) {
  const Preview = use(ScopeContext) === null ? undefined : ExpressionPreview
  return (
    <FormContext value={{ sparse: true, formats, Preview }}>
      <SchemaForm {...props} />
    </FormContext>
  )
}

/** Characters of a text that is previewed, and of a value that is shown. */
const limits = { text: 6_000, value: 600 }

/** The value of a text with expressions in the execution that is shown. */
export function ExpressionPreview({ text }: { text: string }) {
  const scope = use(ScopeContext)
  const [settled] = useDebouncedValue(text, 300)
  const id = scope?.execution ?? ''
  const preview = useEndpoint(
    '/api/workflows/executions/{id}/preview',
    {
      params: { id },
      query: {
        node_id: scope?.node ?? '',
        ...(scope?.after !== undefined && { after: scope.after, after_output: scope.after_output }),
        text: settled,
      },
    },
    { enabled: id !== '' && settled.length <= limits.text, keepPrevious: true },
  ).data
  if (!scope) return null
  if (id === '')
    return (
      <Text size="xs" c="dimmed" mt={2}>
        Run the workflow to see the value
      </Text>
    )
  return (
    <output
      className={classes.preview}
      data-problem={Boolean(preview?.error) || undefined}
      aria-label="Value in the last run"
    >
      {preview ? (preview.error ?? textOf(preview.value)) : '…'}
    </output>
  )
}

const textOf = (value: unknown): string => pretty(value).slice(0, limits.value) || 'Empty'
