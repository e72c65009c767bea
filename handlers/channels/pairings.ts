import { z } from 'zod'
import { approvePairing, denyPairing, removePairing } from '../../runtime/channels/pairing.ts'
import { listPairings, publicPairing } from '../../runtime/channels/pairing-store.ts'
import { Pairing, PeerRole } from '../../runtime/channels/schema.ts'
import { listing, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

const place = { path: '/api/channels/pairings', Row: Pairing } as const

export const pairings = listing({
  path: '/api/channels/pairings',
  summary: 'List pairing requests and their decisions, newest first',
  items: 'pairings',
  item: Pairing,
  query: pageQuery().extend({
    channel_id: z.string().optional(),
    status: Pairing.shape.status.optional(),
  }),
  async rows(context, query) {
    const { rows, total } = await listPairings(context, query)
    return { rows: rows.map(publicPairing), total }
  },
})

export const approve = verbOf(place, 'approve', {
  summary: 'Approve a pairing request, as the owner of the channel or as a guest (id: of the request, or its code)',
  body: z.object({ role: PeerRole.default('guest') }),
  body_optional: true,
  run: (context, id, { role }) => approvePairing(context, id, role),
})

export const deny = verbOf(place, 'deny', {
  summary: 'Deny a pairing request (id: of the request, or its code)',
  run: denyPairing,
})

export const forget = removal({
  path: '/api/channels/pairings/{id}',
  summary: 'Delete a pairing; the person must pair again',
  remove: removePairing,
})
