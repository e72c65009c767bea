import { Alert, Button, Code, Group, Image, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { readable } from '../../api/error.ts'
import { useBusEvents } from '../../app/services.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

interface PairDialogProps {
  close: () => void
  paired: (device: { device_id: string; name: string }) => void
}

const isLoopback = (host: string) => host === 'localhost' || host.startsWith('127.') || host === '[::1]'

/** A pairing code with its QR link. Closes when a device has used it. */
export function PairDialog({ close, paired }: PairDialogProps) {
  const [name, setName] = useState('')
  const create = useChange((api) =>
    api.post('/api/devices/pairing-codes', { body: name.trim() === '' ? {} : { name: name.trim() } }),
  )
  useBusEvents('device.paired', (event) => {
    if (event.type !== 'device.paired') return
    close()
    paired(event.data)
  })
  return (
    <Modal opened onClose={close} title="Pair a device" size="md">
      {create.data ? (
        <Shown {...create.data} again={() => create.mutate()} />
      ) : (
        <Stack
          component="form"
          onSubmit={(event) => {
            event.preventDefault()
            create.mutate()
          }}
        >
          <TextInput
            label="Name"
            description="Optional. By default, the device chooses its name."
            maxLength={100}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {create.error && <Alert color="red">{readable(create.error)}</Alert>}
          <Group justify="flex-end">
            <Button type="submit" loading={create.isPending}>
              Create code
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function Shown({ code, expires_at, again }: { code: string; expires_at: string; again: () => void }) {
  const seconds = useSecondsUntil(expires_at)
  const { origin, hostname, host, protocol } = window.location
  const link = `${origin}/device#${code}`
  if (seconds <= 0)
    return (
      <Stack>
        <Text>The code has expired.</Text>
        <Group justify="flex-end">
          <Button onClick={again}>Create new code</Button>
        </Group>
      </Stack>
    )
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(link))}`
  return (
    <Stack align="center">
      <Image w={200} h={200} bg="white" radius={8} src={picture} alt="QR code of the pairing link" />
      <Text
        fz="2rem"
        fw={600}
        lts="0.3em"
        mr="-0.3em"
        style={{ fontVariantNumeric: 'tabular-nums' }}
        aria-label="Pairing code"
      >
        {code}
      </Text>
      <Muted>
        Valid for {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
      </Muted>
      {isLoopback(hostname) && (
        <Alert color="yellow" w="100%">
          The QR code contains {hostname}, which other devices cannot reach. Open this page at the network address of
          this machine to pair a phone.
        </Alert>
      )}
      <Stack gap={4} w="100%">
        <Text size="sm">On a phone or in another browser, scan the QR code or open</Text>
        <Copied value={link} what="link" />
        {!isLoopback(hostname) && (
          <Muted>
            {protocol === 'https:'
              ? `If the phone warns about the certificate, open http://${host}/ca there first.`
              : 'Camera, location and notifications of a phone need HTTPS: start hearthd with SERVICE_TLS=auto.'}
          </Muted>
        )}
        <Text size="sm">On a computer with hearthd, run</Text>
        <Copied value={`hearthd device connect --url ${origin} --code ${code}`} what="command" />
      </Stack>
    </Stack>
  )
}

const Copied = ({ value, what }: { value: string; what: string }) => (
  <Group gap="xs" wrap="nowrap">
    <Code className="grow" style={{ overflowWrap: 'anywhere' }}>
      {value}
    </Code>
    <CopyButton value={value} what={what} />
  </Group>
)

function useSecondsUntil(at: string): number {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true })
  return Math.max(0, Math.round((Date.parse(at) - now) / 1_000))
}
