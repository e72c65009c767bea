import { Alert, Anchor, Button, Code, Stack, Text } from '@mantine/core'
import { IconDevices, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { Device } from '../../../runtime/devices/schema.ts'
import { usePages } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { deviceStatus, healthFacts, platformLabels, useCapabilityTitles } from './labels.ts'

const DevicePage = lazily(() => import('./device-page.tsx'), 'DevicePage', <PageSkeleton />)
const Groups = lazily(() => import('./groups.tsx'), 'Groups', <SkeletonRows count={2} />)
const PairDialog = lazily(() => import('./pair.tsx'), 'PairDialog')

/** `/devices`; `/devices/<id>` is one device. */
export function Devices() {
  const { id } = useParams<{ id?: string }>()
  if (id) return <DevicePage key={id} id={id} />
  return <Overview />
}

function Overview() {
  const [pairing, setPairing] = useState(false)
  const [, navigate] = useLocation()
  const devices = usePages('/api/devices', {}).data?.pages.flatMap((page) => page.devices) ?? []
  const usable = devices.filter(({ status }) => status !== 'revoked')
  return (
    <div className="page">
      <PageHeader
        title="Devices"
        description="Phones, computers and browsers that agents can use. You choose what each device may do."
      >
        <Button leftSection={<IconPlus size={16} />} onClick={() => setPairing(true)}>
          Pair a device
        </Button>
      </PageHeader>
      <Stack gap="lg">
        <Waiting devices={usable} />
        <ResourceList
          path="/api/devices"
          items="devices"
          title="Devices"
          icon={IconDevices}
          empty={
            <>
              Pair a phone with a QR code, or a computer with <Code>hearthd device connect</Code>.
            </>
          }
          row={(device) => {
            const { id, name, platform, status, last_seen_at } = device
            const isOnline = status === 'online'
            const figures = isOnline ? healthFacts(device).map(([term, value]) => `${term} ${value}`) : []
            return {
              badges: <StatusBadge {...deviceStatus(status)} />,
              actions: (
                <LinkButton href={`/devices/${id}`} aria-label={`Open ${name}`}>
                  Open
                </LinkButton>
              ),
              children: (
                <Hint>
                  {[platformLabels[platform], ...figures].join(' · ')}
                  {!isOnline && <When label="last seen" at={last_seen_at} otherwise=" · never connected" />}
                </Hint>
              ),
            }
          }}
        />
        {devices.length > 0 && <Groups devices={usable} />}
      </Stack>
      {pairing && (
        <PairDialog
          close={() => setPairing(false)}
          paired={({ device_id, name }) => {
            announce(`${name} was paired`)
            navigate(`/devices/${device_id}`)
          }}
        />
      )}
    </div>
  )
}

/** An alert about capabilities that the owner has neither approved nor declined. */
function Waiting({ devices }: { devices: Device[] }) {
  const waiting = devices.filter(({ new_capabilities }) => new_capabilities.length > 0)
  const titles = useCapabilityTitles()
  if (waiting.length === 0) return null
  return (
    <Alert color="yellow" role="status" title="Capabilities need your approval">
      {waiting.map(({ id, name, new_capabilities }) => (
        <Text size="sm" key={id}>
          <Anchor component={Link} href={`/devices/${id}`} c="inherit" underline="always">
            {name}
          </Anchor>
          : {titles(new_capabilities)}
        </Text>
      ))}
    </Alert>
  )
}
