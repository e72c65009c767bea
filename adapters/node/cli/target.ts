import { setTimeout as sleep } from 'node:timers/promises'
import { folderHolder, type Holder, holderUrl } from '../../libsql/lock.ts'
import type { Environment } from '../environment.ts'
import { type Options, textOption } from './command.ts'

/** A daemon that a command is about. */
export interface Target extends Holder {
  url: string
}

/** The daemon of the data folder, unless `--port` names another one. */
export function findDaemon(environment: Environment, options: Options): Target | null {
  const holder = folderHolder(environment.data_dir)
  if (!holder) return null
  if (textOption(options, 'port') !== undefined && holder.port !== environment.port) return null
  return { ...holder, url: holderUrl(holder) }
}

export interface Vitals {
  status: string
  version?: string
  uptime_seconds?: number
}

/** What `/health` says, or null when nothing of ours answers there. */
export async function askHealth(url: string): Promise<Vitals | null> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })
    const body = (await response.json()) as Vitals & { error?: string; message?: string }
    if (response.status === 503 && body.message?.startsWith('hearthd is'))
      return { status: body.message.slice(11) }
    return response.ok && typeof body.status === 'string' ? body : null
  } catch {
    return null
  }
}

const every = 50

/** True when `check` came true within `milliseconds`. */
export async function waitUntil(
  milliseconds: number,
  check: () => Promise<boolean> | boolean,
): Promise<boolean> {
  const end = Date.now() + milliseconds
  while (!(await check())) {
    if (Date.now() >= end) return false
    await sleep(every)
  }
  return true
}
