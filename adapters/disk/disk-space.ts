import { statfs } from 'node:fs/promises'

export interface DiskSpace {
  free_bytes: number
  total_bytes: number
}

/** Room on the disk that holds `folder`, free to users without privileges; null where the system cannot tell. */
export async function diskSpace(folder: string): Promise<DiskSpace | null> {
  const stat = await statfs(folder).catch(() => null)
  return stat && { free_bytes: stat.bavail * stat.bsize, total_bytes: stat.blocks * stat.bsize }
}
