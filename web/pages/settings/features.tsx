import { Alert, Badge, Code, Group, Progress, ScrollArea, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconDownload, IconListDetails } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Feature, FeatureList, InstallJob, InstallPlan, Pack } from '../../../runtime/features/schema.ts'
import { endpointQuery, useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

export function Features() {
  const query = useEndpoint('/api/features')
  return (
    <Loaded query={query} what="The features">
      {(list) => <FeatureLists list={list} />}
    </Loaded>
  )
}

function FeatureLists({ list: { features, packs, install } }: { list: FeatureList }) {
  const admin = useIsAdmin()
  return (
    <Stack gap="lg">
      <Panel title="Packs">
        {admin === false && (
          <Alert m="md" mt={0} color="gray">
            Ask an administrator to install a pack.
          </Alert>
        )}
        {packs.map((pack) => (
          <PackCard key={pack.id} pack={pack} admin={admin === true} />
        ))}
      </Panel>
      <Panel title="On this machine">
        {features
          .filter(({ kind }) => kind !== 'pack')
          .map((feature) => (
            <Row
              key={feature.id}
              name={feature.title}
              badges={<StatusChip status={feature.status} />}
              details={feature.command && <Command value={feature.command} what="command" />}
            >
              <Hint style={{ overflowWrap: 'anywhere' }}>{feature.unsupported_reason ?? feature.note}</Hint>
            </Row>
          ))}
      </Panel>
      <Panel title="Installation" gap={6}>
        <Text size="sm">
          hearthd {install.version}. {install.label}
        </Text>
        {install.repair_command && <Command what="repair command" value={install.repair_command} />}
      </Panel>
    </Stack>
  )
}

/** A pack: its plan, its installation and the result. */
function PackCard({ pack, admin }: { pack: Pack; admin: boolean }) {
  const [planned, setPlanned] = useState(false)
  const { job, running, plan, install } = useInstallation(pack, planned && admin, () => setPlanned(false))
  const done = install.isSuccess && job?.status === 'done' && pack.complete
  return (
    <Row
      name={pack.title}
      badges={<StatusChip status={statusOf(pack)} />}
      actions={
        admin &&
        !running && (
          <>
            <SmallButton icon={IconListDetails} aria-expanded={planned} onClick={() => setPlanned(!planned)}>
              {planned ? 'Hide the plan' : 'Show the plan'}
            </SmallButton>
            {!pack.unsupported_reason && (
              <ActionButton
                icon={IconDownload}
                variant={pack.complete ? 'default' : 'filled'}
                disabled={plan.data?.blocked_reason != null}
                run={install}
              >
                {pack.complete ? 'Check and repair' : 'Install'}
              </ActionButton>
            )}
          </>
        )
      }
      details={
        <>
          {planned && admin && !running && (
            <Loaded query={plan} what="The plan" skeleton={<SkeletonRows count={3} />}>
              {(data) => <Plan plan={data} />}
            </Loaded>
          )}
          {job && (running || job.status === 'error') && <Job job={job} />}
          {done && (
            <Alert color="teal" icon={<IconCheck size={18} />} role="status">
              {job.result?.changed === false
                ? 'Everything is installed and works.'
                : 'Installed. You can use it now, without a restart.'}
            </Alert>
          )}
        </>
      }
    >
      <Muted>{pack.unsupported_reason ?? pack.description}</Muted>
      <Hint className="mono">{pack.packages.map(({ name, version }) => `${name} ${version}`).join(', ')}</Hint>
    </Row>
  )
}

function useInstallation({ id }: Pack, planned: boolean, started: () => void) {
  const api = useApi()
  const params = { id }
  const job = useEndpoint('/api/features/packs/{id}/install', { params }).data?.job ?? null
  const plan = useQuery({
    ...endpointQuery(api, '/api/features/packs/{id}/plan', { params }, { staleTime: 0 }),
    // A dry run takes seconds and asks the package registry, so this key keeps events from refreshing it.
    queryKey: ['feature-plan', id],
    enabled: planned,
  })
  const install = useChange((changing) => changing.post('/api/features/packs/{id}/install', { params }), {
    stale: ['/api/features'],
    done: started,
  })
  return { job, running: job?.status === 'running', plan, install }
}

function statusOf({ complete, installed, unsupported_reason }: Pack): Feature['status'] {
  if (complete) return 'ok'
  if (unsupported_reason) return 'unsupported'
  return installed ? 'missing' : 'not-installed'
}

const states: Record<Feature['status'], { label: string; color: string }> = {
  ok: { label: 'Ready', color: 'teal' },
  missing: { label: 'Missing', color: 'orange' },
  'not-installed': { label: 'Not installed', color: 'gray' },
  unsupported: { label: 'Not supported here', color: 'gray' },
}

function StatusChip({ status }: { status: Feature['status'] }) {
  const { label, color } = states[status]
  return (
    // The default text color: the light variant has too little contrast.
    <Badge color={color} c="var(--mantine-color-text)">
      {label}
    </Badge>
  )
}

const size = (bytes: number | null) => (bytes === null ? 'unknown' : byteSize(bytes))

/** The package manager's dry run. */
function Plan({ plan }: { plan: InstallPlan }) {
  if (plan.blocked_reason !== null) return <Blocked plan={plan} />
  const { packages, downloads, skipped, total_bytes, command } = plan
  if (packages.length === 0) return <Muted role="status">Everything is installed and works.</Muted>
  return (
    <Stack gap="xs" role="region" aria-label="Plan">
      <Text size="sm">
        {counted(packages.length, 'package', 'packages')}, to download: {size(total_bytes)}. Install scripts of packages
        never run.
      </Text>
      <ScrollArea.Autosize mah={280} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Packages' }}>
        <DataTable
          label="Packages"
          fz="xs"
          verticalSpacing={4}
          style={{ overflowWrap: 'anywhere' }}
          head={['Package', 'Version', 'Action', 'Size']}
          numbers={[3]}
          rows={[
            ...packages.map((entry) => [entry.name, entry.version, actionOf(entry), size(entry.size_bytes)]),
            ...downloads.map(({ name, size_bytes }) => [name, '', 'download', size(size_bytes)]),
          ]}
        />
      </ScrollArea.Autosize>
      {skipped.map(({ name, reason }) => (
        <Hint key={name}>
          {name} is skipped. {reason}.
        </Hint>
      ))}
      <Command value={command} what="command" />
    </Stack>
  )
}

const actionOf = ({ action, current_version }: InstallPlan['packages'][number]) =>
  current_version && action !== 'reinstall' ? `${action} from ${current_version}` : action

function Blocked({ plan: { blocked_reason, manual_command } }: { plan: InstallPlan }) {
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="Cannot be installed from here">
      <Stack gap="xs">
        <Text size="sm">{blocked_reason}</Text>
        {manual_command && (
          <>
            <Text size="sm">Run this on the machine that runs hearthd:</Text>
            <Command value={manual_command} what="command" />
          </>
        )}
      </Stack>
    </Alert>
  )
}

const phases: Record<InstallJob['progress']['phase'], string> = {
  installing: 'Resolving dependencies',
  downloading: 'Downloading',
  verifying: 'Verifying',
}

/** Progress of an installation or why it failed, and the end of the package manager’s log. */
function Job({ job: { status, progress, error } }: { job: InstallJob }) {
  const { phase, done, total, log } = progress
  const share = total > 0 ? (done / total) * 100 : 0
  return (
    <Stack gap="xs">
      {status === 'running' && (
        <>
          <Text size="sm" role="status">
            {phases[phase]}
            {total > 0 && ` (${done} of ${total})`}
          </Text>
          <Progress value={share || 100} animated={share === 0} aria-label="Installation" />
        </>
      )}
      {error && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title="Installation failed" role="alert">
          {error}
        </Alert>
      )}
      {log.length > 0 && (
        <ScrollArea.Autosize
          mah={160}
          className="sunken"
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Log' }}
        >
          <Text component="pre" className="mono" fz="xs" m={0} p="xs" style={{ whiteSpace: 'pre-wrap' }}>
            {log.join('\n')}
          </Text>
        </ScrollArea.Autosize>
      )}
    </Stack>
  )
}

/** A terminal command to copy. */
function Command({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{value}</Code>
      <CopyButton value={value} what={what} />
    </Group>
  )
}
