import { defineArea } from '../area.ts'
import { sweepUploads } from './blobs.ts'

export const filesArea = defineArea({
  name: 'files',
  events: async () => (await import('./events.ts')).filesEvents,
  tables: ['files'],
  owned_tables: ['files'],
  retained: { files: async () => (await import('./files.ts')).retainedFiles },
  start: (host, { alone }) => sweepUploads(host, alone),
})
