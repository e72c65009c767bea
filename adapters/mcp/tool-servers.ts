import { idleLink, type LinkListener, ToolServerError, type ToolServers } from '../../runtime/ports/tool-servers.ts'
import { isSameJson } from '../../runtime/values.ts'
import { Link, type LinkSettings } from './link.ts'

export interface NodeToolServers extends ToolServers {
  /** Ends every connection and every process. */
  close(): Promise<void>
}

/** Tool servers over the standard streams of processes, Streamable HTTP and the older Server-Sent Events. */
export function createToolServers(settings: Omit<LinkSettings, 'onChange'>): NodeToolServers {
  const links = new Map<string, Link>()
  const listeners = new Set<LinkListener>()
  const onChange: LinkListener = (id, state) => {
    for (const listener of listeners) listener(id, state)
  }
  const killAll = () => {
    for (const link of links.values()) link.kill()
  }
  process.once('exit', killAll)

  async function disconnect(id: string): Promise<void> {
    const link = links.get(id)
    links.delete(id)
    await link?.close()
  }

  return {
    async connect(id, address, options) {
      const existing = links.get(id)
      if (existing && !isSameJson(existing.address, address)) await disconnect(id)
      const link = links.get(id) ?? new Link(id, address, { ...settings, onChange })
      links.set(id, link)
      await link.connect(options)
      return link.tools ?? []
    },
    tools: (id) => links.get(id)?.tools ?? null,
    async call(id, call) {
      const link = links.get(id)
      if (!link) throw new ToolServerError('It is not connected')
      return link.call(call)
    },
    disconnect,
    status: (id) => links.get(id)?.status ?? idleLink,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      await Promise.all([...links.keys()].map(disconnect))
      process.off('exit', killAll)
    },
  }
}
