import { Alert, Button, Group, Text } from '@mantine/core'
import { IconCheck, IconDownload, IconListDetails } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Feature, installQuery, type Pack, planQuery, startInstall } from '../../../api/features.ts'
import { refresh } from '../../../api/live.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { StatusChip } from './feature-row.tsx'
import { Job } from './job.tsx'
import { Plan } from './plan.tsx'

/** A pack with what installing it means, how far it is, and how it ended. */
export function PackCard({ pack, admin }: { pack: Pack; admin: boolean }) {
  const api = useApi()
  const queries = useQueryClient()
  const [planned, setPlanned] = useState(false)
  const job = useQuery(installQuery(api, pack.id)).data?.job ?? null
  const running = job?.status === 'running'
  const plan = useQuery({ ...planQuery(api, pack.id), enabled: planned && admin })
  const install = useMutation({
    mutationFn: () => startInstall(api, pack.id),
    onSuccess: () => setPlanned(false),
    onSettled: () => refresh(queries, '/api/features'),
  })
  const blocked = plan.data?.blocked_reason != null
  return (
    <article className="row" style={{ display: 'block' }} aria-label={pack.title}>
      <Group gap="sm" justify="space-between">
        <div className="words">
          <Group gap={6}>
            <Text fw={500}>{pack.title}</Text>
            <StatusChip status={statusOf(pack)} />
          </Group>
          <Text size="sm" c="dimmed">
            {pack.unsupported_reason ?? pack.description}
          </Text>
          <Text size="xs" c="dimmed" className="mono">
            {pack.packages.map(({ name, version }) => `${name} ${version}`).join(', ')}
          </Text>
        </div>
        {admin && !running && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<IconListDetails size={14} />}
              aria-expanded={planned}
              onClick={() => setPlanned(!planned)}
            >
              {planned ? 'Hide the plan' : 'Plan'}
            </Button>
            {!pack.unsupported_reason && (
              <Button
                size="xs"
                variant={pack.complete ? 'default' : 'filled'}
                leftSection={<IconDownload size={14} />}
                loading={install.isPending}
                disabled={blocked}
                onClick={() => install.mutate()}
              >
                {pack.complete ? 'Check and repair' : 'Install'}
              </Button>
            )}
          </Group>
        )}
      </Group>
      {planned && admin && !running && (
        <Loaded query={plan} what="The plan" skeleton={<SkeletonRows count={3} />}>
          {(data) => <Plan plan={data} />}
        </Loaded>
      )}
      {job && (running || job.status === 'error') && <Job job={job} />}
      {install.isSuccess && job?.status === 'done' && pack.complete && (
        <Alert mt="xs" color="teal" icon={<IconCheck size={18} />} role="status">
          {job.result?.changed === false
            ? 'Nothing to do: everything is there and works.'
            : 'Installed. It can be used now, without a restart.'}
        </Alert>
      )}
    </article>
  )
}

function statusOf({ complete, installed, unsupported_reason }: Pack): Feature['status'] {
  if (complete) return 'ok'
  if (unsupported_reason) return 'unsupported'
  return installed ? 'missing' : 'not-installed'
}
