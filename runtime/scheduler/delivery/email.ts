import { Fault } from '../../fault.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { sendEmail } from '../../settings/email.ts'
import { type Channel, Undeliverable } from './channel.ts'
import { addressesOf } from './check.ts'
import { format, headline } from './format.ts'

/** A mail through the server of the settings. */
export const email: Channel = async (context, parcel) => {
  const mail = {
    to: addressesOf(parcel.job.delivery.to),
    subject: headline(parcel).replace(/\s+/g, ' '),
    text: `${format(parcel)}\n`,
  }
  try {
    await sendEmail(context, mail)
  } catch (thrown) {
    if (thrown instanceof Fault || thrown instanceof OutboundBlocked) throw new Undeliverable(thrown.message)
    throw thrown
  }
  return {}
}
