import { Alert, Button, FileButton, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Api } from '../api/client.ts'
import { readable } from '../api/error.ts'
import { useApi } from '../app/services.tsx'
import { Panel } from './page.tsx'
import { saveFile } from './save-file.ts'
import { Muted } from './typography.tsx'

interface ExportPanelProps {
  path: '/api/settings/export' | '/api/settings/memory/export' | '/api/settings/diagnostics'
  /** Default: Export. */
  title?: string
  /** The file name if the answer has none. */
  name: string
  children: ReactNode
}

export function ExportPanel({ path, name, title = 'Export', children }: ExportPanelProps) {
  const api = useApi()
  const download = useMutation({
    async mutationFn() {
      const response = await api.open('GET', path)
      const given = response.headers.get('content-disposition')?.match(/filename="([^"]+)"/)?.[1]
      saveFile(given ?? name, await response.blob())
    },
  })
  return (
    <Panel title={title}>
      <Group px="md" pb="md" justify="space-between">
        <Muted className="words">{children}</Muted>
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      </Group>
    </Panel>
  )
}

interface ImportPanelProps<Result> {
  send(api: Api, content: unknown, query: { dry_run: boolean }): Promise<Result>
  /** Which files can be imported. */
  hint: string
  /** Renders the result of a dry run or an import. */
  outcome(result: Result): ReactNode
  /** Label of the import button; null if there is nothing to import. */
  offer(result: Result): string | null
  /** Called after the import. */
  done(result: Result): unknown
}

/** Imports a file after a dry run that shows what would change. */
export function ImportPanel<Result extends { dry_run: boolean }>(props: ImportPanelProps<Result>) {
  const { hint, outcome, offer } = props
  const { file, run, choose } = useImport(props)
  const label = run.data?.dry_run ? offer(run.data) : null
  return (
    <Panel title="Import" gap="md">
      <Group justify="space-between">
        <Muted className="words">{file ? file.name : `${hint} You see a preview first.`}</Muted>
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
      {file && label && (
        <Group justify="flex-end">
          <Button loading={run.isPending} onClick={() => run.mutate({ file, dry: false })}>
            {label}
          </Button>
        </Group>
      )}
    </Panel>
  )
}

function useImport<Result extends { dry_run: boolean }>({ send, done }: ImportPanelProps<Result>) {
  const api = useApi()
  const [file, setFile] = useState<File | null>(null)
  const run = useMutation({
    mutationFn: async ({ file: chosen, dry }: { file: File; dry: boolean }) => {
      const content = await chosen.text().then(JSON.parse).catch(notJson)
      return send(api, content, { dry_run: dry })
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
  throw new Error('This is not a JSON file.')
}
