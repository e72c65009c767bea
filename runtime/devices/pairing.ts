import { auditStatement } from '../auth/audit.ts'
import { anonymousCaller } from '../auth/caller.ts'
import { digest } from '../auth/credential.ts'
import { bucket } from '../auth/limiter.ts'
import { nobody, ownerOf } from '../auth/owner.ts'
import { countAudit } from '../auth/store.ts'
import { countFailure, refuseLimited, tryOnce } from '../auth/throttle.ts'
import { userById } from '../auth/user-store.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { unauthorized } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost, wonRace } from '../lost-race.ts'
import { iso, minute } from '../time.ts'
import { isHarmless } from './catalogue.ts'
import {
  deleteExpiredCodes,
  findCode,
  findDevice,
  insertCode,
  insertDevice,
  joinGroup,
  type StoredCode,
  type StoredDevice,
  saveToken,
  takeCode,
  tokensByLookup,
} from './device-store.ts'
import { deviceGroups } from './groups.ts'
import { DeviceHealth, type DeviceToken, type NewPairingCode, type PairRequest } from './schema.ts'

const lifetime = 5 * minute
const maxWrong = 5

/** Maximum wrong codes from all addresses within the lifetime of a code, against distributed guessing. */
const maxWrongOfAll = 100

/** Creates a code that pairs one device within 5 minutes. */
export async function createPairingCode(context: Context, { name, group_id }: NewPairingCode) {
  if (group_id !== undefined) await deviceGroups.require(context, group_id)
  const now = context.clock.now()
  const expires_at = iso(now + lifetime)
  // A code may be taken.
  return againIfLost(async () => {
    const code = String(Number.parseInt(context.secrets.random(6), 16) % 1_000_000).padStart(6, '0')
    const row: StoredCode = {
      hash: context.secrets.sha256(code),
      owner_id: ownerOf(context),
      name: name ?? null,
      group_id: group_id ?? null,
      address: bucket(context.caller.address),
      created_at: iso(now),
      expires_at,
    }
    const audit = auditStatement(context, { action: 'device.code_created', target: row.owner_id })
    const answer = { code, expires_at }
    await context.commit([deleteExpiredCodes(iso(now)), insertCode(row), audit], [], { answer })
    return answer
  }, 5)
}

const wrongCode = () => unauthorized('This pairing code is wrong, expired or already used; create a new one')

/** Exchanges a pairing code for the token of a new device. Needs no credentials, so wrong codes are counted by address. */
export async function pairDevice(context: Context, request: PairRequest, url: string): Promise<DeviceToken> {
  const code = await tryOnce(context, () => usableCode(context, request.code))
  if (!code) {
    await recordWrong(context)
    throw wrongCode()
  }
  const now = context.clock.now()
  const device = newDevice(request, code, now)
  const token = `dev_${context.secrets.random(32)}`
  const answer = { device_id: device.id, device_token: token, ws_url: socketUrl(url) }
  const paired = event('device.paired', { device_id: device.id, name: device.name }, device.owner_id)
  const stored = context.commit(
    [
      takeCode(code.hash, iso(now)),
      insertDevice(device),
      saveToken(device.id, digest(token, context.secrets), iso(now)),
      ...(code.group_id === null ? [] : [joinGroup(code.group_id, device.id)]),
      auditStatement(context, { action: 'device.paired', target: device.id }),
    ],
    [paired],
    { answer },
  )
  if (!(await wonRace(stored))) throw wrongCode()
  return answer
}

export const socketUrl = (url: string): string => new URL('/api/devices/ws', url).href.replace(/^http/, 'ws')

function newDevice(request: PairRequest, code: StoredCode, now: number): StoredDevice {
  const { platform, capabilities } = request
  const harmless = capabilities.filter(isHarmless)
  return {
    id: newId('dev', now),
    owner_id: code.owner_id,
    name: code.name ?? request.name,
    platform,
    model: request.model ?? null,
    os_version: request.os_version ?? null,
    client_version: request.client_version ?? null,
    capabilities: [...new Set(capabilities)],
    allowed_commands: [...new Set(harmless)],
    reviewed: [...new Set(harmless)],
    group_ids: [],
    status: 'offline',
    health: DeviceHealth.parse({}),
    push: null,
    last_seen_at: null,
    paired_at: iso(now),
  }
}

/** The open code. Wrong codes void the codes that were open then, in every process and across restarts. */
async function usableCode(context: Context, code: string): Promise<StoredCode | null> {
  const pairing = await findCode(context, context.secrets.sha256(code), iso(context.clock.now()))
  if (!pairing) return null
  const wrong = await countWrong(context, pairing.created_at, pairing.address)
  const tooMany = Math.max(wrong.by_caller, wrong.by_creator) >= maxWrong || wrong.total >= maxWrongOfAll
  return tooMany || wrong.voided > 0 ? null : pairing
}

const wrongActions = ['device.pairing_failed', 'device.codes_voided'] as const

const countWrong = (context: Context, since: string, creator: string) =>
  countAudit(context, wrongActions, { since, targets: { caller: bucket(context.caller.address), creator } })

/** Records a wrong code: the fifth of an address voids the codes that are open for it or that it created. */
async function recordWrong(context: Context): Promise<void> {
  const address = bucket(context.caller.address)
  const since = iso(context.clock.now() - lifetime)
  const { by_caller, total } = await countWrong(context, since, address)
  const isVoiding = (by_caller + 1) % maxWrong === 0 || (total + 1) % maxWrongOfAll === 0
  const action = isVoiding ? 'device.codes_voided' : 'device.pairing_failed'
  await context.commit([auditStatement(context, { action, target: address, outcome: 'failed' })])
}

const tokenShape = /^dev_[0-9a-f]{64}$/

/** The device that a token belongs to; null if it is invalid. Failures count towards the limit for wrong credentials. */
export async function identifyDevice(
  context: Context,
  token: string | null,
): Promise<{ device: StoredDevice; token_hash: string } | null> {
  const device = token !== null && tokenShape.test(token) ? await deviceOfToken(context, token) : null
  if (device) return device
  refuseLimited(context)
  countFailure(context)
  return null
}

async function deviceOfToken(context: Context, token: string) {
  const { hash, lookup } = digest(token, context.secrets)
  const rows = await tokensByLookup(context, lookup)
  const row = rows.find((one) => context.secrets.equal(one.hash, hash))
  const device = row && (await findDevice(context, row.device_id))
  return device && device.status !== 'revoked' && (await hasOwner(context, device))
    ? { device, token_hash: hash }
    : null
}

/** False if the device's owner was removed. */
const hasOwner = async (context: Context, { owner_id }: StoredDevice): Promise<boolean> =>
  owner_id === nobody || (await userById(context, owner_id)) !== null

/** Whether the token that opened a connection is still valid. */
export async function isTokenValid(context: Context, device: string, hash: string): Promise<boolean> {
  const rows = await tokensByLookup(context, hash.slice(0, 8))
  const isOwnToken = rows.some((row) => row.device_id === device && row.hash === hash)
  const stored = isOwnToken && (await findDevice(context, device))
  return stored ? hasOwner(context, stored) : false
}

/** The context of a device, which acts as the user who paired it. */
export const deviceContext = (context: Context, { id, name, owner_id }: StoredDevice): Context => ({
  ...context,
  caller: {
    ...anonymousCaller({ address: context.caller.address, local: context.caller.local }),
    id,
    user_id: owner_id === '' ? null : owner_id,
    name: `device ${name}`,
    scopes: ['approve'],
  },
})
