import { Checkbox, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { Loop, LoopTemplate, Verification } from '../../../runtime/loops/schema.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { Choice } from '../../parts/choice.tsx'
import { executionModeField } from '../../parts/execution-modes.ts'
import { EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { SkeletonRows } from '../../parts/list.tsx'
import { optionsFor, optionsOf } from '../../parts/options.ts'
import { ResourceForm } from '../../parts/resource-form.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { below, type Schema, type Values } from '../../parts/schema/schema.ts'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { verificationLabels } from './labels.ts'

interface LoopDrawerProps {
  /** Null for a new one, which starts with the template, copy or goal in the address. */
  loop: Loop | null
  close: () => void
}

export function LoopDrawer({ loop, close }: LoopDrawerProps) {
  return (
    <FormDrawer title={loop ? `Edit ${loop.name}` : 'New loop'} close={close}>
      {({ leave }) => (loop ? <LoopForm loop={loop} close={leave} /> : <NewLoop close={leave} />)}
    </FormDrawer>
  )
}

interface FormProps {
  close: () => void
}

/** A new loop starts from a template, as a copy of another, or with the goal in the address. */
function NewLoop(props: FormProps) {
  const [search, setSearch] = useSearchParams()
  const [chosen, copied] = [search.get('template') ?? '', search.get('copy') ?? '']
  const templates = useEndpoint('/api/loops/templates').data?.templates
  const copy = useOptional('/api/loops/{id}', { params: { id: copied || 'none' } }).data
  if (templates === undefined || (copied && copy === undefined)) return <SkeletonRows count={6} />
  const template = templates.find(({ id }) => id === chosen)
  const start = copy ? { ...copy, name: `${copy.name} (copy)` } : { goal: search.get('text') ?? '' }
  return (
    <Stack>
      {!copy && (
        <NativeSelect
          label="Start from"
          data={[{ value: '', label: 'An empty form' }, ...optionsFor(templates)]}
          value={chosen}
          onChange={({ currentTarget: { value } }) => setSearch(value ? { template: value } : {}, { replace: true })}
        />
      )}
      {template ? (
        <TemplateForm key={template.id} template={template} {...props} />
      ) : (
        <LoopForm loop={null} start={start} {...props} />
      )}
    </Stack>
  )
}

/** Asks for what a template leaves open. Everything else can be edited before the loop is started. */
function TemplateForm({ template, close }: FormProps & { template: LoopTemplate }) {
  const { id, description, offline, inputs } = template
  const api = useApi()
  const [, navigate] = useLocation()
  const form = useApiForm<Record<string, string>, Loop>({
    initial: Object.fromEntries(inputs.map(({ name }) => [name, ''])),
    save: (values) =>
      api.post('/api/loops/templates/{template_id}/instantiate', {
        params: { template_id: id },
        body: { values },
      }),
    stale: ['/api/loops'],
    saved: (loop) => navigate(`/loops/${loop.id}`),
    fieldOf: (path) => path.replace(/^values\./, ''),
  })
  const { text } = inputsOf(form)
  return (
    <EntityForm form={form} verb="Create loop" close={close}>
      <Text size="sm">
        {description}
        {offline && ' It works with the offline model too.'}
      </Text>
      {inputs.map(({ name, label, example }) => (
        <div key={name}>{text(name, label, { ...required, placeholder: `For example: ${example}` })}</div>
      ))}
      <Hint>You can change everything else before you start the loop.</Hint>
    </EntityForm>
  )
}

interface LoopFormProps extends FormProps {
  loop: Loop | null
  start?: Values
}

function LoopForm({ loop, start = {}, close }: LoopFormProps) {
  const [, navigate] = useLocation()
  const [starts, setStarts] = useState(false)
  const run = useChange((api, id: string) => api.post('/api/loops/{id}/start', { params: { id } }))
  const saved = ({ id }: Values, isNew: boolean) => {
    if (isNew && starts) run.mutate(String(id))
    if (isNew) navigate(`/loops/${id}`)
  }
  return (
    <ResourceForm
      path="/api/loops"
      noun="loop"
      item={loop}
      start={start}
      close={close}
      saved={saved}
      {...(starts && { verb: 'Create and start' })}
      more={() =>
        loop === null && (
          <Checkbox
            label="Start it now"
            checked={starts}
            onChange={(event) => setStarts(event.currentTarget.checked)}
          />
        )
      }
      effect={false}
      fields={{
        shared_with: false,
        verification: (props) => <VerificationField {...props} />,
        interval_seconds: (props) => <IntervalField {...props} />,
        execution_mode: executionModeField,
      }}
      layout={[
        ...['goal', 'name', 'success_criteria', 'verification', 'constraints'],
        { title: 'Limits of a run', fields: [['max_iterations', 'interval_seconds'], 'budget'] },
        'on_blocked',
        'execution_mode',
        ['agent_id', 'workspace_path'],
      ]}
    />
  )
}

/** How it is found out whether the goal is reached: the kind, and below it its settings. */
function VerificationField({ schema, value, change, error, errors }: FieldProps) {
  const { kind, spec = {} } = value as { kind: Verification['kind']; spec?: Values }
  const { oneOf = [] } = schema
  const own = oneOf.find(({ properties }) => properties?.kind?.const === kind)?.properties?.spec
  const check = checks[(spec.language as keyof typeof checks | undefined) ?? 'javascript']
  return (
    <Stack gap="sm">
      <Choice
        label="Verification"
        description="What decides after each iteration whether the goal is reached"
        choices={verificationLabels}
        input={{ value: kind, error, onChange: (next: string) => change({ kind: next, spec: {} }) }}
      />
      {own && (
        <SchemaForm
          schema={own}
          value={spec}
          change={(next) => change({ kind, spec: next })}
          errors={below(errors, 'spec')}
          fields={{ code: check }}
        />
      )}
    </Stack>
  )
}

const checks: Record<'javascript' | 'shell', Schema> = {
  javascript: {
    title: 'JavaScript check',
    description:
      'Returns true when the goal is reached, or {complete, score, missing, evidence}. It reads input.files by path, input.report and input.iteration, and nothing else',
    format: 'code',
  },
  shell: {
    title: 'Shell command',
    description: 'Exits with 0 when the goal is reached. It runs in a sandbox container, over copies of the text files',
    format: 'code',
  },
}

/** Seconds between two iterations. */
const intervals: Record<string, string> = {
  0: 'Immediately',
  60: 'After 1 minute',
  300: 'After 5 minutes',
  900: 'After 15 minutes',
  3600: 'After 1 hour',
  21600: 'After 6 hours',
  86400: 'After 1 day',
}

const IntervalField = ({ value, change }: FieldProps) => (
  <NativeSelect
    label="Next iteration"
    data={optionsOf({ [String(value)]: `After ${value} seconds`, ...intervals })}
    value={String(value)}
    onChange={({ currentTarget }) => change(Number(currentTarget.value), true)}
  />
)
