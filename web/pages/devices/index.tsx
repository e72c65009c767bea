import { Alert, Anchor, Button, Code, Stack, Text } from '@mantine/core'
import { IconDevices, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { Device } from '../../../runtime/devices/schema.ts'
import { usePages } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader, Panel, Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { deviceLabels, healthFacts, platformLabels, useCapabilityTitles } from './labels.ts'

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
  const query = usePages('/api/devices', {})
  const devices = query.data?.pages.flatMap((page) => page.devices) ?? []
  const button = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setPairing(true)}>
      Pair a device
    </Button>
  )
  return (
    <div className="page">
      <PageHeader
        title="Devices"
        description="Phones, computers and browsers that agents can use. You choose what each device may do."
      >
        {button}
      </PageHeader>
      <Stack gap="lg">
        <Waiting devices={devices} />
        <Panel title="Devices" count={query.data?.pages[0]?.total}>
          <List
            query={query}
            what="Devices"
            items={() => devices}
            empty={
              <EmptyState icon={<IconDevices size={28} />} title="No devices yet">
                Pair a phone with a QR code, or a computer with <Code>hearthd device connect</Code>.
              </EmptyState>
            }
          >
            {(device) => <DeviceRow key={device.id} device={device} />}
          </List>
        </Panel>
        {devices.length > 0 && <Groups devices={devices.filter(({ status }) => status !== 'revoked')} />}
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
  const waiting = devices.filter(
    ({ new_capabilities, status }) => new_capabilities.length > 0 && status !== 'revoked',
  )
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

function DeviceRow({ device }: { device: Device }) {
  const { id, name, platform, status, last_seen_at } = device
  const figures = status === 'online' ? healthFacts(device).map(([term, value]) => `${term} ${value}`) : []
  return (
    <Row
      name={name}
      badges={<StatusBadge {...deviceLabels[status]} />}
      actions={
        <LinkButton href={`/devices/${id}`} aria-label={`Open ${name}`}>
          Open
        </LinkButton>
      }
    >
      <Text size="xs" c="dimmed" component="div">
        {[platformLabels[platform], ...figures].join(' · ')}
        {status !== 'online' && (
          <>
            {' '}
            ·{' '}
            {last_seen_at ? (
              <>
                last seen <Time at={last_seen_at} />
              </>
            ) : (
              'never connected'
            )}
          </>
        )}
      </Text>
    </Row>
  )
}
