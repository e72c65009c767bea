import { X509Certificate } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { isCode } from '../../process/files.ts'
import { ActionFailed } from './programs.ts'

/** Whether a connection failed because nobody whom this machine trusts has signed the certificate. */
export const isUntrusted = (thrown: unknown): boolean =>
  isCode(
    thrown instanceof Error ? thrown.cause : null,
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  )

/** Lets this process trust an authority besides those of the system. */
export const trustAuthority = (pem: string): void => setDefaultCACertificates([...getCACertificates('default'), pem])

const plain = (fingerprint: string) => fingerprint.replace(/[^0-9a-f]/gi, '').toUpperCase()

/**
 * The authority of a daemon as PEM, read over HTTP and checked against the fingerprint that a person has seen there. Rejects
 * with `ActionFailed`.
 */
export async function fetchAuthority(daemon: string, fingerprint: string): Promise<string> {
  const address = new URL('/ca/hearthd.pem', daemon.replace(/^https:/, 'http:'))
  const pem = await fetch(address).then(
    (response) => (response.ok ? response.text() : ''),
    () => '',
  )
  const certificate = pem.startsWith('-----BEGIN CERTIFICATE') ? new X509Certificate(pem) : null
  if (!certificate) throw new ActionFailed(`There is no authority at ${address}`)
  if (plain(certificate.fingerprint256) !== plain(fingerprint))
    throw new ActionFailed(
      `The authority at ${address} has another fingerprint: ${certificate.fingerprint256}. Nothing was trusted`,
    )
  return pem
}
