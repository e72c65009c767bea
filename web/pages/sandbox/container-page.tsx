import { Box, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconBox, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { useOptional } from '../../api/query.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { DownloadButton, UploadButton } from '../../parts/files/transfer.tsx'
import { Found } from '../../parts/list.tsx'
import { byteSize, counted, duration } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, Scrolled, TextLink } from '../../parts/typography.tsx'
import { ContainerStatus, StartStop } from './actions.tsx'
import { useConsole, useFollow } from './console.ts'

export function ContainerPage({ id }: { id: string }) {
  const query = useOptional('/api/sandbox/containers/{id}', { params: { id } })
  return (
    <div className="page">
      <Found query={query} what="This container" icon={<IconBox size={28} />}>
        {(container) => (
          <>
            <PageHeader
              title={container.name}
              description={
                <Group gap="xs" component="span">
                  <TextLink href="/sandbox">Sandbox</TextLink>
                  <ContainerStatus container={container} />
                </Group>
              }
            >
              <StartStop container={container} />
            </PageHeader>
            <Stack gap="lg">
              <Console id={id} />
              <Workspace id={id} />
              <Log id={id} />
              <Panel title="Limits">
                <Box px="md" pb="md">
                  <Facts
                    facts={[
                      ['Engine', container.backend],
                      ['Image', container.backend !== 'bubblewrap' && container.image],
                      ['Network', container.network === 'none' ? 'None' : 'Full'],
                      ['Memory', `${container.memory_mb} MB`],
                      ['Processor', counted(container.cpu_limit, 'core', 'cores')],
                      ['Processes', container.pids_limit],
                      [
                        'Workspace',
                        { none: 'None', ro: 'Read only', rw: 'Read and write' }[container.workspace_access],
                      ],
                      ['Created', <Time key="created" at={container.created_at} />],
                    ]}
                  />
                </Box>
              </Panel>
            </Stack>
          </>
        )}
      </Found>
    </div>
  )
}

const looks = {
  command: { fw: 600 },
  stdout: {},
  stderr: { c: 'var(--mantine-color-error)' },
  note: { c: 'dimmed' },
}

/** Runs one command at a time and shows its output as it comes. */
function Console({ id }: { id: string }) {
  const [command, setCommand] = useState('')
  const { lines, running, run, stop } = useConsole(id)
  const follow = useFollow(lines)
  const [past, setPast] = useState<readonly string[]>([])
  const submit = (): boolean => {
    if (command.trim() === '' || running) return true
    void run(command)
    setPast((known) => [...known.filter((one) => one !== command), command])
    setCommand('')
    return true
  }
  /** As in a shell: the arrows go through the earlier commands. */
  const recall = (step: 1 | -1): boolean => {
    const at = past.indexOf(command)
    if (at < 0 && command !== '') return false
    setCommand(past[(at < 0 ? past.length : at) + step] ?? '')
    return true
  }
  const keys: Record<string, () => boolean> = {
    Enter: submit,
    ArrowUp: () => recall(-1),
    ArrowDown: () => recall(1),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.shiftKey && keys[event.key]?.()) event.preventDefault()
  }
  return (
    <Panel title="Console" gap="sm">
      {lines.length > 0 && (
        <Scrolled {...follow} label="Output" role="log" mah="24rem" fz="xs">
          {lines.map(({ key, kind, text }) => (
            <Text span inherit key={key} {...looks[kind]}>
              {text}
            </Text>
          ))}
        </Scrolled>
      )}
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <Textarea
          className="grow"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          label="Command"
          placeholder="ls -la"
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          autoCapitalize="off"
          value={command}
          onChange={(event) => setCommand(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {running ? (
          <Button color="red" variant="light" leftSection={<IconPlayerStop size={16} />} onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button leftSection={<IconPlayerPlay size={16} />} onClick={submit}>
            Run
          </Button>
        )}
      </Group>
    </Panel>
  )
}

const path = '/api/sandbox/containers/{id}'

function Workspace({ id }: { id: string }) {
  const [folder, setFolder] = useState('')
  const params = { id }
  return (
    <ResourceList
      path={`${path}/files`}
      params={params}
      query={{ path: folder }}
      items="files"
      title="Files"
      empty="The folder /workspace is kept between commands. It is empty."
      actions={
        <UploadButton
          multiple
          upload={async (api, files) => {
            for (const file of files)
              await api.put(`${path}/files/content`, {
                params,
                query: { path: folder ? `${folder}/${file.name}` : file.name },
                body: file,
              })
          }}
        />
      }
      row={({ path: at, kind, size_bytes, modified_at }) => {
        const name = at.slice(at.lastIndexOf('/') + 1)
        const input = { params, query: { path: at } }
        return {
          name: kind === 'folder' ? `${name}/` : name,
          label: name,
          actions: (
            <>
              {kind === 'folder' ? (
                <SmallButton aria-label={`Open ${name}`} onClick={() => setFolder(at)}>
                  Open
                </SmallButton>
              ) : (
                <DownloadButton name={name} content={(api) => api.open('GET', `${path}/files/content`, input)} />
              )}
              <DeleteButton what={name} remove={(api) => api.delete(`${path}/files/content`, input)} />
            </>
          ),
          children: (
            <Hint>
              {kind === 'file' && `${byteSize(size_bytes)} · `}
              <Time at={modified_at} />
            </Hint>
          ),
        }
      }}
    >
      {folder && (
        <Group px="md" pb="md" gap="xs">
          <SmallButton onClick={() => setFolder(folder.includes('/') ? folder.replace(/\/[^/]*$/, '') : '')}>
            Up
          </SmallButton>
          <Text size="sm">/workspace/{folder}</Text>
        </Group>
      )}
    </ResourceList>
  )
}

const Log = ({ id }: { id: string }) => (
  <ResourceList
    path={`${path}/logs`}
    params={{ id }}
    items="entries"
    title="Log"
    size={10}
    empty="Finished commands appear here, including those of agents."
    row={({ command, exit_code, error, output, started_at, duration_ms, truncated }) => ({
      name: command.length > 200 ? `${command.slice(0, 200)}…` : command,
      label: command,
      badges: (
        <StatusBadge
          label={exit_code === null ? 'Ended' : `Exit ${exit_code}`}
          color={exit_code === 0 ? 'teal' : 'red'}
        />
      ),
      children: (
        <Hint>
          <Time at={started_at} /> · {duration(duration_ms / 1_000)}
          {error && ` · ${error}`}
        </Hint>
      ),
      verb: truncated ? 'Output, shortened' : 'Output',
      details:
        output &&
        (() => (
          <Scrolled label="Output" mah="24rem" fz="xs">
            {output}
          </Scrolled>
        )),
    })}
  />
)
