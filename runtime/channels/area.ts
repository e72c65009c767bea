import { defineArea, type ReferenceCheck } from '../area.ts'
import { day, iso } from '../time.ts'
import { credentialsPurpose } from './kinds.ts'
import { pruneInbound, pruneOutbound } from './message-store.ts'
import { pendingAge, prunePending } from './pairing-store.ts'
import { announcements, connectionSource } from './sources.ts'

/** Days sent messages are kept. Received ones are kept a day longer than platforms redeliver them. */
const keptDays = { inbound: 2, outbound: 7, unsent: 30 }

const isOwnChannel: ReferenceCheck = async (context, id) =>
  (await (await import('./channel-store.ts')).findOwnChannel(context, id)) !== null

export const channelsArea = defineArea({
  name: 'channels',
  references: { channel: isOwnChannel, delivery_channel: isOwnChannel },
  channel_message: async () => (await import('./send.ts')).channelMessage,
  events: async () => (await import('./events.ts')).channelEvents,
  waiting: async (context) => (await import('./pairing-store.ts')).waitingPairings(context),
  tables: [
    'channels',
    'channel_bindings',
    'channel_pairings',
    'channel_sessions',
    'channel_inbound',
    'channel_outbound',
    'channel_log',
  ],
  owned_tables: ['channels'],
  sealed: [{ table: 'channels', column: 'sealed_credentials', purpose: credentialsPurpose }],
  work: {
    'channels.inbound': async () => (await import('./inbound.ts')).inbound,
    'channels.send': async () => (await import('./send.ts')).sendWork,
    'channels.progress': async () => (await import('./progress.ts')).progressWork,
    'channels.listen': async () => (await import('./listen.ts')).listen,
  },
  sources: [announcements, connectionSource],
  gate: async (context, intent) => (await import('./guest-gate.ts')).guardOwner(context, intent),
  tools: async () => [(await import('./tool.ts')).channelSend],
  prune: async ({ clock }) => [
    pruneInbound(iso(clock.now() - keptDays.inbound * day)),
    pruneOutbound(iso(clock.now() - keptDays.outbound * day), iso(clock.now() - keptDays.unsent * day)),
    prunePending(iso(clock.now() - pendingAge)),
  ],
})
