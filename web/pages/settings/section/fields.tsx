import { Fieldset, Stack, Switch, Text } from '@mantine/core'
import type { MemberSchema, SectionValues } from '../../../api/settings.ts'
import {
  Choice,
  ChoiceOfAgent,
  ChoiceOfLanguage,
  Lines,
  NumberField,
  Secret,
  TextField,
} from './controls.tsx'
import { humanised, labelsOf } from './labels.ts'
import { errorAt, type SectionState } from './use-section.ts'

interface FieldsProps {
  properties: Record<string, MemberSchema>
  values: SectionValues
  form: SectionState
  path: readonly string[]
}

/** The members of an object, in the order of its schema. */
export function Fields({ properties, values, form, path }: FieldsProps) {
  return Object.entries(properties).map(([name, schema]) => (
    <Field key={name} schema={schema} value={values[name]} form={form} path={[...path, name]} />
  ))
}

export interface FieldProps {
  schema: MemberSchema
  value: unknown
  form: SectionState
  path: readonly string[]
}

/** The control that fits a member. What was saved replaces what is typed. */
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

/** What can be switched off altogether. On, it begins with values that make sense; both are sent together. */
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

/** Quiet hours begin as a night. */
function beginning({ properties = {} }: MemberSchema): SectionValues {
  const times = ['22:00', '07:00']
  return Object.fromEntries(
    Object.entries(properties).map(([name, { format, minimum }], index) => [
      name,
      format === 'time-of-day' ? times[index] : (minimum ?? humanised(name)),
    ]),
  )
}
