import { Fieldset, NativeSelect, SimpleGrid, Stack, Text, Textarea } from '@mantine/core'
import { useLocation, useSearchParams } from 'wouter'
import type { Loop, LoopTemplate } from '../../../runtime/loops/schema.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { useAgentOptions } from '../../parts/agents.ts'
import { announce } from '../../parts/announce.ts'
import { Choice } from '../../parts/choice.tsx'
import { executionModes } from '../../parts/execution-modes.ts'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { SkeletonRows } from '../../parts/list.tsx'
import { optionsFor, optionsOf } from '../../parts/options.ts'
import { Hint } from '../../parts/typography.tsx'
import { blockedLabels, verificationLabels } from './labels.ts'
import { bodyOf, fieldOf, type LoopValues, valuesOf } from './values.ts'

interface LoopDrawerProps {
  /** Null for a new one, which starts with the template, copy or goal in the address. */
  loop: Loop | null
  close: () => void
}

export function LoopDrawer({ loop, close }: LoopDrawerProps) {
  return (
    <FormDrawer title={loop ? `Edit ${loop.name}` : 'New loop'} close={close}>
      {({ leave }) =>
        loop ? <LoopForm loop={loop} initial={valuesOf(loop)} close={leave} /> : <NewLoop close={leave} />
      }
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
          onChange={({ currentTarget: { value } }) =>
            setSearch(value ? { template: value } : {}, { replace: true })
          }
        />
      )}
      {template ? (
        <TemplateForm key={template.id} template={template} {...props} />
      ) : (
        <LoopForm loop={null} initial={valuesOf(start)} {...props} />
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
  initial: LoopValues
}

function LoopForm({ loop, initial, close }: LoopFormProps) {
  const form = useLoopForm(loop, initial, close)
  const { text, area } = inputsOf(form)
  return (
    <EntityForm
      form={form}
      verb={loop ? 'Save' : 'Create loop'}
      close={close}
      disabled={loop !== null && !form.dirty}
    >
      {area('goal', 'Goal', [3, 12], {
        ...required,
        autoFocus: true,
        description: 'What the agent should achieve. It gets this text in every iteration',
        maxLength: 20_000,
      })}
      {text('name', 'Name', { placeholder: 'From the goal', maxLength: 200 })}
      {area('success_criteria', 'Success criteria', [2, 10], {
        description: 'What must be true in the end, one per line. Empty: the goal itself',
      })}
      <Choice
        label="Verification"
        description="What decides after each iteration whether the goal is reached"
        choices={verificationLabels}
        input={form.getInputProps('kind')}
      />
      <VerificationFields form={form} />
      {area('constraints', 'Constraints', [2, 10], {
        description: 'How the agent should work, and what it must not do',
        maxLength: 10_000,
      })}
      <LimitFields form={form} />
      <Choice
        label="If the agent has a question or makes no progress"
        choices={blockedLabels}
        input={form.getInputProps('on_blocked')}
      />
      <AgentFields form={form} />
    </EntityForm>
  )
}

type Form = ReturnType<typeof useLoopForm>

function useLoopForm(loop: Loop | null, initial: LoopValues, close: () => void) {
  const api = useApi()
  const [, navigate] = useLocation()
  return useApiForm<LoopValues, Loop>({
    initial,
    save: (values, _, before) =>
      loop
        ? api.put('/api/loops/{id}', {
            params: { id: loop.id },
            body: changesTo(bodyOf(values), bodyOf(before)),
          })
        : api.post('/api/loops', { body: bodyOf(values) }),
    stale: ['/api/loops'],
    saved({ id, name }) {
      if (!loop) return navigate(`/loops/${id}`)
      announce(`${name} was saved`)
      return close()
    },
    fieldOf,
  })
}

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.85rem' } }

function VerificationFields({ form }: { form: Form }) {
  const { text, area } = inputsOf(form)
  const { kind } = form.values
  if (kind === 'judge')
    return area('instructions', 'Instructions for the judge', [1, 8], {
      description: 'What it should look at closely (optional)',
      maxLength: 10_000,
    })
  if (kind === 'http')
    return text('url', 'URL', {
      description: 'Requested with GET after each iteration; any 2xx status means that the goal is reached',
      type: 'url',
      required: true,
      placeholder: 'https://example.com/health',
    })
  if (kind === 'human')
    return text('question', 'Your question', {
      description: 'What you want to be asked after each iteration (optional)',
      placeholder: 'Is the goal reached?',
      maxLength: 2_000,
    })
  return <CheckFields form={form} />
}

const checks = {
  javascript: {
    label: 'JavaScript check',
    description:
      'Returns true when the goal is reached, or {complete, score, missing, evidence}. It reads input.files by path, input.report and input.iteration, and nothing else',
    placeholder: "return (input.files['report.md'] ?? '').length > 500",
  },
  shell: {
    label: 'Shell command',
    description:
      'Exits with 0 when the goal is reached. It runs in a sandbox container, over copies of the text files',
    placeholder: 'npm test',
  },
}

function CheckFields({ form }: { form: Form }) {
  const { native } = inputsOf(form)
  return (
    <>
      {native('language', 'Language', [
        { value: 'javascript', label: 'JavaScript' },
        { value: 'shell', label: 'Shell (needs the sandbox)' },
      ])}
      <Textarea
        {...checks[form.values.language]}
        required
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        styles={monospace}
        {...form.getInputProps('code')}
      />
    </>
  )
}

/** Seconds between two iterations. */
const intervals: readonly (readonly [seconds: number, label: string])[] = [
  [0, 'Immediately'],
  [60, 'After 1 minute'],
  [300, 'After 5 minutes'],
  [900, 'After 15 minutes'],
  [3_600, 'After 1 hour'],
  [21_600, 'After 6 hours'],
  [86_400, 'After 1 day'],
]

function LimitFields({ form }: { form: Form }) {
  const { number, optionalNumber, native } = inputsOf(form)
  const own = Number(form.values.interval_seconds)
  const all = intervals.some(([seconds]) => seconds === own)
    ? intervals
    : [...intervals, [own, `After ${own} seconds`] as const]
  const none = { placeholder: 'No limit', min: 0 }
  return (
    <Fieldset legend="Limits of a run" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {number('max_iterations', 'Maximum iterations', { min: 1, max: 1_000 })}
        {native(
          'interval_seconds',
          'Next iteration',
          all.map(([seconds, label]) => ({ value: String(seconds), label })),
        )}
        {optionalNumber('tokens', 'Tokens', { ...none, min: 1, thousandSeparator: true })}
        {optionalNumber('usd', 'Cost in USD', {
          ...none,
          prefix: '$',
          decimalScale: 4,
          allowDecimal: true,
        })}
        {optionalNumber('minutes', 'Minutes of work', {
          ...none,
          description: 'Waiting does not count',
          allowDecimal: true,
        })}
      </SimpleGrid>
    </Fieldset>
  )
}

function AgentFields({ form }: { form: Form }) {
  const { select, text } = inputsOf(form)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {select('agent_id', 'Agent', useAgentOptions(), { clearable: true, placeholder: 'Default agent' })}
      {select('execution_mode', 'Approval', optionsOf(executionModes), {
        description: executionModes[form.values.execution_mode].hint,
        inputWrapperOrder: ['label', 'input', 'description', 'error'],
      })}
      {text('workspace_path', 'Folder on the machine', {
        description: 'One that the security settings allow',
        placeholder: 'The files of the agent',
        maxLength: 1_000,
      })}
    </SimpleGrid>
  )
}
