import type { Clock } from '../ports/clock.ts'
import { type ModelCall, ModelError, type ModelEvent, type Models } from '../ports/models.ts'

/** The provider id of the built-in model. */
export const offlineProvider = 'offline'

export interface OfflineOptions {
  clock: Pick<Clock, 'now'>
  /** IANA zone in which "tomorrow" and "at nine" are read, if a call names none. */
  timezone: string
}

/**
 * The vendors' models and, under its own provider id, the built-in one, which needs neither a key nor a
 * network.
 */
export function withOffline(vendors: Models, options: OfflineOptions): Models {
  const { transcribe } = vendors
  return {
    ...(transcribe && { transcribe: (recording) => transcribe(recording) }),
    stream: (call) => (call.provider === offlineProvider ? streamOfflineModel(call, options) : vendors.stream(call)),
    list: async (access) => (access.provider === offlineProvider ? [{ id: offlineProvider }] : vendors.list(access)),
  }
}

/** Its rules are loaded on first use. */
async function* streamOfflineModel(call: ModelCall, options: OfflineOptions): AsyncIterable<ModelEvent> {
  const { streamOffline } = await import('./offline/stream.ts')
  yield* streamOffline(call, { now: () => options.clock.now(), timezone: call.timezone ?? options.timezone })
}

/** The models of a host without vendors. */
export const noVendors: Models = {
  // biome-ignore lint/correctness/useYield: it ends before the first event
  async *stream(call) {
    throw new ModelError('provider_unavailable', `This host has no access to ${call.provider}`)
  },
  async list({ provider }) {
    throw new ModelError('provider_unavailable', `This host has no access to ${provider}`)
  },
}
