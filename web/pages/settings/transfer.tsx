import { Alert, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readable } from '../../api/error.ts'
import type { ImportResult } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { saveFile } from '../../parts/save-file.ts'

export const Transfer = () => (
  <Stack gap="lg" maw={640}>
    <Export />
    <Import />
    <Reset />
  </Stack>
)

function Export() {
  const api = useApi()
  const take = useMutation({
    async mutationFn() {
      const response = await api.raw('GET', '/api/settings/export')
      const name = response.headers.get('content-disposition')?.match(/filename="([^"]+)"/)?.[1]
      saveFile(name ?? 'hearthd-settings.json', await response.blob())
    },
  })
  return (
    <Panel title="Export">
      <Group p="md" pt={4} justify="space-between">
        <Text size="sm" c="dimmed" flex={1} miw={200}>
          Settings, skills, agents, prices, failover rules and tool servers as one file. Keys and passwords
          are not in it.
        </Text>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          Download
        </Button>
      </Group>
    </Panel>
  )
}

/** A file is looked through first; nothing changes until the person has seen what would. */
function Import() {
  const api = useApi()
  const queries = useQueryClient()
  const [file, setFile] = useState<{ name: string; body: unknown } | null>(null)
  const run = useMutation({
    mutationFn: ({ body, dry }: { body: unknown; dry: boolean }) =>
      api.post<ImportResult>('/api/settings/import', body, { query: { dry_run: dry } }),
    meta: { shown: true },
    async onSuccess({ dry_run, applied }) {
      if (dry_run) return
      announce(`${counted(applied.length, 'setting', 'settings')} imported`)
      await queries.invalidateQueries()
    },
  })
  const choose = async (chosen: File | null) => {
    if (!chosen) return
    const body = await chosen
      .text()
      .then(JSON.parse)
      .catch(() => null)
    setFile({ name: chosen.name, body })
    run.mutate({ body: body ?? {}, dry: true })
  }
  return (
    <Panel title="Import">
      <Stack p="md" pt={4}>
        <Group justify="space-between">
          <Text size="sm" c="dimmed" flex={1} miw={200}>
            {file ? file.name : 'A file of this or another hearthd. You see what it would change first.'}
          </Text>
          <FileButton accept="application/json,.json" onChange={choose}>
            {(props) => (
              <Button {...props} variant="default" loading={run.isPending}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Group>
        {run.isError && (
          <Alert color="red" role="alert" title="This file cannot be imported">
            {readable(run.error)}
          </Alert>
        )}
        {run.data && <Preview result={run.data} />}
        {run.data?.dry_run && run.data.applied.length > 0 && (
          <Group justify="flex-end">
            <Button onClick={() => run.mutate({ body: file?.body, dry: false })}>Import</Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

function Preview({ result: { dry_run, applied, skipped, warnings } }: { result: ImportResult }) {
  return (
    <Stack gap="sm">
      {warnings.length > 0 && (
        <Alert color="yellow" title="Good to know">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Names title={dry_run ? 'Would be set' : 'Set'} names={applied} />
      <Names title="Left out" names={skipped.map(({ key, reason }) => `${key}: ${reason}`)} />
    </Stack>
  )
}

function Names({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null
  return (
    <details>
      <summary>
        <Text span size="sm" fw={550}>
          {title}: {names.length}
        </Text>
      </summary>
      <List size="sm" mt={6}>
        {names.map((name) => (
          <List.Item key={name} className="mono">
            {name}
          </List.Item>
        ))}
      </List>
    </details>
  )
}

function Reset() {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const reset = useMutation({
    mutationFn: () => api.post('/api/settings/reset'),
    onSuccess: () => announce('The general settings have their defaults again'),
    onSettled() {
      setAsked(false)
      return queries.invalidateQueries()
    },
  })
  return (
    <Panel title="Reset">
      <Group p="md" pt={4} justify="space-between">
        <Text size="sm" c="dimmed" flex={1} miw={200}>
          The general settings get their defaults again. Profile, security, email, skills and agents stay.
        </Text>
        <Button variant="default" color="red" onClick={() => setAsked(true)}>
          Reset
        </Button>
      </Group>
      <ConfirmByName
        name={asked ? 'settings' : null}
        what="instance"
        verb="Reset"
        pending={reset.isPending}
        confirm={() => reset.mutate()}
        close={() => setAsked(false)}
      />
    </Panel>
  )
}
