import {
  Alert,
  Checkbox,
  Group,
  NativeSelect,
  Progress,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconSend, IconX } from '@tabler/icons-react'
import { type ReactNode, type SyntheticEvent, useState } from 'react'
import type { Api } from '../../../handlers/index.ts'
import type { Device } from '../../../runtime/devices/schema.ts'
import { readable } from '../../api/error.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { ActionButton, SmallButton } from '../../parts/buttons.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'
import classes from './devices.module.css'
import { commandLabels, stale, useCapabilityTitles } from './labels.ts'

interface Property {
  type?: string
  default?: unknown
}

/** A command's parameters by name, from its JSON Schema. */
const fieldsOf = (schema: Record<string, unknown> | undefined): [string, Property][] =>
  Object.entries((schema?.properties ?? {}) as Record<string, Property>)

/** Parses the entered parameters: numbers and text directly, everything else as JSON. Empty ones are omitted. */
function paramsFrom(fields: readonly [string, Property][], typed: Record<string, string>) {
  const given = fields.flatMap(([name, { type }]) => {
    const text = typed[name] ?? ''
    if (text === '') return []
    return [[name, type === 'string' ? text : JSON.parse(text)] as const]
  })
  return Object.fromEntries(given)
}

export type NewCommand = Pick<
  Api['POST']['/api/devices/{id}/commands']['body'],
  'command' | 'params' | 'queue_if_offline'
>

interface CommandFormProps {
  /** Names of the commands that may be sent. */
  usable: readonly string[]
  /** Whether to offer delivering the command later. */
  isOffline: boolean
  send: { mutate(command: NewCommand): void; isPending: boolean; error: Error | null }
  /** The result. */
  children: ReactNode
}

/** A form for one command. */
export function CommandForm({ usable, isOffline, send, children }: CommandFormProps) {
  const types = useEndpoint('/api/devices/command-types').data?.commands ?? []
  const [wanted, setWanted] = useState('')
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [queue, setQueue] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const command = usable.includes(wanted) ? wanted : (usable[0] ?? '')
  const type = types.find(({ name }) => name === command)
  const fields: [string, Property][] = type ? fieldsOf(type.params) : [['params', { type: 'object' }]]
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    try {
      const given = paramsFrom(fields, typed)
      const params = type ? given : ((given.params as Record<string, unknown>) ?? {})
      setProblem(null)
      send.mutate({ command, params, queue_if_offline: queue })
    } catch {
      setProblem('A parameter is not valid JSON. Correct it and try again.')
    }
  }
  if (usable.length === 0) return <Text size="sm">Allow a capability first.</Text>
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <NativeSelect
          label="Command"
          value={command}
          onChange={({ currentTarget }) => {
            setWanted(currentTarget.value)
            setTyped({})
          }}
          data={usable.map((value) => ({
            value,
            label: types.find(({ name }) => name === value)?.title ?? value,
          }))}
        />
        {fields.map(([name, { type: kind, default: fallback }]) => {
          const Field = kind === 'string' && name !== 'text' && name !== 'body' ? TextInput : Textarea
          return (
            <Field
              key={`${command} ${name}`}
              label={labelOf(name)}
              placeholder={fallback === undefined || fallback === '' ? '' : String(fallback)}
              description={kind === 'string' ? undefined : 'JSON'}
              value={typed[name] ?? ''}
              onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
                setTyped({ ...typed, [name]: currentTarget.value })
              }
            />
          )
        })}
        {isOffline && (
          <Checkbox
            label="If the device is offline, deliver later"
            checked={queue}
            onChange={({ currentTarget }) => setQueue(currentTarget.checked)}
          />
        )}
        {(problem || send.error) && (
          <Alert color="red" role="alert">
            {problem ?? readable(send.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <SmallButton type="submit" variant="filled" icon={IconSend} loading={send.isPending}>
            Run
          </SmallButton>
        </Group>
        {children}
      </Stack>
    </form>
  )
}

/** The commands that the owner allows and the device offers. */
export const usableOf = ({ allowed_commands, capabilities }: Device): string[] =>
  allowed_commands.filter((one) => capabilities.includes(one) && one !== 'approvals')

/** Runs a command on the device, with its live result. */
export function RunCommand({ device }: { device: Device }) {
  const { id, status } = device
  const send = useChange(
    (api, body: NewCommand) => api.post('/api/devices/{id}/commands', { params: { id }, body }),
    { stale },
  )
  return (
    <Panel title="Run a command">
      <div className={classes.padded}>
        <CommandForm usable={usableOf(device)} isOffline={status !== 'online'} send={send}>
          {send.data && <Result key={send.data.id} device={id} command={send.data.id} />}
        </CommandForm>
      </div>
    </Panel>
  )
}

/** A command as it runs. */
export function Result({ device, command }: { device: string; command: string }) {
  const { data } = useEndpoint('/api/devices/{id}/commands/{command_id}', {
    params: { id: device, command_id: command },
  })
  if (!data) return null
  return (
    <Stack gap="xs" aria-live="polite">
      <Group gap="xs">
        <StatusBadge {...commandLabels[data.status]} />
        {data.ended_at === null && <Cancel device={device} command={command} />}
      </Group>
      {data.progress && data.ended_at === null && (
        <div>
          <Text size="sm">{data.progress.message ?? 'Working'}</Text>
          {data.progress.pct !== null && <Progress value={data.progress.pct} aria-label="Progress" />}
        </div>
      )}
      {data.error && <Alert color="red">{data.error}</Alert>}
      {data.output !== null && <Output output={data.output} />}
    </Stack>
  )
}

function Output({ output }: { output: unknown }) {
  const { mime_type, base64 } = (output ?? {}) as { mime_type?: string; base64?: string }
  if (base64 && mime_type && /^image\/(png|jpeg|webp)$/.test(mime_type))
    return (
      <img
        className={classes.picture}
        src={`data:${mime_type};base64,${base64}`}
        alt="Result of the command"
      />
    )
  return <JsonView label="Output" value={output} />
}

function Cancel({ device, command }: { device: string; command: string }) {
  const cancel = useChange(
    (api) =>
      api.post('/api/devices/{id}/commands/{command_id}/cancel', {
        params: { id: device, command_id: command },
      }),
    { stale },
  )
  return (
    <ActionButton icon={IconX} run={cancel}>
      Cancel
    </ActionButton>
  )
}

/** The commands of the device, newest first. */
export function Commands({ device: { id } }: { device: Device }) {
  const query = usePages('/api/devices/{id}/commands', { params: { id } }, { size: 20 })
  const [open, setOpen] = useState<string | null>(null)
  const titles = useCapabilityTitles()
  return (
    <Panel title="Commands" count={query.data?.pages[0]?.total}>
      <List
        query={query}
        what="Commands"
        items={({ pages }) => pages.flatMap((page) => page.commands)}
        empty={
          <EmptyState icon={<IconSend size={28} />} title="No commands yet">
            Commands from agents, workflows and people appear here.
          </EmptyState>
        }
      >
        {(command) => (
          <Row
            key={command.id}
            name={titles([command.command])}
            badges={<StatusBadge {...commandLabels[command.status]} />}
            actions={
              <>
                {command.ended_at === null && <Cancel device={id} command={command.id} />}
                <SmallButton
                  aria-expanded={open === command.id}
                  onClick={() => setOpen(open === command.id ? null : command.id)}
                >
                  {open === command.id ? 'Hide' : 'Details'}
                </SmallButton>
              </>
            }
            details={
              open === command.id && (
                <Stack gap="xs">
                  <JsonView label="Parameters" value={command.params} />
                  <Result device={id} command={command.id} />
                </Stack>
              )
            }
          >
            <Text size="xs" c="dimmed" component="div">
              <Time at={command.created_at} />
              {command.error && ` · ${command.error}`}
            </Text>
          </Row>
        )}
      </List>
    </Panel>
  )
}
