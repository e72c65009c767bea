import { Alert, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readable } from '../../../api/error.ts'
import type { ImportResult } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { counted } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { saveFile } from '../../../parts/save-file.ts'

export function ExportPanel() {
  const api = useApi()
  const take = useMutation({
    async mutationFn() {
      const response = await api.raw('GET', '/api/settings/memory/export')
      const name = response.headers.get('content-disposition')?.match(/filename="([^"]+)"/)?.[1]
      saveFile(name ?? 'hearthd-memory.json', await response.blob())
    },
  })
  return (
    <Panel title="Export">
      <Group px="md" pb="md" justify="space-between">
        <Text size="sm" c="dimmed" className="words">
          All memories, entities and facts as one file.
        </Text>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          Download
        </Button>
      </Group>
    </Panel>
  )
}

/** A file is looked through first; nothing is stored until the person has seen what would be. */
export function ImportPanel() {
  const { file, run, choose } = useImport()
  return (
    <Panel title="Import">
      <Stack px="md" pb="md">
        <Group justify="space-between">
          <Text size="sm" c="dimmed" className="words">
            {file ? file.name : 'Memories of this or another hearthd. You see what would come in first.'}
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
        {run.data && !run.isPending && <Outcome result={run.data} />}
        {file && run.data?.dry_run && run.data.imported > 0 && (
          <Group justify="flex-end">
            <Button loading={run.isPending} onClick={() => run.mutate({ file, dry: false })}>
              Import {counted(run.data.imported, 'memory', 'memories')}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

function useImport() {
  const api = useApi()
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const run = useMutation({
    mutationFn: async ({ file: chosen, dry }: { file: File; dry: boolean }) => {
      const body = await chosen.text().then(JSON.parse).catch(notJson)
      return api.post<ImportResult>('/api/settings/memory/import', body, { query: { dry_run: dry } })
    },
    meta: { shown: true },
    onSuccess: ({ dry_run }) => (dry_run ? undefined : queries.invalidateQueries({ queryKey: ['memory'] })),
  })
  const choose = (chosen: File | null) => {
    if (!chosen) return
    setFile(chosen)
    run.mutate({ file: chosen, dry: true })
  }
  return { file, run, choose }
}

const notJson = () => {
  throw new Error('It is no JSON file.')
}

const shownProblems = 5

function Outcome({ result: { dry_run, imported, skipped, invalid } }: { result: ImportResult }) {
  const title = `${counted(imported, 'memory', 'memories')} ${dry_run ? 'would come in' : 'came in'}`
  return (
    <Alert color={invalid.length > 0 ? 'yellow' : dry_run ? 'gray' : 'teal'} role="status" title={title}>
      {skipped > 0 && <Text size="sm">{counted(skipped, 'is', 'are')} there already.</Text>}
      {invalid.length > 0 && (
        <>
          <Text size="sm">{counted(invalid.length, 'is', 'are')} no memories and left out:</Text>
          <List size="xs">
            {invalid.slice(0, shownProblems).map(({ index, message }) => (
              <List.Item key={index}>
                Number {index + 1}: {message}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  )
}
