import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { day } from '../../../runtime/time.ts'
import type { KeyPair } from './accept.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

const generateKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const pemOf = async ({ privateKey }: CryptoKeyPair): Promise<string> =>
  PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')

/** A positive number that nobody can guess, as hex. */
const serialNumber = (): string => `01${randomBytes(15).toString('hex')}`

/** Clocks of other devices may be slow. */
const validity = (days: number) => ({
  notBefore: new Date(Date.now() - day),
  notAfter: new Date(Date.now() + days * day),
})

/** An authority that signs server certificates only, not other authorities. */
export async function issueAuthority(machine: string, days: number): Promise<KeyPair> {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [`hearthd on ${machine}`] }],
    ...validity(days),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: certificate.toString('pem'), key: await pemOf(keys) }
}

/** A server certificate for names and addresses, followed by its authority. */
export async function issueCertificate(authority: KeyPair, names: readonly string[], days: number): Promise<KeyPair> {
  const keys = await generateKeys()
  const issuer = new X509Certificate(authority.cert)
  const [pkcs8 = new ArrayBuffer(0)] = PemConverter.decode(authority.key)
  const signingKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: ['hearthd'] }],
    issuer: issuer.subject,
    ...validity(days),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n${authority.cert}`, key: await pemOf(keys) }
}
