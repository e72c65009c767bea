import { type Outbound, OutboundBlocked } from '../../runtime/ports/outbound.ts'

/** A host with no way out. */
export const noOutbound: Outbound = {
  async fetch() {
    throw new OutboundBlocked('This host makes no outgoing requests')
  },
}
