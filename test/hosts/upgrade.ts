import { request } from 'node:http'

/** How a host answers an upgrade that it refuses. */
export function upgradeRefusal(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: Headers }> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': btoa('0123456789abcdef'),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: handshake })
    sent.on('response', (response) => {
      response.resume()
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(response.headers as Record<string, string>),
      })
    })
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the socket was opened'))
    })
    sent.on('error', reject)
    sent.end()
  })
}
