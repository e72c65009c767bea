import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

/** The address cannot be used; the message says why and what to do. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}

/** Starts to accept connections; an empty host is every address, IPv4 and IPv6. Returns the port. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen({ port, ...(host === '' ? {} : { host }), backlog: 1024 })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (thrown) {
    throw explain(thrown as NodeJS.ErrnoException, host, port)
  }
}

function explain(thrown: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason = reasonOf(thrown.code, port)
  const where = host === '' ? `port ${port}` : `${host}, port ${port}`
  return reason ? new CannotListen(`Cannot listen on ${where}: ${reason}`, { cause: thrown }) : thrown
}

function reasonOf(code: string | undefined, port: number): string | undefined {
  const who = code === 'EADDRINUSE' ? whoListens(port) : null
  const reasons: Record<string, string> = {
    EADDRINUSE: `another program listens there${who ? ` (${who})` : ''}. Choose another port with --port`,
    EACCES: 'this user may not listen there. Choose another port with --port',
    EADDRNOTAVAIL: 'this machine has no such address. Choose another with --host',
    ENOTFOUND: 'the host name is unknown. Choose another with --host',
    EAI_AGAIN: 'the host name cannot be resolved. Choose another with --host',
  }
  return reasons[code ?? '']
}

/** The state of a listening socket in proc(5). */
const listening = '0A'

/** `pid 123, node`: the process that listens on a port; null if unknown (only Linux reports it). */
export function whoListens(port: number): string | null {
  try {
    const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => socketsOn(table, port)))
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && owns(name, sockets))
    return pid ? `pid ${pid}, ${processName(pid)}` : null
  } catch {
    return null
  }
}

/** Columns of proc(5): `local_address` as hex address:port, then `st`; the tenth is the inode. */
function socketsOn(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(table, 'utf8').split('\n').slice(1)
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(suffix) && columns[3] === listening)
    .map((columns) => `socket:[${columns[9]}]`)
}

function owns(pid: string, sockets: Set<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((file) => sockets.has(readlinkSync(`${folder}/${file}`)))
  } catch {
    return false
  }
}

/** Node calls its main thread `MainThread`; the name of the executable says more. */
function processName(pid: string): string {
  const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  return name === 'MainThread' ? basename(readlinkSync(`/proc/${pid}/exe`)) : name
}
