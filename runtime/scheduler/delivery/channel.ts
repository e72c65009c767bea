import type { Context } from '../../context.ts'
import type { WorkEnding } from '../../work/kind.ts'
import type { StoredJob } from '../job-store.ts'
import type { StoredRun } from '../run-store.ts'

/** What is to be delivered. */
export interface Parcel {
  job: StoredJob
  run: StoredRun
}

/** Brings a parcel away. What it returns belongs to the commit that marks the run delivered; what it throws is tried again. */
export type Channel = (context: Context, parcel: Parcel) => Promise<WorkEnding>

/** Another try would end the same way until a person changes something. */
export class Undeliverable extends Error {
  override name = 'Undeliverable'
}
