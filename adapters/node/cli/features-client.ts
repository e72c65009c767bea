import type { InstallJob } from '../../../runtime/features/schema.ts'
import type { Client } from './client.ts'
import { connect } from './client.ts'
import type { Options } from './command.ts'
import { environmentOf } from './settings.ts'

export const keyOption: [string, string] = [
  '--key',
  'API key (default SERVICE_API_KEY, else a session of this machine)',
]

export const packPath = (id: string, rest: string) => `/api/features/packs/${encodeURIComponent(id)}/${rest}`

/** Runs something with the daemon's API and ends the session behind it. */
export async function withClient<Result>(
  options: Options,
  run: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await connect(environmentOf({}), options)
  try {
    return await run(client)
  } finally {
    await client.close()
  }
}

/** `1.4 MB`; `?` where it is not known. */
export function size(bytes: number | null): string {
  if (bytes === null) return '?'
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

export const progressLine = ({ progress: { phase, done, total } }: InstallJob): string =>
  total > 0 ? `${phase} ${done}/${total}` : phase
