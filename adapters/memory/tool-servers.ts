import { unsupported } from '../../runtime/fault.ts'
import { idleLink, type ToolServers } from '../../runtime/ports/tool-servers.ts'

const refuse = async (): Promise<never> => {
  throw unsupported('This host connects to no tool servers; the Node host does')
}

/** A host without tool servers. */
export const noToolServers: ToolServers = {
  connect: refuse,
  tools: () => null,
  call: refuse,
  disconnect: async () => undefined,
  status: () => idleLink,
  onChange: () => () => undefined,
}
