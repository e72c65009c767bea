import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { readable } from '../api/error.ts'
import { useApi } from '../app/services.tsx'
import { Panel } from './panel.tsx'
import { saveFile } from './save-file.ts'

interface ExportPanelProps {
  path: string
  /** What the file is called where the answer does not say. */
  name: string
  /** What is in the file. */
  children: ReactNode
}

export function ExportPanel({ path, name, children }: ExportPanelProps) {
  const api = useApi()
  const take = useMutation({
    async mutationFn() {
      const response = await api.raw('GET', path)
      const told = response.headers.get('content-disposition')?.match(/filename="([^"]+)"/)?.[1]
      saveFile(told ?? name, await response.blob())
    },
  })
  return (
    <Panel title="Export">
      <Group px="md" pb="md" justify="space-between">
        <Text size="sm" c="dimmed" className="words">
          {children}
        </Text>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          Download
        </Button>
      </Group>
    </Panel>
  )
}

interface ImportPanelProps<Result> {
  path: string
  /** What a person may choose here. */
  hint: string
  /** What would come in, or came in. */
  outcome(result: Result): ReactNode
  /** The words on the button that brings it in; null where there is nothing to bring in. */
  offer(result: Result): string | null
  /** It has come in. */
  done(result: Result): unknown
}

/** A file is looked through first; nothing changes until the person has seen what would. */
export function ImportPanel<Result extends { dry_run: boolean }>(props: ImportPanelProps<Result>) {
  const { hint, outcome, offer } = props
  const { file, run, choose } = useImport(props)
  const words = run.data?.dry_run ? offer(run.data) : null
  return (
    <Panel title="Import">
      <Stack px="md" pb="md">
        <Group justify="space-between">
          <Text size="sm" c="dimmed" className="words">
            {file ? file.name : `${hint} You see what would come in first.`}
          </Text>
          <FileButton accept="application/json,.json" onChange={choose}>
            {(button) => (
              <Button {...button} variant="default" loading={run.isPending}>
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
        {run.data && !run.isPending && outcome(run.data)}
        {file && words && (
          <Group justify="flex-end">
            <Button loading={run.isPending} onClick={() => run.mutate({ file, dry: false })}>
              {words}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

function useImport<Result extends { dry_run: boolean }>({ path, done }: ImportPanelProps<Result>) {
  const api = useApi()
  const [file, setFile] = useState<File | null>(null)
  const run = useMutation({
    mutationFn: async ({ file: chosen, dry }: { file: File; dry: boolean }) => {
      const body = await chosen.text().then(JSON.parse).catch(notJson)
      return api.post<Result>(path, body, { query: { dry_run: dry } })
    },
    meta: { shown: true },
    onSuccess: (result) => (result.dry_run ? undefined : done(result)),
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
