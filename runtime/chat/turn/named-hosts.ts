import { textsOfPerson } from '../message-store.ts'
import type { Risk } from '../schema.ts'
import type { Call } from './describe.ts'
import type { Turn } from './state.ts'

const hostPattern = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}/gu

/**
 * How much a call may do harm here. Text from outside may have asked for an address that carries off what the
 * conversation holds; a host that the person has named is the person's own wish. A channel's messages are not the
 * person's.
 */
export async function riskHere(turn: Turn, call: Extract<Call, { ok: true }>): Promise<Risk> {
  const { conversation, context } = turn
  const host = conversation.tainted ? (call.tool.reaches?.(call.input) ?? null) : null
  if (host === null || conversation.kind === 'channel') return call.risk
  const texts = await textsOfPerson(context, conversation.id)
  return texts.some((text) => namesHost(text, host)) ? 'low' : call.risk
}

/** Whether a text names a host, with or without `www.`; a part of another name does not count. */
export function namesHost(text: string, host: string): boolean {
  const wanted = bare(host)
  return (text.match(hostPattern) ?? []).some(
    (found) => bare(URL.parse(`https://${found}`)?.hostname ?? '') === wanted,
  )
}

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '')
