import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

const listening = '0A'

/** `pid 123, node` of the process that listens on a port; null where the system does not tell (it does on Linux). */
export function whoListens(port: number): string | null {
  try {
    const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => socketsOn(table, port)))
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsOne(name, sockets))
    return pid ? `pid ${pid}, ${nameOf(pid)}` : null
  } catch {
    return null
  }
}

/** Columns of proc(5): `local_address` as hex address:port, `st`, and the inode at the tenth place. */
function socketsOn(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(table, 'utf8').split('\n').slice(1)
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(suffix) && columns[3] === listening)
    .map((columns) => `socket:[${columns[9]}]`)
}

/** Node calls its main thread so; then the name of the program says more. */
function nameOf(pid: string): string {
  const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  return name === 'MainThread' ? basename(readlinkSync(`/proc/${pid}/exe`)) : name
}

function holdsOne(pid: string, sockets: Set<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((file) => sockets.has(readlinkSync(`${folder}/${file}`)))
  } catch {
    return false
  }
}
