import { Group, NativeSelect, Stack } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { useState } from 'react'
import type { Workflow, WorkflowVersion } from '../../../runtime/workflows/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Diff } from '../../parts/file-diff.tsx'
import { pretty } from '../../parts/json.ts'
import { Loaded } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './actions.tsx'
import type { DraftState } from './use-draft.ts'

type Saved = Pick<WorkflowVersion, 'version' | 'created_at'>

interface VersionsViewProps {
  workflow: Workflow
  state: DraftState
}

/** The saved versions, the difference between two of them, and a way back. */
export function VersionsView({ workflow, state }: VersionsViewProps) {
  const query = useEndpoint('/api/workflows/{id}/versions', {
    params: { id: workflow.id },
    query: { limit: 200 },
  })
  return (
    <div className="page">
      <Loaded query={query} what="The versions">
        {({ versions }) => <Versions versions={versions} workflow={workflow} state={state} />}
      </Loaded>
    </div>
  )
}

function Versions({ versions, workflow, state }: VersionsViewProps & { versions: readonly Saved[] }) {
  const [chosen, setChosen] = useState<number | null>(null)
  const [compared, setCompared] = useState<number | null>(null)
  const version = versions.find(({ version }) => version === chosen) ?? versions[0]
  const other =
    versions.find(({ version }) => version === compared) ??
    versions.find((one) => one.version < (version?.version ?? 0))
  const restore = useChange(
    (api, version: number) =>
      api.post('/api/workflows/{id}/versions/{version}/restore', {
        params: { id: workflow.id, version: String(version) },
      }),
    { stale, done: () => announce('The version was restored') },
  )
  if (!version) return null
  const names = versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` }))
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label="Show"
          data={names}
          value={String(version.version)}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
        />
        {other && (
          <NativeSelect
            label="Compare with"
            data={names}
            value={String(other.version)}
            onChange={(event) => setCompared(Number(event.currentTarget.value))}
          />
        )}
        {!state.readonly && version.version !== workflow.version && (
          <Confirm
            question={`Restore version ${version.version}? It is saved as a new version${
              state.dirty ? ', and your unsaved changes are discarded' : ''
            }.`}
            verb="Restore"
            confirm={() => {
              state.discard()
              restore.mutate(version.version)
            }}
          >
            {(toggle) => (
              <SmallButton size="sm" icon={IconRestore} loading={restore.isPending} onClick={toggle}>
                Restore
              </SmallButton>
            )}
          </Confirm>
        )}
      </Group>
      <Hint>
        Saved <Time at={version.created_at} />
      </Hint>
      {other && other !== version && <Changes id={workflow.id} from={other.version} to={version.version} />}
    </Stack>
  )
}

function Changes({ id, from, to }: { id: string; from: number; to: number }) {
  const path = '/api/workflows/{id}/versions/{version}'
  const before = useEndpoint(path, { params: { id, version: String(from) } })
  const after = useEndpoint(path, { params: { id, version: String(to) } })
  return (
    <Loaded query={before} what={`Version ${from}`}>
      {(old) => (
        <Loaded query={after} what={`Version ${to}`}>
          {(now) => <Diff path={`Version ${from} to ${to}`} before={textOf(old)} after={textOf(now)} />}
        </Loaded>
      )}
    </Loaded>
  )
}

/** A version as lines that can be compared; positions on the canvas are left out. */
function textOf({ nodes, edges, settings, variables, input_schema, pin_data }: WorkflowVersion): string {
  const steps = nodes.map(({ position: _, ...node }) => node)
  const links = edges.map(({ source, source_output, target }) => `${source} (${source_output}) → ${target}`)
  return pretty({ nodes: steps, edges: links, settings, variables, input_schema, pin_data })
}
