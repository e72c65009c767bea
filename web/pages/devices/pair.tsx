import { Alert, Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { renderSVG } from 'uqr'
import { readable } from '../../api/error.ts'
import { useBusEvents } from '../../app/services.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useChange } from '../../parts/use-change.ts'
import classes from './devices.module.css'
import { stale } from './labels.ts'

interface PairDialogProps {
  close: () => void
  paired: (device: { device_id: string; name: string }) => void
}

const isLoopback = (host: string) => host === 'localhost' || host.startsWith('127.') || host === '[::1]'

/** A pairing code with its QR link. Closes when a device has used it. */
export function PairDialog({ close, paired }: PairDialogProps) {
  const [name, setName] = useState('')
  const create = useChange(
    (api) =>
      api.post('/api/devices/pairing-codes', { body: name.trim() === '' ? {} : { name: name.trim() } }),
    { stale },
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
  const { origin, hostname } = window.location
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
      <img className={classes.qr} src={picture} alt="QR code of the pairing link" />
      <Text className={classes.code} aria-label="Pairing code">
        {code}
      </Text>
      <Text size="sm" c="dimmed">
        Valid for {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
      </Text>
      {isLoopback(hostname) && (
        <Alert color="yellow" w="100%">
          The QR code contains {hostname}, which other devices cannot reach. Open this page at the network
          address of this machine to pair a phone.
        </Alert>
      )}
      <Stack gap={4} w="100%">
        <Text size="sm">On a phone or in another browser, scan the QR code or open</Text>
        <Group gap="xs" wrap="nowrap">
          <Code className={classes.line}>{link}</Code>
          <CopyButton value={link} what="link" />
        </Group>
        <Text size="sm">On a computer with hearthd, run</Text>
        <Group gap="xs" wrap="nowrap">
          <Code className={classes.line}>{commandOf(origin, code)}</Code>
          <CopyButton value={commandOf(origin, code)} what="command" />
        </Group>
      </Stack>
    </Stack>
  )
}

const commandOf = (origin: string, code: string) => `hearthd device connect --url ${origin} --code ${code}`

function useSecondsUntil(at: string): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.round((Date.parse(at) - now) / 1_000))
}
