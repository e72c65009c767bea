import * as backup from './backup.ts'
import * as prices from './prices.ts'
import { discover, list, models, removeKey, setKey, test } from './providers.ts'

/** The fixed names come before those under an id, which they would otherwise be taken for. */
export const providers = [
  list,
  discover,
  backup.show,
  backup.update,
  backup.usage,
  backup.giveBack,
  setKey,
  removeKey,
  test,
  models,
  prices.setPrices,
  prices.setAllowance,
]
