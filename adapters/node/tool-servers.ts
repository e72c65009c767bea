import { idleLink, type LinkListener } from '../../runtime/ports/tool-servers.ts'
import type { LinkSettings } from '../mcp/link.ts'
import type { NodeToolServers } from '../mcp/tool-servers.ts'

/** Tool servers, loaded with the first that is connected. */
export function lazyToolServers(settings: LinkSettings): NodeToolServers {
  let loading: Promise<NodeToolServers> | undefined
  let loaded: NodeToolServers | undefined
  const listeners = new Set<LinkListener>()
  const load = () => {
    loading ??= import('../mcp/tool-servers.ts').then(({ createToolServers }) => {
      loaded = createToolServers(settings)
      loaded.onChange((id, state) => {
        for (const listener of listeners) listener(id, state)
      })
      return loaded
    })
    return loading
  }
  return {
    connect: async (id, address, options) => (await load()).connect(id, address, options),
    tools: (id) => loaded?.tools(id) ?? null,
    call: async (id, call) => (await load()).call(id, call),
    disconnect: async (id) => loaded?.disconnect(id),
    status: (id) => loaded?.status(id) ?? idleLink,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => (await loading)?.close(),
  }
}
