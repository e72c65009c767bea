import { followEvents } from '../../runtime/events/follow.ts'
import { socketEndpoint } from '../../runtime/http/socket.ts'

export const events = socketEndpoint({
  path: '/ws/events',
  summary: 'Everything that happens, as it happens',
  access: 'read',
  max_frame_bytes: 1024 * 1024,
  open: followEvents,
})
