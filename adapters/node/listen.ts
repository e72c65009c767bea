import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The address cannot be used; the message says why and what to do. */
export class CannotListen extends Error {
  override name = 'CannotListen'
  /** Set when somebody else has the port. */
  readonly in_use_port: number | undefined

  constructor(message: string, options: ErrorOptions & { in_use_port?: number } = {}) {
    super(message, options)
    this.in_use_port = options.in_use_port
  }
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
  const where = `${host === '' ? 'port' : `${host}, port`} ${port}`
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such host name',
  }
  const reason = reasons[thrown.code ?? '']
  const taken = thrown.code === 'EADDRINUSE' ? { in_use_port: port } : {}
  return reason
    ? new CannotListen(`Cannot listen on ${where}: ${reason}`, { cause: thrown, ...taken })
    : thrown
}
