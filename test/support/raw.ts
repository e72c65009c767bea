import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection without any client's good manners. */
export async function openRaw(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends bytes and returns all that comes until the other side closes. */
export async function sendRaw(port: number, text: string | Buffer): Promise<string> {
  const socket = await openRaw(port)
  const received = readAll(socket)
  socket.write(text)
  return received
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** Status and JSON body of a raw answer. */
export function parseRaw(answer: string): { status: number; body: Record<string, unknown> } {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body || '{}') as Record<string, unknown> }
}
