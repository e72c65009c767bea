import { commit } from '../../events/commit.ts'
import type { Host } from '../../host.ts'
import { findServer } from './store.ts'

/** Announces what becomes of the connections, so that whoever shows them need not ask again and again. */
export function followServers(host: Host): () => void {
  return host.tool_servers.onChange((id, state) => {
    void announce(host, id, state).catch((cause: unknown) =>
      host.log.write('warn', 'a change of a tool server could not be announced', { server: id, cause }),
    )
  })
}

/** A connection that only tries a server out is nobody's but its asker's. */
async function announce(host: Host, id: string, state: string): Promise<void> {
  if (host.process.stopping.aborted || !(await findServer(host, id))) return
  await commit(host, [], [{ type: 'tool_server.changed', data: { tool_server_id: id, state } }])
}
