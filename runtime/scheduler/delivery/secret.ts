import type { Context } from '../../context.ts'
import type { Delivery } from '../schema.ts'

const purpose = 'scheduler:delivery'

/** What is shown in the place of a secret, and taken back for it. */
const dots = '••••••••'

export const shownDelivery = (delivery: Delivery): Delivery => ({
  ...delivery,
  secret: delivery.secret ? dots : null,
})

/** A secret was given for one receiver: with another address it is forgotten, unless it is given again. */
export async function sealDelivery(
  context: Context,
  given: Delivery,
  old: Delivery | null,
): Promise<Delivery> {
  const { secret } = given
  if (secret === null) return { ...given, secret: null }
  if (secret === undefined || secret === dots)
    return { ...given, secret: old?.url === given.url ? (old?.secret ?? null) : null }
  return { ...given, secret: await context.secrets.seal(secret, purpose) }
}

/** The secret itself, or null. */
export const openSecret = async (context: Context, { secret }: Delivery): Promise<string | null> =>
  secret ? context.secrets.open(secret, purpose) : null
