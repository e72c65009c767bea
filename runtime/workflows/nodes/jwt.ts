import { z } from 'zod'
import { secretOf } from '../../credentials/index.ts'
import { reference } from '../../references.ts'
import { second } from '../../time.ts'
import { NodeError, nodeType, permanentError, refusal } from '../node-type.ts'

const algorithms = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const

const Params = z.object({
  action: z
    .enum(['sign', 'verify', 'decode'])
    .default('sign')
    .meta({ labels: { sign: 'Sign', verify: 'Verify', decode: 'Read without verifying' } }),
  credential: reference('credential', 64)
    .default('')
    .meta({
      title: 'Credential',
      description: 'Its secret is the shared secret, or a key in PEM: private to sign, public to verify',
      labels: { null: 'None' },
    }),
  algorithm: z.enum(algorithms).default('HS256'),
  claims: z.record(z.string(), z.unknown()).default({}).meta({ description: 'To sign, such as {"sub": "ada"}' }),
  expires_seconds: z.int().min(0).max(315_360_000).default(0).meta({ description: '0: as the claims say' }),
  key_id: reference('elsewhere', 200).default(''),
  token: z.string().max(100_000).default('').meta({ description: 'To verify or read' }),
  tolerance_seconds: z.int().min(0).max(86_400).default(0).meta({ description: 'By which clocks may differ' }),
  complete: z.boolean().default(true).meta({ description: 'Verified or read, the output has the header, too' }),
  ignore_expiration: z.boolean().default(false),
})
type Params = z.output<typeof Params>

export const jwt = nodeType<Params>({
  type: 'jwt',
  title: 'JSON Web Token',
  description: 'Signs, verifies or reads a JSON Web Token. The output is {token}, or {header, payload}.',
  category: 'data',
  usual_input: 'item',
  risk: 'low',
  params: Params,
  async run(params, { context }) {
    const { decodeJwt, decodeProtectedHeader, errors, jwtVerify, SignJWT } = await import('jose')
    const { action, algorithm, token, claims, expires_seconds, key_id, tolerance_seconds, complete } = params
    if (action === 'decode')
      try {
        return { output: { ...(complete && { header: decodeProtectedHeader(token) }), payload: decodeJwt(token) } }
      } catch {
        throw permanentError('invalid_token', 'The token is not a JSON Web Token')
      }
    if (params.credential === '') throw permanentError('invalid_params', 'credential is required')
    const secret = await secretOf(context, params.credential).catch((thrown: unknown) => {
      throw refusal(thrown, 'credential')
    })
    const key = await keyOf(params, secret)
    const now = Math.floor(context.clock.now() / second)
    if (action === 'sign') {
      const header = { alg: algorithm, typ: 'JWT', ...(key_id === '' ? {} : { kid: key_id }) }
      const times = { iat: now, ...(expires_seconds > 0 ? { exp: now + expires_seconds } : {}) }
      const signed = await new SignJWT({ ...times, ...claims }).setProtectedHeader(header).sign(key)
      return { output: { token: signed } }
    }
    try {
      const currentDate = new Date(context.clock.now())
      const options = { algorithms: [algorithm], clockTolerance: tolerance_seconds, currentDate }
      const { payload, protectedHeader } = await jwtVerify(token, key, options)
      return { output: { ...(complete && { header: protectedHeader }), payload } }
    } catch (thrown) {
      // It is thrown after everything else was verified.
      if (params.ignore_expiration && thrown instanceof errors.JWTExpired)
        return { output: { ...(complete && { header: decodeProtectedHeader(token) }), payload: thrown.payload } }
      if (!(thrown instanceof errors.JOSEError)) throw thrown
      throw permanentError('invalid_token', `The token cannot be verified: ${thrown.message}`)
    }
  },
})

async function keyOf({ action, algorithm }: Params, secret: string) {
  if (algorithm.startsWith('HS')) return new TextEncoder().encode(secret)
  const { importPKCS8, importSPKI, importX509 } = await import('jose')
  try {
    if (action === 'sign') return await importPKCS8(secret, algorithm)
    return await (secret.includes('CERTIFICATE') ? importX509 : importSPKI)(secret, algorithm)
  } catch {
    const kind = action === 'sign' ? 'private key (PKCS #8)' : 'public key or certificate'
    throw new NodeError('invalid_key', `The secret of the credential is not a ${kind} in PEM for ${algorithm}`, {
      permanent: true,
    })
  }
}
