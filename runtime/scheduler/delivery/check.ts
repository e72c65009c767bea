import { invalidField } from '../../fault.ts'
import { webAddressProblem } from '../conditions/http.ts'
import type { Delivery } from '../schema.ts'

/** Refuses what could never arrive. Whether a channel is set up shows when something is delivered. */
export function checkDelivery({ channel, to, url }: Delivery): void {
  if (channel === 'webhook') {
    const problem = webAddressProblem(url ?? '')
    if (problem !== null) throw invalidField('delivery.url', problem)
  }
  if (channel !== 'email') return
  const wrong = addressesOf(to).find((address) => !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(address))
  if (wrong !== undefined) throw invalidField('delivery.to', `${wrong} is not an email address`)
}

/** The addresses of `to`, with commas between them. */
export const addressesOf = (to: string | null): string[] =>
  (to ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean)
