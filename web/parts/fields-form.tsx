import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { FilePart } from '../../runtime/chat/schema.ts'
import type { FormField } from '../../runtime/form-fields.ts'
import { fieldErrors } from '../api/error.ts'
import { uploadFile } from '../api/files.ts'
import type { SessionStore } from '../api/session.ts'
import { useServices } from '../app/services.tsx'
import { SmallButton } from './buttons.tsx'
import { toPart } from './files/uploads.ts'
import type { FieldProps } from './schema/fields.tsx'
import { below, type Schema, type Values } from './schema/schema.ts'
import { SchemaForm } from './schema/schema-form.tsx'

const ofType: Partial<Record<FormField['type'], (options: string[]) => Schema>> = {
  multiline: () => ({ type: 'string', 'x-format': 'multiline' }),
  number: () => ({ type: 'number' }),
  email: () => ({ type: 'string', format: 'email' }),
  password: () => ({ type: 'string', format: 'secret', labels: { null: '' } }),
  select: (options) => ({ type: 'string', enum: options }),
  multiselect: (options) => ({ type: 'array', items: { type: 'string', enum: options } }),
  checkbox: () => ({ type: 'boolean' }),
}

/** A file is uploaded when the form is sent. */
function FileField({ label, schema, required, error, change }: FieldProps) {
  return (
    <TextInput
      {...{ label, required, error, description: schema.description, withAsterisk: false }}
      type="file"
      onChange={({ currentTarget }) => change(currentTarget.files?.[0])}
    />
  )
}

/** Of files that were sent once. */
const uploaded = new WeakMap<File, FilePart>()

async function withUploads(values: Values, session: SessionStore): Promise<Values> {
  const members = Object.entries(values).map(async ([name, value]) => {
    if (!(value instanceof File)) return [name, value]
    const { signal } = new AbortController()
    const options = { session, purpose: 'chat', progress: () => undefined, signal }
    const part = uploaded.get(value) ?? toPart(await uploadFile(value, options))
    uploaded.set(value, part)
    return [name, part]
  })
  return Object.fromEntries(await Promise.all(members))
}

/** The fields of a form as a schema. What is hidden stays as it is. */
function schemaOf(fields: readonly FormField[]): Schema {
  const shown = fields.filter(({ type }) => type !== 'hidden')
  return {
    properties: Object.fromEntries(
      shown.map(({ name, label, type, options, placeholder, value }) => [
        name,
        {
          ...(ofType[type]?.(options) ?? { type: 'string', 'x-format': 'line' }),
          title: label || name,
          ...(placeholder !== '' && { description: placeholder }),
          ...(value !== '' && { default: value }),
        },
      ]),
    ),
    required: shown.flatMap(({ name, required, type }) => (required && type !== 'checkbox' ? [name] : [])),
  }
}

export interface FieldsAnswer {
  choice: string
  comment: string
  values: Values
}

interface FieldsFormProps {
  fields: readonly FormField[]
  /** Each is a button, and only the first sends the fields. */
  choices?: readonly string[]
  /** Of an approval. */
  comment?: boolean
  /** Resolves when the daemon has the answer. A 422 is shown at its fields, which are below `path`. */
  answer(answer: FieldsAnswer): Promise<unknown>
  path?: string
  /** Instead of fields. */
  schema?: Schema
}

/** What applies without a change is in the form at the beginning, and is sent. */
const defaultsOf = ({ properties = {} }: Schema): Values =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: usual }]) => (usual === undefined ? [] : [[name, usual]])),
  )

/** What a person has removed is not sent, so that it must not look as if it applied. */
const withoutDefaults = ({ properties = {}, ...schema }: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(properties).map(([name, { default: _, ...member }]) => [name, member])),
})

/** A form that a workflow, an agent or a tool server asks a person to fill in. */
export function FieldsForm({ fields, choices = [], answer, path = 'values', ...own }: FieldsFormProps) {
  const asked = own.schema ?? schemaOf(fields)
  const [values, setValues] = useState(() => defaultsOf(asked))
  const schema = withoutDefaults(asked)
  const [comment, setComment] = useState('')
  const { session } = useServices()
  const sending = useMutation({
    mutationFn: async (given: FieldsAnswer) => answer({ ...given, values: await withUploads(given.values, session) }),
    meta: { shown: Object.keys(schema.properties ?? {}).length > 0 },
  })
  const [first = '', ...others] = choices
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sending.mutate({ choice: first, comment, values })
  }
  return (
    <Stack component="form" onSubmit={submit} gap="sm">
      <SchemaForm
        schema={schema}
        fields={Object.fromEntries(fields.flatMap(({ name, type }) => (type === 'file' ? [[name, FileField]] : [])))}
        value={values}
        change={(next) => setValues(next as Values)}
        errors={below(fieldErrors(sending.error), path)}
      />
      {own.comment && (
        <Textarea
          label="Comment"
          value={comment}
          maxLength={5_000}
          autosize
          maxRows={6}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
      )}
      <Group gap="xs">
        <Button type="submit" size="xs" loading={sending.isPending}>
          {first || 'Submit'}
        </Button>
        {others.map((choice) => (
          <SmallButton
            key={choice}
            disabled={sending.isPending}
            onClick={() => sending.mutate({ choice, comment, values: {} })}
          >
            {choice}
          </SmallButton>
        ))}
      </Group>
    </Stack>
  )
}
