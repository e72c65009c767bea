import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Log } from '../../../runtime/ports/log.ts'
import { errorMessage } from '../../../runtime/thrown.ts'
import type { Environment } from '../environment.ts'
import type { KeyPair } from './accept.ts'
import { type Certificates, ownCertificates } from './authority.ts'

/** The certificates that the environment names cannot be used. */
export class UnusableCertificate extends Error {
  override name = 'UnusableCertificate'
}

/** The certificates of a daemon that speaks HTTPS: those of the files that the environment names, or its own. Throws `UnusableCertificate`. */
export async function certificatesOf(environment: Environment, log: Log): Promise<Certificates> {
  const { tls_cert: cert, tls_key: key } = environment
  if (cert && key) return { current: filePair({ cert, key }, log), authority: null }
  if (cert || key) throw new UnusableCertificate('SERVICE_TLS_CERT and SERVICE_TLS_KEY are needed together')
  return ownCertificates(environment, log)
}

/** Milliseconds between two looks at the files. */
const lookEvery = 1_000

/** The pair in two files, read again when one of them has changed. */
function filePair(files: { cert: string; key: string }, log: Log): () => KeyPair {
  const look = () => [files.cert, files.key].map((file) => statSync(file).mtimeMs).join()
  let seen = ''
  let looked = Date.now()
  const read = (): KeyPair => {
    seen = look()
    const pair = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
    if (!new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)))
      throw new Error('the key does not belong to the certificate')
    return pair
  }
  let pair: KeyPair
  try {
    pair = read()
  } catch (thrown) {
    throw new UnusableCertificate(`${files.cert} and ${files.key} cannot be used: ${errorMessage(thrown)}`)
  }
  return () => {
    if (Date.now() - looked < lookEvery) return pair
    looked = Date.now()
    try {
      if (look() !== seen) pair = read()
    } catch (cause) {
      log.write('error', 'the new certificate cannot be used; the old one is kept', { cause })
    }
    return pair
  }
}
