import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { z } from 'zod'
import type { BootstrapState } from '../../runtime/auth/schema.ts'
import type { Config } from '../../runtime/config.ts'
import { unauthorized } from '../../runtime/fault.ts'
import { faultResponse } from '../../runtime/http/errors.ts'
import type { SqlStorage } from './platform.ts'

/** Whether a home has stored anything. */
export const isUsed = (sql: SqlStorage): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'worker_files'").toArray().length > 0

/** Compares digests: how long that takes reports nothing about the token. */
export const bringsSetupToken = ({ headers }: Request, { setup_token }: Config): boolean =>
  setup_token !== '' && digest(headers.get('x-setup-token') ?? '') === digest(setup_token)

const digest = (text: string) => bytesToHex(sha256(utf8ToBytes(text)))

/**
 * The answer of a home before its setup. It opens, and stores its first bytes, with a request that brings its setup token:
 * requests for names that nobody uses cost no storage.
 */
export function answerUnused(request: Request, { version }: Config): Response {
  const state: z.output<typeof BootstrapState> = { bootstrap_mode: true, setup_token_required: true, version }
  if (request.method === 'GET' && new URL(request.url).pathname === '/api/auth/bootstrap') return Response.json(state)
  return faultResponse(unauthorized('This home is not set up; its setup requires the X-Setup-Token header'))
}
