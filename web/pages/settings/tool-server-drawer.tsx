import { Drawer, Group, Pill, SegmentedControl, Textarea } from '@mantine/core'
import type { ServerChanges, ToolServer } from '../../../runtime/settings/mcp/schema.ts'
import type { InputOf } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

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

const trusts = [
  { value: 'ask', label: 'Ask before every tool' },
  { value: 'read_only', label: 'Trust its read-only tools' },
]

const stale = ['/api/settings/skills/mcp']

export function ServerDrawer({ server, close }: ServerDrawerProps) {
  const form = useServerForm(server, close)
  const { text, number, select } = inputsOf(form)
  const params = { id: server?.id ?? '' }
  const remove = useChange((api) => api.delete('/api/settings/skills/mcp/{id}', { params }), {
    stale,
    done: close,
  })
  const deletion = server && {
    name: server.name,
    what: 'tool server',
    effect: 'Its process stops, and agents lose its tools immediately.',
    run: remove,
  }
  const Fields = form.values.transport === 'stdio' ? ProgramFields : AddressFields
  return (
    <Drawer opened onClose={close} position="right" title={server?.name ?? 'Add a tool server'}>
      <EntityForm form={form} verb={server ? 'Save' : 'Add'} close={close} remove={deletion ?? false}>
        {text('name', 'Name', {
          ...required,
          description: 'Part of the names of its tools',
          maxLength: 32,
          autoComplete: 'off',
        })}
        <SegmentedControl aria-label="Transport" data={transports} {...form.getInputProps('transport')} />
        <Fields form={form} server={server} />
        {server &&
          select('trust', 'Approval', trusts, {
            description:
              'Tools that the server calls read-only still receive what an agent sends them. If trusted, they run without approval, even after an agent has read untrusted text',
          })}
        {number('timeout_seconds', 'Timeout', { description: 'Per call', suffix: ' s', min: 1, max: 3_600 })}
        <Hint>
          {server
            ? 'Changing how it connects disconnects it until you connect it again.'
            : 'It is not used until you connect it.'}
        </Hint>
      </EntityForm>
    </Drawer>
  )
}

/** The values of the form; lists are lines of text. */
interface Values extends Record<string, unknown> {
  name: string
  transport: ToolServer['transport']
  command: string
  args: string
  env: string
  url: string
  headers: string
  timeout_seconds: number
  trust: ToolServer['trust']
  /** Names of variables or headers to delete. */
  removed: string[]
}

function useServerForm(server: ToolServer | null, close: () => void) {
  const api = useApi()
  return useApiForm<Values, ToolServer>({
    initial: {
      name: server?.name ?? '',
      transport: server?.transport ?? 'stdio',
      command: server?.command ?? '',
      args: (server?.args ?? []).join('\n'),
      env: '',
      url: server?.url ?? '',
      headers: '',
      timeout_seconds: server?.timeout_seconds ?? 60,
      trust: server?.trust ?? 'ask',
      removed: [],
    },
    save: (values, _, initial) =>
      server
        ? api.put('/api/settings/skills/mcp/{id}', {
            params: { id: server.id },
            body: changesTo(changesOf(values), changesOf(initial)),
          })
        : api.post('/api/settings/skills/mcp', { body: bodyOf(values) }),
    stale,
    saved({ name }) {
      announce(`${name} was saved`)
      close()
    },
    fieldOf: (path) => path.split('.')[0] ?? '',
  })
}

interface FieldsProps {
  form: ReturnType<typeof useServerForm>
  server: ToolServer | null
}

function ProgramFields({ form, server }: FieldsProps) {
  const { text, area } = inputsOf(form)
  return (
    <>
      {text('command', 'Program', { placeholder: 'npx' })}
      {area('args', 'Arguments', [2, 10], {
        description: 'One per line, passed without a shell',
        spellCheck: false,
      })}
      <SecretLines form={form} name="env" label="Variables" format="NAME=value" known={server?.env_names} />
    </>
  )
}

const AddressFields = ({ form, server }: FieldsProps) => (
  <>
    {inputsOf(form).text('url', 'URL', { type: 'url', placeholder: 'https://…/mcp' })}
    <SecretLines
      form={form}
      name="headers"
      label="Headers"
      format="Name: value"
      known={server?.header_names}
    />
  </>
)

interface SecretLinesProps extends Pick<FieldsProps, 'form'> {
  name: 'env' | 'headers'
  label: string
  format: string
  /** Names whose values are stored. */
  known: readonly string[] | undefined
}

/** Adds names and secret values, and removes stored ones. */
function SecretLines({ form, name, label, format, known = [] }: SecretLinesProps) {
  const { removed } = form.values
  const kept = known.filter((one) => !removed.includes(one))
  return (
    <div>
      <Textarea
        label={label}
        description={`${format}, one per line. Stored encrypted and never shown again`}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps(name)}
      />
      {kept.length > 0 && (
        <Group gap={6} mt={6}>
          {kept.map((one) => (
            <Pill
              key={one}
              withRemoveButton
              removeButtonProps={{ 'aria-label': `Remove ${one}` }}
              onRemove={() => form.setFieldValue('removed', [...removed, one])}
            >
              {one} is set
            </Pill>
          ))}
        </Group>
      )}
    </div>
  )
}

/** The request body for a new server or a change. */
const changesOf = (values: Values): ServerChanges => ({ ...bodyOf(values), trust: values.trust })

function bodyOf(values: Values): InputOf<'POST', '/api/settings/skills/mcp'>['body'] & ServerChanges {
  const { name, transport, timeout_seconds, command, url } = values
  const common = { name, transport, timeout_seconds }
  const gone = Object.fromEntries(values.removed.map((one) => [one, null])) as Record<string, never>
  if (transport !== 'stdio')
    return { ...common, url: url || null, headers: { ...gone, ...pairs(values.headers, ':') } }
  const env = { ...gone, ...pairs(values.env, '=') }
  return { ...common, command: command || null, args: lines(values.args), env }
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
