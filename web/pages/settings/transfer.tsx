import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportResult } from '../../../runtime/settings/import.ts'
import type { SettingsFile } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { ExportPanel, ImportPanel } from '../../parts/transfer.tsx'

export const Transfer = () => (
  <Stack gap="lg" maw={640}>
    <Export />
    <Import />
    <Reset />
  </Stack>
)

const Export = () => (
  <ExportPanel path="/api/settings/export" name="hearthd-settings.json">
    Settings, skills, agents, prices, failover rules and tool servers as one file. Keys and passwords are not
    included.
  </ExportPanel>
)

function Import() {
  const queries = useQueryClient()
  return (
    <ImportPanel<ImportResult>
      send={(api, content, query) =>
        api.post('/api/settings/import', { body: content as SettingsFile, query })
      }
      hint="Settings exported from this or another hearthd."
      outcome={(result) => <Preview result={result} />}
      offer={({ applied }) => (applied.length > 0 ? 'Import' : null)}
      done={({ applied }) => {
        announce(`${counted(applied.length, 'setting', 'settings')} imported`)
        return queries.invalidateQueries()
      }}
    />
  )
}

function Preview({ result: { dry_run, applied, skipped, warnings } }: { result: ImportResult }) {
  return (
    <Stack gap="sm">
      {warnings.length > 0 && (
        <Alert color="yellow" title="Warnings">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Names title={dry_run ? 'Will be changed' : 'Changed'} names={applied} />
      <Names title="Skipped" names={skipped.map(({ key, reason }) => `${key}: ${reason}`)} />
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
    onSuccess: () => announce('General settings were reset'),
    onSettled() {
      setAsked(false)
      return queries.invalidateQueries()
    },
  })
  return (
    <Panel title="Reset">
      <Group p="md" pt={4} justify="space-between">
        <Text size="sm" c="dimmed" flex={1} miw={200}>
          Resets the general settings to their defaults. Profile, security, email, skills and agents are kept.
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
