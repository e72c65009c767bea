import { readdir, readFile } from 'node:fs/promises'

const pageBytes = 4_096

/** Resident bytes of a process and all of its descendants. Zero if it has ended. */
export async function memoryOf(root: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const processes = await Promise.all(pids.map(readStat))
  const children = Map.groupBy(
    processes.filter((one) => one !== null),
    ({ parent }) => parent,
  )
  let bytes = 0
  const next = [root]
  for (let pid = next.pop(); pid !== undefined; pid = next.pop()) {
    for (const child of children.get(pid) ?? []) {
      bytes += child.bytes
      next.push(child.pid)
    }
  }
  return bytes
}

/** The name of a process is in parentheses and may contain anything. */
async function readStat(pid: number): Promise<{ pid: number; parent: number; bytes: number } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { pid, parent: Number(fields[1]), bytes: Number(fields[21]) * pageBytes }
}
