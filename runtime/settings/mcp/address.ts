import type { Context } from '../../context.ts'
import type { ToolServerAddress } from '../../ports/tool-servers.ts'
import type { ServerRecord } from './store.ts'

type Secrets = Pick<Context, 'secrets'>
type Kind = 'env' | 'headers'

/** Binds sealed values to their use. */
const purpose = (id: string, kind: Kind) => `tool-server:${id}:${kind}`

/** Sealed text of values by name; null when there are none. */
export async function sealValues(
  { secrets }: Secrets,
  id: string,
  kind: Kind,
  values: Record<string, string>,
): Promise<string | null> {
  return Object.keys(values).length === 0 ? null : secrets.seal(JSON.stringify(values), purpose(id, kind))
}

export async function openValues(
  { secrets }: Secrets,
  id: string,
  kind: Kind,
  sealed: string | null,
): Promise<Record<string, string>> {
  return sealed === null ? {} : JSON.parse(await secrets.open(sealed, purpose(id, kind)))
}

/** How to reach a server, with its secrets in the clear: for the port alone. */
export async function addressOf(host: Secrets, server: ServerRecord): Promise<ToolServerAddress> {
  const { id, transport, command, args, url } = server
  if (transport === 'stdio') {
    const env = await openValues(host, id, 'env', server.sealed_env)
    return { transport, command: command ?? '', args, env }
  }
  return { transport, url: url ?? '', headers: await openValues(host, id, 'headers', server.sealed_headers) }
}
