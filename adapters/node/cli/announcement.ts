import { networkInterfaces } from 'node:os'
import type { Daemon } from '../daemon.ts'
import type { Environment } from '../environment.ts'

/** What `start` tells: where it listens, who can reach it, and how setup begins. */
export function announcement(daemon: Daemon, environment: Environment): { json: object; text: string } {
  const { url, port, setup_token, host } = daemon
  const others = reachable(environment.host, port)
  const setup_url = setup_token === '' ? null : `${url}/setup#token=${setup_token}`
  const lines = [
    `hearthd ${host.config.version} listens on ${url}`,
    others.length > 0
      ? `Others on your network reach it at ${others.join(' ')}`
      : 'Only this machine can reach it',
    environment.api_key_required
      ? 'Nothing but login, pairing and liveness is anonymous'
      : 'Anonymous: health, metrics and the API index (SERVICE_API_KEY_REQUIRED=true closes them)',
    ...(setup_url ? [`Set it up at ${setup_url}`] : []),
  ]
  const json = {
    url,
    port,
    pid: process.pid,
    version: host.config.version,
    exposed: others.length > 0,
    reachable_at: others,
    anonymous: !environment.api_key_required,
    bootstrap_mode: setup_url !== null,
    setup_url,
  }
  return { json, text: lines.join('\n') }
}

/** URLs of this machine for others; empty when only loopback is bound. */
function reachable(host: string, port: number): string[] {
  const everywhere = host === '' || host === '0.0.0.0' || host === '::'
  if (!everywhere) return /^(localhost|127\.|::1$)/.test(host) ? [] : [urlOf(host, port)]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const outside = addresses.filter(({ internal, family, address }) => {
    return (
      !internal &&
      (family === 'IPv4' ? host !== '::' || true : host !== '0.0.0.0' && !address.startsWith('fe80'))
    )
  })
  return outside.map(({ address }) => urlOf(address, port))
}

const urlOf = (address: string, port: number) =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`
