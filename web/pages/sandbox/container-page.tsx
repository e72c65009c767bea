import { Box, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconBox, IconDownload, IconPlayerPlay, IconPlayerStop, IconUpload } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import type { LogEntry } from '../../../runtime/sandbox/schema.ts'
import { useEndpoint, useOptional, usePages } from '../../api/query.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { Found, List } from '../../parts/list.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { PageHeader, Panel, Row } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ContainerStatus, StartStop } from './actions.tsx'
import { useConsole, useFollow } from './console.ts'
import classes from './sandbox.module.css'

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
                      ...(container.backend === 'bubblewrap' ? [] : [['Image', container.image] as const]),
                      ['Network', container.network === 'none' ? 'None' : 'Full'],
                      ['Memory', `${container.memory_mb} MB`],
                      ['Processor', container.cpu_limit === 1 ? '1 core' : `${container.cpu_limit} cores`],
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
    <Panel title="Console">
      <Stack px="md" pb="md" gap="sm">
        {lines.length > 0 && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          <pre {...follow} className={classes.output} role="log" aria-label="Output" tabIndex={0}>
            {lines.map(({ key, kind, text }) => (
              <span key={key} className={classes[kind]}>
                {text}
              </span>
            ))}
          </pre>
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
      </Stack>
    </Panel>
  )
}

function Workspace({ id }: { id: string }) {
  const [folder, setFolder] = useState('')
  const params = { id }
  const stale = [`/api/sandbox/containers/${id}/files`]
  const query = useEndpoint('/api/sandbox/containers/{id}/files', { params, query: { path: folder } })
  const upload = useChange(
    async (api, files: File[]) => {
      for (const file of files) {
        const path = folder ? `${folder}/${file.name}` : file.name
        await api.put('/api/sandbox/containers/{id}/files/content', { params, query: { path }, body: file })
      }
    },
    { stale },
  )
  const button = (
    <FileButton multiple onChange={(files) => upload.mutate(files)}>
      {(props) => (
        <SmallButton icon={IconUpload} loading={upload.isPending} {...props}>
          Upload
        </SmallButton>
      )}
    </FileButton>
  )
  return (
    <Panel title="Files" action={button}>
      {folder && (
        <Group px="md" pb="md" gap="xs">
          <SmallButton onClick={() => setFolder(folder.includes('/') ? folder.replace(/\/[^/]*$/, '') : '')}>
            Up
          </SmallButton>
          <Text size="sm">/workspace/{folder}</Text>
        </Group>
      )}
      <List
        query={query}
        what="Files"
        items={({ files }) => files}
        empty="The folder /workspace is kept between commands. It is empty."
      >
        {(file) => (
          <FileRow key={file.path} id={id} file={file} open={() => setFolder(file.path)} stale={stale} />
        )}
      </List>
    </Panel>
  )
}

interface FileRowProps {
  id: string
  file: { path: string; kind: 'file' | 'folder'; size_bytes: number; modified_at: string }
  open: () => void
  stale: string[]
}

function FileRow({ id, file: { path, kind, size_bytes, modified_at }, open, stale }: FileRowProps) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const input = { params: { id }, query: { path } }
  const download = useChange(async (api) => {
    const response = await api.open('GET', '/api/sandbox/containers/{id}/files/content', input)
    saveFile(name, await response.blob())
  })
  const remove = useChange((api) => api.delete('/api/sandbox/containers/{id}/files/content', input), {
    stale,
  })
  return (
    <Row
      name={kind === 'folder' ? `${name}/` : name}
      label={name}
      actions={
        <>
          {kind === 'folder' ? (
            <SmallButton aria-label={`Open ${name}`} onClick={open}>
              Open
            </SmallButton>
          ) : (
            <IconButton
              label={`Download ${name}`}
              icon={IconDownload}
              loading={download.isPending}
              onClick={() => download.mutate()}
            />
          )}
          <DeleteButton what={name} remove={remove} />
        </>
      }
    >
      <Text size="xs" c="dimmed" component="div">
        {kind === 'file' && `${byteSize(size_bytes)} · `}
        <Time at={modified_at} />
      </Text>
    </Row>
  )
}

function Log({ id }: { id: string }) {
  const query = usePages('/api/sandbox/containers/{id}/logs', { params: { id } }, { size: 10 })
  return (
    <Panel title="Log" count={query.data?.pages[0]?.total}>
      <List
        query={query}
        what="The log"
        items={({ pages }) => pages.flatMap((page) => page.entries)}
        empty="Finished commands appear here, including those of agents."
      >
        {(entry) => <LogRow key={entry.id} entry={entry} />}
      </List>
    </Panel>
  )
}

function LogRow({ entry }: { entry: LogEntry }) {
  const { command, exit_code, error, output, started_at, duration_ms, truncated } = entry
  return (
    <Row
      name={command.length > 200 ? `${command.slice(0, 200)}…` : command}
      label={command}
      badges={
        <StatusBadge
          label={exit_code === null ? 'Ended' : exit_code === 0 ? 'Exit 0' : `Exit ${exit_code}`}
          color={exit_code === 0 ? 'teal' : 'red'}
        />
      }
      details={
        output && (
          <details>
            <summary>Output{truncated ? ', shortened' : ''}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
            <pre className={classes.output} tabIndex={0}>
              {output}
            </pre>
          </details>
        )
      }
    >
      <Text size="xs" c="dimmed" component="div">
        <Time at={started_at} /> ·{' '}
        {duration_ms < 1_000 ? `${duration_ms} ms` : `${Math.round(duration_ms / 1_000)} s`}
        {error && ` · ${error}`}
      </Text>
    </Row>
  )
}
