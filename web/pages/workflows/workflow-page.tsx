import { Alert, Box, Button, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core'
import { useDocumentTitle, useHotkeys, useMediaQuery } from '@mantine/hooks'
import { IconChevronDown, IconDeviceFloppy, IconPlayerPlay, IconSchema } from '@tabler/icons-react'
import { memo, useMemo, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Found, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { Hint } from '../../parts/typography.tsx'
import { isSameOf } from '../../parts/use-stable.ts'
import { useWorkflowActions, WorkflowMenu } from './actions.tsx'
import { ExecutionBar } from './execution-bar.tsx'
import { FlowList } from './flow-list.tsx'
import type { Kinds } from './kinds.ts'
import { workflowLabels } from './labels.ts'
import { type DraftState, useDraft } from './use-draft.ts'
import { useExecution } from './use-execution.ts'
import { type RunActions, useIssues, useRun } from './use-run.ts'
import classes from './workflows.module.css'

const loading = <SkeletonRows count={6} />
const Editor = lazily(() => import('./editor.tsx'), 'Editor', loading)
const ExecutionsView = lazily(() => import('./executions.tsx'), 'ExecutionsView', loading)
const VersionsView = lazily(() => import('./versions.tsx'), 'VersionsView', loading)
const SettingsView = lazily(() => import('./settings-view.tsx'), 'SettingsView', loading)
const RunDialog = lazily(() => import('./run-dialog.tsx'), 'RunDialog')

interface WorkflowPageProps {
  id: string
  view: string | undefined
}

/** `/workflows/<id>` is the editor; with `?execution=<id>` it shows the states of that execution. */
export function WorkflowPage({ id, view = '' }: WorkflowPageProps) {
  const query = useOptional('/api/workflows/{id}', { params: { id } })
  const types = useEndpoint('/api/workflows/node-types', {}, { staleTime: Number.POSITIVE_INFINITY })
  const kinds: Kinds = useMemo(() => new Map(types.data?.node_types.map((kind) => [kind.type, kind])), [types.data])
  return (
    <Found query={query} what="This workflow" icon={<IconSchema />}>
      {(workflow) => (
        <Loaded query={types} what="The node types" skeleton={<Skeleton m="md" height={300} />}>
          {() => <OpenWorkflow workflow={workflow} kinds={kinds} view={view} />}
        </Loaded>
      )}
    </Found>
  )
}

const views = [
  { place: '', label: 'Flow' },
  { place: 'executions', label: 'Executions' },
  { place: 'versions', label: 'Versions' },
  { place: 'settings', label: 'Settings' },
]

interface OpenWorkflowProps {
  workflow: Workflow
  kinds: Kinds
  view: string
}

function OpenWorkflow({ workflow, kinds, view }: OpenWorkflowProps) {
  const { id } = workflow
  useDocumentTitle(`${workflow.name} · hearthd`)
  const state = useDraft(workflow)
  const actions = useRun(workflow, state)
  const [asking, setAsking] = useState(false)
  return (
    <div className={classes.work} data-fills data-view={view || 'flow'}>
      <Header workflow={workflow} state={state} actions={actions} ask={() => setAsking(true)} />
      <div className={classes.bar}>
        <Views label="Workflow views" base={`/workflows/${id}`} views={views} current={view} />
      </div>
      {state.conflict && <Conflict discard={state.discard} />}
      <Box flex={1} mih={0} style={{ overflowY: 'auto' }}>
        {view === '' && <FlowView workflow={workflow} kinds={kinds} state={state} actions={actions} />}
        {view === 'executions' && <ExecutionsView workflow={workflow} />}
        {view === 'versions' && <VersionsView workflow={workflow} state={state} />}
        {view === 'settings' && <SettingsView state={state} />}
      </Box>
      {asking && <RunDialog state={state} run={actions.run} close={() => setAsking(false)} />}
    </div>
  )
}

interface HeaderProps {
  workflow: Workflow
  state: DraftState
  actions: RunActions
  ask: () => void
}

const Header = memo(function Header({ workflow, state, actions, ask }: HeaderProps) {
  const { toggle } = useWorkflowActions(workflow)
  const { status } = workflow
  const { draft, dirty, readonly } = state
  const { save, run } = actions
  const hasPins = Object.keys(draft.pin_data).length > 0
  const start = () => (draft.input_schema ? ask() : run.mutate({}))
  useHotkeys([['mod+S', () => dirty && !save.isPending && save.mutate()]], [])
  return (
    <header className={classes.bar}>
      <Group gap="xs" className={`grow ${classes.title}`} wrap="nowrap">
        <Link href="/workflows" className="quiet-link" aria-label="All workflows">
          ←
        </Link>
        <Title order={1} size="h4" className="truncate">
          {draft.name}
        </Title>
        <StatusBadge {...workflowLabels[status]} />
        {dirty && (
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }} role="status">
            Unsaved changes
          </Text>
        )}
      </Group>
      <Group gap="xs">
        {readonly ? (
          <Hint>Shared with you. Duplicate it to change it.</Hint>
        ) : (
          <>
            <Switch
              size="sm"
              label="Active"
              checked={status === 'active'}
              disabled={toggle.isPending}
              onChange={() => toggle.mutate()}
            />
            <SmallButton
              icon={IconDeviceFloppy}
              loading={save.isPending}
              disabled={!dirty}
              onClick={() => save.mutate()}
            >
              Save
            </SmallButton>
          </>
        )}
        <Button.Group>
          <SmallButton variant="filled" icon={IconPlayerPlay} loading={run.isPending} onClick={start}>
            {dirty ? 'Save and run' : 'Run'}
          </SmallButton>
          <ActionMenu
            width={220}
            actions={[
              { label: 'Run with input…', onClick: ask },
              hasPins && {
                label: 'Run with pinned data',
                hint: 'Pinned nodes are not run',
                onClick: () => run.mutate({ use_pin_data: true }),
              },
            ]}
          >
            <Button size="xs" px={6} aria-label="More ways to run">
              <IconChevronDown size={14} />
            </Button>
          </ActionMenu>
        </Button.Group>
        <WorkflowMenu workflow={workflow} />
      </Group>
    </header>
  )
}, isSameOf(headed))

/** Not the nodes, so that a key in their forms does not draw the header. */
function headed({ workflow, state: { draft, dirty, readonly }, actions: { save, run } }: HeaderProps) {
  return [workflow, draft.name, draft.pin_data, draft.input_schema, dirty, readonly, save.isPending, run.isPending]
}

const Conflict = ({ discard }: { discard: () => void }) => (
  <Alert color="yellow" m="md" mb={0} title="This workflow was changed elsewhere">
    <Group justify="space-between">
      <Text size="sm">Saving replaces that version with yours. It stays in the list of versions.</Text>
      <SmallButton onClick={discard}>Discard my changes</SmallButton>
    </Group>
  </Alert>
)

interface FlowViewProps {
  workflow: Workflow
  kinds: Kinds
  state: DraftState
  actions: RunActions
}

/** The canvas, or the list of nodes on a small screen. */
function FlowView({ workflow, kinds, state, actions }: FlowViewProps) {
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const shown = search.get('execution')
  const params = { id: workflow.id }
  const list = useEndpoint(
    '/api/workflows/{id}/executions',
    { params, query: { limit: 1 } },
    { enabled: shown === null },
  )
  const query = useExecution(shown ?? list.data?.executions[0]?.id ?? null)
  const issues = useIssues(workflow, state)
  const wide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false })
  const data = query.data?.workflow_id === workflow.id ? query.data : null
  const execution = shown === null ? null : data
  return (
    <Stack gap={0} h="100%">
      {execution && (
        <ExecutionBar
          execution={execution}
          nodes={state.draft.nodes}
          close={() => navigate(`/workflows/${workflow.id}`)}
        />
      )}
      {wide ? (
        <Editor
          workflow={workflow.id}
          state={state}
          kinds={kinds}
          execution={execution}
          data={data}
          issues={issues}
          run={actions.run}
        />
      ) : (
        <FlowList flow={state.draft} kinds={kinds} execution={execution} />
      )}
    </Stack>
  )
}
