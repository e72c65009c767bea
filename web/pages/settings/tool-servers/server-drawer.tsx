import {
  Alert,
  Button,
  Drawer,
  Group,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { fieldErrors, readable } from '../../../api/error.ts'
import type { ToolServer } from '../../../api/tool-servers.ts'
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx'
import { bodyOf, type Form, formOf } from './form.ts'
import { SecretLines } from './secret-lines.tsx'
import { useSaveServer } from './use-save-server.ts'

interface ServerDrawerProps {
  /** Null for a new one. */
  server: ToolServer | null
  close: () => void
}

const transports = [
  { value: 'stdio', label: 'Program here' },
  { value: 'http', label: 'Address' },
  { value: 'sse', label: 'Address (SSE)' },
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
          description="Part of the names of its tools"
          required
          withAsterisk={false}
          maxLength={32}
          autoComplete="off"
          error={errors.name}
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <SegmentedControl
          aria-label="How it is reached"
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
          label="Patience"
          description="Seconds that one call may take"
          suffix=" s"
          min={1}
          max={3_600}
          error={errors.timeout_seconds}
          value={form.timeout_seconds}
          onChange={(value) => change({ timeout_seconds: Number(value) })}
        />
        <Text size="xs" c="dimmed">
          {server ? 'A change of how it is reached switches it off' : 'It is switched off'} until you connect
          it.
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
        Its process ends, and agents lose its tools at once.
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
        description="One a line; no shell reads them"
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
        description="NAME=value, one a line. Encrypted, and never shown again"
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
        label="Address"
        type="url"
        placeholder="https://…/mcp"
        error={errors.url}
        value={form.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <SecretLines
        label="Headers"
        description="Name: value, one a line. Encrypted, and never shown again"
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

/** `env.API KEY` is said at the field `env`. */
const byField = (errors: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      const [field = '', ...rest] = path.split('.')
      return [field, rest.length > 0 ? `${rest.join('.')}: ${message}` : message]
    }),
  )
