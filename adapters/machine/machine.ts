import { statfs } from 'node:fs/promises'
import type { Machine } from '../../runtime/ports/machine.ts'

/** This machine, with the disk that holds `data_dir`. */
export function createMachine(data_dir: string): Machine {
  return {
    async disk() {
      const { bavail, blocks, bsize } = await statfs(data_dir)
      return { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
    },
    residentBytes: () => process.memoryUsage.rss(),
  }
}
