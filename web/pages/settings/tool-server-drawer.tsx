import {
  Alert,
  Button,
  Drawer,
  Group,
  NumberInput,
  Pill,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ServerChanges, ToolServer } from '../../../runtime/settings/mcp/schema.ts'
import type { InputOf } from '../../api/client.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'

type NewServer = InputOf<'POST', '/api/settings/skills/mcp'>['body']

interface ServerDrawerProps {
  /** Null for a new one. */
  server: ToolServer | null
  close: () => void
}

const transports = [
  { value: 'stdio', label: 'Local program' },
  { value: 'http', label: 'URL' },
  { value: 'sse', label: 'URL (SSE)' },
]

export function ServerDrawer({ server, close }: ServerDrawerProps) {
  const [form, setForm] = useState(() => formOf(server))
  const { save, remove, asked, ask } = useSaveServer(server, close)
  const errors = byField(fieldErrors(save.error))
  const change = (changes: Partial<Form>) => setForm({ ...form, ...changes })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(bodyOf(form))
  }
  return (
    <Drawer opened onClose={close} position="right" title={server?.name ?? 'Add a tool server'}>
      <Stack component="form" onSubmit={submit}>
        {save.isError && Object.keys(errors).length === 0 && (
          <Alert color="red" role="alert">
            {readable(save.error)}
          </Alert>
        )}
        <TextInput
          label="Name"
          description="Becomes part of its tools’ names"
          required
          withAsterisk={false}
          maxLength={32}
          autoComplete="off"
          error={errors.name}
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <SegmentedControl
          aria-label="Transport"
          data={transports}
          value={form.transport}
          onChange={(transport) => change({ transport: transport as Form['transport'] })}
        />
        {form.transport === 'stdio' ? (
          <ProgramFields {...{ form, change, errors, server }} />
        ) : (
          <AddressFields {...{ form, change, errors, server }} />
        )}
        <NumberInput
          label="Timeout"
          description="Per call"
          suffix=" s"
          min={1}
          max={3_600}
          error={errors.timeout_seconds}
          value={form.timeout_seconds}
          onChange={(value) => change({ timeout_seconds: Number(value) })}
        />
        <Text size="xs" c="dimmed">
          {server ? 'Changing how it connects turns it off' : 'It stays off'} until you connect it.
        </Text>
        <Group justify="space-between">
          {server ? (
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
              {server ? 'Save' : 'Add'}
            </Button>
          </Group>
        </Group>
      </Stack>
      <ConfirmByName
        name={asked ? (server?.name ?? null) : null}
        what="tool server"
        pending={remove.isPending}
        confirm={() => remove.mutate()}
        close={() => ask(false)}
      >
        Its process stops, and agents lose its tools immediately.
      </ConfirmByName>
    </Drawer>
  )
}

interface FieldsProps {
  form: Form
  change: (changes: Partial<Form>) => void
  errors: Record<string, string>
  server: ToolServer | null
}

function ProgramFields({ form, change, errors, server }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Program"
        placeholder="npx"
        error={errors.command}
        value={form.command}
        onChange={(event) => change({ command: event.currentTarget.value })}
      />
      <Textarea
        label="Arguments"
        description="One per line, passed without a shell"
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        error={errors.args}
        value={form.args}
        onChange={(event) => change({ args: event.currentTarget.value })}
      />
      <SecretLines
        label="Variables"
        description="NAME=value, one per line. Stored encrypted and never shown again"
        known={server?.env_names ?? []}
        removed={form.removed}
        remove={(removed) => change({ removed })}
        error={errors.env}
        value={form.env}
        change={(env) => change({ env })}
      />
    </>
  )
}

function AddressFields({ form, change, errors, server }: FieldsProps) {
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        placeholder="https://…/mcp"
        error={errors.url}
        value={form.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <SecretLines
        label="Headers"
        description="Name: value, one per line. Stored encrypted and never shown again"
        known={server?.header_names ?? []}
        removed={form.removed}
        remove={(removed) => change({ removed })}
        error={errors.headers}
        value={form.headers}
        change={(headers) => change({ headers })}
      />
    </>
  )
}

/** Shows the message for `env.API KEY` at the field `env`. */
const byField = (errors: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      const [field = '', ...rest] = path.split('.')
      return [field, rest.length > 0 ? `${rest.join('.')}: ${message}` : message]
    }),
  )

interface SecretLinesProps {
  label: string
  description: string
  /** Names whose values are stored. */
  known: readonly string[]
  removed: readonly string[]
  remove: (removed: string[]) => void
  error: string | undefined
  value: string
  change: (text: string) => void
}

/** Adds names and secret values, and removes stored ones. */
function SecretLines({ label, description, known, removed, remove, error, value, change }: SecretLinesProps) {
  const kept = known.filter((name) => !removed.includes(name))
  return (
    <div>
      <Textarea
        label={label}
        description={description}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        error={error}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {kept.length > 0 && (
        <Group gap={6} mt={6}>
          {kept.map((name) => (
            <Pill
              key={name}
              withRemoveButton
              removeButtonProps={{ 'aria-label': `Remove ${name}` }}
              onRemove={() => remove([...removed, name])}
            >
              {name} is set
            </Pill>
          ))}
        </Group>
      )}
    </div>
  )
}

/** The values of the form; lists are lines of text. */
export interface Form {
  name: string
  transport: ToolServer['transport']
  command: string
  args: string
  env: string
  url: string
  headers: string
  timeout_seconds: number
  /** Names of variables or headers to delete. */
  removed: string[]
}

const formOf = (server: ToolServer | null): Form => ({
  name: server?.name ?? '',
  transport: server?.transport ?? 'stdio',
  command: server?.command ?? '',
  args: (server?.args ?? []).join('\n'),
  env: '',
  url: server?.url ?? '',
  headers: '',
  timeout_seconds: server?.timeout_seconds ?? 60,
  removed: [],
})

/** The request body for a new server or a change. */
function bodyOf({ removed, ...form }: Form): NewServer & ServerChanges {
  const { name, transport, timeout_seconds } = form
  const gone = Object.fromEntries(removed.map((one) => [one, null])) as Record<string, never>
  if (transport === 'stdio') {
    const env = { ...gone, ...pairs(form.env, '=') }
    return { name, transport, timeout_seconds, command: form.command || null, args: lines(form.args), env }
  }
  const headers = { ...gone, ...pairs(form.headers, ':') }
  return { name, transport, timeout_seconds, url: form.url || null, headers }
}

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** A line without the separator becomes a name with an empty value, which the daemon rejects. */
const pairs = (text: string, sign: string): Record<string, string> =>
  Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf(sign)
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )

/** Mutations that add, change or delete a server. */
function useSaveServer(server: ToolServer | null, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, ask] = useState(false)
  const done = async () => {
    await refresh(queries, '/api/settings/skills/mcp')
    close()
  }
  const save = useMutation({
    mutationFn: (body: NewServer & ServerChanges) =>
      server
        ? api.put('/api/settings/skills/mcp/{id}', { params: { id: server.id }, body })
        : api.post('/api/settings/skills/mcp', { body }),
    meta: { shown: true },
    onSuccess(saved) {
      announce(`${saved.name} was saved`)
      return done()
    },
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/api/settings/skills/mcp/{id}', { params: { id: server?.id ?? '' } }),
    onSuccess: done,
  })
  return { save, remove, asked, ask }
}
