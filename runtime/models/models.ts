import type { Clock } from '../ports/clock.ts'
import { type ModelCall, ModelError, type ModelEvent, type Models } from '../ports/models.ts'

/** The id under which the built-in model stands among the providers. */
export const offlineProvider = 'offline'

export interface OfflineOptions {
  clock: Pick<Clock, 'now'>
  /** IANA zone in which "tomorrow" and "at nine" are read. */
  timezone: string
}

/** The vendors' models and, under its own provider id, the one that needs neither key nor network. */
export function withOffline(vendors: Models, options: OfflineOptions): Models {
  return {
    stream: (call) =>
      call.provider === offlineProvider ? streamOfflineModel(call, options) : vendors.stream(call),
    list: async (access) => (access.provider === offlineProvider ? [offlineProvider] : vendors.list(access)),
  }
}

/** Its language rules are loaded when first used. */
async function* streamOfflineModel(call: ModelCall, options: OfflineOptions): AsyncIterable<ModelEvent> {
  const { streamOffline } = await import('./offline/stream.ts')
  yield* streamOffline(call, { now: () => options.clock.now(), timezone: options.timezone })
}

/** Stands where a host lends no vendors. */
export const noVendors: Models = {
  // biome-ignore lint/correctness/useYield: it ends before the first event
  async *stream(call) {
    throw new ModelError('provider_unavailable', `This host has no access to ${call.provider}`)
  },
  async list({ provider }) {
    throw new ModelError('provider_unavailable', `This host has no access to ${provider}`)
  },
}
