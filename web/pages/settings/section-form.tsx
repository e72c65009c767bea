import { Fieldset, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fieldErrors } from '../../api/error.ts'
import { useEndpoint } from '../../api/query.ts'
import type { MemberSchema, SectionChange, SectionName, SectionValues } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import {
  Choice,
  ChoiceOfAgent,
  ChoiceOfLanguage,
  humanised,
  Lines,
  labelsOf,
  NumberField,
  Secret,
  TextField,
} from './section-controls.tsx'

interface SectionFormProps {
  name: SectionName
  title: string
  action?: ReactNode
  children?: ReactNode
}

/** The form of a section, generated from its schema. Each change is saved immediately. */
export function SectionForm({ name, title, action, children }: SectionFormProps) {
  const schema = useEndpoint('/api/settings/schema', {}, { staleTime: Number.POSITIVE_INFINITY })
  const values = useEndpoint(`/api/settings/${name}`)
  const { save, errors } = useSection(name)
  return (
    <Stack gap="lg" maw={640}>
      <Panel title={title} action={action}>
        <Loaded query={schema} what="The form">
          {(schemas) => (
            <Loaded query={values} what={title}>
              {(current) => (
                <Stack p="md" pt={4}>
                  <Fields
                    properties={(schemas[name] as MemberSchema | undefined)?.properties ?? {}}
                    values={current}
                    form={{ save, errors }}
                    path={[]}
                  />
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
  properties: Record<string, MemberSchema>
  values: SectionValues
  form: SectionState
  path: readonly string[]
}

/** The members of an object, in the order of its schema. */
function Fields({ properties, values, form, path }: FieldsProps) {
  return Object.entries(properties).map(([name, schema]) => (
    <Field key={name} schema={schema} value={values[name]} form={form} path={[...path, name]} />
  ))
}

interface FieldProps {
  schema: MemberSchema
  value: unknown
  form: SectionState
  path: readonly string[]
}

/** The control for a member. A saved value replaces typed text. */
function Field(props: FieldProps) {
  const { schema, value, form, path } = props
  const key = JSON.stringify(value)
  const error = errorAt(form.errors, path)
  const { label, description } = labelsOf(schema, path)
  const own = { label, description, error, save: (next: unknown) => form.save(path, next) }
  const inner = schema.anyOf?.find(({ type }) => type !== 'null')
  if (schema.format === 'secret') return <Secret key={key} {...own} value={value} />
  if (schema.format === 'agent') return <ChoiceOfAgent key={key} {...own} value={String(value)} />
  if (schema.format === 'language') return <ChoiceOfLanguage key={key} {...own} value={String(value)} />
  if (inner?.properties) return <OptionalGroup {...props} inner={inner} />
  if (schema.properties) return <Group {...props} />
  if (schema.type === 'boolean')
    return (
      <Switch
        label={label}
        description={description}
        error={error}
        checked={value === true}
        onChange={(event) => own.save(event.currentTarget.checked)}
      />
    )
  if (schema.enum) return <Choice {...own} value={String(value)} options={schema.enum} />
  if (schema.type === 'array') return <Lines key={key} {...own} value={value as string[]} />
  const plain = inner ?? schema
  if (plain.type === 'integer' || plain.type === 'number')
    return (
      <NumberField
        key={key}
        {...own}
        schema={{ ...plain, unit: schema.unit }}
        value={value}
        optional={inner !== undefined}
      />
    )
  return <TextField key={key} {...own} schema={plain} value={value} optional={inner !== undefined} />
}

function Group({ schema, value, form, path }: FieldProps) {
  const { label, description } = labelsOf(schema, path)
  return (
    <Fieldset legend={label} variant="default">
      <Stack gap="sm">
        {description && (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
        <Fields
          properties={schema.properties ?? {}}
          values={value as SectionValues}
          form={form}
          path={path}
        />
      </Stack>
    </Fieldset>
  )
}

/** An optional group. Turning it on sends default values; its members are always sent together. */
function OptionalGroup({ schema, value, form, path, inner }: FieldProps & { inner: MemberSchema }) {
  const { label, description } = labelsOf(schema, path)
  const values = value as SectionValues | null
  const whole: SectionState = {
    errors: form.errors,
    save: ([member = ''], next) => form.save(path, { ...values, [member]: next }),
  }
  return (
    <Stack gap="sm">
      <Switch
        label={label}
        description={description}
        checked={values !== null}
        error={values === null ? errorAt(form.errors, path) : undefined}
        onChange={(event) => form.save(path, event.currentTarget.checked ? beginning(inner) : null)}
      />
      {values && (
        <Stack gap="sm" pl="xl">
          <Fields
            properties={inner.properties ?? {}}
            values={values}
            form={{ ...whole, errors: relative(form.errors, path) }}
            path={[]}
          />
        </Stack>
      )}
    </Stack>
  )
}

const relative = (errors: Record<string, string>, path: readonly string[]) =>
  Object.fromEntries(
    Object.entries(errors).map(([at, message]) => [at.replace(`${path.join('.')}.`, ''), message]),
  )

/** Default values; quiet hours default to a night. */
function beginning({ properties = {} }: MemberSchema): SectionValues {
  const times = ['22:00', '07:00']
  return Object.fromEntries(
    Object.entries(properties).map(([name, { format, minimum }], index) => [
      name,
      format === 'time-of-day' ? times[index] : (minimum ?? humanised(name)),
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
