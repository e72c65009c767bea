import { Alert, Box, Checkbox, Group, Image, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { IconSend, IconX } from '@tabler/icons-react'
import { type ReactNode, type SyntheticEvent, useState } from 'react'
import type { Api } from '../../../handlers/index.ts'
import type { Device } from '../../../runtime/devices/schema.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { FormContext, JsonField } from '../../parts/schema/fields.tsx'
import { below, type Schema, type Values } from '../../parts/schema/schema.ts'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { commandStatus, useCapabilityTitles } from './labels.ts'

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

/** A form for one command; its fields are those of its parameters. */
export function CommandForm({ usable, isOffline, send, children }: CommandFormProps) {
  const types = useEndpoint('/api/devices/command-types').data?.commands ?? []
  const [chosen, setChosen] = useState('')
  const [params, setParams] = useState<unknown>({})
  const [queue, setQueue] = useState(false)
  const command = usable.includes(chosen) ? chosen : (usable[0] ?? '')
  const type = types.find(({ name }) => name === command)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    send.mutate({ command, params: (params ?? {}) as Values, queue_if_offline: queue })
  }
  if (usable.length === 0) return <Text size="sm">Allow a capability first.</Text>
  return (
    <Stack component="form" onSubmit={submit} gap="sm">
      <NativeSelect
        label="Command"
        value={command}
        onChange={({ currentTarget }) => {
          setChosen(currentTarget.value)
          setParams({})
        }}
        data={usable.map((value) => ({
          value,
          label: types.find(({ name }) => name === value)?.title ?? value,
        }))}
      />
      {type ? (
        <FormContext value={sparse}>
          <SchemaForm
            key={command}
            schema={type.params as Schema}
            value={params}
            change={setParams}
            errors={below(fieldErrors(send.error), 'params')}
          />
        </FormContext>
      ) : (
        <JsonField label="Parameters" value={params} change={setParams} />
      )}
      {isOffline && (
        <Checkbox
          label="If the device is offline, deliver later"
          checked={queue}
          onChange={({ currentTarget }) => setQueue(currentTarget.checked)}
        />
      )}
      {send.error && (
        <Alert color="red" role="alert">
          {readable(send.error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <SmallButton type="submit" variant="filled" icon={IconSend} loading={send.isPending}>
          Run
        </SmallButton>
      </Group>
      {children}
    </Stack>
  )
}

/** Parameters without a value are left out. */
const sparse = { sparse: true }

/** The commands that the owner allows and the device offers. */
export const usableOf = ({ allowed_commands, capabilities }: Device): string[] =>
  allowed_commands.filter((one) => capabilities.includes(one) && one !== 'approvals')

/** Runs a command on the device, with its live result. */
export function RunCommand({ device }: { device: Device }) {
  const { id, status } = device
  const send = useChange((api, body: NewCommand) => api.post('/api/devices/{id}/commands', { params: { id }, body }))
  return (
    <Panel title="Run a command">
      <Box px="md" pb="md">
        <CommandForm usable={usableOf(device)} isOffline={status !== 'online'} send={send}>
          {send.data && <Result key={send.data.id} device={id} command={send.data.id} />}
        </CommandForm>
      </Box>
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
        <StatusBadge {...commandStatus(data.status)} />
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
      <Image
        w="auto"
        maw="100%"
        mah={480}
        radius={8}
        src={`data:${mime_type};base64,${base64}`}
        alt="Result of the command"
      />
    )
  if (base64 && mime_type === 'audio/wav')
    // biome-ignore lint/a11y/useMediaCaption: a recording that was made just now has no captions
    return <audio controls src={`data:audio/wav;base64,${base64}`} aria-label="Result of the command" />
  return <JsonView label="Output" value={output} />
}

const Cancel = ({ device, command }: { device: string; command: string }) => (
  <ActionButton
    icon={IconX}
    run={(api) =>
      api.post('/api/devices/{id}/commands/{command_id}/cancel', { params: { id: device, command_id: command } })
    }
  >
    Cancel
  </ActionButton>
)

/** The commands of the device, newest first. */
export function Commands({ device: { id } }: { device: Device }) {
  const titles = useCapabilityTitles()
  return (
    <ResourceList
      path="/api/devices/{id}/commands"
      params={{ id }}
      items="commands"
      title="Commands"
      size={20}
      icon={IconSend}
      empty="Commands from agents, workflows and people appear here."
      row={(command) => ({
        name: titles([command.command]),
        badges: <StatusBadge {...commandStatus(command.status)} />,
        actions: command.ended_at === null && <Cancel device={id} command={command.id} />,
        children: (
          <Hint>
            <Time at={command.created_at} />
            {command.error && ` · ${command.error}`}
          </Hint>
        ),
        details: () => (
          <Stack gap="xs">
            <JsonView label="Parameters" value={command.params} />
            <Result device={id} command={command.id} />
          </Stack>
        ),
      })}
    />
  )
}
