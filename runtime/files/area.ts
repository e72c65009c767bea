import { defineArea } from '../area.ts'
import { sweepUploads } from './blobs.ts'

export const filesArea = defineArea({
  name: 'files',
  tables: ['files'],
  start: (host, { alone }) => sweepUploads(host, alone),
})
