import { defineArea } from '../area.ts'
import { sweepUploads } from './blobs.ts'

export const filesArea = defineArea({
  name: 'files',
  references: { file: async (context, id) => (await (await import('./store.ts')).findFile(context, id)) !== null },
  events: async () => (await import('./events.ts')).filesEvents,
  tables: ['files'],
  owned_tables: ['files'],
  retained: { files: async () => (await import('./files.ts')).retainedFiles },
  start: (host, { alone }) => sweepUploads(host, alone),
})
