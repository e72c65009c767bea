/** Work that starts a run. Its subject is the run, as it is for the kinds below. */
export const runKind = 'scheduler.run'
/** Work that starts a run for a missed due time; only a few of these run at once. */
export const catchUpKind = 'scheduler.catchup'
/** Work that closes a run whose turn has ended. */
export const endKind = 'scheduler.end'
/** The unit that closes a run, to be queued when the work that it started has ended. */
export const endOf = ({ id }: { id: string }) => ({ kind: endKind, subject: id })
/** Work that stops a run that is out of time or was cancelled. */
export const stopKind = 'scheduler.stop'
/** Work that delivers the result of a run. */
export const deliveryKind = 'scheduler.delivery'
/** Work that continues the chains of a run that has ended. Its subject is the run, or a run of a chain. */
export const chainKind = 'scheduler.chain'
/** Purpose of the sealed credentials. */
export const deliveryPurpose = 'scheduler:delivery'
