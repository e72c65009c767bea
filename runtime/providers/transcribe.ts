import type { Context } from '../context.ts'
import { watchKillSwitch } from '../ledger/kill-switch.ts'
import { type Reservation, reserve, settle } from '../ledger/ledger.ts'
import type { Cost } from '../ledger/schema.ts'
import type { Spender } from '../ledger/spender.ts'
import { findVendor } from '../models/vendors/index.ts'
import { isOwnAddress } from '../models/vendors/vendor.ts'
import { ModelError, type Models, type Recording, type Transcript } from '../ports/models.ts'
import { credentialsIn } from './access.ts'
import { listProviderRecords, type ProviderRecord } from './store.ts'

/** Bytes per second of a recording, at least: speech is never stored smaller, so that no call costs more than is reserved. */
const leastRate = 500

/** A server of somebody else lists its own models. */
const speechModel = /whisper|transcri|voxtral|parakeet/i

type Speech = Pick<Recording, 'name' | 'mime_type' | 'bytes'>

/** Writes down what is said, with the first provider that can; null if none is set up. Throws `ModelError`. */
export async function transcribe(context: Context, speech: Speech, spender: Spender): Promise<string | null> {
  if (!context.models.transcribe) return null
  let failure: ModelError | null = null
  for (const record of await listProviderRecords(context)) {
    if (!findVendor(record.id)?.speech) continue
    try {
      return await transcribeWith(context, record, { speech, spender })
    } catch (thrown) {
      if (!(thrown instanceof ModelError) || context.signal.aborted) throw thrown
      failure = thrown
    }
  }
  if (failure) throw failure
  return null
}

async function transcribeWith(
  context: Context,
  record: ProviderRecord,
  { speech, spender }: { speech: Speech; spender: Spender },
): Promise<string> {
  const { model, priced, usd_per_minute } = speechOf(record)
  const cost = (seconds: number): Cost => ({
    ...{ input_tokens: 0, output_tokens: 0 },
    cost_usd: (usd_per_minute * seconds) / 60,
  })
  const longest = speech.bytes.byteLength / leastRate
  const watch = await watchKillSwitch(context)
  try {
    const request = { provider: record.id, model, priced, spender, estimate: () => cost(longest), own: null }
    const reservation = await reserve(context, request)
    const access = await credentialsIn(context, record)
    const recording = { ...speech, ...access, provider: record.id, model, signal: watch.signal }
    const run = () => (context.models.transcribe as NonNullable<Models['transcribe']>)(recording)
    return (await charged(context, reservation, { cost, longest, run })).text
  } finally {
    watch.close()
  }
}

function speechOf({ id, base_url, models }: ProviderRecord) {
  const vendor = findVendor(id)
  const speech = vendor?.speech ?? { model: '', usd_per_minute: 0 }
  if (vendor && isOwnAddress(vendor, base_url)) return { ...speech, priced: true }
  const model = models.find((one) => speechModel.test(one.id))?.id ?? speech.model
  return { model, usd_per_minute: 0, priced: false }
}

interface Charge {
  /** By seconds. */
  cost(seconds: number): Cost
  /** The longest that the recording can be, in seconds. */
  longest: number
  run(): Promise<Transcript>
}

/** Runs the call and stores its cost, however it ends. */
async function charged(
  context: Context,
  reservation: Reservation,
  { cost, longest, run }: Charge,
): Promise<Transcript> {
  const none = { ...cost(0), cached_tokens: 0, estimated: false }
  try {
    const transcript = await run()
    const { seconds } = transcript
    const end = { ...cost(seconds ?? longest), cached_tokens: 0, estimated: seconds === null }
    await settle(context, reservation, { end: { ...end, status: 'succeeded', error: null }, statements: [] })
    return transcript
  } catch (thrown) {
    const error = thrown instanceof ModelError ? thrown.code : 'internal_error'
    await settle(context, reservation, { end: { ...none, status: 'failed', error }, statements: [] })
    throw thrown
  }
}
