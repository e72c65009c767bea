import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ImportResult } from '../../../runtime/settings/import.ts'
import { useRefresh } from '../../api/query.ts'
import type { SettingsFile } from '../../api/settings.ts'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { ExportPanel, ImportPanel } from '../../parts/transfer.tsx'
import { Muted } from '../../parts/typography.tsx'

export function Transfer() {
  const queries = useQueryClient()
  return (
    <Stack gap="lg" maw={640}>
      <ExportPanel path="/api/settings/export" name="hearthd-settings.json">
        Settings, skills, agents, prices, failover rules and tool servers in one file. Keys and passwords are not
        included.
      </ExportPanel>
      <ImportPanel<ImportResult>
        send={(api, content, query) => api.post('/api/settings/import', { body: content as SettingsFile, query })}
        hint="Settings exported from this or another hearthd."
        outcome={(result) => <Preview result={result} />}
        offer={({ applied }) => (applied.length > 0 ? 'Import' : null)}
        done={({ applied }) => {
          announce(`${counted(applied.length, 'setting', 'settings')} imported`)
          return queries.invalidateQueries()
        }}
      />
      <Reset />
    </Stack>
  )
}

function Preview({ result: { dry_run, applied, skipped, warnings } }: { result: ImportResult }) {
  return (
    <Stack gap="sm">
      {warnings.length > 0 && (
        <Alert color="yellow" title="Warnings">
          <Items names={warnings} />
        </Alert>
      )}
      <Names title={dry_run ? 'Will be changed' : 'Changed'} names={applied} />
      <Names title="Skipped" names={skipped.map(({ key, reason }) => `${key}: ${reason}`)} />
    </Stack>
  )
}

const Items = ({ names }: { names: string[] }) => (
  <List size="sm">
    {names.map((name) => (
      <List.Item key={name}>{name}</List.Item>
    ))}
  </List>
)

function Names({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null
  return (
    <details>
      <summary>
        <Text span size="sm" fw={550}>
          {title}: {names.length}
        </Text>
      </summary>
      <div className="mono">
        <Items names={names} />
      </div>
    </details>
  )
}

const Reset = () => (
  <Panel title="Reset">
    <Group p="md" pt={4} justify="space-between">
      <Muted className="words">
        Resets the general settings to their defaults. Profile, security, email, backup, skills and agents are kept.
      </Muted>
      <ConfirmByName
        name="settings"
        what="instance"
        verb="Reset"
        run={(api) => api.post('/api/settings/reset')}
        done={useResetDone()}
      >
        {(ask) => (
          <Button variant="default" color="red" onClick={ask}>
            Reset
          </Button>
        )}
      </ConfirmByName>
    </Group>
  </Panel>
)

function useResetDone() {
  const refresh = useRefresh()
  return () => {
    announce('General settings were reset')
    return refresh('/api/')
  }
}
