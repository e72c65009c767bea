import { Fieldset, Stack, Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fieldErrors } from '../../api/error.ts'
import { useEndpoint } from '../../api/query.ts'
import type { MemberSchema, SectionChange, SectionName, SectionValues } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { Loaded } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Hint } from '../../parts/typography.tsx'
import { controlOf } from './section-controls.tsx'

interface SectionFormProps {
  name: SectionName
  title: string
  action?: ReactNode
  children?: ReactNode
}

/** The form of a section, generated from its schema. Each change is saved immediately. */
export function SectionForm({ name, title, action, children }: SectionFormProps) {
  const schemas = useEndpoint('/api/settings/schema', {}, { staleTime: Number.POSITIVE_INFINITY })
  const values = useEndpoint(`/api/settings/${name}`)
  const form = useSection(name)
  const schema = schemas.data?.[name] as MemberSchema | undefined
  return (
    <Stack gap="lg" maw={640}>
      <Panel title={title} action={action}>
        <Loaded query={schemas} what="The form">
          {() => (
            <Loaded query={values} what={title}>
              {(current) => (
                <Stack p="md" pt={4}>
                  <Fields schema={schema} values={current} form={form} path={[]} />
                </Stack>
              )}
            </Loaded>
          )}
        </Loaded>
      </Panel>
      {children}
    </Stack>
  )
}

interface FieldsProps {
  schema: MemberSchema | undefined
  values: SectionValues
  form: SectionState
  path: readonly string[]
}

/** The members of an object, in the order of its schema. Those with the format `api-only` have no control. */
const Fields = ({ schema, values, form, path }: FieldsProps) =>
  Object.entries(schema?.properties ?? {})
    .filter(([, { format }]) => format !== 'api-only')
    .map(([name, member]) => (
      <Field key={name} schema={member} value={values[name]} form={form} path={[...path, name]} />
    ))

interface FieldProps {
  schema: MemberSchema
  value: unknown
  form: SectionState
  path: readonly string[]
}

/** The control for a member. A saved value replaces typed text. */
function Field(props: FieldProps) {
  const { value, form, path } = props
  const { anyOf, ...outer } = props.schema
  const inner = anyOf?.find(({ type }) => type !== 'null')
  const schema: MemberSchema = { ...inner, ...outer }
  if (schema.properties && !schema.format)
    return inner ? <OptionalGroup {...props} schema={schema} /> : <Group {...props} schema={schema} />
  const Control = controlOf(schema)
  return (
    <Control
      // Only texts are kept in a draft; a switch must not lose the focus.
      key={schema.type === 'boolean' ? '' : JSON.stringify(value)}
      {...labelsOf(schema, path)}
      error={errorAt(form.errors, path)}
      schema={schema}
      value={value}
      optional={inner !== undefined}
      save={(next) => form.save(path, next)}
    />
  )
}

const labelsOf = ({ title, description }: MemberSchema, path: readonly string[]) => ({
  label: title ?? labelOf(path.at(-1) ?? ''),
  description,
})

function Group({ schema, value, form, path }: FieldProps) {
  const { label, description } = labelsOf(schema, path)
  return (
    <Fieldset legend={label} variant="default">
      <Stack gap="sm">
        {description && <Hint>{description}</Hint>}
        <Fields schema={schema} values={value as SectionValues} form={form} path={path} />
      </Stack>
    </Fieldset>
  )
}

/** An optional group. Turning it on sends default values; its members are always sent together. */
function OptionalGroup({ schema, value, form, path }: FieldProps) {
  const values = value as SectionValues | null
  const members: SectionState = {
    errors: relative(form.errors, path),
    save: ([member = ''], next) => form.save(path, { ...values, [member]: next }),
  }
  return (
    <Stack gap="sm">
      <Switch
        {...labelsOf(schema, path)}
        checked={values !== null}
        error={values === null ? errorAt(form.errors, path) : undefined}
        onChange={(event) => form.save(path, event.currentTarget.checked ? beginning(schema) : null)}
      />
      {values && (
        <Stack gap="sm" pl="xl">
          <Fields schema={schema} values={values} form={members} path={[]} />
        </Stack>
      )}
    </Stack>
  )
}

const relative = (errors: Record<string, string>, path: readonly string[]) =>
  Object.fromEntries(
    Object.entries(errors).map(([at, message]) => [at.replace(`${path.join('.')}.`, ''), message]),
  )

/** Default values: a night for two times of day, and zero where it is allowed. */
function beginning({ properties = {} }: MemberSchema): SectionValues {
  const times = ['22:00', '07:00']
  return Object.fromEntries(
    Object.entries(properties).map(([name, { format, minimum = 0 }], index) => [
      name,
      format === 'time-of-day' ? times[index] : Math.max(0, minimum),
    ]),
  )
}

/** Saves one member of a section, and holds the errors of the last attempt. */
interface SectionState {
  save(path: readonly string[], value: unknown): void
  /** By dotted path. */
  errors: Record<string, string>
}

function useSection(name: SectionName): SectionState {
  const api = useApi()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (body: SectionValues) => api.put(`/api/settings/${name}`, { body: body as SectionChange }),
    meta: { shown: true },
    onSuccess(saved) {
      queries.setQueryData([`/api/settings/${name}`, {}], saved)
      announce('Saved')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
  return {
    errors: fieldErrors(change.error),
    save: (path, value) => change.mutate(nested(path, value)),
  }
}

const nested = (path: readonly string[], value: unknown): SectionValues =>
  path.reduceRight<unknown>((inner, member) => ({ [member]: inner }), value) as SectionValues

/** The message for a member, or for a part of it. */
function errorAt(errors: Record<string, string>, path: readonly string[]): string | undefined {
  const key = path.join('.')
  const found = Object.entries(errors).find(([at]) => at === key || at.startsWith(`${key}.`))
  return found?.[1]
}
