import type { Context } from '../context.ts'
import { deliveryPurpose } from './kinds.ts'
import type { Delivery } from './schema.ts'

/** Replaces a secret in responses; sent back, it keeps the stored secret. */
const mask = '••••••••'

export const maskSecret = (delivery: Delivery): Delivery => ({
  ...delivery,
  secret: delivery.secret ? mask : null,
})

/** Encrypts a given secret. A secret belongs to one receiver: a new URL drops it unless it is given again. */
export async function sealDelivery(context: Context, delivery: Delivery, old: Delivery | null): Promise<Delivery> {
  const { secret } = delivery
  if (secret === null) return delivery
  if (secret === undefined || secret === mask)
    return { ...delivery, secret: old?.url === delivery.url ? (old?.secret ?? null) : null }
  return { ...delivery, secret: await context.secrets.seal(secret, deliveryPurpose) }
}

export const openSecret = async (context: Context, { secret }: Delivery): Promise<string | null> =>
  secret ? context.secrets.open(secret, deliveryPurpose) : null
