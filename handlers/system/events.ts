import { followEvents, resumeFollowing } from '../../runtime/events/follow.ts'
import { socketEndpoint } from '../../runtime/http/socket.ts'

export const events = socketEndpoint({
  path: '/ws/events',
  summary: 'Stream all events over a WebSocket',
  access: 'read',
  max_frame_bytes: 1024 * 1024,
  open: followEvents,
  resume: resumeFollowing,
})
