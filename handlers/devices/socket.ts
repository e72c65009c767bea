import { maxFrame } from '../../runtime/devices/client.ts'
import { Inbox } from '../../runtime/devices/inbox.ts'
import { socketEndpoint } from '../../runtime/http/socket.ts'

/** The token is checked after the upgrade, so that close code 4401 can report that the device must be paired again. */
const definition = {
  summary: 'Connect a device; the token is its device token',
  access: 'public',
  max_frame_bytes: maxFrame,
  async open(socket, context, token) {
    // The device may send hello while the rest is loading.
    const inbox = new Inbox(socket)
    const { serveDevice } = await import('../../runtime/devices/socket.ts')
    await serveDevice({ socket, inbox, token }, context)
  },
} satisfies Partial<Parameters<typeof socketEndpoint>[0]>

export const deviceSocket = socketEndpoint({ ...definition, path: '/api/devices/ws' })
export const deviceSocketAlias = socketEndpoint({ ...definition, path: '/device/ws' })
