import { socketEndpoint } from '../../runtime/http/socket.ts'

export const stream = socketEndpoint({
  path: '/api/browser/stream',
  summary:
    'Stream the active tab as JPEG frames and its state as JSON; with the scope write, send {"type": "input", "input": {…}}, and {"type": "take", "on": true} to take control',
  access: 'read',
  max_frame_bytes: 64 * 1024,
  open: async (socket, context) => {
    const { watchBrowser } = await import('../../runtime/browser/live-view.ts')
    return watchBrowser(socket, context)
  },
})
