import { Alert, List, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ImportResult } from '../../../api/memory.ts'
import { counted } from '../../../parts/numbers.ts'
import { ExportPanel, ImportPanel } from '../../../parts/transfer.tsx'

export const MemoryExport = () => (
  <ExportPanel path="/api/settings/memory/export" name="hearthd-memory.json">
    All memories, entities and facts as one file.
  </ExportPanel>
)

export function MemoryImport() {
  const queries = useQueryClient()
  return (
    <ImportPanel<ImportResult>
      path="/api/settings/memory/import"
      hint="Memories of this or another hearthd."
      outcome={(result) => <Outcome result={result} />}
      offer={({ imported }) => (imported > 0 ? `Import ${counted(imported, 'memory', 'memories')}` : null)}
      done={() => queries.invalidateQueries({ queryKey: ['memory'] })}
    />
  )
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
