import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../../runtime/ports/log.ts'
import { day, minute } from '../../../runtime/time.ts'
import { createFolder, writePrivate } from '../../process/files.ts'
import type { Environment } from '../environment.ts'
import type { KeyPair } from './accept.ts'

/** The certificate with which phones and computers trust this daemon. It is public. */
export interface Authority {
  pem: string
  /** SHA-256, as systems show it: `AB:CD:…`. */
  fingerprint: string
}

export interface Certificates {
  /** The certificate of a connection that begins now. */
  current(): KeyPair
  /** What phones have to install; null if the certificate is somebody else's. */
  authority: Authority | null
}

/** Days. Apple's systems refuse server certificates that are valid for more than 825. */
const lifetime = { authority: 3_650, server: 397 }
/** Days before its end at which a certificate is replaced. */
const margin = { authority: 400, server: 30 }
/** Time between two looks at the names and addresses of this machine. */
const lookEvery = 10 * minute

/**
 * An authority of this daemon and a certificate for the names and addresses of this machine, kept in the data folder. The
 * certificate is replaced before it ends and when this machine has another address.
 */
export async function ownCertificates(environment: Environment, log: Log): Promise<Certificates> {
  const folder = join(environment.data_dir, 'tls')
  createFolder(folder)
  const read = (name: string) => readPair(folder, name)
  const write = (name: string, { cert, key }: KeyPair) => {
    writePrivate(join(folder, `${name}.key`), key)
    writePrivate(join(folder, `${name}.crt`), cert)
    return { cert, key }
  }
  const old = read('authority')
  const authority =
    old && endsAfter(old, margin.authority)
      ? old
      : write('authority', await (await import('./issue.ts')).issueAuthority(hostname(), lifetime.authority))
  const renewed = async (): Promise<KeyPair> => {
    const names = namesOf(environment)
    log.write('info', 'a certificate is made for this machine', { names })
    const { issueCertificate } = await import('./issue.ts')
    return write('server', await issueCertificate(authority, names, lifetime.server))
  }
  const isGood = (pair: KeyPair) =>
    endsAfter(pair, margin.server) && isSignedBy(pair, authority) && covers(pair, namesOf(environment))
  const stored = read('server')
  let pair = stored && isGood(stored) ? stored : await renewed()
  let looked = Date.now()
  const current = () => {
    if (Date.now() - looked < lookEvery) return pair
    looked = Date.now()
    if (!isGood(pair))
      renewed().then(
        (next) => {
          pair = next
        },
        (cause: unknown) => log.write('error', 'the certificate cannot be renewed', { cause }),
      )
    return pair
  }
  const { cert: pem } = authority
  return { current, authority: { pem, fingerprint: new X509Certificate(pem).fingerprint256 } }
}

function readPair(folder: string, name: string): KeyPair | null {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  if (!existsSync(cert) || !existsSync(key)) return null
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

const endsAfter = ({ cert }: KeyPair, days: number): boolean =>
  Date.parse(new X509Certificate(cert).validTo) > Date.now() + days * day

const isSignedBy = ({ cert }: KeyPair, authority: KeyPair): boolean =>
  new X509Certificate(cert).verify(new X509Certificate(authority.cert).publicKey)

function covers({ cert }: KeyPair, names: readonly string[]): boolean {
  const certificate = new X509Certificate(cert)
  return names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined)
}

/** The names and addresses by which others reach this machine. */
function namesOf({ allowed_hosts }: Environment): string[] {
  const own = hostname().toLowerCase()
  const configured = allowed_hosts.map((host) => host.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''))
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const names = ['localhost', own, ...(own.includes('.') ? [] : [`${own}.local`]), ...configured]
  return [
    ...new Set([
      ...names.filter((name) => isIP(name) || /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)*$/.test(name)),
      ...addresses.map(({ address }) => address).filter((address) => !address.startsWith('fe80')),
    ]),
  ]
}
