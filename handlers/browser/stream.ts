import { socketEndpoint } from '../../runtime/http/socket.ts'

export const stream = socketEndpoint({
  path: '/api/browser/stream',
  summary:
    'The active tab as JPEG frames, its state as JSON; a client that may write sends {"type": "input", "input": {…}}, and {"type": "take", "on": true} to have the page alone',
  access: 'read',
  max_frame_bytes: 64 * 1024,
  open: async (socket, context) => {
    const { watchBrowser } = await import('../../runtime/browser/live/view.ts')
    return watchBrowser(socket, context)
  },
})
