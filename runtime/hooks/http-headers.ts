import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'
import type { HookAction } from './action-schema.ts'
import { headersPurpose } from './purposes.ts'

/** The action of a hook as it is shown, and the values of its headers, which may be credentials. */
export interface SealedAction {
  /** Each header of a request has only the end of its value. */
  action: HookAction
  sealed_headers: string | null
}

/** Seals the headers of an action. A header with the value that was shown keeps the one it had. */
export async function sealHeaders(
  host: Pick<Host, 'secrets'>,
  action: HookAction,
  before: SealedAction | null,
): Promise<SealedAction> {
  if (action.kind !== 'http') return { action, sealed_headers: null }
  const masked = before?.action.kind === 'http' ? before.action.headers : {}
  const stored = before ? await openHeaders(host, before) : {}
  const entries = Object.entries(action.headers).map(([name, value]): [string, string] => {
    const meant = masked[name] === value ? (stored[name] ?? value) : value
    requireHeader(name, meant)
    return [name, meant]
  })
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, hintOf(value)]))
  const sealed = await host.secrets.seal(JSON.stringify(Object.fromEntries(entries)), headersPurpose)
  return { action: { ...action, headers }, sealed_headers: entries.length === 0 ? null : sealed }
}

function requireHeader(name: string, value: string): void {
  try {
    new Headers([[name, value]])
  } catch {
    throw invalidField(`action.headers.${name}`, 'is not a valid header')
  }
}

const hintOf = (value: string): string => (value.length < 12 ? '…' : `…${value.slice(-4)}`)

export async function openHeaders(
  { secrets }: Pick<Host, 'secrets'>,
  { sealed_headers }: Pick<SealedAction, 'sealed_headers'>,
): Promise<Record<string, string>> {
  return sealed_headers === null
    ? {}
    : (JSON.parse(await secrets.open(sealed_headers, headersPurpose)) as Record<string, string>)
}
